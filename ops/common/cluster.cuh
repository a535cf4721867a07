// cluster.cuh: clusters, blocks that run side by side and write into one another's shared memory.
//
// They need sm_90. Device code that uses them stands between #if CAMP_HAS_CLUSTERS and #endif, and
// the host asks resident_clusters() before it launches any: where that is 0, the operator takes
// another way. The simulator has no clusters and always takes the other way; kernels keep all of
// this from it with #ifndef CAMP_SIM.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CAMP_HAS_CLUSTERS 1
#else
#define CAMP_HAS_CLUSTERS 0
#endif

namespace camp {

inline constexpr int kMaxClusterBlocks = 16;  // above 8 only where the device has room for them

#if CAMP_HAS_CLUSTERS

// This block's number in its cluster: [0, cluster_blocks()).
__device__ __forceinline__ int cluster_rank() {
  return static_cast<int>(__clusterRelativeBlockRank());
}

// Blocks of this cluster.
__device__ __forceinline__ int cluster_blocks() {
  return static_cast<int>(__clusterSizeInBlocks());
}

// The barrier of all threads of a cluster: what was written before it is seen after it.
__device__ __forceinline__ void cluster_barrier() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

// Gives every block of a cluster one value of 8 bytes from each of the kWarps warps of each block,
// again and again. Lies in shared memory. All threads of the cluster call each function.
//
// The barrier of a cluster would do as well, but it also waits until all earlier stores to global
// memory are done. Here a value brings its own notice: it is counted by an mbarrier where it lands.
template <typename T, int kWarps>
class ClusterExchange {
 public:
  static_assert(sizeof(T) == 8);

  __device__ void begin() {
    if (threadIdx.x == 0) {
      for (uint64_t &barrier : landed_) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
      }
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();  // no value is sent before the mbarriers of all blocks are ready
  }

  // `value` is that of the calling warp, the same in each of its lanes; `round` counts from 0.
  // Gives cluster_blocks() * kWarps values, in an order that is the same in all blocks, to be read
  // before this thread calls again. Two sets of slots suffice: who sends round r + 2 has received
  // all values of round r + 1, sent by warps that had read those of round r.
  __device__ const T *exchange(T value, unsigned round) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int slot = cluster_rank() * kWarps + static_cast<int>(threadIdx.x) / 32;
    T *const slots = slots_[round % 2];
    const uint32_t landed = address(&landed_[round % 2]);
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(landed),
                   "r"(cluster_blocks() * kWarps * static_cast<int>(sizeof(T)))
                   : "memory");
    }
    if (lane < cluster_blocks()) {  // lane r sends to block r
      uint64_t bits;
      memcpy(&bits, &value, sizeof bits);
      asm volatile(
          "{\n\t.reg .b32 slot, landed;\n\t"
          "mapa.shared::cluster.u32 slot, %0, %2;\n\t"
          "mapa.shared::cluster.u32 landed, %1, %2;\n\t"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [slot], %3, [landed];\n\t}" ::
              "r"(address(&slots[slot])),
          "r"(landed), "r"(lane), "l"(bits)
          : "memory");
    }
    uint32_t done = 0;
    while (!done) {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(landed), "r"(round / 2 % 2)
          : "memory");
    }
    return slots;
  }

  // A block that ended would take its shared memory with it while others still write there.
  __device__ void end() { cluster_barrier(); }

 private:
  __device__ static uint32_t address(const void *shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  }

  T slots_[2][kMaxClusterBlocks * kWarps];
  uint64_t landed_[2];
};

#endif  // CAMP_HAS_CLUSTERS

#ifndef CAMP_SIM

namespace detail {

// A launch of clusters of `blocks` blocks; `attribute` must live as long as the result.
inline cudaLaunchConfig_t cluster_config(int clusters, int blocks, int threads, size_t shared_bytes,
                                         cudaStream_t stream, cudaLaunchAttribute &attribute) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(clusters * blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

template <typename... Parameters>
int ask_for_clusters(void (*kernel)(Parameters...), int blocks, int threads, size_t shared_bytes) {
  // Code for an older architecture, which the driver may have translated for this device, was
  // compiled without what stands under CAMP_HAS_CLUSTERS.
  cudaFuncAttributes attributes;
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config =
      cluster_config(1, blocks, threads, shared_bytes, nullptr, attribute);
  int clusters = 0;
  const bool known =
      cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90 &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes)) == cudaSuccess &&
      (blocks <= 8 || cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                           1) == cudaSuccess) &&
      cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess;
  if (known) return clusters;
  (void)cudaGetLastError();  // "no" is an answer, not an error of the launch that follows
  return 0;
}

}  // namespace detail

// How many clusters of `blocks` blocks of kKernel the current device runs at the same time; 0 where
// it cannot run one. kKernel is always asked about with the same threads and shared bytes. Each
// device is asked once; a stream may be capturing.
template <auto kKernel>
int resident_clusters(int blocks, int threads, size_t shared_bytes) {
  constexpr int kDevices = 64;
  static std::atomic<int> answers[kDevices][kMaxClusterBlocks + 1];  // the answer + 1; 0: not yet
  int device = 0;
  if (blocks > kMaxClusterBlocks || cudaGetDevice(&device) != cudaSuccess || device >= kDevices) {
    return 0;
  }
  std::atomic<int> &answer = answers[device][blocks];
  if (answer.load(std::memory_order_relaxed) == 0) {
    answer.store(detail::ask_for_clusters(kKernel, blocks, threads, shared_bytes) + 1,
                 std::memory_order_relaxed);
  }
  return answer.load(std::memory_order_relaxed) - 1;
}

// Launches `clusters` clusters of `blocks` blocks, after resident_clusters() said that it can.
template <auto kKernel, typename... Arguments>
void launch_clusters(int clusters, int blocks, int threads, size_t shared_bytes,
                     cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config =
      detail::cluster_config(clusters, blocks, threads, shared_bytes, stream, attribute);
  (void)cudaLaunchKernelEx(&config, kKernel, arguments...);  // the caller asks for the last error
}

#endif  // CAMP_SIM

}  // namespace camp
