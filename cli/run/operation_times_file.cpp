#include "cli/run/operation_times_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/cpu.h"
#include "cli/cache_folder.h"
#include "cli/version_info.h"
#include "project/read_source.h"

namespace tacet::cli {

auto operation_times_path() -> std::string {
  const std::string folder = cache_folder();
  return folder.empty()
             ? folder
             : fmt::format("{}/operation_times_{}_{}.txt", folder, kVersion, isa_name(best_isa()));
}

auto MachineTimes::text() const -> std::string {
  return operations.text() + (bootstraps ? bootstraps->text() : std::string()) +
         mpc_model::to_text(parties);
}

/// Nothing if there is a line that is of none.
static auto parse_machine_times(std::string_view text) -> std::optional<MachineTimes> {
  MachineTimes times;
  std::string others;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("mpc ")) {
      if (!mpc_model::parse_line(line, times.parties)) {
        return std::nullopt;
      }
    } else if (!line.starts_with("cggi ")) {
      others += fmt::format("{}\n", line);
    } else if (Result<cggi::BootstrapTimes> found = cggi::parse_bootstrap_times(line)) {
      times.bootstraps = *found;
    } else {
      return std::nullopt;
    }
  }
  Result<he::OperationTimes> operations = he::parse_operation_times(others);
  if (!operations || operations->is_empty()) {
    return std::nullopt;
  }
  times.operations = std::move(*operations);
  return times;
}

auto machine_times() -> MachineTimes {
  const std::string path = operation_times_path();
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(path, ignored)) {
    // A file that was damaged is as good as none: it only makes choices better.
    Result<std::string> text = project::read_source(path);
    std::optional<MachineTimes> times = text ? parse_machine_times(*text) : std::nullopt;
    if (times) {
      return std::move(*times);
    }
  }
  return {.operations = he::default_operation_times()};
}

auto operation_times() -> he::OperationTimes {
  return machine_times().operations;
}

auto store_machine_times(const MachineTimes& times) -> Status {
  return write_to_cache(operation_times_path(), times.text());
}

}  // namespace tacet::cli
