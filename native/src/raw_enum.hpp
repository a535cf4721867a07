// raw_enum.hpp: the integer a C caller passed as an enum, read without trusting it.
#pragma once

#include <cstring>
#include <type_traits>

namespace camp {

// A C caller may pass any int; loading one that no enumerator covers as an enum is undefined.
template <typename Enum>
int raw(const Enum &value) {
  static_assert(std::is_enum_v<Enum> && sizeof(Enum) == sizeof(int));
  int result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

}  // namespace camp
