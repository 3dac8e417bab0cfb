#include "compiler/run/oracle/compare.h"

#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/run/oracle/inputs.h"

namespace tacet::oracle {

using interpret::Cell;
using interpret::Executable;
using interpret::Value;

auto outcome_of(const Executable& executable, const std::vector<Value>& inputs,
                const RunOptions& options) -> Outcome {
  interpret::MachineOptions machine;
  machine.memory_limit_bytes = options.memory_limit_bytes;
  machine.externs = options.externs;
  machine.progress = [&](uint64_t n_steps) {
    if (n_steps > options.max_steps || options.cancellation.is_cancelled()) {
      machine.cancellation.cancel();
    }
  };
  const interpret::RunResult result = interpret::run(executable, inputs, machine);
  if (result.is_cancelled || (result.failure && result.failure->code == DiagnosticCode::T8004)) {
    return {End::TookTooLong, fmt::format("it does not end within {} steps", options.max_steps)};
  }
  // A violated bound inside says nothing about the arguments.
  if (result.failure && (result.failure->code == DiagnosticCode::T8009 ||
                         result.failure->code == DiagnosticCode::T8010 ||
                         result.failure->code == DiagnosticCode::T8020)) {
    return {End::Unfinished, result.failure->message};
  }
  if (result.failure) {
    return {End::Failed, result.failure->message};
  }
  std::string text;
  for (const Value& value : result.values) {
    text += (text.empty() ? "" : "; ") + value_text(value);
  }
  return {End::Done, std::move(text)};
}

static auto says_something(const Outcome& outcome) -> bool {
  return outcome.end == End::Done || outcome.end == End::Failed;
}

static auto differ(const Outcome& first, const Outcome& second) -> bool {
  if (!says_something(first) || !says_something(second)) {
    return false;
  }
  return first.end != second.end || (first.end == End::Done && first.text != second.text);
}

namespace {

/// Two programs that should compute the same, and how to run both on the values of the second.
struct Programs {
  const Executable& first;
  const Executable& second;
  const std::vector<uint32_t>& inputs;
  const RunOptions& options;

  /// The ends of both runs.
  auto run(const std::vector<Value>& values) const -> std::pair<Outcome, Outcome> {
    std::vector<Value> for_first;
    for (uint32_t input : inputs) {
      for_first.push_back(values[input]);
    }
    return {outcome_of(first, for_first, options), outcome_of(second, values, options)};
  }
};

/// Makes a counterexample smaller, one element after another, as long as it stays one.
class Shrinker {
 public:
  Shrinker(const Programs& programs, Counterexample& example)
      : programs_(programs), example_(example) {}

  void run() {
    bool has_changed = true;
    while (has_changed && n_left_ > 0) {
      has_changed = false;
      for (size_t i = 0; i < example_.inputs.size(); ++i) {
        for (size_t j = 0; j < example_.inputs[i].cells.size(); ++j) {
          has_changed = shrink(i, j) || has_changed;
        }
      }
    }
  }

 private:
  /// Nearer to zero by the largest step that works.
  auto shrink(size_t parameter, size_t element) -> bool {
    const interpret::EntryParameter& declared = programs_.second.parameters[parameter];
    const interpret::ElementKind kind = declared.type.kind;
    if (!interpret::is_integer(kind) && kind != interpret::ElementKind::Bool) {
      return false;
    }
    const auto now = static_cast<int64_t>(example_.inputs[parameter].cells[element]);
    for (int64_t to : {int64_t{0}, int64_t{1}, now / 2, now > 0 ? now - 1 : now + 1}) {
      const bool is_inside = !declared.bound || types::is_within(*declared.bound, declared.type,
                                                                 static_cast<Cell>(to));
      // Not in circles: towards zero, and from below it to above.
      const bool is_smaller = (now < 0 ? to > now : to < now) && to != now;
      if (is_inside && is_smaller && holds(parameter, element, static_cast<Cell>(to))) {
        return true;
      }
    }
    return false;
  }

  auto holds(size_t parameter, size_t element, Cell cell) -> bool {
    if (n_left_ == 0) {
      return false;
    }
    --n_left_;
    std::vector<Value> inputs = example_.inputs;
    inputs[parameter].cells[element] = cell;
    auto [first, second] = programs_.run(inputs);
    if (!differ(first, second)) {
      return false;
    }
    example_ = {std::move(inputs), std::move(first), std::move(second)};
    return true;
  }

  const Programs& programs_;
  Counterexample& example_;
  size_t n_left_ = 400;
};

}  // namespace

auto compare(const Executable& first, const Executable& second, const std::vector<uint32_t>& inputs,
             uint64_t seed, const RunOptions& options) -> Comparison {
  const Programs programs{first, second, inputs, options};
  Inputs random(seed, options.landmarks);
  Comparison result;
  for (size_t i = 0; i < options.n_runs && !options.cancellation.is_cancelled(); ++i) {
    std::vector<Value> values = random.draw(second.parameters);
    auto [wanted, given] = programs.run(values);
    if (differ(wanted, given)) {
      result.counterexample = {std::move(values), std::move(wanted), std::move(given)};
      Shrinker(programs, *result.counterexample).run();
      break;
    }
    if (says_something(wanted) && says_something(given)) {
      ++(wanted.end == End::Done ? result.n_done : result.n_failed);
    } else {
      ++result.n_untold;
      result.why_untold = says_something(given) ? wanted.text : given.text;
    }
  }
  return result;
}

}  // namespace tacet::oracle
