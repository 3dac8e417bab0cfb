#include "compiler/device/loops/iteration_tree.h"

#include <fmt/format.h>

namespace tacet::loops {

using kernel::Block;
using kernel::Builder;
using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;
using types::Operator;

void IterationTree::add_part(Part part, std::optional<ExprId> value) {
  parts_.push_back(std::move(part));
  values_.push_back(value);
}

auto IterationTree::sum(ExprId left, int64_t right) -> ExprId {
  return right == 0 ? left : make_.binary(Operator::Add, left, integer(right));
}

auto IterationTree::scaled(ExprId value, int64_t by) -> ExprId {
  return by == 1 ? value : make_.binary(Operator::Mul, value, integer(by));
}

auto IterationTree::new_counter(const char* name) -> VariableId {
  return make_.variable(name, kernel::Type{engine::kI64, {}}, kernel::VariableKind::Counter);
}

auto IterationTree::new_row(const Part& part, int64_t length, Block& block) -> VariableId {
  const kernel::Type type{part.element, {length}};
  const VariableId row = make_.mutable_variable(part.name, type);
  make_.kernel().variables[row].visibility = types::Visibility::Secret;
  block.push_back(make_.assign(row, make_.zero(type)));
  return row;
}

auto IterationTree::loop(VariableId counter, int64_t n, Block body) -> StatementId {
  const ExprId lower = integer(0);
  const ExprId upper = integer(n);
  return make_.statement(
      kernel::For{.counter = counter, .lower = lower, .upper = upper, .body = std::move(body)});
}

auto IterationTree::operand(const Part& part, ExprId at) -> std::optional<ExprId> {
  switch (part.kind) {
    case Kind::One:
      return make_.literal(part.element, 1);
    case Kind::Row:
      return make_.element(make_.read(part.row), {at});
    case Kind::Zero:
    case Kind::Absent:
      break;
  }
  return std::nullopt;
}

auto IterationTree::elements(const std::vector<Part>& parts, ExprId at, const char* suffix,
                             Block& block) -> Operands {
  Operands result;
  for (const Part& part : parts) {
    std::optional<ExprId> value = operand(part, at);
    if (part.kind == Kind::Row) {
      const VariableId held =
          make_.variable(fmt::format("{}_{}", part.name, suffix), kernel::Type{part.element, {}});
      block.push_back(make_.assign(held, *value));
      value = make_.read(held);
    }
    result.push_back(value);
  }
  return result;
}

void IterationTree::store(const std::vector<Part>& parts, ExprId at, const Operands& values,
                          Block& block) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Kind::Row) {
      const ExprId value = values[i] ? *values[i] : make_.literal(parts[i].element, 0);
      block.push_back(make_.statement(kernel::StoreElement{parts[i].row, {at}, value}));
    }
  }
}

void IterationTree::start(Block& before, Block& body, ExprId place) {
  settle_kinds();
  for (Part& part : parts_) {
    if (part.kind == Kind::Row) {
      part.row = new_row(part, n_, before);
    }
  }
  store(parts_, place, values_, body);
}

void IterationTree::fold(Block& block) {
  std::vector<Part> parts = parts_;
  for (int64_t n = n_; n > 1;) {
    const int64_t half = n / 2;
    std::vector<Part> joined = parts;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].kind == Kind::Row) {
        joined[i].row = new_row(parts[i], n - half, block);
      }
    }
    const VariableId k = new_counter("k");
    Block body;
    const Operands earlier = elements(parts, scaled(make_.read(k), 2), "1", body);
    const Operands later = elements(parts, sum(scaled(make_.read(k), 2), 1), "2", body);
    store(joined, make_.read(k), join(earlier, later), body);
    block.push_back(loop(k, half, std::move(body)));
    if (n % 2 != 0) {  // the last one has no neighbour
      Operands last;
      for (const Part& part : parts) {
        last.push_back(operand(part, integer(n - 1)));
      }
      store(joined, integer(half), last, block);
    }
    parts = std::move(joined);
    n -= half;
  }
  Operands all;
  for (const Part& part : parts) {
    all.push_back(operand(part, integer(0)));
  }
  std::vector<ExprId> held;
  for (const VariableId variable : carried_) {
    const VariableId old = make_.variable(make_.kernel().variables[variable].name,
                                          make_.kernel().variables[variable].type);
    block.push_back(make_.assign(old, make_.read(variable)));
    held.push_back(make_.read(old));
  }
  const std::vector<ExprId> after = apply(all, held);
  for (size_t i = 0; i < carried_.size(); ++i) {
    block.push_back(make_.assign(carried_[i], after[i]));
  }
}

/// Joins the last of `half` iterations with each of the `n_later` ones behind them, in blocks that
/// are twice as long.
void IterationTree::join_blocks(int64_t first, int64_t n_blocks, int64_t half, int64_t n_later,
                                Block& block) {
  const VariableId b = new_counter("b");
  const VariableId k = new_counter("k");
  Block outer;
  const auto in_block = [&](int64_t offset) {
    return n_blocks == 1 ? integer(first + offset)
                         : sum(scaled(make_.read(b), 2 * half), first + offset);
  };
  const Operands earlier = elements(parts_, in_block(half - 1), "1", outer);
  Block inner;
  const auto place = [&] { return make_.binary(Operator::Add, in_block(half), make_.read(k)); };
  const Operands later = elements(parts_, place(), "2", inner);
  store(parts_, place(), join(earlier, later), inner);
  outer.push_back(loop(k, n_later, std::move(inner)));
  if (n_blocks == 1) {
    block.insert(block.end(), outer.begin(), outer.end());
  } else {
    block.push_back(loop(b, n_blocks, std::move(outer)));
  }
}

/// Sklansky's prefix circuit.
auto IterationTree::prefixes(Block& block) -> std::map<VariableId, VariableId> {
  for (int64_t half = 1; half < n_; half *= 2) {
    const int64_t n_blocks = n_ / (2 * half);
    const int64_t n_left = n_ - n_blocks * 2 * half - half;
    if (n_blocks > 0) {
      join_blocks(0, n_blocks, half, half, block);
    }
    if (n_left > 0) {
      join_blocks(n_blocks * 2 * half, 1, half, n_left, block);
    }
  }
  std::map<VariableId, VariableId> rows;
  std::vector<Part> results;
  for (const VariableId variable : carried_) {
    const kernel::Variable carried = make_.kernel().variables[variable];
    results.push_back({Kind::Row, carried.type.element, fmt::format("all_{}", carried.name), {}});
    results.back().row = new_row(results.back(), n_ + 1, block);
    rows[variable] = results.back().row;
  }
  std::vector<ExprId> held;
  for (const VariableId variable : carried_) {
    held.push_back(make_.read(variable));
  }
  store(results, integer(0), Operands(held.begin(), held.end()), block);
  const VariableId k = new_counter("k");
  Block body;
  const std::vector<ExprId> after = apply(elements(parts_, make_.read(k), "1", body), held);
  store(results, sum(make_.read(k), 1), Operands(after.begin(), after.end()), body);
  block.push_back(loop(k, n_, std::move(body)));
  return rows;
}

// ---- linear forms ----

LinearTree::LinearTree(Builder& make, std::vector<VariableId> carried,
                       const std::map<VariableId, LinearForm>& forms, int64_t n)
    : IterationTree(make, std::move(carried), n),
      field_(make, make.kernel().variables[carried_.front()].type.element) {
  const engine::ElementType element = make.kernel().variables[carried_.front()].type.element;
  const auto name_of = [&](VariableId variable) {
    return std::string(make.kernel().variables[variable].name);
  };
  const auto add = [&](std::string name, std::optional<ExprId> value) {
    const auto* literal =
        value ? std::get_if<kernel::Literal>(&make.kernel().exprs[*value].node) : nullptr;
    const bool is_one = literal != nullptr && literal->cell == 1;
    const bool is_zero = !value || (literal != nullptr && literal->cell == 0);
    const Kind kind = is_zero ? Kind::Zero : is_one ? Kind::One : Kind::Row;
    add_part({kind, element, std::move(name), {}}, value);
  };
  for (const VariableId row : carried_) {
    const LinearForm& form = forms.at(row);
    for (const VariableId column : carried_) {
      const auto found = form.factors.find(column);
      add(row == column ? fmt::format("factors_{}", name_of(row))
                        : fmt::format("factors_{}_{}", name_of(row), name_of(column)),
          found == form.factors.end() ? std::nullopt : std::optional(found->second));
    }
    add(fmt::format("terms_{}", name_of(row)), form.constant);
  }
}

auto LinearTree::join(const Operands& earlier, const Operands& later) -> Operands {
  const size_t n = carried_.size();
  Operands result;
  for (size_t row = 0; row < n; ++row) {
    for (size_t column = 0; column <= n; ++column) {
      std::optional<ExprId> value = column == n ? later[at(row, n)] : std::nullopt;
      for (size_t k = 0; k < n; ++k) {
        value = field_.sum(value, field_.product(later[at(row, k)], earlier[at(k, column)]));
      }
      result.push_back(value);
    }
  }
  return result;
}

auto LinearTree::apply(const Operands& parts, const std::vector<ExprId>& held)
    -> std::vector<ExprId> {
  const size_t n = carried_.size();
  std::vector<ExprId> result;
  for (size_t row = 0; row < n; ++row) {
    std::optional<ExprId> value = parts[at(row, n)];
    for (size_t k = 0; k < n; ++k) {
      value = field_.sum(value, field_.product(parts[at(row, k)], held[k]));
    }
    result.push_back(field_.of(value));
  }
  return result;
}

void LinearTree::settle_kinds() {
  const size_t n = carried_.size();
  const auto sum = [](Kind left, Kind right) {
    return left == Kind::Zero ? right : right == Kind::Zero ? left : Kind::Row;
  };
  const auto product = [](Kind left, Kind right) {
    return left == Kind::Zero || right == Kind::Zero ? Kind::Zero
           : left == Kind::One                       ? right
           : right == Kind::One                      ? left
                                                     : Kind::Row;
  };
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    const std::vector<Part> old = parts_;
    for (size_t row = 0; row < n; ++row) {
      for (size_t column = 0; column <= n; ++column) {
        Kind kind = column == n ? old[at(row, n)].kind : Kind::Zero;
        for (size_t k = 0; k < n; ++k) {
          kind = sum(kind, product(old[at(row, k)].kind, old[at(k, column)].kind));
        }
        Part& part = parts_[at(row, column)];
        if (part.kind != kind && part.kind != Kind::Row) {
          part.kind = Kind::Row;
          is_settled = false;
        }
      }
    }
  }
}

// ---- clamped sums ----

namespace {

enum ClampPart : uint8_t { Shift, Lower, Upper };

}  // namespace

ClampTree::ClampTree(Builder& make, VariableId carried, const ClampForm& form, int64_t n,
                     std::optional<int64_t> limit)
    : IterationTree(make, {carried}, n), limit_(limit) {
  const std::string name = make.kernel().variables[carried].name;
  const engine::ElementType element = make.kernel().variables[carried].type.element;
  const auto add = [&](const char* of, std::optional<ExprId> value, Kind without) {
    add_part({value ? Kind::Row : without, element, fmt::format("{}_{}", of, name), {}}, value);
  };
  add("shifts", form.shift, Kind::Zero);
  add("lowers", form.lower, Kind::Absent);
  add("uppers", form.upper, Kind::Absent);
}

auto ClampTree::sum(std::optional<ExprId> left, std::optional<ExprId> right)
    -> std::optional<ExprId> {
  return left && right ? std::optional(make_.binary(Operator::Add, *left, *right))
         : left        ? left
                       : right;
}

auto ClampTree::join(const Operands& earlier, const Operands& later) -> Operands {
  Operands result{sum(earlier[Shift], later[Shift]), std::nullopt, std::nullopt};
  if (limit_ && result[Shift]) {
    const engine::ElementType element = parts_[Shift].element;
    result[Shift] = lesser(greater(*result[Shift], make_.integer(-*limit_, element)),
                           make_.integer(*limit_, element));
  }
  if (later[Lower]) {
    result[Lower] = greater(*sum(earlier[Lower], later[Shift]), *later[Lower]);
    if (limit_ && later[Upper]) {
      result[Lower] = lesser(*result[Lower], *later[Upper]);
    }
  }
  if (later[Upper]) {
    ExprId upper = *sum(earlier[Upper], later[Shift]);
    if (later[Lower]) {
      upper = greater(upper, *later[Lower]);
    }
    result[Upper] = lesser(upper, *later[Upper]);
  }
  return result;
}

auto ClampTree::apply(const Operands& parts, const std::vector<ExprId>& held)
    -> std::vector<ExprId> {
  ExprId value = *sum(held[0], parts[Shift]);
  if (parts[Lower]) {
    value = greater(value, *parts[Lower]);
  }
  if (parts[Upper]) {
    value = lesser(value, *parts[Upper]);
  }
  return {value};
}

}  // namespace tacet::loops
