#include "tests/kernel/checked_module.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::testing {

auto outcome_text(const Outcome& outcome) -> std::string {
  std::string text;
  for (const kernel::Value& value : outcome.results) {
    text += fmt::format("[{}]", fmt::join(value.cells, ", "));
  }
  if (outcome.fault) {
    text = fmt::format("fault {}", static_cast<int>(*outcome.fault));
  }
  return text + (outcome.was_cut_short ? ", cut short" : "");
}

CheckedModule::CheckedModule(std::string text, Errors errors) {
  file_ = frontend_.set_file("program.tacet", std::move(text));
  for (const Diagnostic& diagnostic : frontend_.snapshot().diagnostics(file_)) {
    if (diagnostic.severity == Severity::Error) {
      is_right_ = false;
      if (errors == Errors::Expected) {
        continue;
      }
      const std::string& all = *frontend_.text(file_);
      const size_t begin = all.rfind('\n', diagnostic.place.range.begin) + 1;
      ADD_FAILURE() << code_name(diagnostic.code) << ": " << diagnostic.message << "\n"
                    << all.substr(begin, all.find('\n', begin) - begin);
    }
  }
}

auto CheckedModule::find(std::string_view function) -> names::ItemId {
  return snapshot().find(file_, names::Namespace::Callable, function);
}

auto CheckedModule::lower(std::string_view function) -> kernel::Kernel {
  kernel::Lowering lowering = kernel::lower(snapshot(), find(function));
  if (!lowering.kernel) {
    ADD_FAILURE() << "no kernel for " << lowering.problem;
    is_right_ = false;
    return {};
  }
  for (const std::string& mistake : kernel::verify(*lowering.kernel)) {
    ADD_FAILURE() << mistake;
    is_right_ = false;
  }
  return *std::move(lowering.kernel);
}

static auto fault_of(const Diagnostic& failure) -> kernel::Fault {
  const std::string_view code = code_name(failure.code);
  return code == "T8001"   ? kernel::Fault::DivisionByZero
         : code == "T8002" ? kernel::Fault::ShiftOutOfRange
         : code == "T8003" ? kernel::Fault::IndexOutOfRange
         : code == "T8008" ? kernel::Fault::BadStep
                           : kernel::Fault::FailedCall;
}

auto CheckedModule::run(std::string_view function, const std::vector<kernel::Value>& inputs)
    -> Outcome {
  const interpret::Compilation compilation = interpret::compile(snapshot(), find(function), {});
  if (!compilation.executable) {
    ADD_FAILURE() << compilation.problem;
    return {};
  }
  std::vector<interpret::Value> given;
  for (const kernel::Value& input : inputs) {
    given.push_back(
        {input.type.element, {input.type.extents.begin(), input.type.extents.end()}, input.cells});
  }
  interpret::RunResult result = interpret::run(*compilation.executable, given, {});
  Outcome outcome;
  for (interpret::Value& value : result.values) {
    outcome.results.push_back(
        {{value.type, {value.shape.begin(), value.shape.end()}}, std::move(value.cells)});
  }
  if (result.failure) {
    outcome.fault = fault_of(*result.failure);
  }
  outcome.was_cut_short = !result.warnings.empty();
  return outcome;
}

auto run(const kernel::Kernel& kernel, const std::vector<kernel::Value>& inputs) -> Outcome {
  kernel::EvaluationOptions options;
  options.records_events = false;
  kernel::Evaluation evaluation = kernel::evaluate(kernel, inputs, options);
  return {std::move(evaluation.results), evaluation.fault, evaluation.was_cut_short};
}

}  // namespace tacet::testing
