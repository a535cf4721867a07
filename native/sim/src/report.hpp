// report.hpp: launches remembered for the report, and the report itself.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "state.hpp"

namespace camp_sim {

struct LaunchRecord {
  std::string kernel;
  LaunchConfig config{};
  uint64_t count = 1;
  size_t static_shared_bytes = 0;
  uint64_t barriers = 0;
  uint64_t warps = 0;
  uint64_t threads = 0;
  std::vector<SiteTraffic> sites;
  std::vector<SiteRegistry::Place> places;  // of sites, in the same order
  std::vector<BlockTotals> blocks;
};

// Launches since the last report; equal ones are added up.
class LaunchLog {
 public:
  void add(const Launch &launch);
  std::vector<LaunchRecord> take();

 private:
  static constexpr size_t max_distinct = 256;
  std::mutex mutex_;
  std::vector<LaunchRecord> records_;
};

LaunchLog &launch_log();

// The JSON object described in operator_runtime/simulator.h.
std::string make_report(const std::vector<Fault> &faults,
                        const std::vector<LaunchRecord> &launches);

}  // namespace camp_sim
