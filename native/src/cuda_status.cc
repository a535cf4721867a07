// cuda_status.cc: which status an error of the device runtime is.
#include "cuda_status.hpp"

#include "operator_runtime/extension.hpp"

namespace camp {
namespace {

// Numbers of cudaError_t, which are part of CUDA's ABI; older headers lack some of the names.
enum Code {
  invalid_value = 1,
  memory_allocation = 2,
  stub_library = 34,
  insufficient_driver = 35,
  no_device = 100,
  invalid_device = 101,
  ecc_uncorrectable = 214,
  nvlink_uncorrectable = 220,
  invalid_resource_handle = 400,
  illegal_address = 700,
  launch_timeout = 702,
  assertion = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_program_counter = 718,
  launch_failure = 719,
  tensor_memory_leak = 721,
  unknown = 999
};

}  // namespace

bool is_sticky(int code) noexcept {
  switch (code) {
    case illegal_address:
    case launch_timeout:
    case assertion:
    case hardware_stack_error:
    case illegal_instruction:
    case misaligned_address:
    case invalid_address_space:
    case invalid_program_counter:
    case launch_failure:
    case tensor_memory_leak:
      return true;
    default:
      return false;
  }
}

camp_status_t status_of(int code, camp_status_t otherwise) noexcept {
  if (is_sticky(code)) return CAMP_STATUS_KERNEL_FAULT;
  switch (code) {
    case 0:
      return CAMP_STATUS_SUCCESS;
    case memory_allocation:
      return CAMP_STATUS_OUT_OF_MEMORY;
    case stub_library:
    case insufficient_driver:
    case no_device:
    case invalid_device:
      return CAMP_STATUS_NO_DEVICE;
    case ecc_uncorrectable:
    case nvlink_uncorrectable:
    case unknown:
      return CAMP_STATUS_DEVICE_ERROR;
    default:
      return otherwise;
  }
}

void check(cudaError_t code, const char *what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // reported here; not to be found again by the next launch
  const int number = static_cast<int>(code);
  const bool misuse = number == invalid_value || number == invalid_resource_handle;
  throw_error(status_of(number, misuse ? CAMP_STATUS_INVALID_ARGUMENT : CAMP_STATUS_DEVICE_ERROR),
              "%s: %s (%s)", what, cudaGetErrorString(code), cudaGetErrorName(code));
}

camp_status_t fail_launch(const char *op, int code, const char *name, const char *text) noexcept {
  const camp_status_t status = status_of(code, CAMP_STATUS_LAUNCH_FAILED);
  switch (status) {
    case CAMP_STATUS_LAUNCH_FAILED:
      return fail(status, "%s: the device refused the launch: %s (%s)", op, text, name);
    case CAMP_STATUS_KERNEL_FAULT:
      // Launches are asynchronous, so the fault may be an earlier kernel's; it outlives this call.
      return fail(status,
                  "%s: this or an earlier kernel faulted, and the device is lost to this "
                  "process: %s (%s)",
                  op, text, name);
    default:
      return fail(status, "%s: %s (%s)", op, text, name);
  }
}

void select_device(int device) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "the devices cannot be counted");
  if (device < 0 || device >= count) {
    throw_error(CAMP_STATUS_NO_DEVICE, "there is no device %d; %d found", device, count);
  }
  check(cudaSetDevice(device), "the device cannot be made current");
}

}  // namespace camp
