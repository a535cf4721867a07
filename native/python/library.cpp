// library.cpp: opens shared libraries and finds the runtime's functions in them.
#include "library.hpp"

#include <dlfcn.h>

namespace camp::python {

SharedObject::SharedObject(const std::string &path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char *reason = dlerror();  // starts with the path
    throw LoadError("cannot load " + (reason != nullptr ? std::string(reason) : path));
  }
}

void *SharedObject::find(const char *symbol) const {
  return dlsym(handle_, symbol);
}

void *SharedObject::require(const char *symbol) const {
  void *address = find(symbol);
  if (address == nullptr) throw LoadError(path_ + " does not define " + symbol);
  return address;
}

void require_abi(uint32_t version, const std::string &path) {
  if (version == CAMP_ABI_VERSION) return;
  throw LoadError(path + " was built for ABI version " + std::to_string(version) +
                  ", and this camp works with version " + std::to_string(CAMP_ABI_VERSION));
}

Library::Library(const std::string &path) : object_(path) {
  // The version first: of another version nothing else may be called or even be there.
  abi_version = reinterpret_cast<decltype(abi_version)>(object_.require("camp_abi_version"));
  require_abi(abi_version(), path);
#define CAMP_FIND(name) name = reinterpret_cast<decltype(name)>(object_.require("camp_" #name));
  CAMP_RUNTIME_FUNCTIONS(CAMP_FIND)
#undef CAMP_FIND
  backend_ = backend_name();
  if (is_sim()) {
    sim_configure =
        reinterpret_cast<decltype(sim_configure)>(object_.require("camp_sim_configure"));
    sim_take_report =
        reinterpret_cast<decltype(sim_take_report)>(object_.require("camp_sim_take_report"));
  }
}

}  // namespace camp::python
