# bench.cmake: what a benchmark on a GPU needs beside the operators; nothing builds it by default.
#
#   libcamp_bench.so            ceilings, the launch floor, the state of the caches
#   libcamp_bench_cub_<op>.so   the same work by CUB, for each operator that has native/bench/cub/<op>.cu
#
# CUB comes with the CUDA toolkit. A toolkit without it, or with one too old, does not compile the
# second; the benchmark then leaves that peer out.

add_library(camp_bench_error OBJECT EXCLUDE_FROM_ALL "${CAMP_ROOT}/native/bench/error.cc")
target_include_directories(camp_bench_error PRIVATE "${CAMP_ROOT}/native/include")
camp_runtime_options(camp_bench_error)
camp_strict_warnings(camp_bench_error)

function(camp_bench_library target)
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${ARGN} $<TARGET_OBJECTS:camp_bench_error>)
  target_compile_options(${target} PRIVATE ${CAMP_NVCC_OPTIONS})
  target_include_directories(${target} PRIVATE "${CAMP_ROOT}/native/include" "${CAMP_ROOT}/native/bench"
                                               "${CAMP_ROOT}/ops")
  camp_link_backend(${target})
  target_link_options(${target} PRIVATE -Wl,-z,defs)
endfunction()

file(GLOB bench_sources "${CAMP_ROOT}/native/bench/*.cu")
camp_bench_library(camp_bench ${bench_sources})

file(GLOB cub_sources "${CAMP_ROOT}/native/bench/cub/*.cu")
foreach(source IN LISTS cub_sources)
  get_filename_component(op "${source}" NAME_WE)
  camp_bench_library(camp_bench_cub_${op} "${source}")
endforeach()
