#include "cli/run/gpu_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/atomic_write.h"

namespace tacet::cli {

using engine::GpuEvent;
using TraceJson = nlohmann::json;

static constexpr int kCoordinatorProcess = 0;
static constexpr int kGpuProcess = 1;

static auto process_name(int process, const std::string& name) -> TraceJson {
  return {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}};
}

static auto slice(int process, const std::string& name, double begin, double end, TraceJson args)
    -> TraceJson {
  return {{"ph", "X"},
          {"cat", "gpu"},
          {"pid", process},
          {"tid", 0},
          {"name", name},
          {"ts", begin * 1e6},
          {"dur", (end - begin) * 1e6},
          {"args", std::move(args)}};
}

static auto gpu_event(const engine::CoordinatorProgram& program, const GpuEvent& event)
    -> TraceJson {
  const TraceJson encoding = {{"encoding", event.encoding}};
  switch (event.kind) {
    case GpuEvent::Kind::Submit:
      return slice(kCoordinatorProcess, "submit", event.begin_seconds, event.end_seconds, encoding);
    case GpuEvent::Kind::Await:
      return slice(kCoordinatorProcess, "await", event.begin_seconds, event.end_seconds, encoding);
    case GpuEvent::Kind::Run:
      return slice(kGpuProcess, program.kernels[event.kernel].name, event.begin_seconds,
                   event.end_seconds, encoding);
  }
  return {};
}

auto write_gpu_trace(const std::string& path, const engine::CoordinatorProgram& program,
                     const engine::GpuDevice& device) -> Status {
  TraceJson events = TraceJson::array();
  events.push_back(process_name(kCoordinatorProcess, "coordinator"));
  events.push_back(process_name(kGpuProcess, device.name().name));
  std::vector<GpuEvent> sorted = device.events();
  std::stable_sort(sorted.begin(), sorted.end(), [](const GpuEvent& a, const GpuEvent& b) {
    return a.begin_seconds < b.begin_seconds;
  });
  if (!sorted.empty()) {
    const auto last = std::max_element(
        sorted.begin(), sorted.end(),
        [](const GpuEvent& a, const GpuEvent& b) { return a.end_seconds < b.end_seconds; });
    events.push_back(slice(kCoordinatorProcess, "run", sorted.front().begin_seconds,
                           last->end_seconds, TraceJson::object()));
  }
  for (const GpuEvent& event : sorted) {
    events.push_back(gpu_event(program, event));
  }
  return write_or_create(
      path, TraceJson{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump() + "\n");
}

}  // namespace tacet::cli
