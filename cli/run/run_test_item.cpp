#include "cli/run/run_test_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "cli/memory_limit.h"
#include "cli/run/encrypted_kernels.h"
#include "cli/run/shared_kernels.h"
#include "cli/values/element_values.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/run/interpret/compile_test_item.h"

namespace tacet::cli {

using interpret::Value;

auto device_name(TestDevice device) -> std::string_view {
  switch (device) {
    case TestDevice::Ref:
      return "ref";
    case TestDevice::He:
      return "he";
    case TestDevice::Mpc:
      return "mpc";
  }
  return {};
}

static auto is_of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  names::Device device) -> bool {
  if (snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return false;
  }
  const auto signature = snapshot.signature(item);
  return signature && signature->is_device_function && signature->is_for(device);
}

/// The function of `device` that a call of `item` runs, or none.
static auto function_on(const program::FrontendSnapshot& snapshot, names::ItemId item,
                        names::Device device) -> names::ItemId {
  if (is_of(snapshot, item, device)) {
    return item;
  }
  const names::ItemKind kind = snapshot.item_key(item).kind;
  if (kind != names::ItemKind::Val && kind != names::ItemKind::Feq) {
    return {};
  }
  const auto members = snapshot.equivalence_class(item);
  if (members == nullptr) {
    return {};
  }
  const auto found =
      std::find_if(members->members.begin(), members->members.end(),
                   [&](names::ItemId member) { return is_of(snapshot, member, device); });
  return found == members->members.end() ? names::ItemId() : *found;
}

namespace {

/// One test on one device.
struct TestRun {
  const program::FrontendSnapshot& snapshot;
  const TestSetting& setting;
  interpret::TestCompilation test;
  HostFunctions functions;  ///< of the host
  std::optional<EncryptedKernels> encrypted{};
  std::optional<SharedKernels> shared{};
};

}  // namespace

/// Lets the device compute the functions that the host runs.
static auto supply_kernels(TestRun& run, TestDevice device) -> Status {
  Result<std::vector<engine::Kernel>> kernels{std::vector<engine::Kernel>()};
  if (device == TestDevice::He) {
    RunOptions options = run.setting.options;
    options.takes_ranges_from_data = true;
    options.are_values_public = true;
    run.encrypted.emplace(run.snapshot, run.setting.sources, options, run.setting.invocation);
    kernels = run.encrypted->kernels(run.test.hosted, EncryptedKernels::Grid::None);
  } else if (device == TestDevice::Mpc) {
    RunOptions options = run.setting.options;
    options.in_process = true;
    run.shared.emplace(run.snapshot, run.setting.sources, options, run.setting.invocation);
    kernels = run.shared->kernels(run.test.hosted);
  }
  if (!kernels) {
    return kernels.error();
  }
  for (size_t i = 0; i < kernels->size(); ++i) {
    const names::ItemKey& key = run.snapshot.item_key(run.test.hosted[i]);
    run.functions[names::instance_name(run.snapshot.interner(), key)] = std::move((*kernels)[i]);
  }
  return std::monostate();
}

/// `text` on one line, cut if it is long.
static auto joined_lines(std::string_view text) -> std::string {
  static constexpr size_t kMost = 60;
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space || (!line.empty() && line.back() != ' ')) {
      line += is_space ? ' ' : c;
    }
  }
  if (line.size() <= kMost) {
    return line;
  }
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) {
    --end;  // not within a character
  }
  return line.substr(0, end) + "…";
}

/// An element of a value: the only one of a scalar.
static auto element(const Value& value, size_t i) -> std::string {
  return interpret::element_text(value.type, value.cells[value.cells.size() == 1 ? 0 : i]);
}

/// Why the condition whose values begin with `holds` fails; empty if it holds.
static auto failure_of(const interpret::TestCondition& condition, const Value* holds,
                       SourceSet& sources) -> std::string {
  const auto failing = std::find(holds->cells.begin(), holds->cells.end(), interpret::Cell{0});
  if (failing == holds->cells.end()) {
    return {};
  }
  const auto at = static_cast<size_t>(failing - holds->cells.begin());
  const SourceView view = sources.view(condition.place.file);
  const TextRange range = condition.place.range;
  const std::string_view text = view.text.substr(range.begin, range.end - range.begin);
  std::string message =
      fmt::format("{}: `{}` is false", sources.position_text(condition.place), joined_lines(text));
  if (!holds->shape.empty()) {
    message += fmt::format(" for {}", element_name(holds->shape, at));
  }
  if (condition.is_comparison) {
    message +=
        fmt::format("\n  left:  {}\n  right: {}", element(holds[1], at), element(holds[2], at));
  }
  return message;
}

/// The first condition that fails, if any.
static void judge(const TestRun& run, const std::vector<Value>& values, TestOutcome& outcome) {
  const Value* next = values.data();
  outcome.is_passed = true;
  for (const interpret::TestCondition& condition : run.test.conditions) {
    std::string failure = failure_of(condition, next, run.setting.sources);
    if (!failure.empty()) {
      outcome.is_passed = false;
      outcome.message = std::move(failure);
      return;
    }
    next += condition.is_comparison ? 3 : 1;
  }
}

static void fail(TestOutcome& outcome, std::string message, std::vector<Diagnostic> diagnostics) {
  outcome.message = std::move(message);
  outcome.diagnostics = std::move(diagnostics);
}

static void run_compiled_test(TestRun& run, TestOutcome& outcome) {
  interpret::MachineOptions machine;
  machine.memory_limit_bytes = default_memory_limit();
  machine.externs = run.functions;
  machine.random_key = run.setting.random_key;
  interpret::RunResult result = interpret::run(*run.test.executable, {}, machine);
  if (run.encrypted && !run.encrypted->failure().empty()) {
    return fail(outcome, run.encrypted->failure(), run.encrypted->diagnostics());
  }
  if (run.shared && !run.shared->failure().empty()) {
    return fail(outcome, run.shared->failure(), {});
  }
  if (result.failure) {
    return fail(outcome, {}, {*result.failure});
  }
  judge(run, result.values, outcome);
}

auto run_test(const program::FrontendSnapshot& snapshot, names::ItemId test, TestDevice device,
              const TestSetting& setting) -> std::optional<TestOutcome> {
  const auto begin = std::chrono::steady_clock::now();
  std::set<std::string, std::less<>> available;
  for (const auto& [name, function] : setting.externs) {
    available.insert(name);
  }
  interpret::HostedFunction hosted_by;
  if (device != TestDevice::Ref) {
    const names::Device wanted = device == TestDevice::He ? names::Device::He : names::Device::Mpc;
    hosted_by = [&snapshot, wanted](names::ItemId item) {
      return function_on(snapshot, item, wanted);
    };
  }
  TestRun run{.snapshot = snapshot,
              .setting = setting,
              .test = interpret::compile_test(snapshot, test, available, std::move(hosted_by)),
              .functions = setting.externs};
  if (device != TestDevice::Ref && run.test.hosted.empty()) {
    return std::nullopt;
  }
  TestOutcome outcome;
  if (!run.test.executable) {
    outcome.message = fmt::format("cannot run the test: {}", run.test.problem);
  } else if (Status supplied = supply_kernels(run, device); !supplied) {
    fail(outcome, supplied.error().message,
         run.shared ? run.shared->diagnostics() : std::vector<Diagnostic>());
  } else {
    run_compiled_test(run, outcome);
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

}  // namespace tacet::cli
