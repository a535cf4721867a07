// ubsan.hpp: what the checks of -fsanitize=alignment,bounds,signed-integer-overflow hand over. The
// layouts are those of the compilers' interface, the same in GCC and Clang.
#pragma once

#include <cstdint>

#include "fault.hpp"

namespace camp_sim {

struct SourceLocation {
  const char *file;
  uint32_t line;
  uint32_t column;
};

struct TypeDescriptor {
  uint16_t kind;
  uint16_t info;  // of an integer: bit 0 its sign, then the logarithm of its bits
  char name[1];

  bool is_signed() const { return (info & 1) != 0; }
  unsigned bits() const { return 1u << (info >> 1); }
};

// An integer of less than 64 bits arrives zero-extended in its own width.
inline int64_t widened(const TypeDescriptor &type, uint64_t value) {
  const unsigned unused = type.bits() < 64 ? 64 - type.bits() : 0;
  return type.is_signed() ? static_cast<int64_t>(value << unused) >> unused
                          : static_cast<int64_t>(value);
}

inline CodeSite site_of(const SourceLocation &location, const void *pc) {
  return {pc, {location.file, static_cast<int>(location.line)}};
}

}  // namespace camp_sim
