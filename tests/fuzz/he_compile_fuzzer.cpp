// What an array program becomes under encryption computes what the program means, whatever is in
// slots that do not matter; or there is a reason why it cannot be encrypted.

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/he/lower/compile.h"
#include "tests/he_compile/run_parts.h"

namespace tacet {
namespace {

constexpr size_t kMaxSize = 512;
constexpr int64_t kMaxElements = 64;
constexpr size_t kMaxExpressions = 24;

/// The program of a text, if there is one that is small.
auto program_of(std::string text) -> std::optional<array::Program> {
  program::Frontend frontend;
  const FileId file = frontend.set_file("/fuzz.tlhe", std::move(text));
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    if (diagnostic.severity == Severity::Error) {
      return std::nullopt;
    }
  }
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Program) {
      array::Lowering lowering = array::lower(snapshot, item.id);
      TACET_CHECK(lowering.program || !lowering.diagnostics.empty(), "no reason");
      return std::move(lowering.program);
    }
  }
  return std::nullopt;
}

auto is_small(const array::Program& program) -> bool {
  int64_t work = 1;
  for (const array::Statement& statement : program.statements) {
    for (const array::Dim& dim : statement.dims.values()) {
      work = dim.extent > kMaxElements ? kMaxElements * kMaxElements : work * dim.extent;
      if (work >= kMaxElements * kMaxElements) {
        return false;
      }
    }
    if (statement.exprs.size() > kMaxExpressions) {
      return false;
    }
  }
  const auto arrays = program.arrays.values();
  return std::all_of(arrays.begin(), arrays.end(), [](const array::Array& array) {
    return array::n_elements(array.extents) <= kMaxElements;
  });
}

void compare(const array::Program& program) {
  constexpr int64_t kMost = 3;
  he_lower::CompileOptions options;
  std::vector<array::Elements> inputs;
  engine::HeIntegers values;
  for (const array::Array& array : program.arrays.values()) {
    if (!is_input(array.owner)) {
      continue;
    }
    options.ranges.emplace_back(array.name, array::Interval{-kMost, kMost});
    array::Elements elements;
    for (int64_t i = 0; i < array::n_elements(array.extents); ++i) {
      elements.push_back((i * 5 + static_cast<int64_t>(inputs.size())) % (2 * kMost + 1) - kMost);
    }
    values[array.name] = elements;
    inputs.push_back(std::move(elements));
  }
  const he_lower::Compilation compilation = he_lower::compile(program, options);
  if (!compilation.compiled) {
    TACET_CHECK(!compilation.problem.empty(), "no reason");
    return;
  }
  TACET_CHECK(he_lower::clear_result(*compilation.compiled, values, 1) ==
                  array::evaluate(program, inputs).output(),
              "another result");
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  if (size > tacet::kMaxSize) {
    return 0;
  }
  const auto program = tacet::program_of({reinterpret_cast<const char*>(data), size});
  if (program && tacet::is_small(*program)) {
    tacet::compare(*program);
  }
  return 0;
}
