// errors.cpp: the one place where C++ exceptions become the Python exceptions of camp.errors.
#include "errors.hpp"

#include <nanobind/nanobind.h>

#include <exception>

namespace nb = nanobind;

namespace camp::python {
namespace {

struct Row {
  camp_status_t status;
  const char *name;       // RuntimeStatusError.status
  const char *exception;  // class in camp.errors
};

constexpr Row kRows[] = {
    {CAMP_STATUS_INVALID_ARGUMENT, "INVALID_ARGUMENT", "InvalidArgumentError"},
    {CAMP_STATUS_INVALID_OBJECT, "INVALID_OBJECT", "InvalidObjectError"},
    {CAMP_STATUS_UNSUPPORTED_DTYPE, "UNSUPPORTED_DTYPE", "DTypeError"},
    {CAMP_STATUS_SHAPE_MISMATCH, "SHAPE_MISMATCH", "ShapeError"},
    {CAMP_STATUS_UNSUPPORTED_LAYOUT, "UNSUPPORTED_LAYOUT", "InvalidArgumentError"},
    {CAMP_STATUS_OVERFLOW, "OVERFLOW", "InvalidArgumentError"},
    {CAMP_STATUS_WORKSPACE_TOO_SMALL, "WORKSPACE_TOO_SMALL", "WorkspaceTooSmallError"},
    {CAMP_STATUS_OUT_OF_MEMORY, "OUT_OF_MEMORY", "OutOfDeviceMemoryError"},
    {CAMP_STATUS_NO_DEVICE, "NO_DEVICE", "NoDeviceError"},
    {CAMP_STATUS_LAUNCH_FAILED, "LAUNCH_FAILED", "LaunchError"},
    {CAMP_STATUS_KERNEL_FAULT, "KERNEL_FAULT", "KernelFault"},
    {CAMP_STATUS_DEVICE_ERROR, "DEVICE_ERROR", "DeviceError"},
};

Row row_of(camp_status_t status) {
  for (const Row &row : kRows)
    if (row.status == status) return row;
  return {CAMP_STATUS_INTERNAL, "INTERNAL", "RuntimeStatusError"};
}

void raise(const nb::object &type, const nb::object &value) {
  PyErr_SetObject(type.ptr(), value.ptr());
}

void translate(const std::exception_ptr &pointer, void *) {
  try {
    std::rethrow_exception(pointer);
  } catch (const StatusError &error) {
    const Row row = row_of(error.status());
    nb::object type = nb::module_::import_("camp.errors").attr(row.exception);
    raise(type, type(error.what(), nb::arg("status") = row.name));
  } catch (const LoadError &error) {
    nb::object type = nb::module_::import_("camp.errors").attr("LibraryLoadError");
    raise(type,
          type(error.what(), nb::arg("hint") = "rebuild with `camp clean`, then `camp build`"));
  }
}

}  // namespace

void register_error_translator() {
  nb::register_exception_translator(translate);
}

}  // namespace camp::python
