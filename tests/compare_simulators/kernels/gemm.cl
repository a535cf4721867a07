// gemm.cl: gemm.cu in OpenCL C.
#define TILE 16

// a: [m, k], b: [k, n], c: [m, n], row-major, all multiples of the tile; one work-group a tile of c.
kernel void gemm_kernel(global float *c, global const float *a, global const float *b, int n,
                        int k) {
  local float a_tile[TILE][TILE];
  local float b_tile[TILE][TILE];
  const int x = get_local_id(0);
  const int y = get_local_id(1);
  const int row = get_group_id(1) * TILE + y;
  const int column = get_group_id(0) * TILE + x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    a_tile[y][x] = a[row * k + start + x];
    b_tile[y][x] = b[(start + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i)
      sum += a_tile[y][i] * b_tile[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
