/* graph.h: launches recorded once and replayed together, for calls so short that launching each of
 * them alone would cost more than the work. */
#ifndef OPERATOR_RUNTIME_GRAPH_H
#define OPERATOR_RUNTIME_GRAPH_H

#include "operator_runtime/device.h"
#include "operator_runtime/status.h"

typedef struct camp_graph camp_graph_t;

/* From here on `stream` records what it is given, by this library or any other, instead of doing
 * it; pointers are recorded as they are. INVALID_ARGUMENT for the default stream, which cannot
 * record, and for a stream that records already. */
CAMP_API camp_status_t camp_graph_begin(camp_stream_t stream);

/* Ends the recording and makes it launchable. Whatever it returns, `stream` does its work again.
 * Fails where `stream` records nothing, or was given what cannot be recorded, such as a wait for
 * the device. */
CAMP_API camp_status_t camp_graph_end(camp_stream_t stream, camp_graph_t **graph);

/* Enqueues all that was recorded, in its order, on `stream`. The memory and, for operators, the
 * workspace that were recorded must still be there; the operators need not. */
CAMP_API camp_status_t camp_graph_launch(camp_graph_t *graph, camp_stream_t stream);

/* Frees a graph; launches of it that are still running end as usual. */
CAMP_API camp_status_t camp_graph_destroy(camp_graph_t *graph);

#endif
