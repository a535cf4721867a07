/* simulator.h: what only the `sim` backend has. A library built for `nvidia` lacks these symbols.
 *
 * Not thread-safe against a running execute: configure before, take the report after. */
#ifndef OPERATOR_RUNTIME_SIMULATOR_H
#define OPERATOR_RUNTIME_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include "operator_runtime/status.h"

typedef struct camp_sim_options {
  uint64_t schedule_seed; /* 0: natural order of blocks, warps and lanes; else a seeded shuffle */
  uint32_t workers;       /* host threads that run blocks; 0: one per core */
  uint32_t time_limit_ms; /* of one launch; 0: none. Past it the launch ends with a HANG report */
  uint8_t poison;         /* byte that fills shared memory before a block starts */
  uint8_t reserved[3];    /* must be 0 */
  uint32_t most_blocks;   /* of one launch: the first, the last, some evenly between; 0: all */
} camp_sim_options_t;

/* Replaces the options of this process; NULL restores the defaults. */
CAMP_API camp_status_t camp_sim_configure(const camp_sim_options_t *options);

/* Everything seen since the last call, as one JSON object (UTF-8), and forgets it:
 *
 * {"faults": [{"kind": "out_of_bounds", "verdict": "OOB", "severity": "error"|"warning",
 *              "message": "...", "advice": "...", "count": 166,
 *              "kernel": "copy_kernel<float>", "block": [x,y,z], "thread": [x,y,z],
 *              "site": {"module": path, "offset": n} | {"file": path, "line": n} | null,
 *              "other_site", "other_block", "other_thread": the earlier access of a race,
 *              "tensor": "x", "space": "global"|"shared"|"host",
 *              "access": "read"|"write"|"atomic", "bytes": 4,
 *              "index": 5, "elements": 5}, ...],         (the last rows where they apply)
 *  "launches": [{"kernel": "...", "grid": [x,y,z], "block": [x,y,z], "count": n,
 *                "static_shared_bytes": n, "dynamic_shared_bytes": n, "warps": n,
 *                "threads": n, "barriers": n,
 *                "sites": [{"site": {...}, "kind": "global_load"|"global_store"|"shared_load"|
 *                           "shared_store"|"global_atomic"|"shared_atomic",
 *                           "requests": n, "full_requests": n, "lanes": n, "bytes": n,
 *                           "sectors": n, "ideal_sectors": n, "wavefronts": n,
 *                           "ideal_wavefronts": n, "serialized": n}],
 *                "branches": [{"site": {...}, "executions": n, "lanes": n, "full_executions": n}]
 *               }]}
 *
 * All counts are sums over the `count` launches of one shape. sites: full_requests are those of
 * every lane that the warp was launched with; ideal_sectors, the fewest that hold the distinct
 * bytes of each request; ideal_wavefronts, those without bank conflicts; serialized, of atomics,
 * the most lanes on one address of each request. Requests are put together from the passes of
 * single lanes through a line; where lanes go through loops differently, only a library compiled
 * for counting groups them as a GPU would. branches: the basic blocks of the kernel's code, how
 * often a warp entered one, with how many lanes in all, and how often with all that it was launched
 * with; only of libraries compiled for counting, else empty (camp.simulator.blocks maps them to
 * lines).
 *
 * kinds: out_of_bounds, integer_overflow (a warning),
 * null_pointer, misaligned, input_write, uninitialised_read, race,
 * redundant_write (a warning: the racing writes were of one value), device_variable (a warning),
 * divergent_barrier, early_exit (a warning), warp_mask, deadlock, launch_limit, endless_loop,
 * stack_overflow, trap, assertion. The string is valid until the next call on any thread. */
CAMP_API const char *camp_sim_take_report(void);

#endif
