# cmake/sim.cmake: operators for the SIMT simulator. Each .cu file is translated to C++ and compiled
# by the host compiler, with the accesses of kernels instrumented.

set(CAMP_PYTHON "python3" CACHE STRING "The Python that has Camp installed, to translate .cu files")
set(sim_dir "${CAMP_ROOT}/native/sim")
find_package(Threads REQUIRED)

# -g1: line tables and inlining, all that naming a line takes, in a fifth less time than -g.
# -gdwarf-4: addr2line of binutils 2.40 takes the wrong file from version 5 after a #line.
# The instrumentation calls __tsan_* and __ubsan_*. libcamp_runtime.so has our own; linking with
# -fsanitize would bring the compiler's.
# -fno-plt: a signal that ends an endless loop must not find it in a stub that has no line.
set(CAMP_SIM_KERNEL_OPTIONS -O1 -g1 -gdwarf-4
                            -fsanitize=thread,alignment,bounds,signed-integer-overflow
                            -ftls-model=initial-exec -fno-plt)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -fno-tree-sra: otherwise a float4 is read as four floats, four accesses instead of one.
  # -fno-gnu-unique: a rebuilt library must not share inline variables with its predecessor.
  list(APPEND CAMP_SIM_KERNEL_OPTIONS -fno-tree-sra -fno-gnu-unique -fno-var-tracking)
endif()
# A lane that spins on a volatile variable lets the others run, if the hooks are told of it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 11)
  list(APPEND CAMP_SIM_KERNEL_OPTIONS --param=tsan-distinguish-volatile=1)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND CAMP_SIM_KERNEL_OPTIONS "SHELL:-mllvm -tsan-distinguish-volatile=1")
endif()

# Translation costs no sense of place: diagnostics and debug information name the .cu and .cuh.
file(GLOB_RECURSE translator "${CAMP_ROOT}/camp/simulator/*.py")

# One precompiled header for all operators: the simulator's CUDA headers are most of a compile.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/sim_prefix.cc"
     CONTENT "// Compiled only to own the precompiled header.\n")
add_library(camp_sim_prefix OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/sim_prefix.cc")
target_include_directories(
  camp_sim_prefix PRIVATE "${sim_dir}/include" "${CAMP_ROOT}/native/include"
                          "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(camp_sim_prefix PRIVATE ${CAMP_SIM_KERNEL_OPTIONS})
target_compile_definitions(camp_sim_prefix PRIVATE CAMP_SIM=1)
target_precompile_headers(camp_sim_prefix PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/common/operator.hpp")

function(camp_runtime_sources result)
  file(GLOB sources "${CAMP_ROOT}/native/src/*.cc" "${sim_dir}/src/*.cc" "${sim_dir}/src/*.S")
  list(FILTER sources EXCLUDE REGEX "backend_nvidia\\.cc$")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(camp_runtime_options target)
  target_include_directories(${target} PRIVATE "${sim_dir}/include")
  target_compile_options(${target} PRIVATE -O2 -g -ftls-model=initial-exec)
  target_compile_definitions(${target} PRIVATE CAMP_SIM=1)
endfunction()

function(camp_link_backend target)
  target_link_libraries(${target} PRIVATE Threads::Threads)
endfunction()

# camp_operator_objects(<target> <kernel file> <.cu files>...)
function(camp_operator_objects target kernel)
  set(translated)
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(output "${CMAKE_BINARY_DIR}/translated/${target}/${name}.cc")
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CAMP_PYTHON}" -m camp.simulator.translate "${source}" --output "${output}"
              --depfile "${output}.d" --include-dir "${CMAKE_CURRENT_SOURCE_DIR}"
              --kernel "${kernel}"
      DEPENDS "${source}" ${translator}
      DEPFILE "${output}.d"
      COMMENT "Translating ${name}.cu"
      VERBATIM)
    list(APPEND translated "${output}")
  endforeach()
  add_library(${target} OBJECT ${translated})
  target_include_directories(${target} PRIVATE "${sim_dir}/include")
  target_compile_options(${target} PRIVATE ${CAMP_SIM_KERNEL_OPTIONS})
  if(CAMP_WARNINGS_AS_ERRORS)
    # A scaffold does not use its parameters yet; `#pragma unroll` is nvcc's.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter
                                             -Wno-unknown-pragmas -Werror)
  endif()
  target_compile_definitions(${target} PRIVATE CAMP_SIM=1)
  target_precompile_headers(${target} REUSE_FROM camp_sim_prefix)
endfunction()

# Calls __sanitizer_cov_trace_pc (native/sim/src/hooks_coverage.cc) at the start of every basic block.
# -fno-reorder-blocks: blocks stay in the order of the source, by which native/sim/src/trace.cc tells
# where the lanes of a warp meet again.
function(camp_count_branches target)
  target_compile_options(${target} PRIVATE -fsanitize-coverage=trace-pc)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-reorder-blocks)
  endif()
endfunction()
