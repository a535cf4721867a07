// softmax.cl: softmax.cu in OpenCL C.
#define THREADS 256

float block_maximum(local float *partial, float value) {
  const int t = get_local_id(0);
  partial[t] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride)
      partial[t] = fmax(partial[t], partial[t + stride]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return partial[0];
}

float block_sum(local float *partial, float value) {
  const int t = get_local_id(0);
  partial[t] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride)
      partial[t] = partial[t] + partial[t + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return partial[0];
}

// x, y: [rows, columns], row-major; one work-group a row.
kernel void softmax_kernel(global float *y, global const float *x, int columns) {
  local float partial[THREADS];
  global const float *in = x + get_group_id(0) * columns;
  global float *out = y + get_group_id(0) * columns;

  float largest = -INFINITY;
  for (int c = get_local_id(0); c < columns; c += THREADS)
    largest = fmax(largest, in[c]);
  largest = block_maximum(partial, largest);
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum = 0.0f;
  for (int c = get_local_id(0); c < columns; c += THREADS)
    sum += exp(in[c] - largest);
  sum = block_sum(partial, sum);

  for (int c = get_local_id(0); c < columns; c += THREADS)
    out[c] = exp(in[c] - largest) / sum;
}
