# cmake/operator.cmake: targets of the runtime, of one operator and of one variant; the same for
# both backends, which provide camp_operator_objects and camp_runtime_sources.

# Every warning that Camp's own C++ is held to.
function(camp_strict_warnings target)
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
                      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CAMP_WARNINGS_AS_ERRORS}>>:-Werror>)
endfunction()

# camp_runtime: the runtime as a shared library; its objects serve camp_ops too.
function(camp_add_runtime)
  camp_runtime_sources(sources)
  add_library(camp_runtime_objects OBJECT ${sources})
  target_include_directories(camp_runtime_objects PRIVATE "${CAMP_ROOT}/native/include"
                                                          "${CAMP_ROOT}/native/src")
  camp_runtime_options(camp_runtime_objects)
  camp_strict_warnings(camp_runtime_objects)
  add_library(camp_runtime SHARED $<TARGET_OBJECTS:camp_runtime_objects>)
  camp_link_backend(camp_runtime)
  target_link_libraries(camp_runtime PRIVATE ${CMAKE_DL_LIBS})

  # Operators ask for the runtime by its soname, and the loader takes any library of that name that
  # the process already has. So each backend has its own, or an operator for nvidia would run on the
  # simulator's runtime in a process that uses both.
  set(soname libcamp_runtime_${CAMP_BACKEND}.so)
  set_target_properties(camp_runtime PROPERTIES NO_SONAME ON)
  target_link_options(camp_runtime PRIVATE -Wl,-soname,${soname})
  add_custom_command(
    TARGET camp_runtime POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E create_symlink libcamp_runtime.so "${CMAKE_BINARY_DIR}/${soname}"
    VERBATIM)
endfunction()

# camp_operator_library(<target> <op> <kernel file>): lib<target>.so, next to the runtime.
function(camp_operator_library target op kernel)
  file(GLOB sources "${CMAKE_CURRENT_SOURCE_DIR}/${op}/nvidia/*.cu")
  if(NOT sources)
    # Not an error: an operator being written must not stop the others.
    message(WARNING "Operator ${op} has no .cu file in ops/${op}/nvidia; it is left out.")
    return()
  endif()
  camp_operator_objects(${target}_objects "${kernel}" ${sources})
  target_include_directories(${target}_objects PRIVATE "${CAMP_ROOT}/native/include"
                                                       "${CMAKE_CURRENT_SOURCE_DIR}")
  add_library(${target} SHARED $<TARGET_OBJECTS:${target}_objects>)
  camp_link_backend(${target})
  # -z defs: a function that is declared and never defined is an error here, not when loading.
  target_link_options(${target} PRIVATE -Wl,-z,defs)
  target_link_libraries(${target} PRIVATE camp_runtime)
endfunction()

# camp_op_<op>, from the learner's kernel file.
function(camp_add_operator op)
  camp_operator_library(camp_op_${op} ${op} "${CMAKE_CURRENT_SOURCE_DIR}/${op}/nvidia/kernel.cuh")
  if(TARGET camp_op_${op})
    set_property(GLOBAL APPEND PROPERTY CAMP_OPERATORS ${op})
  endif()
endfunction()

# camp_add_variant(<target> <op> <kernel file> [COUNTED]): an operator of the same name from another
# kernel file: a solution, a step, a learner's copy. COUNTED, on the simulator alone, reports the
# branches that warps take; it costs a call at every one of them.
function(camp_add_variant target op kernel)
  camp_operator_library(${target} ${op} "${kernel}")
  if(NOT TARGET ${target})
    return()
  endif()
  set_target_properties(
    ${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/variants"
                         EXCLUDE_FROM_ALL ON)
  set_target_properties(${target}_objects PROPERTIES EXCLUDE_FROM_ALL ON)
  if("COUNTED" IN_LIST ARGN)
    camp_count_branches(${target}_objects)
  endif()
endfunction()

# camp_private_objects(<result> <target>): the target's objects as one file in which all that is
# hidden is local. Kernels of two operators may define functions of the same name; linked together
# as they are, one of the two would silently serve both.
function(camp_private_objects result target)
  set(objects $<TARGET_OBJECTS:${target}>)
  if(CAMP_PRIVATE_OBJECTS)
    set(output "${CMAKE_BINARY_DIR}/private/${target}.o")
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/private"
      COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${output}" ${objects}
      COMMAND "${CMAKE_OBJCOPY}" --localize-hidden "${output}"
      DEPENDS ${objects}
      COMMENT "Joining ${target}"
      VERBATIM COMMAND_EXPAND_LISTS)
    set_source_files_properties("${output}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(objects "${output}")
  endif()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# camp_ops: all operators and the runtime in one library.
function(camp_add_all_operators)
  execute_process(COMMAND "${CMAKE_LINKER}" --help OUTPUT_VARIABLE help ERROR_QUIET)
  string(FIND "${help}" "--force-group-allocation" supported)
  set(CAMP_PRIVATE_OBJECTS OFF)
  if(CMAKE_OBJCOPY AND supported GREATER_EQUAL 0)
    set(CAMP_PRIVATE_OBJECTS ON)
  endif()
  get_property(operators GLOBAL PROPERTY CAMP_OPERATORS)
  set(objects $<TARGET_OBJECTS:camp_runtime_objects>)
  foreach(op IN LISTS operators)
    camp_private_objects(private camp_op_${op}_objects)
    list(APPEND objects ${private})
  endforeach()
  add_library(camp_ops SHARED ${objects})
  # Only object files: which language links cannot be told from them.
  set_target_properties(camp_ops PROPERTIES LINKER_LANGUAGE CXX)
  camp_link_backend(camp_ops)
  target_link_options(camp_ops PRIVATE -Wl,-z,defs)
  target_link_libraries(camp_ops PRIVATE ${CMAKE_DL_LIBS})
endfunction()
