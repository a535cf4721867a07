# cmake/nvidia.cmake: operators for NVIDIA GPUs, compiled by nvcc. The CUDA runtime is linked
# statically, so that a library loads with or without a driver.

# find_package(CUDAToolkit) is not used: it fails on the toolkit that pip installs, which has no
# libcudart.so. Compiling CUDA is enough for it to know its own folders.
set(cuda_includes ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
if(NOT cuda_includes)
  get_filename_component(cuda_root "${CMAKE_CUDA_COMPILER}" DIRECTORY)
  get_filename_component(cuda_root "${cuda_root}" DIRECTORY)
  set(cuda_includes "${cuda_root}/include")
endif()

# Without -O device code is optimised to level 3 all the same, and -O3 would hold for the host as
# well: of its share, which only launches, -O1 saves a quarter. -lineinfo costs no time.
set(CAMP_NVCC_OPTIONS -lineinfo --expt-relaxed-constexpr -Xcompiler=-O1,-fvisibility=hidden)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.3)
  # The optimiser and ptxas work on several kernels at once: a third less time for three dtypes.
  list(APPEND CAMP_NVCC_OPTIONS --split-compile=0)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A rebuilt library must not share inline variables with its predecessor in one process.
  list(APPEND CAMP_NVCC_OPTIONS -Xcompiler=-fno-gnu-unique)
endif()
if(CAMP_WARNINGS_AS_ERRORS)
  # A scaffold does not use its parameters yet.
  list(APPEND CAMP_NVCC_OPTIONS -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Wno-unused-parameter
              -Xptxas=--warn-on-spills,--warn-on-local-memory-usage)
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

function(camp_runtime_sources result)
  file(GLOB sources "${CAMP_ROOT}/native/src/*.cc")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(camp_runtime_options target)
  target_include_directories(${target} SYSTEM PRIVATE ${cuda_includes})
  target_compile_options(${target} PRIVATE -O2 -g)
endfunction()

function(camp_link_backend target)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CUDA)
  # CMake adds the CUDA runtime by itself only to targets with CUDA sources; the runtime has none.
  target_link_directories(${target} PRIVATE ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES})
  target_link_libraries(${target} PRIVATE cudart_static rt pthread ${CMAKE_DL_LIBS})
  # Each library keeps its copy of the CUDA runtime to itself.
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
endfunction()

# camp_operator_objects(<target> <kernel file> <.cu files>...)
function(camp_operator_objects target kernel)
  add_library(${target} OBJECT ${ARGN})
  target_compile_options(${target} PRIVATE ${CAMP_NVCC_OPTIONS})
  target_compile_definitions(${target} PRIVATE "CAMP_KERNEL_HEADER=\"${kernel}\"")
  camp_use_cutlass(${target})
endfunction()
