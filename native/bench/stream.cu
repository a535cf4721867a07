// stream.cu: the geometries in which a ceiling moves its data.
//
// Measured on an H200 (docs/ceilings.md), none is the fastest at every size, and other devices will
// order them otherwise; so a benchmark tries those of its kind and keeps the fastest.
#include "stream.cuh"

#include <cstdint>
#include <vector>

namespace camp_bench {
namespace {

constexpr size_t tile_bytes = CAMP_BENCH_TILE_BYTES;
constexpr size_t most_vectors = UINT32_MAX;

// What a call moves.
struct Request {
  const void *const *reads;
  void *const *writes;
  int read_count, write_count;
  size_t bytes_each;
};

using Launch = cudaError_t (*)(const Request &, cudaStream_t);

template <int Vectors, int Threads, typename Arrays>
cudaError_t launch_tiles(const Arrays &arrays, size_t bytes_each, cudaStream_t stream) {
  constexpr size_t block_bytes = size_t{Threads} * Vectors * sizeof(uint4);
  static_assert(tile_bytes % block_bytes == 0, "whole blocks");
  const auto blocks = static_cast<unsigned int>(bytes_each / block_bytes);
  stream_kernel<Arrays, Vectors><<<blocks, Threads, 0, stream>>>(arrays);
  return cudaGetLastError();
}

template <int Reads, int Writes, int Vectors, int Threads>
cudaError_t launch(const Request &request, cudaStream_t stream) {
  Arrays<Reads, Writes> arrays = {};
  for (int i = 0; i < Reads; ++i)
    arrays.read[i] = static_cast<const uint4 *>(request.reads[i]);
  for (int i = 0; i < Writes; ++i)
    arrays.written[i] = static_cast<uint4 *>(request.writes[i]);
  return launch_tiles<Vectors, Threads>(arrays, request.bytes_each, stream);
}

cudaError_t launch_any(const Request &request, cudaStream_t stream) {
  AnyArrays arrays = {};
  arrays.read_count = request.read_count;
  arrays.write_count = request.write_count;
  for (int i = 0; i < request.read_count; ++i) {
    arrays.read[i] = static_cast<const uint4 *>(request.reads[i]);
  }
  for (int i = 0; i < request.write_count; ++i) {
    arrays.written[i] = static_cast<uint4 *>(request.writes[i]);
  }
  return launch_tiles<1, 256>(arrays, request.bytes_each, stream);
}

const std::vector<Launch> &geometries(int reads, int writes) {
  static const std::vector<Launch> read = {launch<1, 0, 4, 256>, launch<1, 0, 2, 256>,
                                           launch<1, 0, 1, 256>};
  static const std::vector<Launch> write = {launch<0, 1, 1, 256>, launch<0, 1, 4, 256>};
  static const std::vector<Launch> copy = {launch<1, 1, 1, 256>, launch<1, 1, 2, 128>};
  static const std::vector<Launch> two_reads = {launch<2, 1, 1, 256>, launch<2, 1, 1, 1024>,
                                                launch<2, 1, 2, 128>};
  static const std::vector<Launch> three_reads = {launch<3, 1, 1, 256>, launch<3, 1, 1, 512>};
  static const std::vector<Launch> two_writes = {launch<1, 2, 1, 256>, launch<1, 2, 1, 512>};
  static const std::vector<Launch> other = {launch_any};
  if (reads == 1 && writes == 0) return read;
  if (reads == 0 && writes == 1) return write;
  if (reads == 1 && writes == 1) return copy;
  if (reads == 2 && writes == 1) return two_reads;
  if (reads == 3 && writes == 1) return three_reads;
  if (reads == 1 && writes == 2) return two_writes;
  return other;
}

}  // namespace
}  // namespace camp_bench

int camp_bench_geometries(int read_count, int write_count) {
  return static_cast<int>(camp_bench::geometries(read_count, write_count).size());
}

int camp_bench_stream(const void *const *reads, int read_count, void *const *writes,
                      int write_count, size_t bytes_each, int geometry, void *stream) {
  if (read_count < 0 || write_count < 0 || read_count + write_count < 1 ||
      read_count + write_count > CAMP_BENCH_MAX_ARRAYS) {
    return cudaErrorInvalidValue;
  }
  const auto &launches = camp_bench::geometries(read_count, write_count);
  if (geometry < 0 || static_cast<size_t>(geometry) >= launches.size() ||
      bytes_each % camp_bench::tile_bytes != 0 ||
      bytes_each / sizeof(uint4) > camp_bench::most_vectors) {
    return cudaErrorInvalidValue;
  }
  if (bytes_each == 0) return cudaSuccess;
  const camp_bench::Request request = {reads, writes, read_count, write_count, bytes_each};
  return launches[static_cast<size_t>(geometry)](request, static_cast<cudaStream_t>(stream));
}
