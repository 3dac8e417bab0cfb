#include "compiler/device/loops/recurrence_form.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"

namespace tacet::loops {

using kernel::Builder;
using kernel::ExprId;
using kernel::Kernel;
using kernel::VariableId;
using types::Operator;

namespace {

auto reads_any(const Kernel& kernel, ExprId expr, const std::set<VariableId>& variables) -> bool {
  bool is_found = false;
  kernel::walk_exprs(kernel, expr, [&](ExprId inner) {
    const auto* read = std::get_if<kernel::Read>(&kernel.exprs[inner].node);
    is_found = is_found || (read != nullptr && variables.contains(read->variable));
  });
  return is_found;
}

template <class Form>
auto reads_forms(const Kernel& kernel, ExprId expr, const std::map<VariableId, Form>& forms)
    -> bool {
  bool is_found = false;
  kernel::walk_exprs(kernel, expr, [&](ExprId inner) {
    const auto* read = std::get_if<kernel::Read>(&kernel.exprs[inner].node);
    is_found = is_found || (read != nullptr && forms.contains(read->variable));
  });
  return is_found;
}

/// Reads one value.
class LinearReader {
 public:
  LinearReader(Builder& make, const std::map<VariableId, LinearForm>& forms,
               const std::set<VariableId>& unknown, engine::ElementType element)
      : make_(make),
        kernel_(make.kernel()),
        forms_(forms),
        unknown_(unknown),
        field_(make, element),
        is_truth_(element == engine::kBool),
        element_(element) {}

  auto read(ExprId id) -> std::optional<LinearForm> {
    const kernel::Expr expr = kernel_.exprs[id];
    if (expr.type.element != element_ || !expr.type.extents.empty() ||
        reads_any(kernel_, id, unknown_)) {
      return std::nullopt;
    }
    if (!reads_forms(kernel_, id, forms_)) {
      return LinearForm{.constant = id};
    }
    if (const auto* variable = std::get_if<kernel::Read>(&expr.node)) {
      return forms_.at(variable->variable);
    }
    if (const auto* unary = std::get_if<kernel::Unary>(&expr.node)) {
      return read_unary(*unary);
    }
    if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
      return read_select(*select);
    }
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    return binary == nullptr ? std::nullopt
           : is_truth_       ? read_truth(*binary)
                             : read_number(*binary);
  }

 private:
  using Combine = Field::Term (Field::*)(Field::Term, Field::Term);

  auto combined(const LinearForm& left, const LinearForm& right, Combine combine) -> LinearForm {
    LinearForm result{.constant = (field_.*combine)(left.constant, right.constant)};
    std::set<VariableId> variables;
    for (const auto& [variable, _] : left.factors) {
      variables.insert(variable);
    }
    for (const auto& [variable, _] : right.factors) {
      variables.insert(variable);
    }
    for (const VariableId variable : variables) {
      set(result, variable, (field_.*combine)(factor(left, variable), factor(right, variable)));
    }
    return result;
  }
  static auto factor(const LinearForm& form, VariableId variable) -> Field::Term {
    const auto found = form.factors.find(variable);
    return found == form.factors.end() ? Field::Term() : Field::Term(found->second);
  }
  static void set(LinearForm& form, VariableId variable, Field::Term term) {
    if (term) {
      form.factors[variable] = *term;
    }
  }
  auto scaled(const LinearForm& form, ExprId by) -> LinearForm {
    LinearForm result{.constant = field_.product(form.constant, by)};
    for (const auto& [variable, each] : form.factors) {
      set(result, variable, field_.product(each, by));
    }
    return result;
  }
  auto inverted(LinearForm form) -> LinearForm {
    form.constant = field_.sum(form.constant, field_.one());
    return form;
  }

  auto read_unary(const kernel::Unary& unary) -> std::optional<LinearForm> {
    const auto operand = read(unary.operand);
    if (!operand || unary.op != (is_truth_ ? Operator::Not : Operator::Neg)) {
      return std::nullopt;
    }
    return is_truth_ ? inverted(*operand) : combined(LinearForm(), *operand, &Field::difference);
  }

  auto read_select(const kernel::Select& select) -> std::optional<LinearForm> {
    if (reads_forms(kernel_, select.condition, forms_) || kernel::can_fault(kernel_, select.then) ||
        kernel::can_fault(kernel_, select.otherwise)) {
      return std::nullopt;
    }
    const auto then = read(select.then);
    const auto otherwise = read(select.otherwise);
    if (!then || !otherwise) {
      return std::nullopt;
    }
    LinearForm result{.constant =
                          field_.select(select.condition, then->constant, otherwise->constant)};
    for (const auto& [variable, _] : forms_) {
      set(result, variable,
          field_.select(select.condition, factor(*then, variable), factor(*otherwise, variable)));
    }
    return result;
  }

  auto read_number(const kernel::Binary& binary) -> std::optional<LinearForm> {
    const auto left = read(binary.left);
    const auto right = read(binary.right);
    if (!left || !right) {
      return std::nullopt;
    }
    if (binary.op == Operator::Add || binary.op == Operator::Sub) {
      return combined(*left, *right, binary.op == Operator::Add ? &Field::sum : &Field::difference);
    }
    const bool is_product =
        binary.op == Operator::Mul && (left->factors.empty() || right->factors.empty());
    if (!is_product) {
      return std::nullopt;
    }
    const LinearForm& number = left->factors.empty() ? *left : *right;
    const LinearForm& form = left->factors.empty() ? *right : *left;
    return scaled(form, field_.of(number.constant));
  }

  auto read_truth(const kernel::Binary& binary) -> std::optional<LinearForm> {
    const bool is_sum =
        binary.op == Operator::Xor || binary.op == Operator::Neq || binary.op == Operator::Eq;
    const bool is_and = binary.op == Operator::And || binary.op == Operator::Land;
    const bool is_or = binary.op == Operator::Or || binary.op == Operator::Lor;
    if (!is_sum && !is_and && !is_or) {
      return std::nullopt;
    }
    const auto left = read(binary.left);
    const auto right = read(binary.right);
    if (!left || !right) {
      return std::nullopt;
    }
    if (is_sum) {
      LinearForm sum = combined(*left, *right, &Field::sum);
      return binary.op == Operator::Eq ? inverted(std::move(sum)) : sum;
    }
    if (kernel::can_fault(kernel_, binary.right) ||
        (!left->factors.empty() && !right->factors.empty())) {
      return std::nullopt;
    }
    const ExprId other = field_.of(left->factors.empty() ? left->constant : right->constant);
    const LinearForm& form = left->factors.empty() ? *right : *left;
    if (is_and) {
      return scaled(form, other);
    }
    // v or c = v (not c) xor c.
    return combined(scaled(form, make_.negation(other)), LinearForm{.constant = other},
                    &Field::sum);
  }

  Builder& make_;
  Kernel& kernel_;
  const std::map<VariableId, LinearForm>& forms_;
  const std::set<VariableId>& unknown_;
  Field field_;
  bool is_truth_;
  engine::ElementType element_;
};

auto literal_of(const Kernel& kernel, ExprId expr) -> std::optional<engine::Cell> {
  const auto* literal = std::get_if<kernel::Literal>(&kernel.exprs[expr].node);
  return literal == nullptr ? std::nullopt : std::optional(literal->cell);
}

}  // namespace

auto is_same_value(const Kernel& kernel, ExprId left, ExprId right) -> bool {
  if (left == right) {
    return true;
  }
  const kernel::Expr& a = kernel.exprs[left];
  kernel::Expr b = kernel.exprs[right];
  if (a.node.index() != b.node.index() || a.type != b.type) {
    return false;
  }
  std::vector<ExprId> parts;
  kernel::visit_exprs(a, [&](ExprId part) { parts.push_back(part); });
  size_t next = 0;
  bool is_same = true;
  kernel::visit_exprs(b, [&](ExprId& part) {
    is_same = is_same && next < parts.size() && is_same_value(kernel, parts[next], part);
    part = next < parts.size() ? parts[next] : part;
    ++next;
  });
  return is_same && next == parts.size() && a.node == b.node;
}

auto Field::is_one(Term term) const -> bool {
  return term && literal_of(make_.kernel(), *term) == engine::Cell{1};
}

auto Field::sum(Term left, Term right) -> Term {
  if (!left || !right) {
    return left ? left : right;
  }
  return make_.binary(is_truth() ? Operator::Neq : Operator::Add, *left, *right);
}

auto Field::difference(Term left, Term right) -> Term {
  if (!right || is_truth()) {
    return sum(left, right);
  }
  return left ? make_.binary(Operator::Sub, *left, *right) : make_.unary(Operator::Neg, *right);
}

auto Field::product(Term left, Term right) -> Term {
  if (!left || !right) {
    return std::nullopt;
  }
  if (is_one(left) || is_one(right)) {
    return is_one(left) ? right : left;
  }
  return make_.binary(is_truth() ? Operator::Land : Operator::Mul, *left, *right);
}

auto Field::select(ExprId condition, Term then, Term otherwise) -> Term {
  if (!then && !otherwise) {
    return std::nullopt;
  }
  if (then && otherwise && is_same_value(make_.kernel(), *then, *otherwise)) {
    return then;
  }
  return make_.select(condition, of(then), of(otherwise), kernel::Obliviousness::Oblivious);
}

auto linear_form(Builder& make, const std::map<VariableId, LinearForm>& forms,
                 const std::set<VariableId>& unknown, ExprId value) -> std::optional<LinearForm> {
  const engine::ElementType element = make.type(value).element;
  if (element != engine::kBool && !engine::is_integer(element.kind)) {
    return std::nullopt;
  }
  return LinearReader(make, forms, unknown, element).read(value);
}

// ---- clamped sums ----

auto ClampReader::is_known(ExprId value) const -> bool {
  return !reads_forms(make.kernel(), value, forms) && !reads_any(make.kernel(), value, unknown);
}

auto ClampReader::extremum(engine::Function function, ExprId left, ExprId right) -> ExprId {
  const auto a = literal_of(make.kernel(), left);
  const auto b = literal_of(make.kernel(), right);
  if (!a || !b) {
    return make.apply(function, {left, right});
  }
  const bool is_less = static_cast<int64_t>(*a) < static_cast<int64_t>(*b);
  return is_less == (function == engine::Function::Min) ? left : right;
}

auto ClampReader::limited(ClampForm form, ExprId bound, bool is_lower) -> ClampForm {
  using engine::Function;
  bounds.push_back(bound);
  std::optional<ExprId>& own = is_lower ? form.lower : form.upper;
  const Function function = is_lower ? Function::Max : Function::Min;
  own = own ? extremum(function, *own, bound) : bound;
  if (is_lower && form.upper) {
    // The new bound holds even where the old upper one is below it.
    form.upper = extremum(function, *form.upper, bound);
  }
  return form;
}

auto ClampReader::read_select(const kernel::Select& select, engine::ElementType element)
    -> std::optional<ClampForm> {
  const Kernel& kernel = make.kernel();
  if (kernel::can_fault(kernel, select.then) || kernel::can_fault(kernel, select.otherwise)) {
    return std::nullopt;
  }
  const kernel::Select choice = select;
  if (!is_known(choice.condition)) {
    // `100 if s > 100 else s`: the greater or the lesser of what is compared.
    const auto* test = std::get_if<kernel::Binary>(&kernel.exprs[choice.condition].node);
    if (test == nullptr || test->op < Operator::Lt || test->op > Operator::Geq) {
      return std::nullopt;
    }
    const kernel::Binary comparison = *test;
    const bool is_kept = is_same_value(kernel, comparison.left, choice.then) &&
                         is_same_value(kernel, comparison.right, choice.otherwise);
    const bool is_swapped = is_same_value(kernel, comparison.right, choice.then) &&
                            is_same_value(kernel, comparison.left, choice.otherwise);
    const bool is_known_left = is_known(comparison.left);
    if ((!is_kept && !is_swapped) || is_known_left == is_known(comparison.right)) {
      return std::nullopt;
    }
    const bool is_less = comparison.op == Operator::Lt || comparison.op == Operator::Leq;
    const auto form = read(is_known_left ? comparison.right : comparison.left);
    return form ? std::optional(limited(*form, is_known_left ? comparison.left : comparison.right,
                                        is_kept != is_less))
                : std::nullopt;
  }
  if (reads_any(kernel, choice.condition, unknown)) {
    return std::nullopt;
  }
  std::optional<ClampForm> then = read(choice.then);
  std::optional<ClampForm> otherwise = read(choice.otherwise);
  if (!then || !otherwise) {
    return std::nullopt;
  }
  Field field(make, element);
  const auto fill = [&](std::optional<ExprId>& one, const std::optional<ExprId>& other, ExprId by) {
    if (!one && other) {
      one = by;
      has_filled = true;
    }
  };
  fill(then->lower, otherwise->lower, lowest);
  fill(otherwise->lower, then->lower, lowest);
  fill(then->upper, otherwise->upper, highest);
  fill(otherwise->upper, then->upper, highest);
  return ClampForm{.shift = field.select(choice.condition, then->shift, otherwise->shift),
                   .lower = field.select(choice.condition, then->lower, otherwise->lower),
                   .upper = field.select(choice.condition, then->upper, otherwise->upper)};
}

auto ClampReader::read(ExprId value) -> std::optional<ClampForm> {
  const Kernel& kernel = make.kernel();
  const kernel::Expr expr = kernel.exprs[value];
  if (!expr.type.extents.empty() || reads_any(kernel, value, unknown)) {
    return std::nullopt;
  }
  if (is_known(value)) {
    bounds.push_back(value);
    return ClampForm{.lower = value, .upper = value};
  }
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    return forms.at(read->variable);
  }
  if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
    return read_select(*select, expr.type.element);
  }
  if (const auto* apply = std::get_if<kernel::Apply>(&expr.node)) {
    const bool is_max = apply->function == engine::Function::Max;
    if ((!is_max && apply->function != engine::Function::Min) || apply->arguments.size() != 2) {
      return std::nullopt;
    }
    const ExprId left = apply->arguments[0];
    const ExprId right = apply->arguments[1];
    if (is_known(left) == is_known(right)) {
      return std::nullopt;
    }
    const auto form = this->read(is_known(left) ? right : left);
    return form ? std::optional(limited(*form, is_known(left) ? left : right, is_max))
                : std::nullopt;
  }
  const auto* binary = std::get_if<kernel::Binary>(&expr.node);
  const bool is_sum = binary != nullptr && binary->op == Operator::Add;
  if (binary == nullptr || (!is_sum && binary->op != Operator::Sub)) {
    return std::nullopt;
  }
  const bool is_right = is_known(binary->left);
  if (is_right == is_known(binary->right) || (is_right && !is_sum)) {
    return std::nullopt;
  }
  const ExprId by = is_right ? binary->left : binary->right;
  const kernel::Binary sum = *binary;
  const auto form = this->read(is_right ? sum.right : sum.left);
  if (!form) {
    return std::nullopt;
  }
  shifts.push_back(by);
  Field field(make, expr.type.element);
  const auto shifted = [&](const std::optional<ExprId>& bound) -> std::optional<ExprId> {
    return bound ? std::optional(make.binary(sum.op, *bound, by)) : std::nullopt;
  };
  return ClampForm{.shift = is_sum ? field.sum(form->shift, by) : field.difference(form->shift, by),
                   .lower = shifted(form->lower),
                   .upper = shifted(form->upper)};
}

}  // namespace tacet::loops
