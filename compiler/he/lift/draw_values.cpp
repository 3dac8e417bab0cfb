#include <algorithm>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// Random draws. What is computed from draws, counters and literals alone is known for the run's
/// key, so it becomes constants, computed with the language's own arithmetic: also of numbers that
/// vectors do not have, as long as integers come out, or fixed-point numbers beside such inputs.
namespace tacet::lift {

/// What an expression needs to be known: by variable, where its value comes from.
class Lifter::DrawnInputs {
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
    const kernel::Expr& expr = lifter_.kernel_.exprs[id];
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
    if (!lifter_.type(variable).extents.empty()) {
      is_known_ = false;
      return;
    }
    const TermId held = lifter_.state(variable).scalar;
    DrawnValue::Input input{.variable = variable, .drawn = {}, .first = value.n_indices};
    const Term& term = lifter_.terms_[held];
    if (const std::optional<Index> index = lifter_.terms_.as_index(held)) {
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

void Lifter::find_draws() {
  has_draws_ = std::any_of(
      kernel_.exprs.values().begin(), kernel_.exprs.values().end(),
      [](const kernel::Expr& expr) { return std::holds_alternative<kernel::Draw>(expr.node); });
  terms_.set_drawing([this](uint32_t number, const std::vector<int64_t>& indices) {
    return drawn_element(number, indices);
  });
}

auto Lifter::drawn(kernel::ExprId expr, const std::vector<Index>& at) -> std::optional<TermId> {
  DrawnInputs found(*this);
  if (!found.find(expr)) {
    return std::nullopt;
  }
  found.value.expr = expr;
  const auto known = std::find(drawn_.begin(), drawn_.end(), found.value);
  const auto number = static_cast<uint32_t>(known - drawn_.begin());
  if (known == drawn_.end()) {
    drawn_.push_back(std::move(found.value));
  }
  std::vector<Index> indices = std::move(found.indices);
  indices.insert(indices.end(), at.begin(), at.end());
  const engine::ElementKind kind = kernel_.exprs[expr].type.element.kind;
  if (kind == engine::ElementKind::Fxp && array::is_real(inputs_)) {
    return terms_.drawn_fraction(number, std::move(indices));
  }
  const bool is_small = kind == engine::ElementKind::Bool ||
                        (engine::is_integer(kind) && kind != engine::ElementKind::U64);
  if (is_small && std::all_of(indices.begin(), indices.end(), is_constant)) {
    std::vector<int64_t> numbers;
    for (const Index& index : indices) {
      numbers.push_back(index.offset);
    }
    return terms_.number(drawn_element(number, numbers));
  }
  return terms_.drawn(number, std::move(indices));
}

auto Lifter::drawn_value(uint32_t number, std::vector<int64_t> indices)
    -> const std::optional<kernel::Value>& {
  const auto [at, is_new] = drawn_values_.try_emplace({number, indices});
  if (!is_new) {
    return at->second;
  }
  const DrawnValue& value = drawn_[number];
  std::vector<std::pair<kernel::VariableId, kernel::Value>> held;
  for (const DrawnValue::Input& input : value.inputs) {
    const auto first = indices.begin() + input.first;
    if (!input.drawn) {
      const engine::Cell cell =
          engine::wrapped(type(input.variable).element.kind, static_cast<uint64_t>(*first));
      held.push_back({input.variable, {type(input.variable), {cell}}});
      continue;
    }
    const auto n = static_cast<std::ptrdiff_t>(drawn_[*input.drawn].n_indices);
    const auto& inner = drawn_value(*input.drawn, {first, first + n});
    if (!inner) {
      return at->second;
    }
    held.emplace_back(input.variable, *inner);
  }
  std::optional<kernel::Value> result = kernel::evaluate(kernel_, value.expr, held, random_key_);
  if (!result && !failed_draw_) {
    failed_draw_ = kernel_.exprs[value.expr].place;
  }
  return drawn_values_.at({number, std::move(indices)}) = std::move(result);
}

auto Lifter::drawn_element(uint32_t number, const std::vector<int64_t>& indices) -> int64_t {
  const DrawnValue& value = drawn_[number];
  const auto first = indices.begin() + value.n_indices;
  const std::vector<int64_t>& extents = kernel_.exprs[value.expr].type.extents;
  size_t at = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    const int64_t index = first[static_cast<std::ptrdiff_t>(i)];
    if (index < 0 || index >= extents[i]) {
      return 0;
    }
    at = at * static_cast<size_t>(extents[i]) + static_cast<size_t>(index);
  }
  const std::optional<kernel::Value>& found = drawn_value(number, {indices.begin(), first});
  return found ? static_cast<int64_t>(found->cells[at]) : 0;
}

auto Lifter::value(const kernel::Draw& draw, kernel::ExprId expr, const std::vector<Index>& /*at*/)
    -> TermId {
  return draw.is_secret
             ? stick(kernel_.exprs[expr].place, "a secret random draw",
                     "the server would have to draw a value that nobody may know; use `fn(mpc)`")
             : stick(kernel_.exprs[expr].place, "a random draw that depends on an input",
                     "draw independently of the inputs and compute with the result, as in "
                     "`x + rand_int(6)`");
}

}  // namespace tacet::lift
