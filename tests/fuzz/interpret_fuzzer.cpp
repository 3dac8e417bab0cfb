// A program without errors can be run, or there is a reason why not; and running it ends in values,
// a diagnostic, or when it is cancelled.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "compiler/run/interpret/interpret.h"
#include "compiler/spec/program/frontend.h"

namespace tacet {
namespace {

constexpr size_t kMaxSize = 4096;
constexpr uint64_t kMaxSteps = 200'000;
constexpr uint64_t kMaxElements = 4096;

/// Small numbers and extreme ones, other ones at each place.
auto input_of(const interpret::EntryParameter& parameter, uint64_t seed) -> interpret::Value {
  constexpr int64_t kNumbers[] = {0, 1, -1, 2, 7, INT64_MIN, INT64_MAX, 100};
  interpret::Value value{parameter.type, parameter.shape, {}};
  for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
    const int64_t number = kNumbers[(seed + i) % std::size(kNumbers)];
    value.cells.push_back(
        interpret::cast(interpret::kI64, parameter.type, static_cast<interpret::Cell>(number)));
  }
  return value;
}

auto is_small(const std::vector<interpret::EntryParameter>& parameters) -> bool {
  for (const interpret::EntryParameter& parameter : parameters) {
    uint64_t n = 1;
    for (uint64_t extent : parameter.shape) {
      if (extent > kMaxElements || (n *= extent) > kMaxElements) {
        return false;
      }
    }
  }
  return true;
}

void run_entry(const interpret::Executable& executable) {
  if (!is_small(executable.parameters)) {
    return;
  }
  std::vector<interpret::Value> inputs;
  for (const interpret::EntryParameter& parameter : executable.parameters) {
    inputs.push_back(input_of(parameter, inputs.size() * 3 + executable.parameters.size()));
  }
  interpret::MachineOptions options;
  options.memory_limit_bytes = uint64_t{16} << 20;
  options.progress = [&](uint64_t n_steps) {
    if (n_steps > kMaxSteps) {
      options.cancellation.cancel();
    }
  };
  const interpret::RunResult result = interpret::run(executable, inputs, options);
  if (!result.is_done()) {
    TACET_CHECK(result.values.empty(), "a failed run has values");
    return;
  }
  TACET_CHECK(result.values.size() == executable.results.size(), "a value for each result");
  for (size_t i = 0; i < result.values.size(); ++i) {
    TACET_CHECK(result.values[i].shape == executable.results[i].shape, "a result of its shape");
    TACET_CHECK(result.values[i].cells.size() == interpret::n_elements(result.values[i].shape),
                "a result with all its elements");
  }
}

void run_text(std::string_view path, std::string text) {
  program::Frontend frontend;
  const FileId file = frontend.set_file(path, std::move(text));
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    if (diagnostic.severity == Severity::Error) {
      return;
    }
  }
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const interpret::Compilation compilation = interpret::compile(snapshot, item.id, {});
    TACET_CHECK(compilation.executable.has_value() != !compilation.problem.empty(),
                "a program or a reason why there is none");
    if (compilation.executable) {
      run_entry(*compilation.executable);
    }
  }
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  if (size > tacet::kMaxSize) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  tacet::run_text(text.rfind("input ", 0) == 0 ? "a.tlhe" : "a.tacet", text);
  return 0;
}
