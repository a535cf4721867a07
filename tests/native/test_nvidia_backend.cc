// test_nvidia_backend.cc: the nvidia backend over a stand-in for CUDA; a program of its own, as it
// takes the place of the recording backend.
#include <cuda_runtime.h>

#include "backend.hpp"
#include "check.hpp"

namespace backend = camp::backend;

TEST(a_clean_launch_succeeds) {
  backend::begin("softmax", nullptr, 0);
  CHECK_OK(backend::finish());
}

TEST(an_earlier_error_is_cleared) {
  fake_cuda::last_error = cudaErrorInvalidValue;
  backend::begin("softmax", nullptr, 0);
  CHECK_OK(backend::finish());
}

TEST(a_refused_launch_is_named) {
  backend::begin("softmax", nullptr, 0);
  fake_cuda::last_error = cudaErrorInvalidConfiguration;
  CHECK_STATUS(backend::finish(), LAUNCH_FAILED);
  CHECK_MESSAGE("softmax: the device refused the launch: invalid configuration argument");
  CHECK_MESSAGE("(cudaErrorInvalidConfiguration)");
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST(a_sticky_error_is_a_fault_before_and_after) {
  fake_cuda::sticky = cudaErrorIllegalAddress;
  for (int i = 0; i < 2; ++i) {
    backend::begin("copy", nullptr, 0);
    CHECK_STATUS(backend::finish(), KERNEL_FAULT);
    CHECK_MESSAGE("copy: this or an earlier kernel faulted");
  }
  fake_cuda::sticky = cudaErrorUnknown;
  backend::begin("copy", nullptr, 0);
  CHECK_STATUS(backend::finish(), DEVICE_ERROR);
  fake_cuda::sticky = 0;
}

TEST(memory_that_ran_out_is_no_refused_launch) {
  backend::begin("copy", nullptr, 0);
  fake_cuda::last_error = cudaErrorMemoryAllocation;
  CHECK_STATUS(backend::finish(), OUT_OF_MEMORY);
}
