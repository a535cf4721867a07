// features.cuh: how a program of this suite tells what a feature did. It prints one line each:
//
//   name TAB bound TAB values in hexadecimal
//
// The bound says how far the simulator may be from a GPU: "=" not at all, "ulp N" by N units in the
// last place, "abs X" by X. The same program runs on both; nothing but these lines is compared.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#if defined(CAMP_SIM)
#include "operator_runtime/simulator.h"
#endif

#define REQUIRE(condition)                                               \
  do {                                                                   \
    if (!(condition)) {                                                  \
      std::printf("FAILED %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)
#define SUCCEED(call) REQUIRE((call) == cudaSuccess)

// Device memory of `count` elements, zero at first, or a copy of host values.
template <typename T>
class Device {
 public:
  explicit Device(size_t count) : count_(count) {
    SUCCEED(cudaMalloc(reinterpret_cast<void **>(&data_), count * sizeof(T)));
    SUCCEED(cudaMemset(data_, 0, count * sizeof(T)));
  }
  explicit Device(const std::vector<T> &values) : Device(values.size()) {
    SUCCEED(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device() { cudaFree(data_); }
  T *data() const { return data_; }
  size_t count() const { return count_; }
  // Waits for the kernels before; any failure of theirs ends the program.
  std::vector<T> values() const {
    SUCCEED(cudaGetLastError());
    SUCCEED(cudaDeviceSynchronize());
    std::vector<T> result(count_);
    SUCCEED(cudaMemcpy(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  T *data_ = nullptr;
  size_t count_;
};

// One line of output, printed when it goes out of scope.
class Feature {
 public:
  explicit Feature(const std::string &name, const std::string &bound = "=")
      : line_(name + "\t" + bound + "\t") {}
  Feature(const Feature &) = delete;
  Feature &operator=(const Feature &) = delete;
  ~Feature() { std::printf("%s\n", line_.c_str()); }

  // `count` numbers of `width` bytes.
  Feature &numbers(const void *values, size_t count, size_t width) {
    const auto *bytes = static_cast<const unsigned char *>(values);
    for (size_t at = 0; at < count * width; at += width) {
      for (size_t i = width; i-- > 0;) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", bytes[at + i]);
        line_ += digits;
      }
      line_ += ' ';
    }
    return *this;
  }
  // Values of up to 8 bytes are one number each, longer ones several of 4.
  template <typename T>
  Feature &show(const T *values, size_t count) {
    if (sizeof(T) <= 8) return numbers(values, count, sizeof(T));
    return numbers(values, count * (sizeof(T) / 4), 4);
  }
  template <typename T>
  Feature &show(const Device<T> &array) {
    const std::vector<T> values = array.values();
    return show(values.data(), values.size());
  }
  template <typename T>
  Feature &value(T value) {
    return show(&value, 1);
  }

 private:
  std::string line_;
};

// The end of every main: on the simulator its report, as the last line.
inline int finish() {
  SUCCEED(cudaDeviceSynchronize());
#if defined(CAMP_SIM)
  std::printf("%s\n", camp_sim_take_report());
#endif
  return 0;
}
