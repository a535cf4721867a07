// fault.cc: the collection of faults of this process since the last report.
#include "fault.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace camp_sim {
namespace {

bool same_site(const CodeSite &a, const CodeSite &b) {
  if (a.line.file != nullptr && b.line.file != nullptr) {
    return same_line(a.line, b.line);
  }
  return a.pc == b.pc && (a.line.file == nullptr) == (b.line.file == nullptr);
}

bool same_fault(const Fault &fault, const char *kind, const CodeSite &site, const CodeSite &other) {
  return std::strcmp(fault.kind, kind) == 0 && same_site(fault.site, site) &&
         same_site(fault.other_site, other);
}

// Whether `race` is the cause of the early read `read`.
bool explains(const Fault &race, const Fault &read) {
  return std::strcmp(race.kind, "race") == 0 && std::strcmp(read.kind, "uninitialised_read") == 0 &&
         (same_site(race.site, read.site) || same_site(race.other_site, read.site));
}

}  // namespace

bool same_line(const Site &a, const Site &b) {
  return a.line == b.line && (a.file == b.file || (a.file != nullptr && b.file != nullptr &&
                                                   std::strcmp(a.file, b.file) == 0));
}

FaultLog &fault_log() {
  static FaultLog log;
  return log;
}

void FaultLog::begin_execution() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++execution_;
}

bool FaultLog::bump(const char *kind, const CodeSite &site, const CodeSite &other, Reach reach) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Fault &fault : faults_) {
    if (same_fault(fault, kind, site, other) && fault.reach >= reach) {
      ++fault.count;
      fault.execution = execution_;
      return true;
    }
  }
  return false;
}

void FaultLog::add(Fault fault) {
  if (bump(fault.kind, fault.site, fault.other_site, fault.reach)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  fault.execution = execution_;
  for (Fault &known : faults_) {
    if (same_fault(known, fault.kind, fault.site, fault.other_site)) {
      fault.count = known.count + 1;
      known = std::move(fault);
      return;
    }
  }
  // A read that came too early for want of a barrier is a race, not a value that nobody writes.
  if (std::strcmp(fault.kind, "race") == 0) {
    faults_.erase(std::remove_if(faults_.begin(), faults_.end(),
                                 [&fault](const Fault &known) { return explains(fault, known); }),
                  faults_.end());
  }
  for (const Fault &known : faults_) {
    if (explains(known, fault)) {
      return;
    }
  }
  if (faults_.size() == max_distinct) {  // nobody took the report: what is old makes room
    const auto old = std::find_if(faults_.begin(), faults_.end(), [this](const Fault &known) {
      return known.execution != execution_;
    });
    if (old != faults_.end()) {
      faults_.erase(old);
    }
  }
  if (faults_.size() < max_distinct) {
    faults_.push_back(std::move(fault));
  }
}

bool FaultLog::has_error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Fault &fault : faults_) {
    if (fault.severity == Severity::error && fault.execution == execution_) {
      return true;
    }
  }
  return false;
}

std::string FaultLog::first_message() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Fault *warning = nullptr;
  for (const Fault &fault : faults_) {
    if (fault.execution != execution_) {
      continue;
    }
    if (fault.severity == Severity::error) {
      return fault.message;
    }
    warning = warning == nullptr ? &fault : warning;
  }
  return warning == nullptr ? std::string() : warning->message;
}

std::vector<Fault> FaultLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(faults_, {});
}

}  // namespace camp_sim
