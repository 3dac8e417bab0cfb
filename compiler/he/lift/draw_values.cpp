#include <algorithm>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// Random draws. What is computed from draws, counters and literals alone is known for the run's
/// key, so it becomes constants, computed with the language's own arithmetic: also of numbers that
/// vectors do not have, as long as integers come out, or fixed-point numbers beside such inputs.
namespace tacet::lift {

static auto drawn_element(Lifter& lifter, uint32_t number, const std::vector<int64_t>& indices)
    -> int64_t;

/// What an expression needs to be known: by variable, where its value comes from.
class DrawnInputs {
 public:
  explicit DrawnInputs(Lifter& lifter) : lifter_(lifter) {}

  /// Is it made of draws and what is known alone?
  auto find(kernel::ExprId root) -> bool {
    visit(root);
    return is_known_ && is_drawn_;
  }

  DrawnValue value;
  std::vector<Index> indices;

 private:
  void visit(kernel::ExprId id) {
    if (!is_known_ || !seen_.insert(id).second) {
      return;
    }
    const kernel::Expr& expr = lifter_.kernel.exprs[id];
    if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      add(read->variable);
      return;
    }
    if (const auto* table = std::get_if<kernel::Tabulate>(&expr.node)) {
      bound_.insert(table->index);
    }
    if (const auto* draw = std::get_if<kernel::Draw>(&expr.node)) {
      is_drawn_ = true;
      is_known_ = !draw->is_secret;
    }
    kernel::visit_exprs(expr, [&](kernel::ExprId inner) { visit(inner); });
  }

  void add(kernel::VariableId variable) {
    if (bound_.contains(variable) || !added_.insert(variable).second) {
      return;
    }
    if (!type(lifter_, variable).extents.empty()) {
      is_known_ = false;
      return;
    }
    const TermId held = state(lifter_, variable).scalar;
    DrawnValue::Input input{.variable = variable, .drawn = {}, .first = value.n_indices};
    const Term& term = lifter_.terms[held];
    if (const std::optional<Index> index = as_index(lifter_.terms, held)) {
      indices.push_back(*index);
    } else if (term.kind == TermKind::Drawn || term.kind == TermKind::Fraction) {
      is_drawn_ = true;
      input.drawn = term.array;
      indices.insert(indices.end(), term.indices.begin(), term.indices.end());
    } else {
      is_known_ = false;
      return;
    }
    value.n_indices = static_cast<uint32_t>(indices.size());
    value.inputs.push_back(input);
  }

  Lifter& lifter_;
  std::set<kernel::ExprId> seen_;
  std::set<kernel::VariableId> bound_;
  std::set<kernel::VariableId> added_;
  bool is_known_ = true;
  bool is_drawn_ = false;
};

void find_draws(Lifter& lifter) {
  lifter.has_draws = std::any_of(
      lifter.kernel.exprs.values().begin(), lifter.kernel.exprs.values().end(),
      [](const kernel::Expr& expr) { return std::holds_alternative<kernel::Draw>(expr.node); });
  lifter.terms.set_drawing([&lifter](uint32_t number, const std::vector<int64_t>& indices) {
    return drawn_element(lifter, number, indices);
  });
}

auto drawn(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at)
    -> std::optional<TermId> {
  DrawnInputs found(lifter);
  if (!found.find(expr)) {
    return std::nullopt;
  }
  found.value.expr = expr;
  const auto known = std::find(lifter.drawn.begin(), lifter.drawn.end(), found.value);
  const auto number = static_cast<uint32_t>(known - lifter.drawn.begin());
  if (known == lifter.drawn.end()) {
    lifter.drawn.push_back(std::move(found.value));
  }
  std::vector<Index> indices = std::move(found.indices);
  indices.insert(indices.end(), at.begin(), at.end());
  const engine::ElementKind kind = lifter.kernel.exprs[expr].type.element.kind;
  if (kind == engine::ElementKind::Fxp && array::is_real(lifter.inputs)) {
    return drawn_fraction(lifter.terms, number, std::move(indices));
  }
  const bool is_small = kind == engine::ElementKind::Bool ||
                        (engine::is_integer(kind) && kind != engine::ElementKind::U64);
  if (is_small && std::all_of(indices.begin(), indices.end(), is_constant)) {
    std::vector<int64_t> numbers;
    for (const Index& index : indices) {
      numbers.push_back(index.offset);
    }
    return lifter.terms.number(drawn_element(lifter, number, numbers));
  }
  return drawn_integer(lifter.terms, number, std::move(indices));
}

static auto drawn_value(Lifter& lifter, uint32_t number, std::vector<int64_t> indices)
    -> const std::optional<kernel::Value>& {
  const auto [at, is_new] = lifter.drawn_values.try_emplace({number, indices});
  if (!is_new) {
    return at->second;
  }
  const DrawnValue& value = lifter.drawn[number];
  std::vector<std::pair<kernel::VariableId, kernel::Value>> held;
  for (const DrawnValue::Input& input : value.inputs) {
    const auto first = indices.begin() + input.first;
    if (!input.drawn) {
      const engine::Cell cell =
          engine::wrapped(type(lifter, input.variable).element.kind, static_cast<uint64_t>(*first));
      held.push_back({input.variable, {type(lifter, input.variable), {cell}}});
      continue;
    }
    const auto n = static_cast<std::ptrdiff_t>(lifter.drawn[*input.drawn].n_indices);
    const auto& inner = drawn_value(lifter, *input.drawn, {first, first + n});
    if (!inner) {
      return at->second;
    }
    held.emplace_back(input.variable, *inner);
  }
  std::optional<kernel::Value> result =
      kernel::evaluate(lifter.kernel, value.expr, held, lifter.random_key);
  if (!result && !lifter.failed_draw) {
    lifter.failed_draw = lifter.kernel.exprs[value.expr].place;
  }
  return lifter.drawn_values.at({number, std::move(indices)}) = std::move(result);
}

static auto drawn_element(Lifter& lifter, uint32_t number, const std::vector<int64_t>& indices)
    -> int64_t {
  const DrawnValue& value = lifter.drawn[number];
  const auto first = indices.begin() + value.n_indices;
  const std::vector<int64_t>& extents = lifter.kernel.exprs[value.expr].type.extents;
  size_t at = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    const int64_t index = first[static_cast<std::ptrdiff_t>(i)];
    if (index < 0 || index >= extents[i]) {
      return 0;
    }
    at = at * static_cast<size_t>(extents[i]) + static_cast<size_t>(index);
  }
  const std::optional<kernel::Value>& found = drawn_value(lifter, number, {indices.begin(), first});
  return found ? static_cast<int64_t>(found->cells[at]) : 0;
}

auto value(Lifter& lifter, const kernel::Draw& draw, kernel::ExprId expr,
           const std::vector<Index>& /*at*/) -> TermId {
  return draw.is_secret
             ? stick(lifter, lifter.kernel.exprs[expr].place, "a secret random draw",
                     "the server would have to draw a value that nobody may know; use `fn(mpc)`")
             : stick(lifter, lifter.kernel.exprs[expr].place,
                     "a random draw that depends on an input",
                     "draw independently of the inputs and compute with the result, as in "
                     "`x + rand_int(6)`");
}

}  // namespace tacet::lift
