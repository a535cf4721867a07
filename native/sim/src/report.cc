// report.cc: faults and traffic as JSON.
#include "report.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <utility>

namespace camp_sim {
namespace {

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Writes {"a": 1, ...}; values are JSON already.
class Object {
 public:
  Object &put(const char *key, const std::string &json) {
    text_ += text_.empty() ? "{" : ", ";
    text_ += quoted(key) + ": " + json;
    return *this;
  }
  template <typename Number>
  Object &number(const char *key, Number value) {
    return put(key, std::to_string(value));
  }
  Object &string(const char *key, const std::string &value) { return put(key, quoted(value)); }
  std::string str() const { return text_.empty() ? "{}" : text_ + '}'; }

 private:
  std::string text_;
};

template <typename Range, typename ToJson>
std::string array(const Range &range, ToJson to_json) {
  std::string text = "[";
  for (const auto &item : range) {
    text += (text.size() > 1 ? ", " : "") + to_json(item);
  }
  return text + ']';
}

std::string triple(const Index3 &index) {
  return array(index, [](uint32_t value) { return std::to_string(value); });
}

std::string triple(const dim3 &d) {
  return triple(Index3{d.x, d.y, d.z});
}

// A return address belongs to the instruction before it.
std::string site_json(const CodeSite &site) {
  Object object;
  bool known = false;
  Dl_info info{};
  if (site.pc != nullptr && dladdr(site.pc, &info) != 0 && info.dli_fname != nullptr) {
    const auto offset =
        reinterpret_cast<uintptr_t>(site.pc) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1;
    object.string("module", info.dli_fname).number("offset", offset);
    known = true;
  }
  if (site.line.file != nullptr) {
    object.string("file", site.line.file).number("line", site.line.line);
    known = true;
  }
  return known ? object.str() : "null";
}

std::string fault_json(const Fault &fault) {
  Object object;
  object.string("kind", fault.kind)
      .string("verdict", fault.verdict)
      .string("severity", fault.severity == Severity::error ? "error" : "warning")
      .string("message", fault.message)
      .string("advice", fault.advice)
      .number("count", fault.count)
      .string("kernel", fault.kernel)
      .put("block", triple(fault.block))
      .put("thread", triple(fault.thread))
      .put("site", site_json(fault.site));
  if (fault.has_other) {
    object.put("other_site", site_json(fault.other_site))
        .put("other_block", triple(fault.other_block))
        .put("other_thread", triple(fault.other_thread));
  }
  if (!fault.tensor.empty()) {
    object.string("tensor", fault.tensor);
  }
  if (*fault.space != '\0') {
    object.string("space", fault.space);
  }
  if (*fault.access != '\0') {
    object.string("access", fault.access).number("bytes", fault.bytes);
  }
  if (fault.has_index) {
    object.number("index", fault.index).number("elements", fault.elements);
  }
  return object.str();
}

std::string block_json(const BlockTotals &block) {
  return Object()
      .put("site", site_json(CodeSite{block.pc, {nullptr, 0}}))
      .number("executions", block.executions)
      .number("lanes", block.lanes)
      .number("full_executions", block.full_executions)
      .str();
}

std::string launch_json(const LaunchRecord &record) {
  std::string lines = "[";
  for (size_t i = 0; i < record.sites.size(); ++i) {
    const Traffic &traffic = record.sites[i].traffic;
    Object object;
    object.put("site", site_json(CodeSite{record.places[i].pc, record.places[i].line}))
        .string("kind", name_of(record.sites[i].kind))
        .number("requests", traffic.requests)
        .number("full_requests", traffic.full_requests)
        .number("lanes", traffic.lanes)
        .number("bytes", traffic.bytes)
        .number("sectors", traffic.sectors)
        .number("ideal_sectors", traffic.ideal_sectors)
        .number("wavefronts", traffic.wavefronts)
        .number("ideal_wavefronts", traffic.ideal_wavefronts)
        .number("serialized", traffic.serialized);
    lines += (lines.size() > 1 ? ", " : "") + object.str();
  }
  return Object()
      .string("kernel", record.kernel)
      .put("grid", triple(record.config.grid))
      .put("block", triple(record.config.block))
      .number("count", record.count)
      .number("static_shared_bytes", record.static_shared_bytes)
      .number("dynamic_shared_bytes", record.config.dynamic_shared_bytes)
      .number("warps", record.warps)
      .number("threads", record.threads)
      .number("barriers", record.barriers)
      .put("sites", lines + ']')
      .put("branches", array(record.blocks, block_json))
      .str();
}

bool same_shape(const dim3 &a, const dim3 &b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

LaunchLog &launch_log() {
  static LaunchLog log;
  return log;
}

void LaunchLog::add(const Launch &launch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LaunchRecord *record = nullptr;
  const char *const kernel = launch.kernel;
  for (LaunchRecord &known : records_) {
    if (known.kernel == kernel && same_shape(known.config.grid, launch.config.grid) &&
        same_shape(known.config.block, launch.config.block) &&
        known.config.dynamic_shared_bytes == launch.config.dynamic_shared_bytes) {
      record = &known;
      ++record->count;
    }
  }
  if (record == nullptr) {
    if (records_.size() >= max_distinct) {
      return;
    }
    records_.emplace_back();
    record = &records_.back();
    record->kernel = kernel;
    record->config = launch.config;
    record->static_shared_bytes = launch.shared_layout.static_bytes();
  }
  constexpr uint32_t lanes = DeviceModel::warp_size;
  record->warps += launch.block_count * ((launch.threads + lanes - 1) / lanes);
  record->threads += launch.block_count * launch.threads;
  record->barriers += launch.barriers.load();
  add_blocks(record->blocks, launch.blocks);
  for (const SiteTraffic &item : launch.counters.sites()) {
    const SiteRegistry::Place place = sites().place(item.site);
    bool added = false;
    for (size_t i = 0; i < record->sites.size() && !added; ++i) {
      if (record->sites[i].kind == item.kind && record->places[i].pc == place.pc &&
          same_line(record->places[i].line, place.line)) {
        record->sites[i].traffic.add(item.traffic);
        added = true;
      }
    }
    if (!added) {
      record->sites.push_back(item);
      record->places.push_back(place);
    }
  }
}

std::vector<LaunchRecord> LaunchLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(records_, {});
}

std::string make_report(const std::vector<Fault> &faults,
                        const std::vector<LaunchRecord> &launches) {
  return Object()
      .put("faults", array(faults, fault_json))
      .put("launches", array(launches, launch_json))
      .str();
}

}  // namespace camp_sim
