// A coordinator function without errors runs on the coordinator machine as on the reference
// interpreter; its assembly reads back, obeys its rules and becomes a program that is safe to run.
// A text that begins with `seed` is a number from which such a program is made.

#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/run/coordinator_run.h"
#include "compiler/run/cps/check.h"
#include "compiler/run/cps/parse.h"
#include "compiler/run/cps/print.h"
#include "compiler/spec/program/frontend.h"
#include "tests/assembly/random_coordinator.h"

namespace tacet {
namespace {

constexpr size_t kMaxSize = 4096;
constexpr uint64_t kMaxSteps = 100'000;
constexpr uint64_t kMaxElements = 256;

auto has_errors(const program::FrontendSnapshot& snapshot, FileId file, program::Until until)
    -> bool {
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file, until)) {
    if (diagnostic.severity == Severity::Error) {
      return true;
    }
  }
  return false;
}

auto inputs_of(const std::vector<interpret::EntryParameter>& parameters, uint64_t seed)
    -> std::optional<std::vector<interpret::Value>> {
  constexpr int64_t kNumbers[] = {0, 1, -1, 2, 7, INT64_MIN, INT64_MAX, 100};
  std::vector<interpret::Value> inputs;
  for (const interpret::EntryParameter& parameter : parameters) {
    uint64_t n = 1;
    for (uint64_t extent : parameter.shape) {
      if (extent > kMaxElements || (n *= extent) > kMaxElements) {
        return std::nullopt;
      }
    }
    interpret::Value value{parameter.type, parameter.shape, {}};
    for (uint64_t i = 0; i < n; ++i) {
      const auto number =
          static_cast<interpret::Cell>(kNumbers[(seed + i + inputs.size() * 3) % 8]);
      value.cells.push_back(interpret::cast(interpret::kI64, parameter.type, number));
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

/// Values, or the message and place of a failure.
auto outcome(const interpret::RunResult& result) -> std::string {
  std::string text;
  for (const interpret::Value& value : result.values) {
    text += value_text(value) + "\n";
  }
  if (result.failure) {
    text += result.failure->message + " " + std::to_string(result.failure->place.range.begin);
  }
  return text;
}

void run_function(const program::FrontendSnapshot& snapshot, names::ItemId item) {
  const interpret::Compilation compilation = interpret::compile(snapshot, item, {});
  const auto coordinator = cli::prepare_coordinator(snapshot, item, {}).executable;
  if (!compilation.executable || !coordinator) {
    return;
  }
  const Status is_safe = engine::validate(coordinator->assembled.program);
  TACET_CHECK(is_safe.has_value(), "a program that is not safe to run");
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const auto inputs = inputs_of(compilation.executable->parameters, seed);
    if (!inputs) {
      return;
    }
    interpret::MachineOptions options;
    options.memory_limit_bytes = uint64_t{8} << 20;
    options.progress = [&](uint64_t n_steps) {
      if (n_steps > kMaxSteps) {
        options.cancellation.cancel();
      }
    };
    const interpret::RunResult wanted = interpret::run(*compilation.executable, *inputs, options);
    const bool is_too_much =
        wanted.is_cancelled ||
        (wanted.failure && wanted.failure->message.find("memory") != std::string::npos);
    if (is_too_much) {
      return;
    }
    const interpret::RunResult got =
        cli::run_coordinator(*coordinator, *compilation.executable, *inputs, options);
    TACET_CHECK(got.is_cancelled || outcome(got) == outcome(wanted),
                "the machine and the interpreter tell different things");
  }
}

void run_text(const std::string& text) {
  program::Frontend frontend;
  const FileId file = frontend.set_file("a.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  if (has_errors(snapshot, file, program::Until::Types)) {
    return;
  }
  const cps::Lowered lowered = cps::lower_file(snapshot, file);
  const std::string printed = cps::print(lowered.program);
  Result<cps::Program> back = cps::parse(printed);
  TACET_CHECK(back.has_value(), "an assembly that does not read back");
  TACET_CHECK(cps::print(*back) == printed, "an assembly that reads back as another");
  if (!has_errors(snapshot, file, program::Until::Conformance)) {
    TACET_CHECK(cps::check(lowered.program).empty(), "an assembly that breaks its rules");
  }
  for (names::ItemId item : lowered.function_items) {
    run_function(snapshot, item);
  }
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > tacet::kMaxSize) {
    return 0;
  }
  uint64_t seed = 0;
  if (text.starts_with("seed")) {
    for (char c : text.substr(4)) {
      seed = seed * 257 + static_cast<unsigned char>(c);
    }
    tacet::run_text(seed % 4 == 0 ? tacet::testing::conforming_module(seed, 8)
                                  : tacet::testing::FreeModule(seed).write(5));
    return 0;
  }
  tacet::run_text(std::string(text));
  return 0;
}
