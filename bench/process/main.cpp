// Whole-process benchmarks: starts the real `tacet`, as an editor or a shell does, and measures
// what its user would feel.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/process/busy_session.h"
#include "bench/process/command.h"
#include "bench/process/edit_session.h"
#include "bench/process/server_session.h"

namespace tacet::bench {
namespace {

/// A file is this long when a workspace has several.
constexpr int64_t kFileLines = 2000;
/// Up to here a workspace is one file.
constexpr int64_t kMaxSingleFile = 20'000;

auto shape_of(int64_t n_lines) -> WorkspaceShape {
  return {n_lines, n_lines <= kMaxSingleFile ? 1 : n_lines / kFileLines};
}

auto shape_text(WorkspaceShape shape) -> std::string {
  return shape.n_files == 1 ? fmt::format("{} lines in one file", shape.n_lines)
                            : fmt::format("{} lines in {} files", shape.n_lines, shape.n_files);
}

void print_row(std::string_view name, const Samples& samples) {
  fmt::print("  {:<36} {:>9.2f} {:>9.2f} {:>9.2f}\n", name, samples.percentile(0.5),
             samples.percentile(0.99), samples.percentile(1));
}

void print_session(WorkspaceShape shape, const SessionResult& result) {
  fmt::print("{:<38} {:>9} {:>9} {:>9}\n", shape_text(shape), "p50 ms", "p99 ms", "max ms");
  print_row("round trip of nothing", result.round_trip);
  print_row("start to first diagnostics", result.start);
  print_row("keystroke to diagnostics", result.keystroke);
  print_row("hover", result.hover);
  print_row("hover right after a keystroke", result.hover_after_key);
  print_row("references", result.references);
  print_row("all tokens after a keystroke", result.tokens_after_key);
  print_row("hints of a screen after a keystroke", result.hints_after_key);
  print_row("lenses of the file after the same", result.lenses_after_key);
  print_row("what one lens says", result.lens_text);
  if (result.completion_after_key.empty()) {
    fmt::print("  {:<34} not offered\n", "completion after a keystroke");
  } else {
    print_row("completion after a keystroke", result.completion_after_key);
  }
  print_row("500 edits in a burst", result.burst);
  fmt::print("  {:<34} {:>9}\n", "  publications, at most", result.max_burst_publications);
  const double allowed = 20 + static_cast<double>(shape.n_lines) * 0.5 / 1024;
  fmt::print("  {:<34} {:>9.1f} MB of {:.1f}\n", "memory", result.memory_mb, allowed);
  if (!result.all_open_keystroke.empty()) {
    fmt::print("  {:<34} {:>9.1f} MB of {:.1f}\n", "memory, every file open",
               result.all_open_memory_mb, allowed);
    print_row("keystroke, every file open", result.all_open_keystroke);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void measure_server(const std::string& program, const std::vector<int64_t>& sizes,
                    int n_keystrokes) {
  for (int64_t n_lines : sizes) {
    const WorkspaceShape shape = shape_of(n_lines);
    const WorkspaceOnDisk workspace(shape);
    SessionOptions options;
    options.program = program;
    options.n_starts = shape.n_files > 1 ? 5 : 20;
    options.n_keystrokes = n_keystrokes;
    options.opens_everything = shape.n_files > 1;
    print_session(shape, measure_session(workspace, options));
  }
}

void measure_all_edits(const std::string& program, WorkspaceShape shape, int n_edits,
                       const std::string& only) {
  const WorkspaceOnDisk workspace(shape);
  fmt::print("{}{}\n", shape_text(shape),
             shape.n_findings == 0 ? "" : fmt::format(", {} findings", shape.n_findings));
  fmt::print("{:<30} {:>15} {:>15} {:>15} {:>15} {:>15}\n", "p50 and p99, ms", "diagnostics",
             "tokens (delta)", "symbols", "lenses", "folding");
  for (const EditTimes& times : measure_edits(workspace, program, n_edits, only)) {
    fmt::print("  {:<28}", times.name);
    for (const Samples* samples :
         {&times.diagnostics, &times.tokens, &times.symbols, &times.lenses, &times.folds}) {
      fmt::print(" {:>7.2f} {:>7.2f}", samples->percentile(0.5), samples->percentile(0.99));
    }
    fmt::print("\n");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_times(std::string_view when, const BusyResult::Times& times) {
  fmt::print("  {}\n", when);
  print_row("  a message waits for the loop", times.wait);
  print_row("  completion after a keystroke", times.completion);
  print_row("  hover after that", times.hover);
  print_row("  keystroke to diagnostics, all told", times.keystroke);
}

void measure_busy(const std::string& program, WorkspaceShape shape, int n_keystrokes) {
  const WorkspaceOnDisk workspace(shape);
  const BusyResult result = measure_busy_session(workspace, program, n_keystrokes);
  fmt::print("{:<38} {:>9} {:>9} {:>9}\n", shape_text(shape), "p50 ms", "p99 ms", "max ms");
  fmt::print("  {:<36} {:>9.0f} ms\n", "start to first diagnostics", result.first_diagnostics);
  fmt::print("  {:<36} {:>9.0f} ms\n", "start to all indexed", result.indexed);
  print_times("while it is read and indexed", result.meanwhile);
  print_times("afterwards", result.afterwards);
  print_row("references", result.references);
  print_row("symbols of the workspace", result.symbols);
  fmt::print("  {:<36} {:>9.0f} MB\n\n", "memory, at most", result.memory_mb);
}

void print_speed(std::string_view name, const Samples& samples, double amount,
                 std::string_view unit) {
  const double median = samples.percentile(0.5);
  fmt::print("  {:<34} {:>9.0f} ms {:>12.0f} {}\n", name, median, amount / median * 1000, unit);
}

void measure_commands(const std::string& program, int64_t n_lines) {
  const WorkspaceShape shape = shape_of(n_lines);
  const WorkspaceOnDisk workspace(shape);
  const auto n_bytes = static_cast<double>(workspace.text().size() * workspace.files().size());
  const auto lines = static_cast<double>(n_lines);
  constexpr int kTimes = 5;
  fmt::print("{}\n", shape_text(shape));
  auto run = [&](std::vector<std::string> arguments) {
    return measure_command(workspace, program, std::move(arguments), kTimes);
  };
  print_speed("tacet check", run({"check", "-q"}), lines, "lines/s");
  print_speed("tacet check --jobs 1", run({"check", "-q", "--jobs", "1"}), lines, "lines/s");
  run({"fmt", "-q"});
  print_speed("tacet fmt --check --jobs 1", run({"fmt", "-q", "--check", "--jobs", "1"}),
              n_bytes / 1e6, "MB/s");
}

}  // namespace
}  // namespace tacet::bench

auto main(int argc, char** argv) -> int {
  std::string program;
  std::vector<int64_t> sizes = {1000, 2000, 20'000, 100'000, 1'000'000};
  int64_t n_checked_lines = 1'000'000;
  int n_keystrokes = 1000;
  CLI::App app("measures the real tacet from outside");
  app.add_option("program", program, "the tacet to measure")->required();
  app.add_option("--lines", sizes, "sizes of the workspaces that the server is shown, or 0");
  app.add_option("--check", n_checked_lines, "size of the workspace that is checked, or 0");
  app.add_option("--keystrokes", n_keystrokes, "how many per workspace");
  std::vector<int64_t> busy;
  app.add_option("--busy", busy, "measures typing while a workspace of LINES FILES is indexed")
      ->expected(2);
  std::vector<int64_t> edited = {2000, 20'000};
  app.add_option("--edits", edited, "sizes of the files that are edited anywhere, or 0");
  std::string only;
  app.add_option("--only", only, "measures the edits alone whose names contain this");
  CLI11_PARSE(app, argc, argv);
  if (!busy.empty()) {
    tacet::bench::measure_busy(program, {busy[0], busy[1], true}, n_keystrokes);
    return 0;
  }
  if (sizes != std::vector<int64_t>{0}) {
    tacet::bench::measure_server(program, sizes, n_keystrokes);
  }
  for (int64_t n_lines : edited) {
    for (int64_t n_findings : {0, 300}) {
      if (n_lines > 0) {
        tacet::bench::measure_all_edits(program, {n_lines, 1, false, n_findings}, n_keystrokes / 4,
                                        only);
      }
    }
  }
  if (n_checked_lines > 0) {
    tacet::bench::measure_commands(program, n_checked_lines);
  }
  return 0;
}
