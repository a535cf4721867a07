// cluster.cuh: clusters, blocks that run at the same time and reach one another's shared memory.
//
// They need sm_90: device code that uses them stands under CAMP_HAS_CLUSTERS, and the host asks
// resident_clusters() before it launches any. The simulator has none, so it runs what a kernel does
// without them.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CAMP_HAS_CLUSTERS 1
#else
#define CAMP_HAS_CLUSTERS 0
#endif

namespace camp {

#if CAMP_HAS_CLUSTERS

// This block's number in its cluster: [0, blocks of the cluster).
__device__ __forceinline__ int cluster_rank() {
  return static_cast<int>(__clusterRelativeBlockRank());
}

// The barrier of all threads of a cluster, in two halves: what a thread wrote before it arrives is
// seen by every thread that has waited. All threads of a warp call together.
__device__ __forceinline__ void cluster_arrive() {
  __cluster_barrier_arrive();
}
__device__ __forceinline__ void cluster_wait() {
  __cluster_barrier_wait();
}

// Where block `rank` of the cluster keeps this variable in shared memory. The block must have
// started, and must not have ended.
template <typename T>
__device__ __forceinline__ T *in_block(T *shared, int rank) {
  return static_cast<T *>(__cluster_map_shared_rank(shared, static_cast<unsigned>(rank)));
}

#endif

#ifndef CAMP_SIM
