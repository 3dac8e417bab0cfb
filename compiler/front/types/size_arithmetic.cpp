#include "compiler/front/types/size_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/names/queries.h"

namespace tacet::types {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

auto comes_before(const SizeAtom& a, const SizeAtom& b) -> bool {
  return std::tuple(a.kind, a.name.index, a.operand, a.second) <
         std::tuple(b.kind, b.name.index, b.operand, b.second);
}

/// `a * x + b * y`.
auto combine(const SizeForm& x, int64_t a, const SizeForm& y, int64_t b) -> MaybeForm {
  SizeForm result;
  const auto weighted = [&](int64_t mine, int64_t theirs, int64_t& sum) {
    int64_t left = 0;
    int64_t right = 0;
    return !__builtin_mul_overflow(a, mine, &left) && !__builtin_mul_overflow(b, theirs, &right) &&
           !__builtin_add_overflow(left, right, &sum);
  };
  if (!weighted(x.constant, y.constant, result.constant)) {
    return std::nullopt;
  }
  auto i = x.terms.begin();
  auto j = y.terms.begin();
  while (i != x.terms.end() || j != y.terms.end()) {
    const bool takes_i =
        i != x.terms.end() && (j == y.terms.end() || !comes_before(j->atom, i->atom));
    const bool takes_j =
        j != y.terms.end() && (i == x.terms.end() || !comes_before(i->atom, j->atom));
    SizeTerm term{takes_i ? i->atom : j->atom, 0};
    if (!weighted(takes_i ? i->coefficient : 0, takes_j ? j->coefficient : 0, term.coefficient)) {
      return std::nullopt;
    }
    if (term.coefficient != 0) {
      result.terms.push_back(term);
    }
    i += takes_i ? 1 : 0;
    j += takes_j ? 1 : 0;
  }
  return result;
}

auto floor_quotient(int64_t a, int64_t b) -> int64_t {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

auto of_atom(const SizeAtom& atom) -> SizeForm {
  return {.constant = 0, .terms = {{atom, 1}}};
}

/// Equal products are equal forms: of the first factor, and of the product of the others.
auto product_of(TypeStore& types, std::vector<SizeAtom> factors) -> SizeForm {
  std::sort(factors.begin(), factors.end(), comes_before);
  SizeForm result = factors.empty() ? SizeForm{1} : of_atom(factors.back());
  for (size_t i = factors.size(); i-- > 1;) {
    result = of_atom({.kind = SizeAtomKind::Product,
                      .operand = types.extent(of_atom(factors[i - 1])),
                      .second = types.extent(result)});
  }
  return result;
}

auto product_of_terms(TypeStore& types, const SizeTerm& a, const SizeTerm& b) -> MaybeForm {
  std::vector<SizeAtom> factors = factors_of(types, a.atom);
  const std::vector<SizeAtom> others = factors_of(types, b.atom);
  factors.insert(factors.end(), others.begin(), others.end());
  int64_t coefficient = 0;
  if (factors.size() > kMostFactors ||
      __builtin_mul_overflow(a.coefficient, b.coefficient, &coefficient)) {
    return std::nullopt;
  }
  return combine(product_of(types, std::move(factors)), coefficient, {}, 0);
}

/// The factors that are left of a product divided by others, if it has these.
auto without(std::vector<SizeAtom> factors, const std::vector<SizeAtom>& others)
    -> std::optional<std::vector<SizeAtom>> {
  for (const SizeAtom& other : others) {
    const auto found = std::find(factors.begin(), factors.end(), other);
    if (found == factors.end()) {
      return std::nullopt;
    }
    factors.erase(found);
  }
  return factors;
}

}  // namespace

auto size_parameter(Name name) -> SizeForm {
  return of_atom({.kind = SizeAtomKind::Parameter, .name = name});
}

auto size_local(uint32_t local) -> SizeForm {
  return of_atom({.kind = SizeAtomKind::Local, .operand = local});
}

auto add(const SizeForm& a, const SizeForm& b) -> MaybeForm {
  return combine(a, 1, b, 1);
}

auto subtract(const SizeForm& a, const SizeForm& b) -> MaybeForm {
  return combine(a, 1, b, -1);
}

auto multiply(const SizeForm& a, const SizeForm& b) -> MaybeForm {
  if (a.terms.empty()) {
    return combine(b, a.constant, {}, 0);
  }
  return b.terms.empty() ? combine(a, b.constant, {}, 0) : std::nullopt;
}

auto multiply(TypeStore& types, const SizeForm& a, const SizeForm& b) -> MaybeForm {
  if (a.terms.empty() || b.terms.empty()) {
    return multiply(a, b);
  }
  MaybeForm result = combine(b, a.constant, a, b.constant);
  if (result) {  // each has the product of both constants
    int64_t both = 0;
    const bool is_small = !__builtin_mul_overflow(a.constant, b.constant, &both);
    result = is_small ? subtract(*result, SizeForm{both}) : std::nullopt;
  }
  for (const SizeTerm& left : a.terms) {
    for (const SizeTerm& right : b.terms) {
      const MaybeForm term = product_of_terms(types, left, right);
      result = result && term ? add(*result, *term) : std::nullopt;
    }
  }
  return result;
}

auto factors_of(const TypeStore& types, const SizeAtom& atom) -> std::vector<SizeAtom> {
  if (atom.kind != SizeAtomKind::Product) {
    return {atom};
  }
  std::vector<SizeAtom> all = factors_of(types, types.form(atom.operand).terms.front().atom);
  for (const SizeAtom& factor : factors_of(types, types.form(atom.second).terms.front().atom)) {
    all.push_back(factor);
  }
  return all;
}

auto exact_quotient(TypeStore& types, const SizeForm& form, const SizeForm& divisor) -> MaybeForm {
  const bool is_number = divisor.terms.empty();
  const bool is_term = divisor.terms.size() == 1 && divisor.constant == 0;
  const int64_t d = is_number ? divisor.constant : divisor.terms.front().coefficient;
  if ((!is_number && !is_term) || d == 0 || form.constant % d != 0 ||
      (is_term && form.constant != 0)) {
    return std::nullopt;
  }
  const std::vector<SizeAtom> removed =
      is_term ? factors_of(types, divisor.terms.front().atom) : std::vector<SizeAtom>();
  MaybeForm result = SizeForm{form.constant / d};
  for (const SizeTerm& term : form.terms) {
    std::optional<std::vector<SizeAtom>> left = without(factors_of(types, term.atom), removed);
    if (!left || term.coefficient % d != 0) {
      return std::nullopt;
    }
    result = result ? combine(*result, 1, product_of(types, std::move(*left)), term.coefficient / d)
                    : std::nullopt;
  }
  return result;
}

auto divide(TypeStore& types, const SizeForm& a, const SizeForm& divisor) -> MaybeForm {
  const int64_t d = divisor.constant;
  if (!divisor.terms.empty() || d <= 0) {
    return std::nullopt;
  }
  if (a.terms.empty()) {
    return SizeForm{a.constant / d};
  }
  // floor((d * whole + rest) / d) = whole + floor(rest / d)
  SizeForm whole{floor_quotient(a.constant, d)};
  SizeForm rest{a.constant - whole.constant * d};
  for (const SizeTerm& term : a.terms) {
    const int64_t quotient = floor_quotient(term.coefficient, d);
    if (quotient != 0) {
      whole.terms.push_back({term.atom, quotient});
    }
    if (term.coefficient != quotient * d) {
      rest.terms.push_back({term.atom, term.coefficient - quotient * d});
    }
  }
  if (rest.terms.empty()) {
    return whole;
  }
  return add(
      whole,
      of_atom({.kind = SizeAtomKind::Quotient, .operand = types.extent(rest), .second = d}));
}

auto remainder(TypeStore& types, const SizeForm& a, const SizeForm& divisor) -> MaybeForm {
  const MaybeForm quotient = divide(types, a, divisor);
  const MaybeForm whole = quotient ? multiply(*quotient, divisor) : std::nullopt;
  return whole ? subtract(a, *whole) : std::nullopt;
}

static auto apply_to_forms(TypeStore& types, NodeKind token, const SizeForm& a, const SizeForm& b)
    -> MaybeForm {
  if (token == NodeKind::Plus) {
    return add(a, b);
  }
  if (token == NodeKind::Minus) {
    return subtract(a, b);
  }
  if (token == NodeKind::Star) {
    return multiply(types, a, b);
  }
  if (token == NodeKind::Slash) {
    return divide(types, a, b);
  }
  return token == NodeKind::Percent ? remainder(types, a, b) : std::nullopt;
}

auto evaluate_form(TypeStore& types, Node node, const std::function<MaybeForm(Node)>& form_of)
    -> MaybeForm {
  const auto form_in = [&](Field field) {
    return evaluate_form(types, node.child(field), form_of);
  };
  if (node.is(NodeKind::Integer)) {
    const std::optional<uint64_t> value = names::parse_integer(node.text());
    return value && *value <= INT64_MAX ? MaybeForm(SizeForm{static_cast<int64_t>(*value)})
                                        : std::nullopt;
  }
  if (node.is(NodeKind::Identifier) || node.is(NodeKind::CallExpression)) {
    return form_of(node);
  }
  if (node.is(NodeKind::ParenthesizedExpression)) {
    return form_in(Field::Value);
  }
  if (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Minus)) {
    const MaybeForm operand = form_in(Field::Operand);
    return operand ? subtract({}, *operand) : std::nullopt;
  }
  if (node.is(NodeKind::BinaryExpression)) {
    const MaybeForm left = form_in(Field::Left);
    const MaybeForm right = left ? form_in(Field::Right) : std::nullopt;
    return right ? apply_to_forms(types, node.child(Field::Operator).kind(), *left, *right)
                 : std::nullopt;
  }
  return std::nullopt;
}

auto substitute(TypeStore& types, const SizeForm& form,
                const std::function<MaybeForm(const SizeAtom&)>& form_of) -> MaybeForm {
  MaybeForm result = SizeForm{form.constant};
  for (const SizeTerm& term : form.terms) {
    MaybeForm atom;
    if (term.atom.kind == SizeAtomKind::Quotient) {
      const MaybeForm operand = substitute(types, types.form(term.atom.operand), form_of);
      atom = operand ? divide(types, *operand, SizeForm{term.atom.second}) : std::nullopt;
    } else if (term.atom.kind == SizeAtomKind::Product) {
      const MaybeForm first = substitute(types, types.form(term.atom.operand), form_of);
      const MaybeForm second = substitute(types, types.form(term.atom.second), form_of);
      atom = first && second ? multiply(types, *first, *second) : std::nullopt;
    } else {
      atom = form_of(term.atom);
    }
    result = result && atom ? combine(*result, 1, *atom, term.coefficient) : std::nullopt;
  }
  return result;
}

static auto substitute_extent(TypeStore& types, int64_t extent,
                              const std::function<MaybeForm(const SizeAtom&)>& form_of) -> int64_t {
  if (!is_symbolic(extent)) {
    return extent;
  }
  const MaybeForm form = substitute(types, types.form(extent), form_of);
  return !form || (form->terms.empty() && form->constant < 0) ? kUnknownExtent
                                                              : types.extent(*form);
}

auto substitute_sizes(TypeStore& types, TypeId id,
                      const std::function<MaybeForm(const SizeAtom&)>& form_of) -> TypeId {
  Type type = types[id];
  if (!has_symbolic_size(types, id)) {
    return id;
  }
  if (type.kind == TypeKind::Tuple) {
    std::vector<TypeId> members = types.members(type.members);
    for (TypeId& member : members) {
      member = substitute_sizes(types, member, form_of);
    }
    return types.tuple(members);
  }
  if (type.kind == TypeKind::Record) {
    std::vector<RecordField> fields = types.fields(type.fields);
    for (RecordField& field : fields) {
      field.type = substitute_sizes(types, field.type, form_of);
    }
    return types.record(fields);
  }
  if (type.element.has_value()) {
    type.element = substitute_sizes(types, type.element, form_of);
  }
  std::vector<int64_t> extents = types.extents(type.shape);
  for (int64_t& extent : extents) {
    extent = substitute_extent(types, extent, form_of);
  }
  type.shape = types.shape(extents);
  return types.make(type);
}

auto has_symbolic_size(const TypeStore& types, TypeId id) -> bool {
  const Type& type = types[id];
  if (type.kind == TypeKind::Tuple) {
    const std::vector<TypeId>& members = types.members(type.members);
    return std::any_of(members.begin(), members.end(),
                       [&](TypeId member) { return has_symbolic_size(types, member); });
  }
  if (type.kind == TypeKind::Record) {
    const std::vector<RecordField>& fields = types.fields(type.fields);
    return std::any_of(fields.begin(), fields.end(), [&](const RecordField& field) {
      return has_symbolic_size(types, field.type);
    });
  }
  const std::vector<int64_t>& extents = types.extents(type.shape);
  return std::any_of(extents.begin(), extents.end(), is_symbolic) ||
         (type.element.has_value() && has_symbolic_size(types, type.element));
}

// ---- text ----

static auto atom_text(const TypeStore& types, const Interner& names, const SizeAtom& atom,
                      const std::function<std::string(uint32_t)>& local_name) -> std::string {
  switch (atom.kind) {
    case SizeAtomKind::Parameter:
      return std::string(names.text(atom.name));
    case SizeAtomKind::Local:
      return local_name ? local_name(static_cast<uint32_t>(atom.operand)) : "_";
    case SizeAtomKind::Product: {
      std::string text;
      for (const SizeAtom& factor : factors_of(types, atom)) {
        const std::string one = atom_text(types, names, factor, local_name);
        text += text.empty() ? "" : " * ";
        text += factor.kind == SizeAtomKind::Quotient ? fmt::format("({})", one) : one;
      }
      return text;
    }
    case SizeAtomKind::Quotient: {
      const SizeForm operand = types.form(atom.operand);
      const std::string text = form_text(types, names, operand, local_name);
      const bool is_single = operand.terms.size() == 1 && operand.constant == 0 &&
                             operand.terms.front().coefficient == 1;
      return is_single ? fmt::format("{} / {}", text, atom.second)
                       : fmt::format("({}) / {}", text, atom.second);
    }
  }
  return {};
}

auto form_text(const TypeStore& types, const Interner& names, const SizeForm& form,
               const std::function<std::string(uint32_t)>& local_name) -> std::string {
  std::string result;
  // Terms that are added first, so that no text begins with a minus that need not be there.
  for (const bool is_added : {true, false}) {
    for (const SizeTerm& term : form.terms) {
      if ((term.coefficient > 0) != is_added) {
        continue;
      }
      result += result.empty() ? (is_added ? "" : "-") : is_added ? " + " : " - ";
      const std::string atom = atom_text(types, names, term.atom, local_name);
      const uint64_t magnitude = is_added ? static_cast<uint64_t>(term.coefficient)
                                          : 0 - static_cast<uint64_t>(term.coefficient);
      const bool needs_group = term.atom.kind == SizeAtomKind::Quotient && magnitude != 1;
      result += magnitude == 1 ? atom
                : needs_group  ? fmt::format("{} * ({})", magnitude, atom)
                               : fmt::format("{} * {}", magnitude, atom);
    }
  }
  if (result.empty()) {
    return fmt::format("{}", form.constant);
  }
  if (form.constant != 0) {
    const uint64_t magnitude = form.constant > 0 ? static_cast<uint64_t>(form.constant)
                                                 : 0 - static_cast<uint64_t>(form.constant);
    result += fmt::format(" {} {}", form.constant > 0 ? "+" : "-", magnitude);
  }
  return result;
}

auto constraint_text(const TypeStore& types, const Interner& names,
                     const SizeConstraint& constraint) -> std::string {
  SizeForm left;
  SizeForm right;
  const int64_t constant = constraint.form.constant;
  (constant > 0 ? left.constant : right.constant) = constant > 0 ? constant : -constant;
  for (const SizeTerm& term : constraint.form.terms) {
    if (term.coefficient > 0) {
      left.terms.push_back(term);
    } else {
      right.terms.push_back({term.atom, -term.coefficient});
    }
  }
  const std::string_view relation = constraint.relation == SizeRelation::AtLeast ? ">="
                                    : constraint.relation == SizeRelation::Equal ? "=="
                                                                                 : "!=";
  return fmt::format("{} {} {}", form_text(types, names, left), relation,
                     form_text(types, names, right));
}

auto extent_text(const TypeStore& types, const Interner& names, int64_t extent) -> std::string {
  return extent == kUnknownExtent ? "_" : form_text(types, names, types.form(extent));
}

}  // namespace tacet::types
