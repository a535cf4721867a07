// lock.cu: a spin lock between blocks that run on several host threads, many times over: what one
// block publishes while another's atomic is under way must be known to it afterwards.
#include "check.cuh"

__global__ void lock_kernel(int *lock, int *value) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *value += 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  Buffer<int> lock(1);
  Buffer<int> value(1);
  for (int i = 1; i <= 400; ++i) {
    lock_kernel<<<16, 1>>>(lock.device, value.device);
    CHECK(value.download()[0] == 16 * i);
  }
  return finish("lock");
}
