// atomics.h: CUDA's atomic functions. Each is one access of the full width, told to the simulator
// first; then it is carried out as a real atomic, since blocks run on several host threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "camp_sim/casts.h"
#include "camp_sim/engine.h"
#include "camp_sim/qualifiers.h"
#include "vector_types.h"

namespace camp_sim {

template <size_t Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
  typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct BitsOf<4> {
  typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct BitsOf<8> {
  typedef uint64_t __attribute__((may_alias)) type;
};

// Replaces *address by operation(*address) in one step; the value before.
template <typename T, typename Operation>
CAMP_SIM_OUT_OF_LINE T atomic_update(T *address, Operation operation) {
  using Bits = typename BitsOf<sizeof(T)>::type;
  Bits *cell = reinterpret_cast<Bits *>(address);
  Bits before = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
  for (;;) {
    const T value = bit_cast<T>(before);
    const Bits after = bit_cast<Bits>(operation(value));
    if (__atomic_compare_exchange_n(cell, &before, after, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      return value;
    }
  }
}

// What is stored, given the value in memory. Integers wrap around.
#define CAMP_SIM_OPERATION(name, expression)                                  \
  template <typename T>                                                       \
  struct name {                                                               \
    T operand;                                                                \
    CAMP_SIM_NO_SANITIZE T operator()(T value) const { return (expression); } \
  }
template <typename T>
CAMP_SIM_NO_SANITIZE inline T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}
template <typename T>
CAMP_SIM_NO_SANITIZE inline T negative(T a) {
  return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
}
CAMP_SIM_OPERATION(AtomicAdd, wrapping_add(value, operand));
CAMP_SIM_OPERATION(AtomicSub, wrapping_add(value, negative(operand)));
CAMP_SIM_OPERATION(AtomicExch, (static_cast<void>(value), operand));
CAMP_SIM_OPERATION(AtomicMin, value < operand ? value : operand);
CAMP_SIM_OPERATION(AtomicMax, value > operand ? value : operand);
CAMP_SIM_OPERATION(AtomicInc, value >= operand ? T(0) : value + 1);
CAMP_SIM_OPERATION(AtomicDec, value == 0 || value > operand ? operand : value - 1);
CAMP_SIM_OPERATION(AtomicAnd, value &operand);
CAMP_SIM_OPERATION(AtomicOr, value | operand);
CAMP_SIM_OPERATION(AtomicXor, value ^ operand);
#undef CAMP_SIM_OPERATION

template <typename T>
struct AtomicCas {
  T expected, desired;
  CAMP_SIM_NO_SANITIZE T operator()(T value) const { return value == expected ? desired : value; }
};

}  // namespace camp_sim

// The plain name and its _block and _system forms, which differ in the threads for which they are
// atomic.
#define CAMP_SIM_ATOMIC(name, type, operation)               \
  CAMP_SIM_ATOMIC_FORM(name, type, operation, device)        \
  CAMP_SIM_ATOMIC_FORM(name##_block, type, operation, block) \
  CAMP_SIM_ATOMIC_FORM(name##_system, type, operation, system)
#define CAMP_SIM_ATOMIC_FORM(name, type, operation, scope)                              \
  CAMP_SIM_NO_SANITIZE inline type name(type *address, type value,                      \
                                        camp_sim::Site site = camp_sim::Site::here()) { \
    camp_sim::atomic_access(address, sizeof(type), camp_sim::Scope::scope, site);       \
    return camp_sim::atomic_update(address, camp_sim::operation<type>{value});          \
  }

CAMP_SIM_ATOMIC(atomicAdd, int, AtomicAdd)
CAMP_SIM_ATOMIC(atomicAdd, unsigned int, AtomicAdd)
CAMP_SIM_ATOMIC(atomicAdd, unsigned long long, AtomicAdd)
CAMP_SIM_ATOMIC(atomicAdd, float, AtomicAdd)
CAMP_SIM_ATOMIC(atomicAdd, double, AtomicAdd)
CAMP_SIM_ATOMIC(atomicSub, int, AtomicSub)
CAMP_SIM_ATOMIC(atomicSub, unsigned int, AtomicSub)
CAMP_SIM_ATOMIC(atomicExch, int, AtomicExch)
CAMP_SIM_ATOMIC(atomicExch, unsigned int, AtomicExch)
CAMP_SIM_ATOMIC(atomicExch, unsigned long long, AtomicExch)
CAMP_SIM_ATOMIC(atomicExch, float, AtomicExch)
CAMP_SIM_ATOMIC(atomicMin, int, AtomicMin)
CAMP_SIM_ATOMIC(atomicMin, unsigned int, AtomicMin)
CAMP_SIM_ATOMIC(atomicMin, long long, AtomicMin)
CAMP_SIM_ATOMIC(atomicMin, unsigned long long, AtomicMin)
CAMP_SIM_ATOMIC(atomicMax, int, AtomicMax)
CAMP_SIM_ATOMIC(atomicMax, unsigned int, AtomicMax)
CAMP_SIM_ATOMIC(atomicMax, long long, AtomicMax)
CAMP_SIM_ATOMIC(atomicMax, unsigned long long, AtomicMax)
CAMP_SIM_ATOMIC(atomicInc, unsigned int, AtomicInc)
CAMP_SIM_ATOMIC(atomicDec, unsigned int, AtomicDec)
CAMP_SIM_ATOMIC(atomicAnd, int, AtomicAnd)
CAMP_SIM_ATOMIC(atomicAnd, unsigned int, AtomicAnd)
CAMP_SIM_ATOMIC(atomicAnd, unsigned long long, AtomicAnd)
CAMP_SIM_ATOMIC(atomicOr, int, AtomicOr)
CAMP_SIM_ATOMIC(atomicOr, unsigned int, AtomicOr)
CAMP_SIM_ATOMIC(atomicOr, unsigned long long, AtomicOr)
CAMP_SIM_ATOMIC(atomicXor, int, AtomicXor)
CAMP_SIM_ATOMIC(atomicXor, unsigned int, AtomicXor)
CAMP_SIM_ATOMIC(atomicXor, unsigned long long, AtomicXor)

// Stores `value` where memory holds `compare`; the value before either way.
#define CAMP_SIM_ATOMIC_CAS(name, type, scope)                                          \
  CAMP_SIM_NO_SANITIZE inline type name(type *address, type compare, type value,        \
                                        camp_sim::Site site = camp_sim::Site::here()) { \
    camp_sim::compares(address, sizeof(type));                                          \
    camp_sim::atomic_access(address, sizeof(type), camp_sim::Scope::scope, site);       \
    return camp_sim::atomic_update(address, camp_sim::AtomicCas<type>{compare, value}); \
  }
#define CAMP_SIM_ATOMIC_CAS_FORMS(type)             \
  CAMP_SIM_ATOMIC_CAS(atomicCAS, type, device)      \
  CAMP_SIM_ATOMIC_CAS(atomicCAS_block, type, block) \
  CAMP_SIM_ATOMIC_CAS(atomicCAS_system, type, system)
CAMP_SIM_ATOMIC_CAS_FORMS(int)
CAMP_SIM_ATOMIC_CAS_FORMS(unsigned int)
CAMP_SIM_ATOMIC_CAS_FORMS(unsigned long long)
CAMP_SIM_ATOMIC_CAS(atomicCAS, unsigned short, device)
#undef CAMP_SIM_ATOMIC_CAS_FORMS
#undef CAMP_SIM_ATOMIC_CAS

// Vectors: one access, but each element is atomic on its own, as on a GPU.
#define CAMP_SIM_ATOMIC_VECTOR(name, scope)                                               \
  CAMP_SIM_NO_SANITIZE inline float2 name(float2 *address, float2 value,                  \
                                          camp_sim::Site site = camp_sim::Site::here()) { \
    camp_sim::atomic_access(address, sizeof(float2), camp_sim::Scope::scope, site);       \
    using Add = camp_sim::AtomicAdd<float>;                                               \
    const float x = camp_sim::atomic_update(&address->x, Add{value.x});                   \
    return float2{x, camp_sim::atomic_update(&address->y, Add{value.y})};                 \
  }                                                                                       \
  CAMP_SIM_NO_SANITIZE inline float4 name(float4 *address, float4 value,                  \
                                          camp_sim::Site site = camp_sim::Site::here()) { \
    camp_sim::atomic_access(address, sizeof(float4), camp_sim::Scope::scope, site);       \
    using Add = camp_sim::AtomicAdd<float>;                                               \
    const float x = camp_sim::atomic_update(&address->x, Add{value.x});                   \
    const float y = camp_sim::atomic_update(&address->y, Add{value.y});                   \
    const float z = camp_sim::atomic_update(&address->z, Add{value.z});                   \
    return float4{x, y, z, camp_sim::atomic_update(&address->w, Add{value.w})};           \
  }
CAMP_SIM_ATOMIC_VECTOR(atomicAdd, device)
CAMP_SIM_ATOMIC_VECTOR(atomicAdd_block, block)
CAMP_SIM_ATOMIC_VECTOR(atomicAdd_system, system)
#undef CAMP_SIM_ATOMIC_VECTOR
// CAMP_SIM_ATOMIC stays defined for the 16-bit types.
