#include "tests/lift/lifted.h"

#include <gtest/gtest.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/lower/item_program.h"
#include "tests/harness/files.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::lift {

auto lifted_function(const std::string& text) -> LiftedFunction {
  program::Frontend frontend;
  const FileId file = frontend.set_file("function.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.message << "\n" << text;
  }
  names::ItemId found;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    found = item.kind == names::ItemKind::Fn ? item.id : found;
  }
  kernel::Lowering lowering = kernel::lower(snapshot, found);
  EXPECT_TRUE(lowering.kernel) << lowering.problem;
  LiftedFunction result;
  result.kernel = lowering.kernel ? std::move(*lowering.kernel) : kernel::Kernel{};
  result.lifting = lift(result.kernel);
  if (!result.lifting.program) {
    result.lifting = lift(oblivious::make_oblivious(result.kernel).kernel);
  }
  return result;
}

auto program_paths() -> std::vector<std::filesystem::path> {
  return harness::find_files({.folder = "tests/lift/programs", .endings = {".tacet"}, .least = 31});
}

auto random_inputs(const array::Program& program, std::mt19937_64& random)
    -> std::vector<array::Elements> {
  std::vector<array::Elements> inputs;
  for (const array::Array& array : program.arrays.values()) {
    if (!array::is_input(array.owner)) {
      break;
    }
    const array::Interval range = array.range.value_or(array::Interval{-9, 9});
    const auto size = static_cast<uint64_t>(range.high - range.low) + 1;
    array::Elements elements;
    for (int64_t i = 0; i < array::n_elements(array.extents); ++i) {
      elements.push_back(range.low + static_cast<int64_t>(random() % size));
    }
    inputs.push_back(std::move(elements));
  }
  return inputs;
}

auto reference_output(const kernel::Kernel& kernel, const std::vector<array::Elements>& inputs)
    -> std::optional<array::Elements> {
  std::vector<kernel::Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    kernel::Value value{kernel.variables[kernel.parameters[i]].type, {}};
    for (const int64_t element : inputs[i]) {
      value.cells.push_back(static_cast<kernel::Cell>(element));
    }
    values.push_back(std::move(value));
  }
  const kernel::Evaluation evaluation =
      kernel::evaluate(kernel, values, {.call = {}, .records_events = false});
  if (evaluation.fault) {
    return {};
  }
  array::Elements output;
  for (const kernel::Cell cell : evaluation.results.front().cells) {
    output.push_back(static_cast<int64_t>(cell));
  }
  return output;
}

namespace {

auto integers_of(const array::Program& program, const std::vector<array::Elements>& inputs)
    -> engine::HeIntegers {
  engine::HeIntegers values;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    values[program.arrays[array::ArrayId{i}].name] = inputs[i];
  }
  return values;
}

}  // namespace

auto clear_output(const he_lower::Compiled& compiled, const array::Program& program,
                  const std::vector<array::Elements>& inputs) -> array::Elements {
  return he_lower::clear_result(compiled, integers_of(program, inputs), 1);
}

auto encrypted_output(const he_lower::Compiled& compiled, const array::Program& program,
                      const std::vector<array::Elements>& inputs) -> array::Elements {
  return he_lower::encrypted_result(compiled, integers_of(program, inputs));
}

}  // namespace tacet::lift
