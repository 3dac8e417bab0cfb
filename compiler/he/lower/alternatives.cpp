#include "compiler/he/lower/alternatives.h"

#include <algorithm>

#include "compiler/device/array/clear_factors.h"
#include "compiler/device/array/directions_apart.h"
#include "compiler/device/array/separable_stencils.h"
#include "compiler/device/array/sums_apart.h"

namespace tacet::he_lower {
namespace {

using array::InliningChoice;
using array::Program;

constexpr size_t kMostPrograms = 12;
constexpr size_t kMostLets = 3;  ///< of which all choices are tried
constexpr size_t kMostGrowth = 4;

auto n_exprs(const Program& program) -> size_t {
  size_t n = 0;
  for (const array::Statement& statement : program.statements) {
    n += statement.exprs.size();
  }
  return n;
}

/// All but that of inlining nothing.
auto choices_of(size_t n_lets) -> std::vector<InliningChoice> {
  std::vector<InliningChoice> choices;
  if (n_lets <= kMostLets) {
    for (uint64_t number = 1; number < uint64_t{1} << n_lets; ++number) {
      choices.push_back(InliningChoice::numbered(number, n_lets));
    }
    return choices;
  }
  choices.push_back(InliningChoice::all(n_lets));
  for (size_t let = 0; let < n_lets && choices.size() < kMostPrograms; ++let) {
    InliningChoice choice{std::vector<bool>(n_lets, false)};
    choice.is_inlined[let] = true;
    choices.push_back(std::move(choice));
  }
  return choices;
}

void add(Program program, std::vector<Program>& programs) {
  const bool is_new = std::find(programs.begin(), programs.end(), program) == programs.end();
  const size_t most = kMostGrowth * (n_exprs(programs.front()) + 16);
  if (is_new && programs.size() < kMostPrograms && n_exprs(program) <= most) {
    programs.push_back(std::move(program));
  }
}

}  // namespace

auto alternatives_of(const Program& program, const program::FrontendSnapshot& snapshot,
                     names::ItemId item) -> std::vector<Program> {
  std::vector<Program> programs = alternatives_of(program);
  for (const InliningChoice& choice : choices_of(array::find_lets(snapshot, item).size())) {
    if (array::Lowering lowering = array::lower(snapshot, item, choice); lowering.program) {
      // Ranges of inputs may come from elsewhere than the text.
      for (uint32_t i = 0; i < program.arrays.size(); ++i) {
        const array::Array& array = program.arrays[array::ArrayId{i}];
        if (is_input(array.owner)) {
          lowering.program->arrays[array::ArrayId{i}].range = array.range;
        }
      }
      add(array::clear_factors_first(*lowering.program), programs);
      add(std::move(*lowering.program), programs);
    }
  }
  return programs;
}

auto alternatives_of(const Program& program) -> std::vector<Program> {
  std::vector<Program> programs{program};
  add(array::clear_factors_first(program), programs);
  const Program separable = array::with_separable_stencils(program);
  add(separable, programs);
  add(array::with_directions_apart(separable), programs);
  add(array::with_sums_apart(program), programs);
  return programs;
}

}  // namespace tacet::he_lower
