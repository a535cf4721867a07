// cudart_graph.hpp: streams that record their work instead of doing it.
#pragma once

#include <functional>

#include "camp_sim/api.h"

namespace camp_sim {

// Keeps `work` as the next node where the stream records; false where it does not.
bool record_node(cudaStream_t stream, const std::function<void()> &work);

bool is_recording(cudaStream_t stream);

// For calls that no graph can hold: what the stream records will not become one. Returns whether it
// records.
bool invalidate_recording(cudaStream_t stream);

// An event recorded in a recording stream leads a stream that waits for it into the same graph.
// The first returns whether the stream records.
bool record_event(cudaEvent_t event, cudaStream_t stream);
void follow_event(cudaStream_t stream, cudaEvent_t event);

}  // namespace camp_sim
