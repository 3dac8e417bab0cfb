#include "compiler/he/lower/compile.h"

#include <algorithm>
#include <utility>

#include "compiler/he/lower/alternatives.h"
#include "compiler/he/lower/compile_reals.h"
#include "compiler/he/lower/expand_functions.h"
#include "compiler/he/lower/item_program.h"
#include "compiler/he/lower/vector_compiler.h"
#include "compiler/he/schedule/text.h"

namespace tacet::he_lower {
namespace {

using array::Interval;

/// What is said besides of the elements of inputs.
auto with_ranges(array::Program program,
                 const std::vector<std::pair<std::string, Interval>>& ranges) -> array::Program {
  for (const auto& [name, range] : ranges) {
    for (uint32_t i = 0; i < program.arrays.size(); ++i) {
      array::Array& array = program.arrays[array::ArrayId{i}];
      if (is_input(array.owner) && array.name == name) {
        array.range = range;
      }
    }
  }
  return program;
}

}  // namespace

auto unbounded_inputs(const array::Program& program,
                      const std::vector<std::pair<std::string, Interval>>& ranges)
    -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const array::Array& array : program.arrays.values()) {
    const bool is_given = std::any_of(ranges.begin(), ranges.end(),
                                      [&](const auto& range) { return range.first == array.name; });
    if (is_input(array.owner) && !array.range && !is_given) {
      names.push_back(array.name);
    }
  }
  return names;
}

static auto compile_programs(std::vector<array::Program> programs, const CompileOptions& options)
    -> Compilation;

static auto compile_result(const program::FrontendSnapshot& snapshot, names::ItemId item,
                           size_t result, const CompileOptions& options) -> Compilation {
  array::Lowering lowering = program_of(snapshot, item, result, options.random_key);
  if (!lowering.program) {
    return {.compiled = {},
            .others = {},
            .diagnostics = std::move(lowering.diagnostics),
            .problem = {}};
  }
  const array::Program program = with_ranges(std::move(*lowering.program), options.ranges);
  CompileOptions obeying = options;
  if (const std::optional<double> tolerance = tolerance_of(snapshot, item, result)) {
    obeying.tolerance = tolerance;
  }
  if ((options.last == Stage::Array || options.pinned) && !has_functions(program)) {
    return compile_programs({program}, obeying);
  }
  const names::ItemTree tree = snapshot.tree(item);
  const syntax::Node clause = names::item_node(*tree).child(syntax::Field::Schedule);
  if (clause) {
    obeying.pinned = [&](const array::Program& pinned, uint32_t n_columns) {
      return schedule::read_schedule(pinned, clause, n_columns);
    };
  }
  return has_functions(program)
             ? compile(program, obeying)
             : compile_programs(alternatives_of(program, snapshot, item), obeying);
}

auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options) -> Compilation {
  if (options.entered) {
    options.entered(Stage::Array);
  }
  Compilation all = compile_result(snapshot, item, 0, options);
  CompileOptions same_scheme = options;
  if (all.compiled && !all.compiled->parts.empty()) {
    same_scheme.choice.scheme = all.compiled->parts.front().scheme;
  }
  const size_t n_results = n_results_of(snapshot, item);
  for (size_t result = 1; result < n_results && all.compiled; ++result) {
    Compilation other = compile_result(snapshot, item, result, same_scheme);
    if (!other.compiled) {
      return other;
    }
    all.others.push_back(std::move(*other.compiled));
  }
  return all;
}

/// The program modulo one prime.
static auto compile_expansion(Expansion expansion, const CompileOptions& options) -> Compilation {
  return compile_vectors(options.pinned ? std::vector{std::move(*expansion.program)}
                                        : alternatives_of(*expansion.program),
                         options, {.result = expansion.result, .modulus = expansion.modulus});
}

/// Layouts and circuits are of arithmetic modulo one prime, for which inputs must be bounded. Where
/// the result needs several primes, or one whose noise leaves no room, each is a program of its
/// own.
static auto compile_functions(const array::Program& program, const CompileOptions& options)
    -> Compilation {
  constexpr unsigned kFewBits = 24;
  Compilation first;
  size_t n_before = 0;
  for (unsigned bits = he::kMaxPlainBits; bits >= kFewBits; --bits) {
    std::vector<Expansion> expansions = expand_functions(program, bits);
    if (!expansions.front().program) {
      return n_before != 0 ? first
                           : Compilation{.compiled = {},
                                         .others = {},
                                         .diagnostics = std::move(expansions.front().diagnostics),
                                         .problem = {}};
    }
    if (expansions.size() == n_before) {
      continue;
    }
    if (n_before != 0 && options.choice.most_moduli == n_before) {
      return first;
    }
    n_before = expansions.size();
    const uint64_t largest = expansions.back().modulus;
    CompileOptions same_scheme = options;
    Compilation all;
    for (Expansion& expansion : expansions) {
      Compilation part = compile_expansion(std::move(expansion), same_scheme);
      if (part.is_declined) {
        return part;
      }
      if (!part.compiled) {
        all = std::move(part);
        break;
      }
      if (!all.compiled) {
        all = std::move(part);
        if (!all.compiled->parts.empty()) {
          same_scheme.choice.scheme = all.compiled->parts.front().scheme;
        }
      } else {
        all.compiled->parts.insert(all.compiled->parts.end(), part.compiled->parts.begin(),
                                   part.compiled->parts.end());
      }
    }
    if (all.compiled || largest >> kFewBits == 0) {
      return all.compiled || first.problem.empty() ? all : first;
    }
    first = first.problem.empty() ? std::move(all) : std::move(first);
  }
  return first;
}

/// Several programs that compute the same, whose inputs have their ranges.
static auto compile_programs(std::vector<array::Program> programs, const CompileOptions& options)
    -> Compilation {
  const bool is_bounded = unbounded_inputs(programs.front(), {}).empty();
  if (options.last == Stage::Array || !is_bounded) {
    return compile_vectors(std::move(programs), options);
  }
  const bool has_scheme = !options.choice.scheme || *options.choice.scheme == he::Scheme::Ckks;
  if (is_real(programs.front()) && has_scheme) {
    return compile_reals(std::move(programs), options);
  }
  return has_functions(programs.front()) ? compile_functions(programs.front(), options)
                                         : compile_vectors(std::move(programs), options);
}

auto compile(array::Program program, const CompileOptions& options) -> Compilation {
  program = with_ranges(std::move(program), options.ranges);
  if (options.pinned || has_functions(program)) {
    return compile_programs({std::move(program)}, options);
  }
  return compile_programs(alternatives_of(program), options);
}

auto compile(std::vector<array::Program> programs, const CompileOptions& options) -> Compilation {
  for (array::Program& program : programs) {
    program = with_ranges(std::move(program), options.ranges);
  }
  return compile_programs(std::move(programs), options);
}

}  // namespace tacet::he_lower
