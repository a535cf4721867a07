// library.hpp: shared libraries opened at run time, and the runtime's functions found in one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "errors.hpp"
#include "operator_runtime.h"
#include "operator_runtime/simulator.h"

namespace camp::python {

// A library opened with RTLD_NOW | RTLD_LOCAL. It is never closed: kernels, inline statics and a
// CUDA context may outlive every object that refers to it.
class SharedObject {
 public:
  explicit SharedObject(const std::string &path);  // throws LoadError
  const std::string &path() const { return path_; }
  void *find(const char *symbol) const;     // nullptr when absent
  void *require(const char *symbol) const;  // throws LoadError

 private:
  std::string path_;
  void *handle_;
};

// The functions of libcamp_runtime.so: their names without the prefix camp_.
#define CAMP_RUNTIME_FUNCTIONS(X) \
  X(abi_version)                  \
  X(backend_name)                 \
  X(device_count)                 \
  X(device_get_info)              \
  X(device_synchronize)           \
  X(dtype_bytes)                  \
  X(event_create)                 \
  X(event_destroy)                \
  X(event_elapsed_ms)             \
  X(event_record)                 \
  X(event_synchronize)            \
  X(graph_begin)                  \
  X(graph_destroy)                \
  X(graph_end)                    \
  X(graph_launch)                 \
  X(handle_create)                \
  X(handle_destroy)               \
  X(last_error_message)           \
  X(memory_alloc)                 \
  X(memory_copy)                  \
  X(memory_free)                  \
  X(memory_set)                   \
  X(operator_destroy)             \
  X(operator_workspace_bytes)     \
  X(stream_create)                \
  X(stream_destroy)               \
  X(stream_synchronize)           \
  X(tensor_descriptor_create)     \
  X(tensor_descriptor_destroy)

// libcamp_runtime.so of one backend. Methods that return a status in C throw StatusError here.
class Library {
 public:
  explicit Library(const std::string &path);  // throws LoadError, also for another ABI version

#define CAMP_MEMBER(name) decltype(&camp_##name) name = nullptr;
  CAMP_RUNTIME_FUNCTIONS(CAMP_MEMBER)
#undef CAMP_MEMBER
  // Only in the library of the sim backend, else nullptr.
  decltype(&camp_sim_configure) sim_configure = nullptr;
  decltype(&camp_sim_take_report) sim_take_report = nullptr;

  const SharedObject &object() const { return object_; }
  const std::string &backend() const { return backend_; }
  bool is_sim() const { return backend_ == "sim"; }

  void check(camp_status_t status) const {
    if (status != CAMP_STATUS_SUCCESS) throw StatusError(status, last_error_message());
  }

 private:
  SharedObject object_;
  std::string backend_;
};

// Throws LoadError, naming both versions and `path`, unless `version` is the one compiled in here.
void require_abi(uint32_t version, const std::string &path);

}  // namespace camp::python
