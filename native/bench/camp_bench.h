/* camp_bench.h: what libcamp_bench.so and libcamp_bench_cub_<op>.so offer a benchmark beside the
 * kernel under test.
 *
 * Everything is enqueued on the given stream and can be captured in a graph. An int result is a
 * cudaError_t, 0 for success. */
#ifndef CAMP_BENCH_H
#define CAMP_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "operator_runtime/dtype.h"
#include "operator_runtime/export.h"

#define CAMP_BENCH_MAX_ARRAYS 8
#define CAMP_BENCH_TILE_BYTES 16384

/* The text of a result; in each of the libraries. */
CAMP_API const char *camp_bench_error(int status);

/* The ceiling of a kind: reads `read_count` arrays and writes `write_count`, `bytes_each` of every
 * one, with the exclusive or of what was read. Addresses are multiples of 16, `bytes_each` of
 * CAMP_BENCH_TILE_BYTES and below 64 GiB; together at most CAMP_BENCH_MAX_ARRAYS arrays, at least
 * one. `geometry` is below camp_bench_geometries of the same counts: which one is fastest depends
 * on the device and on the size. */
CAMP_API int camp_bench_stream(const void *const *reads, int read_count, void *const *writes,
                               int write_count, size_t bytes_each, int geometry, void *stream);
CAMP_API int camp_bench_geometries(int read_count, int write_count);

/* Sets *geometry to the fastest by a short measurement: a few passes over `set_count` sets of
 * arrays, whose addresses come set by set, those that are read first. Waits for the stream. */
CAMP_API int camp_bench_fastest(void *const *addresses, int set_count, int read_count,
                                int write_count, size_t bytes_each, void *stream, int *geometry);

/* Host microseconds of one cudaLaunchKernel of an empty kernel, averaged over a loop of `launches`.
 * The stream is idle before and after. */
CAMP_API int camp_bench_launch_floor(int launches, void *stream, double *microseconds);

/* Turns persisting L2 lines into normal ones and removes the stream's access-policy window. */
CAMP_API int camp_bench_reset_l2(void *stream);

/* The same work as an operator, by CUB: libcamp_bench_cub_<op>.so, from native/bench/cub/<op>.cu.
 * arrays and extents are those of the file; arrays begin with the output, extents count elements.
 * With workspace NULL nothing is launched and *workspace_bytes is set to what is needed. */
CAMP_API int camp_bench_cub(void *workspace, size_t *workspace_bytes, void *const *arrays,
                            const int64_t *extents, const double *attributes, camp_dtype_t dtype,
                            void *stream);

#endif
