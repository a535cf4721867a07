// order.cc: clocks of a warp, and what atomics pass on.
#include "order.hpp"

#include <algorithm>

namespace camp_sim {
namespace {
// Chains of releases longer than this are taken as ordered: a missed report, never a false one.
constexpr int max_depth = 16;
}  // namespace

void WarpClocks::join(uint32_t mask, const uint32_t *clocks) {
  if (!partial) {
    for (auto &row : known) {
      std::fill(std::begin(row), std::end(row), base - 1);
    }
    partial = true;
  }
  uint32_t joined[32] = {};
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0) {
      for (int j = 0; j < 32; ++j) {
        joined[j] = std::max(joined[j], known[i][j]);
      }
      joined[i] = std::max(joined[i], clocks[i]);
    }
  }
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0) {
      std::copy(std::begin(joined), std::end(joined), std::begin(known[i]));
    }
  }
}

void Knowledge::add(const SyncVariable *variable, size_t length) {
  for (Prefix &prefix : prefixes) {
    if (prefix.variable == variable) {
      prefix.length = std::max(prefix.length, length);
      return;
    }
  }
  prefixes.push_back({variable, length});
}

void Knowledge::add(const Knowledge &other) {
  for (const Prefix &prefix : other.prefixes) {
    add(prefix.variable, prefix.length);
  }
}

bool Knowledge::covers(Cell cell, uint32_t reader, int depth) const {
  if (depth > max_depth) {
    return true;
  }
  return std::any_of(prefixes.begin(), prefixes.end(), [=](const Prefix &prefix) {
    return prefix.variable->covers(cell, prefix.length, reader, depth + 1);
  });
}

bool Release::covers(Cell cell) const {
  const uint32_t at = cell.thread() - first_thread;
  return cell.clock() < block_clock || (at < clocks.size() && cell.clock() <= clocks[at]);
}

namespace {

std::shared_ptr<const Release> for_all_blocks(const std::shared_ptr<const Release> &release) {
  return release->block_only ? release->wider : release;
}

}  // namespace

void FenceJoin::add(const std::shared_ptr<const Release> &fenced) {
  if (fenced == nullptr || fenced == result_) {
    return;
  }
  if (result_ == nullptr) {
    result_ = fenced;
    return;
  }
  const bool block_only = result_->block_only || fenced->block_only;
  FenceJoin wide;
  if (block_only) {
    wide.add(for_all_blocks(result_));
    wide.add(for_all_blocks(fenced));
  }
  if (merged_ == nullptr) {
    merged_ = std::make_shared<Release>(*result_);
    result_ = merged_;
  }
  Release &all = *merged_;
  all.block_only = block_only;
  all.wider = wide.result();
  all.block_clock = std::max(all.block_clock, fenced->block_clock);
  all.acquired.add(fenced->acquired);
  if (fenced->first_thread < all.first_thread) {
    all.clocks.insert(all.clocks.begin(), all.first_thread - fenced->first_thread, 0);
    all.first_thread = fenced->first_thread;
  }
  const size_t shift = fenced->first_thread - all.first_thread;
  all.clocks.resize(std::max(all.clocks.size(), shift + fenced->clocks.size()), 0);
  for (size_t i = 0; i < fenced->clocks.size(); ++i) {
    all.clocks[shift + i] = std::max(all.clocks[shift + i], fenced->clocks[i]);
  }
}

bool SyncVariable::covers(Cell cell, size_t length, uint32_t reader, int depth) const {
  const auto found = by_block.find(cell.block());
  if (found != by_block.end()) {
    for (size_t position : found->second) {
      const Release &release = *history[position];
      if (position < length && release.reaches(reader) && release.covers(cell)) {
        return true;
      }
    }
  }
  for (size_t i = 0; i < std::min(length, history.size()); ++i) {
    const Release &release = *history[i];
    if (!release.acquired.empty() && release.reaches(reader) &&
        release.acquired.covers(cell, release.block, depth)) {
      return true;
    }
  }
  return false;
}

bool SyncTable::covers(const Knowledge &knowledge, Cell cell, uint32_t reader) {
  if (knowledge.empty()) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return knowledge.covers(cell, reader);
}

void SyncTable::publish(uint64_t key, const std::shared_ptr<const Release> &fenced) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto &slot = variables_[key];
  if (slot == nullptr) {
    slot = std::make_unique<SyncVariable>();
  }
  for (const auto &release : {fenced->wider, fenced}) {
    if (release != nullptr) {
      slot->by_block[release->block].push_back(slot->history.size());
      slot->history.push_back(release);
    }
  }
}

void SyncTable::acquire(uint64_t key, Knowledge &acquired) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = variables_.find(key);
  if (found != variables_.end()) {
    acquired.add(found->second.get(), found->second->history.size());
  }
}

}  // namespace camp_sim
