// fault.hpp: one broken rule, as the learner will read it, and the collection of them.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "camp_sim/engine.h"

namespace camp_sim {

using Index3 = std::array<uint32_t, 3>;

// Where in the learner's source: a program counter (resolved later from debug information), or the
// line that a header took at the call, or both.
struct CodeSite {
  const void *pc = nullptr;
  Site line{nullptr, 0};
};

// The host compiler may copy a call into several places: the line tells calls apart, not the pc.
bool same_line(const Site &a, const Site &b);

enum class Severity : uint8_t { warning, error };

// How far apart the two threads of a race are. What orders a block orders its warps too, so of
// races between the same lines the one that reaches furthest has the advice that mends them all.
enum class Reach : uint8_t { warp, block, grid };

struct Fault {
  const char *kind = "";     // as listed in operator_runtime/simulator.h
  const char *verdict = "";  // OOB, RACE, ...
  Severity severity = Severity::error;
  std::string message;
  std::string advice;
  const char *kernel = "";
  Index3 block{};
  Index3 thread{};
  CodeSite site;
  bool has_other = false;
  Index3 other_block{};
  Index3 other_thread{};
  CodeSite other_site;
  Reach reach = Reach::warp;
  std::string tensor;
  const char *space = "";
  const char *access = "";
  size_t bytes = 0;
  bool has_index = false;
  int64_t index = 0;
  int64_t elements = 0;
  uint64_t count = 1;
  uint64_t execution = 0;  // the last one in which it happened
};

// Keeps the first of each (kind, site, other site) and counts the rest; a race that reaches further
// than the one known takes its place. Thread-safe.
class FaultLog {
 public:
  // From here on has_error and first_message speak of a new execution; take still gives all.
  void begin_execution();
  void add(Fault fault);
  // Counts one more of the same without building its text; false when there is none yet.
  // Nor when the one known reaches less far: then its text is to be built anew, for add.
  bool bump(const char *kind, const CodeSite &site, const CodeSite &other,
            Reach reach = Reach::warp);
  bool has_error() const;
  // The first error of this execution, or its first warning; empty when there is neither.
  std::string first_message() const;
  std::vector<Fault> take();

 private:
  static constexpr size_t max_distinct = 64;
  mutable std::mutex mutex_;
  std::vector<Fault> faults_;
  uint64_t execution_ = 0;
};

FaultLog &fault_log();

}  // namespace camp_sim
