# cmake/cutlass.cmake: where the CuTe headers are. `camp build` finds them (or fetches them when a
# kernel includes <cute/...>) and passes CAMP_CUTLASS_INCLUDE.

set(CAMP_ENABLE_CUTE "AUTO" CACHE STRING "CuTe headers: AUTO (where found), ON (required), OFF")
set(CAMP_CUTLASS_INCLUDE "" CACHE PATH "The folder that holds cute/tensor.hpp")
if(NOT CAMP_CUTLASS_INCLUDE AND DEFINED ENV{CAMP_CUTLASS_ROOT})
  set(CAMP_CUTLASS_INCLUDE "$ENV{CAMP_CUTLASS_ROOT}/include")
endif()

if(CAMP_ENABLE_CUTE STREQUAL "OFF")
  set(CAMP_CUTLASS_INCLUDE "" CACHE PATH "The folder that holds cute/tensor.hpp" FORCE)
elseif(NOT EXISTS "${CAMP_CUTLASS_INCLUDE}/cute/tensor.hpp")
  if(CAMP_ENABLE_CUTE STREQUAL "ON")
    message(FATAL_ERROR "CAMP_ENABLE_CUTE is ON but there is no cute/tensor.hpp in "
                        "'${CAMP_CUTLASS_INCLUDE}'. Set CAMP_CUTLASS_ROOT to a CUTLASS folder, or "
                        "`pip install --no-deps nvidia-cutlass==4.2.0.0`.")
  endif()
  set(CAMP_CUTLASS_INCLUDE "" CACHE PATH "The folder that holds cute/tensor.hpp" FORCE)
endif()

function(camp_use_cutlass target)
  if(CAMP_CUTLASS_INCLUDE)
    target_include_directories(${target} SYSTEM PRIVATE "${CAMP_CUTLASS_INCLUDE}")
  endif()
endfunction()
