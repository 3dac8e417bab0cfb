#include "tests/oblivious/checked_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

/// The kernel, or why there is none.
auto lowered(const std::string& text, std::string& problem) -> std::optional<Kernel> {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file, program::Until::Types)) {
    if (diagnostic.severity == Severity::Error) {
      problem = fmt::format("{}: {}", code_name(diagnostic.code), diagnostic.message);
      return std::nullopt;
    }
  }
  names::ItemId item;
  for (const names::FileItem& found : snapshot.items(file)->items) {
    item = found.kind == names::ItemKind::Fn ? found.id : item;
  }
  Lowering lowering = lower(snapshot, item);
  problem = "no kernel for " + lowering.problem;
  return std::move(lowering.kernel);
}

}  // namespace

auto kernel_of(const std::string& text) -> Kernel {
  std::string problem;
  std::optional<Kernel> kernel = lowered(text, problem);
  if (!kernel) {
    ADD_FAILURE() << problem << "\n" << text;
    return {};
  }
  return *std::move(kernel);
}

auto find_kernel(const std::string& text) -> std::optional<Kernel> {
  std::string problem;
  return lowered(text, problem);
}

namespace {

auto random_cell(const Variable& variable, std::mt19937_64& random) -> Cell {
  const engine::ElementType type = variable.type.element;
  if (variable.bound) {
    const auto width = static_cast<uint64_t>(variable.bound->upper - variable.bound->lower);
    return static_cast<Cell>(variable.bound->lower) + random() % width;
  }
  if (type == engine::kBool) {
    return random() & 1;
  }
  if (random() % 16 == 0 && engine::is_integer(type.kind)) {
    return engine::wrapped(type.kind, random());
  }
  return engine::cast(engine::kI64, type,
                      static_cast<Cell>(static_cast<int64_t>(random() % 24) - 6));
}

auto run(const Kernel& kernel, const std::vector<Value>& inputs) -> Evaluation {
  EvaluationOptions options;
  options.max_steps = uint64_t{1} << 20;
  options.call = [](const Call& call, const std::vector<Value>&) {
    return std::optional(std::vector<Value>(call.results.size()));
  };
  return evaluate(kernel, inputs, options);
}

auto inputs_text(const Kernel& kernel, const std::vector<Value>& inputs) -> std::string {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<int64_t> cells(inputs[i].cells.begin(), inputs[i].cells.end());
    text += fmt::format("{} = [{}]\n", kernel.variables[kernel.parameters[i]].name,
                        fmt::join(cells, ", "));
  }
  return text;
}

auto results_text(const Evaluation& evaluation) -> std::string {
  std::string text = evaluation.fault ? fmt::format("fault {}", static_cast<int>(*evaluation.fault))
                                      : std::string();
  for (const Value& value : evaluation.results) {
    const std::vector<int64_t> cells(value.cells.begin(), value.cells.end());
    text += fmt::format("[{}]", fmt::join(cells, ", "));
  }
  return text;
}

auto first_difference(const Kernel& kernel, const std::vector<Event>& a,
                      const std::vector<Event>& b) -> std::string {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) {
      return fmt::format("event {}: {} and {}", i, event_text(kernel, a[i]),
                         event_text(kernel, b[i]));
    }
  }
  return a.size() == b.size() ? "" : "one run has more events";
}

}  // namespace

auto random_inputs(const Kernel& kernel, uint64_t public_seed, uint64_t secret_seed)
    -> std::vector<Value> {
  std::mt19937_64 of_public(public_seed);
  std::mt19937_64 of_secret(secret_seed);
  std::vector<Value> inputs;
  for (VariableId parameter : kernel.parameters) {
    const Variable& variable = kernel.variables[parameter];
    std::mt19937_64& random =
        variable.visibility == types::Visibility::Secret ? of_secret : of_public;
    Value value{variable.type, {}};
    for (int64_t i = 0; i < n_elements(variable.type); ++i) {
      value.cells.push_back(random_cell(variable, random));
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

namespace {

constexpr const char* kNothingCompared = "no input has results that could be compared";

/// The first complaint about any of `n` inputs. `n_compared` grows by the inputs for which results
/// are compared.
auto compare(const Kernel& source, const Kernel& rewritten, int n, bool looks_at_events,
             uint64_t& n_compared) -> std::string {
  for (const std::string& mistake : verify(rewritten)) {
    return mistake;
  }
  for (int i = 0; i < n; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    const std::vector<Value> inputs = random_inputs(source, seed, 2 * seed + 1);
    const Evaluation expected = run(source, inputs);
    const Evaluation found = run(rewritten, inputs);
    if (expected.fault == Fault::OutOfSteps || found.fault == Fault::OutOfSteps) {
      continue;
    }
    n_compared += expected.fault ? 0 : 1;
    const std::string at = inputs_text(source, inputs);
    if (!expected.fault && expected.results != found.results) {
      return fmt::format("expected {}, found {}, at\n{}", results_text(expected),
                         results_text(found), at);
    }
    if (!looks_at_events) {
      continue;
    }
    for (const Event& event : found.events) {
      if (event.depends_on_secret) {
        return fmt::format("a secret decides: {}, at\n{}", event_text(rewritten, event), at);
      }
    }
    const Evaluation other = run(rewritten, random_inputs(source, seed, 2 * seed + 2));
    const std::string differs = first_difference(rewritten, found.events, other.events);
    if (!differs.empty()) {
      return fmt::format("other secrets, other events: {}, at\n{}", differs, at);
    }
  }
  return {};
}

}  // namespace

auto meaning_difference(const Kernel& source, const Kernel& rewritten, int n, uint64_t& n_compared)
    -> std::string {
  return compare(source, rewritten, n, false, n_compared);
}

auto difference(const Kernel& source, const Kernel& rewritten, int n, uint64_t& n_compared)
    -> std::string {
  return compare(source, rewritten, n, true, n_compared);
}

auto meaning_difference(const Kernel& source, const Kernel& rewritten, int n) -> std::string {
  uint64_t n_compared = 0;
  std::string found = meaning_difference(source, rewritten, n, n_compared);
  return !found.empty() || n_compared > 0 ? found : kNothingCompared;
}

auto difference(const Kernel& source, const Kernel& rewritten, int n) -> std::string {
  uint64_t n_compared = 0;
  std::string found = difference(source, rewritten, n, n_compared);
  return !found.empty() || n_compared > 0 ? found : kNothingCompared;
}

}  // namespace tacet::oblivious
