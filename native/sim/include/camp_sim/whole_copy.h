// whole_copy.h: keeps clang from splitting the copy of a vector into its elements, which would be
// counted as that many accesses, or from leaving it to memcpy, which would not be seen at all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace camp_sim {

template <size_t Bytes>
struct WholeWord;
template <>
struct WholeWord<2> {
  typedef uint16_t type __attribute__((may_alias));
};
template <>
struct WholeWord<4> {
  typedef uint32_t type __attribute__((may_alias));
};
template <>
struct WholeWord<8> {
  typedef uint64_t type __attribute__((may_alias));
};
template <>
struct WholeWord<16> {
  typedef uint32_t type __attribute__((vector_size(16), may_alias));
};

// The empty assembly needs the value in one register, so the load before it and the store after it
// stay one each. Longer vectors are pairs of 16 bytes, as on a GPU.
template <size_t Bytes>
__attribute__((always_inline, no_sanitize("alignment"))) inline void copy_whole(void *to,
                                                                                const void *from) {
  constexpr size_t step = Bytes < 16 ? Bytes : 16;
  using Word = typename WholeWord<step>::type;
  for (size_t i = 0; i < Bytes / step; ++i) {
    Word word = static_cast<const Word *>(from)[i];
#if defined(__aarch64__)
    if constexpr (step == 16) __asm__("" : "+w"(word));
#else
    if constexpr (step == 16) __asm__("" : "+x"(word));
#endif
    if constexpr (step < 16) __asm__("" : "+r"(word));
    static_cast<Word *>(to)[i] = word;
  }
}

}  // namespace camp_sim

// With these a vector is no aggregate any more; its constructor stands in for the braces.
#define CAMP_SIM_VECTOR_COPIES(name)                                                            \
  name() = default;                                                                             \
  __attribute__((always_inline)) name(const name &other) {                                      \
    camp_sim::copy_whole<sizeof(name)>(static_cast<void *>(this), &other);                      \
  }                                                                                             \
  __attribute__((always_inline, no_sanitize("alignment"))) name &operator=(const name &other) { \
    camp_sim::copy_whole<sizeof(name)>(static_cast<void *>(this), &other);                      \
    return *this;                                                                               \
  }
#define CAMP_SIM_VECTOR_MEMBERS_2(name, element) \
  CAMP_SIM_VECTOR_COPIES(name)                   \
  constexpr name(element first, element second = 0) : x(first), y(second) {}
#define CAMP_SIM_VECTOR_MEMBERS_4(name, element)                                           \
  CAMP_SIM_VECTOR_COPIES(name)                                                             \
  constexpr name(element first, element second = 0, element third = 0, element fourth = 0) \
      : x(first), y(second), z(third), w(fourth) {}
