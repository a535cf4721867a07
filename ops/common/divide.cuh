// divide.cuh: division by a number that the host knows before the launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace camp {

// Divides numbers of type Index, below 2^63, with the hardware's own division.
template <typename Index>
class Divider {
 public:
  Divider() = default;
  explicit Divider(int64_t divisor) : divisor_(static_cast<Index>(divisor)) {}
  __host__ __device__ Index quotient(Index n) const { return n / divisor_; }

 private:
  Index divisor_ = 1;
};

// Divides 32-bit numbers below 2^31 by a divisor in [1, 2^31), in three instructions where a
// division of two variables takes some twenty: n / d = (n * m / 2^32 + n) >> s with
// 2^(s - 1) < d <= 2^s and m = floor(2^32 * (2^s - d) / d) + 1.
template <>
class Divider<uint32_t> {
 public:
  Divider() = default;
  explicit Divider(int64_t divisor) {
    while (int64_t{1} << shift_ < divisor)
      ++shift_;
    const int64_t excess = (int64_t{1} << shift_) - divisor;
    multiplier_ = static_cast<uint32_t>((excess << 32) / divisor + 1);
  }
  __host__ __device__ uint32_t quotient(uint32_t n) const {
    const uint32_t high = static_cast<uint32_t>((static_cast<uint64_t>(n) * multiplier_) >> 32);
    return (high + n) >> shift_;
  }

 private:
  uint32_t multiplier_ = 1;
  uint32_t shift_ = 0;
};

}  // namespace camp
