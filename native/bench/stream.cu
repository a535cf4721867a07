// stream.cu: the geometries in which a ceiling moves its data.
//
// Measured on an H200 (docs/ceilings.md), none is the fastest at every size, and other devices will
// order them otherwise; so a benchmark tries those of its kind and keeps the fastest.
#include "stream.cuh"

#include <algorithm>
#include <vector>

namespace camp_bench {
namespace {

using Launch = cudaError_t (*)(const Arrays &, cudaStream_t);

// BlocksEach: blocks a multiprocessor, each with many tiles; 0: as many blocks as tiles.
template <int Reads, int Writes, int Vectors, int Threads, int BlocksEach = 0>
cudaError_t launch(const Arrays &arrays, cudaStream_t stream) {
  constexpr int64_t tile = int64_t{Threads} * Vectors;
  int64_t blocks = (arrays.vectors + tile - 1) / tile;
  if (BlocksEach > 0) {
    int device = 0, multiprocessors = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess) {
      status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (status != cudaSuccess) return status;
    blocks = std::min<int64_t>(blocks, int64_t{multiprocessors} * BlocksEach);
  }
  stream_kernel<Reads, Writes, Vectors>
      <<<static_cast<unsigned>(blocks), Threads, 0, stream>>>(arrays);
  return cudaGetLastError();
}

// The device's own copy, which is ahead of every kernel here for a few megabytes.
cudaError_t device_copy(const Arrays &arrays, cudaStream_t stream) {
  return cudaMemcpyAsync(arrays.written[0], arrays.read[0],
                         static_cast<size_t>(arrays.vectors) * sizeof(uint4),
                         cudaMemcpyDeviceToDevice, stream);
}

const std::vector<Launch> &geometries(int reads, int writes) {
  static const std::vector<Launch> read = {launch<1, 0, 4, 256>, launch<1, 0, 4, 256, 8>,
                                           launch<1, 0, 1, 256>};
  static const std::vector<Launch> write = {launch<0, 1, 1, 256>, launch<0, 1, 4, 256>};
  static const std::vector<Launch> copy = {launch<1, 1, 1, 256>, launch<1, 1, 2, 256>, device_copy};
  static const std::vector<Launch> two_reads = {launch<2, 1, 1, 256>, launch<2, 1, 1, 1024>,
                                                launch<2, 1, 2, 256>};
  static const std::vector<Launch> other = {launch<0, 0, 1, 256>};
  if (reads == 1 && writes == 0) return read;
  if (reads == 0 && writes == 1) return write;
  if (reads == 1 && writes == 1) return copy;
  if (reads == 2 && writes == 1) return two_reads;
  return other;
}

}  // namespace
}  // namespace camp_bench

int camp_bench_geometries(int read_count, int write_count) {
  return static_cast<int>(camp_bench::geometries(read_count, write_count).size());
}

int camp_bench_stream(const void *const *reads, int read_count, void *const *writes,
                      int write_count, size_t bytes_each, int geometry, void *stream) {
  const int arrays_count = read_count + write_count;
  if (read_count < 0 || write_count < 0 || arrays_count < 1 ||
      arrays_count > camp_bench::max_arrays || bytes_each % sizeof(uint4) != 0) {
    return cudaErrorInvalidValue;
  }
  const auto &launches = camp_bench::geometries(read_count, write_count);
  if (geometry < 0 || static_cast<size_t>(geometry) >= launches.size()) {
    return cudaErrorInvalidValue;
  }
  if (bytes_each == 0) return cudaSuccess;
  camp_bench::Arrays arrays = {};
  for (int i = 0; i < read_count; ++i)
    arrays.read[i] = static_cast<const uint4 *>(reads[i]);
  for (int i = 0; i < write_count; ++i)
    arrays.written[i] = static_cast<uint4 *>(writes[i]);
  arrays.read_count = read_count;
  arrays.write_count = write_count;
  arrays.vectors = static_cast<int64_t>(bytes_each / sizeof(uint4));
  return launches[static_cast<size_t>(geometry)](arrays, static_cast<cudaStream_t>(stream));
}
