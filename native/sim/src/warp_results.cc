// warp_results.cc: what each lane gets from a shuffle, a vote, a match or a reduction.
#include <string>

#include "warp.hpp"

namespace camp_sim {

const char *name_of(WarpOp op) {
  switch (op) {
    case WarpOp::sync:
      return "__syncwarp";
    case WarpOp::shuffle_index:
      return "__shfl_sync";
    case WarpOp::shuffle_up:
      return "__shfl_up_sync";
    case WarpOp::shuffle_down:
      return "__shfl_down_sync";
    case WarpOp::shuffle_xor:
      return "__shfl_xor_sync";
    case WarpOp::ballot:
      return "__ballot_sync";
    case WarpOp::any:
      return "__any_sync";
    case WarpOp::all:
      return "__all_sync";
    case WarpOp::match_any:
      return "__match_any_sync";
    case WarpOp::match_all:
      return "__match_all_sync";
    case WarpOp::active_mask:
      return "__activemask";
    default:
      return "__reduce_sync";
  }
}

bool is_shuffle(WarpOp op) {
  return op == WarpOp::shuffle_index || op == WarpOp::shuffle_up || op == WarpOp::shuffle_down ||
         op == WarpOp::shuffle_xor;
}

namespace {

// The lane that `lane` reads, by the rules of the PTX ISA for shfl.sync: a source beyond the
// segment of `width` lanes is the lane itself.
uint32_t shuffle_source(const Lane &lane) {
  const auto me = lane.lane;
  const auto width = static_cast<uint32_t>(lane.width);
  const uint32_t segment = me & ~(width - 1);
  // Hardware reads five bits of it.
  const uint32_t argument = static_cast<uint32_t>(lane.argument) & 31u;
  switch (lane.warp_op) {
    case WarpOp::shuffle_index:
      return segment | (argument & (width - 1));
    case WarpOp::shuffle_up:
      return me - segment >= argument ? me - argument : me;
    case WarpOp::shuffle_down:
      return me - segment + argument < width ? me + argument : me;
    default: {
      const uint32_t source = me ^ argument;
      return source < segment + width ? source : me;
    }
  }
}

}  // namespace

void resolve_shuffle(Worker &worker, Warp &warp, uint32_t present) {
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (!in(present, i)) {
      continue;
    }
    Lane &lane = warp.lanes[i];
    const uint32_t source = shuffle_source(lane);
    if (in(present, source)) {
      lane.result = warp.lanes[source].value;
      continue;
    }
    lane.result = poison_result;
    if (worker.launch->killed_lanes.load(std::memory_order_relaxed) != 0 ||
        fault_log().bump("warp_mask", lane.waiting_at, {})) {
      continue;
    }
    Fault fault = worker.fault_here("warp_mask", "SYNC", lane.waiting_at);
    fault.thread = lane.index;
    fault.message = std::string(name_of(lane.warp_op)) + ": lane " + std::to_string(i) +
                    " reads lane " + std::to_string(source) + ", which does not take part";
    fault.advice =
        "The value of an absent lane is undefined: let the whole warp take part with a neutral "
        "value, or test the source lane before using the result.";
    fault_log().add(std::move(fault));
  }
}

void resolve_combination(Warp &warp, uint32_t present) {
  Lane *first = nullptr;
  uint64_t result = 0;
  bool all_equal = true;
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (!in(present, i)) {
      continue;
    }
    Lane &lane = warp.lanes[i];
    const uint64_t value = lane.value;
    if (first == nullptr) {
      first = &lane;
      result = value;
    } else {
      const auto a = static_cast<int64_t>(result);
      const auto b = static_cast<int64_t>(value);
      all_equal = all_equal && value == first->value;
      switch (lane.warp_op) {
        case WarpOp::reduce_add:
          result += value;
          break;
        case WarpOp::reduce_min_signed:
          result = static_cast<uint64_t>(a < b ? a : b);
          break;
        case WarpOp::reduce_max_signed:
          result = static_cast<uint64_t>(a > b ? a : b);
          break;
        case WarpOp::reduce_min_unsigned:
          result = result < value ? result : value;
          break;
        case WarpOp::reduce_max_unsigned:
          result = result > value ? result : value;
          break;
        case WarpOp::reduce_and:
        case WarpOp::all:
          result &= value;
          break;
        case WarpOp::reduce_or:
        case WarpOp::any:
          result |= value;
          break;
        case WarpOp::reduce_xor:
          result ^= value;
          break;
        default:
          break;
      }
    }
  }
  uint32_t ballot = 0;
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (in(present, i) && warp.lanes[i].value != 0) {
      ballot |= 1u << i;
    }
  }
  for (uint32_t i = 0; i < warp.count; ++i) {
    if (!in(present, i)) {
      continue;
    }
    Lane &lane = warp.lanes[i];
    switch (lane.warp_op) {
      case WarpOp::ballot:
        lane.result = ballot;
        break;
      case WarpOp::match_any: {
        uint32_t equal = 0;
        for (uint32_t j = 0; j < warp.count; ++j) {
          if (in(present, j) && warp.lanes[j].value == lane.value) {
            equal |= 1u << j;
          }
        }
        lane.result = equal;
        break;
      }
      case WarpOp::match_all:
        lane.result = all_equal ? lane.mask : 0;
        break;
      case WarpOp::active_mask:
        lane.result = present;
        break;
      default:
        lane.result = result;
        break;
    }
  }
}

}  // namespace camp_sim
