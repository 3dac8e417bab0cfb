#include "playground/run_program.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "base/child_process.h"
#include "lsp/server/run_timeline.h"
#include "lsp/server/scratch_folder.h"

namespace tacet::playground {

using nlohmann::json;

namespace {

constexpr const char* kTrace = "trace.json";
constexpr uint64_t kMostFile = uint64_t{16} << 20;
/// Beside what a run may allocate: threads have stacks, which count as data before they are used.
constexpr uint64_t kStacks = uint64_t{2} << 30;

auto failure(std::string_view outcome, const std::string& message) -> json {
  return {{"outcome", outcome}, {"message", message}};
}

/// What the interpreter says when an array has no room (`Code::T8004`).
constexpr std::string_view kNoMemoryCode = "T8004";

/// A line of `--format json` as people read it; others as they are.
auto readable(const std::string& line) -> std::string {
  const json report = json::parse(line, nullptr, false);
  if (!report.is_object() || !report.contains("severity")) {
    return line;
  }
  std::string text;
  if (const std::string file = report.value("file", ""); !file.empty()) {
    const json& start = report["range"]["start"];
    text = fmt::format("{}:{}:{}: ", file, start.value("line", 0) + 1,
                       start.value("character", 0) + 1);
  }
  text += fmt::format("{}[{}]: {}", report.value("severity", ""), report.value("code", ""),
                      report.value("message", ""));
  for (const json& note : report["notes"]) {
    text += fmt::format("\n  = note: {}", note.is_string() ? note.get<std::string>() : note.dump());
  }
  return text;
}

auto readable_lines(const std::string& errors) -> std::string {
  std::istringstream lines(errors);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += readable(line) + "\n";
  }
  return text;
}

/// Why a process that did not end well ended, if it was for a limit.
auto broken_limit(const ChildOutput& child, const Limits& limits) -> std::optional<json> {
  if (child.is_out_of_time || child.exit_code == 128 + SIGXCPU) {
    return failure(
        "time",
        fmt::format(
            "the run exceeded the time limit of {} s; run it with `tacet run` on your own machine",
            limits.run_time.count()));
  }
  if (child.errors.find("out of memory") != std::string::npos ||
      child.errors.find(fmt::format("\"code\":\"{}\"", kNoMemoryCode)) != std::string::npos ||
      child.errors.find("bad_alloc") != std::string::npos) {
    return failure("memory", fmt::format("the run exceeded the memory limit of {} MiB; run it with "
                                         "`tacet run` on your own machine",
                                         limits.run_memory_mib));
  }
  if (child.exit_code == 128 + SIGKILL) {
    return failure("memory", "the system killed the run because this machine is out of memory");
  }
  if (child.exit_code >= 128) {
    return failure("crashed", fmt::format("the run was killed by signal {}\n{}",
                                          child.exit_code - 128, child.errors));
  }
  return std::nullopt;
}

auto report(const ChildOutput& child, const Limits& limits) -> json {
  if (child.exit_code != 0) {
    auto broken = broken_limit(child, limits);
    return broken ? *broken : failure("failed", readable_lines(child.errors));
  }
  json printed = json::parse(child.output, nullptr, false);
  if (!printed.is_object()) {
    return failure("output", "the results exceed the display limit of 1 MiB");
  }
  json answer = {{"outcome", "done"}, {"remarks", readable_lines(child.errors)}};
  answer["results"] = std::move(printed["results"]);
  answer["stats"] = std::move(printed["stats"]);
  return answer;
}

auto run_in(const lsp::ScratchFolder& folder, const RunRequest& request, const std::string& program,
            const Limits& limits, const CancellationToken& token) -> json {
  bool is_written = folder.write(request.name, request.text);
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const std::string file = input_file(request, i);
    is_written = is_written && (file.empty() || folder.write(file, request.inputs[i].second));
  }
  if (!is_written) {
    return failure("failed", "cannot write the program to disk");
  }
  std::vector<std::string> arguments = run_arguments(request, limits.run_memory_mib, kTrace);
  arguments.insert(arguments.begin(), program);
  const auto n_cores = std::max(1U, std::thread::hardware_concurrency());
  const ChildLimits most{
      .time = limits.run_time,
      .cpu_seconds = static_cast<uint64_t>(limits.run_time.count()) * n_cores + 1,
      .memory_bytes = (limits.run_memory_mib << 20) + kStacks,
      .file_bytes = kMostFile};
  const auto begin = std::chrono::steady_clock::now();
  auto child = run_child(arguments, folder.path().string(), token, most);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (token.is_cancelled()) {
    return failure("stopped", "the run was stopped");
  }
  if (!child) {
    return failure("failed", child.error().message);
  }
  json answer = report(*child, limits);
  answer["seconds"] = taken.count();
  if (answer["outcome"] == "done") {
    answer["timeline"] = lsp::run_timeline(answer["stats"].dump(), folder.read(kTrace));
  }
  return answer;
}

}  // namespace

auto run_program(const RunRequest& request, const std::string& program, const Limits& limits,
                 const CancellationToken& token) -> std::string {
  const lsp::ScratchFolder folder("tacet-playground");
  // Output that was cut may end within a character.
  return run_in(folder, request, program, limits, token)
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tacet::playground
