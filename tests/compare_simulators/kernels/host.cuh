// host.cuh: the host's side of the compared programs: tensors from and to files, the time of one
// launch, the most memory the process ever held.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "operator_runtime/simulator.h"

[[noreturn]] inline void stop(const char *what, const char *name) {
  std::fprintf(stderr, "%s: %s\n", what, name);
  std::exit(1);
}

// The last arguments are numbers: the workers, then the sizes.
struct Arguments {
  char **first_number;
  Arguments(int argc, char **argv, int numbers, const char *usage) {
    // As many words as the usage names, and the program.
    int words = 1;
    for (const char *c = usage; *c != '\0'; ++c)
      words += *c == ' ';
    if (argc != words + 1) stop("usage", usage);
    first_number = argv + argc - numbers;
  }
  int number(int i) const { return std::atoi(first_number[i]); }
};

// Float32 values in device memory. Files pass through a small buffer, so that the process holds
// nothing large but the tensors and what the simulator keeps of them.
struct Tensor {
  static constexpr size_t chunk = 4096;
  float *data = nullptr;
  size_t count;
  explicit Tensor(size_t n) : count(n) {
    if (cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(float)) != cudaSuccess)
      stop("out of memory", "cudaMalloc");
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;
  ~Tensor() { cudaFree(data); }

  void read(const char *path) const { transfer(path, "rb"); }
  void write(const char *path) const { transfer(path, "wb"); }

 private:
  void transfer(const char *path, const char *mode) const {
    const bool reading = mode[0] == 'r';
    std::FILE *file = std::fopen(path, mode);
    if (file == nullptr) stop("cannot open", path);
    float buffer[chunk];
    for (size_t done = 0; done < count; done += chunk) {
      const size_t values = count - done < chunk ? count - done : chunk;
      if (!reading) cudaMemcpy(buffer, data + done, values * sizeof(float), cudaMemcpyDeviceToHost);
      const size_t moved = reading ? std::fread(buffer, sizeof(float), values, file)
                                   : std::fwrite(buffer, sizeof(float), values, file);
      if (moved != values) stop("too short", path);
      if (reading) cudaMemcpy(data + done, buffer, values * sizeof(float), cudaMemcpyHostToDevice);
    }
    if (std::fclose(file) != 0) stop("cannot close", path);
  }
};

struct Cost {
  double wall_s;
  double cpu_s;     // of all threads
  double waited_s;  // of all threads: ready, but other programs had the core
  std::string report;
};

inline double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The second number of a thread's schedstat: nanoseconds between ready and running.
inline double waited_seconds() {
  double sum = 0;
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "schedstat");
    double ran = 0;
    double waited = 0;
    if (file >> ran >> waited) {
      sum += 1e-9 * waited;
    }
  }
  return sum;
}

// What one launch takes, from the call to the finished report, every check and count included.
template <typename Launch>
Cost measured(int workers, const Launch &launch) {
  camp_sim_options_t options{};
  options.workers = static_cast<uint32_t>(workers);
  if (camp_sim_configure(&options) != CAMP_STATUS_SUCCESS) stop("refused", "camp_sim_configure");
  const double waited = waited_seconds();
  const double wall = seconds(CLOCK_MONOTONIC);
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  launch();
  cudaDeviceSynchronize();
  std::string report = camp_sim_take_report();
  const double wall_s = seconds(CLOCK_MONOTONIC) - wall;
  const double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  return {wall_s, cpu_s, waited_seconds() - waited, std::move(report)};
}

// Not from getrusage: that one starts with the peak of the process that started this one.
inline long peak_kilobytes() {
  std::FILE *status = std::fopen("/proc/self/status", "r");
  char line[256];
  long peak = 0;
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
    std::sscanf(line, "VmHWM: %ld", &peak);
  if (status != nullptr) std::fclose(status);
  return peak;
}

// Two lines: the cost, the simulator's report.
inline int finish(const Cost &cost) {
  std::printf("{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"waited_s\": %.6f, \"peak_kilobytes\": %ld}\n",
              cost.wall_s, cost.cpu_s, cost.waited_s, peak_kilobytes());
  std::printf("%s\n", cost.report.c_str());
  return 0;
}
