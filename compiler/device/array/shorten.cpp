#include "compiler/device/array/shorten.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/device/array/evaluate.h"

namespace tacet::array {

/// Larger results are computed when the program runs.
static constexpr int64_t kMostFolded = int64_t{1} << 16;

static auto sites_of(const Statement& statement) -> std::vector<const Site*> {
  std::vector<const Site*> sites;
  for (const Expr& expr : statement.exprs.values()) {
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      sites.push_back(site);
    }
  }
  return sites;
}

static void renumber(Statement& statement, const std::map<ArrayId, ArrayId>& ids) {
  statement.result = ids.at(statement.result);
  for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
    if (auto* site = std::get_if<Site>(&statement.exprs[ExprId{i}].node)) {
      site->array = ids.at(site->array);
    }
  }
}

/// What evaluating it takes, up to a factor of the number of its expressions.
static auto n_steps(const Statement& statement) -> int64_t {
  int64_t n = 1;
  for (const Dim& dim : statement.dims.values()) {
    n = dim.extent > kMostFolded ? dim.extent : n * dim.extent;
    if (n > kMostFolded) {
      break;
    }
  }
  return n;
}

/// The elements that a statement computes from constants.
static auto value_of(const Program& program, Statement statement) -> std::optional<Elements> {
  Program alone;
  std::map<ArrayId, ArrayId> ids;
  for (const Site* site : sites_of(statement)) {
    const Array& array = program.arrays[site->array];
    if (array.owner != Owner::Constant || array.fraction_bits != 0) {
      return std::nullopt;
    }
    if (ids.try_emplace(site->array).second) {
      ids[site->array] = alone.arrays.add(program.arrays[site->array]);
    }
  }
  if (ids.empty() || n_steps(statement) > kMostFolded) {
    return std::nullopt;
  }
  ids[statement.result] = alone.arrays.add(program.arrays[statement.result]);
  renumber(statement, ids);
  alone.statements.push_back(std::move(statement));
  const Evaluation evaluation = evaluate(alone, {});
  const Elements& elements = evaluation.output();
  const bool are_small = std::all_of(elements.begin(), elements.end(), [](int64_t element) {
    return -kMaxConstant <= element && element <= kMaxConstant;
  });
  return evaluation.wrapped_at || !are_small ? std::nullopt : std::optional(elements);
}

auto with_folded_constants(Program program) -> Program {
  std::vector<Statement> kept;
  for (Statement& statement : program.statements) {
    const bool is_last = &statement == &program.statements.back();
    std::optional<Elements> elements = is_last ? std::nullopt : value_of(program, statement);
    if (elements) {
      Array& result = program.arrays[statement.result];
      result.owner = Owner::Constant;
      result.elements = std::move(*elements);
    } else {
      kept.push_back(std::move(statement));
    }
  }
  program.statements = std::move(kept);
  return program;
}

auto without_unused(Program program) -> Program {
  std::vector<bool> is_used(program.arrays.size(), false);
  is_used[program.statements.back().result.index] = true;
  for (size_t i = program.statements.size(); i-- > 0;) {
    if (is_used[program.statements[i].result.index]) {
      for (const Site* site : sites_of(program.statements[i])) {
        is_used[site->array.index] = true;
      }
    }
  }
  Program kept;
  kept.fraction_bits = program.fraction_bits;
  std::map<ArrayId, ArrayId> ids;
  const auto keep = [&](auto is_kept) {
    for (uint32_t i = 0; i < program.arrays.size(); ++i) {
      if (is_kept(program.arrays[ArrayId{i}].owner, is_used[i])) {
        ids[ArrayId{i}] = kept.arrays.add(program.arrays[ArrayId{i}]);
      }
    }
  };
  keep([](Owner owner, bool) { return is_input(owner); });
  keep([](Owner owner, bool used) { return owner == Owner::Constant && used; });
  keep([](Owner owner, bool used) { return owner == Owner::Computed && used; });
  for (Statement& statement : program.statements) {
    if (is_used[statement.result.index]) {
      renumber(statement, ids);
      kept.statements.push_back(std::move(statement));
    }
  }
  return kept;
}

auto with_last_array_at(const Program& program, ArrayId at) -> Program {
  Program result = program;
  const auto last = static_cast<uint32_t>(program.arrays.size() - 1);
  result.arrays = {};
  for (uint32_t i = 0; i < last; ++i) {
    if (i == at.index) {
      result.arrays.add(program.arrays[ArrayId{last}]);
    }
    result.arrays.add(program.arrays[ArrayId{i}]);
  }
  const auto move = [&](ArrayId& array) {
    array.index = array.index == last ? at.index : array.index + (array.index < at.index ? 0 : 1);
  };
  for (Statement& statement : result.statements) {
    move(statement.result);
    for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
      if (auto* site = std::get_if<Site>(&statement.exprs[ExprId{i}].node)) {
        move(site->array);
      }
    }
  }
  return result;
}

}  // namespace tacet::array
