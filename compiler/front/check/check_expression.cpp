#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/types/type_difference.h"

namespace tacet::check {

using names::LocalKind;
using names::Meaning;
using syntax::ExpressionKind;
using types::DType;
using types::TypeKind;
using types::TypeStore;

static auto infer(Checker& checker, Node node) -> Term;
static auto name(Checker& checker, Node node) -> Term;
static auto unary(Checker& checker, Node node) -> Term;
static auto address_of(Checker& checker, Node node, Node operand) -> Term;
static auto dereference(Checker& checker, Node node, Node operand) -> Term;
static auto conditional(Checker& checker, Node node) -> Term;
static auto cast(Checker& checker, Node node) -> Term;
static auto tuple(Checker& checker, Node node) -> Term;
static auto let(Checker& checker, Node node) -> Term;
static auto field(Checker& checker, Node node) -> Term;

auto text(Checker& checker, TypeId type) -> std::string {
  return types::type_text(checker.types, checker.interner, type);
}

auto text(Checker& checker, Term term) -> std::string {
  if (checker.inference.is_open(term)) {
    return "_";
  }
  if (checker.inference.is_integer_literal(term)) {
    return "an integer";
  }
  if (checker.inference.is_fraction_literal(term)) {
    return "a number with a fraction";
  }
  return fmt::format("`{}`", text(checker, checker.inference.finish(term)));
}

auto local_of(const Checker& checker, Node name) -> uint32_t {
  const names::Resolution resolution = checker.resolved.names.of(name.index());
  return resolution.is(Meaning::Local) ? resolution.index() : names::Local::kNone;
}

/// Says what `node` is, and where a name for it was declared.
void label_origin(Checker& checker, names::Draft& draft, Node node, Term term) {
  node = bare(node);
  const names::Local* local =
      node.is(NodeKind::Identifier) ? checker.resolved.names.local(node.index()) : nullptr;
  if (local != nullptr && local->node != names::Local::kNone) {
    draft.label(node_at(checker, local->node).range(),
                fmt::format("`{}` is {}", node.text(), text(checker, term)));
  } else if (node) {
    draft.label(node.range(), fmt::format("this is {}", text(checker, term)));
  }
}

/// Offers `1.0` for the integer `1` beside a floating-point number.
auto write_as_fraction(Checker& checker, names::Draft& draft, Node literal, Term beside) -> bool {
  const std::optional<DType> dtype = checker.inference.dtype(beside);
  if (!literal.is(NodeKind::Integer) || !dtype || !is_float(*dtype)) {
    return false;
  }
  draft.replace(literal.range(), fmt::format("write `{}.0`", literal.text()),
                fmt::format("{}.0", literal.text()), Applicability::Safe);
  return true;
}

auto expect(Checker& checker, Node node, Term actual, Term expected, std::string_view what)
    -> bool {
  if (checker.inference.unify(actual, expected)) {
    subsume(checker, node, actual, expected);
    return true;
  }
  mismatch(checker, node, actual, expected, what);
  return false;
}

void mismatch(Checker& checker, Node node, Term actual, Term expected, std::string_view what) {
  const std::optional<types::ShapeId> shape = checker.inference.shape(actual);
  const std::optional<types::ShapeId> wanted = checker.inference.shape(expected);
  const bool is_shape = shape && wanted && !types::shapes_match(checker.types, *shape, *wanted);
  names::Draft draft = checker.report.add(
      is_shape ? DiagnosticCode::T2013 : DiagnosticCode::T2001, node.range(),
      fmt::format("{} is {}, expected {}", what, text(checker, actual), text(checker, expected)));
  draft.reasons(types::type_differences(checker.types, checker.interner,
                                        checker.inference.finish(actual),
                                        checker.inference.finish(expected)));
  if (node.is(NodeKind::Identifier)) {
    label_origin(checker, draft, node, actual);
  }
  if (checker.expected_by) {
    label_port(checker, draft, *checker.expected_by,
               fmt::format("{} expected here", text(checker, expected)));
  }
  if ((!is_shape && write_as_fraction(checker, draft, node, expected)) ||
      repeated_element(draft, node)) {
    return;
  }
  if (auto referent = checker.inference.referent(actual);
      referent && checker.inference.kind(expected) != TypeKind::Reference) {
    draft.note("references are not dereferenced implicitly; use `*`");
    if (node.is(NodeKind::Identifier) || node.is(NodeKind::CallExpression)) {
      draft.fix("read the value with `*`", Applicability::Unsafe,
                {{{node.range().begin, node.range().begin}, "*"}});
    }
  } else if (checker.inference.referent(expected) && node.is(NodeKind::Identifier) && !referent) {
    draft.note("`&` takes a reference to a `var`");
  } else if ((checker.inference.dtype(actual) || checker.inference.is_integer_literal(actual)) &&
             checker.inference.dtype(expected) && !is_shape &&
             *checker.inference.dtype(expected) != DType::Bool) {
    draft.note("no implicit conversion between these types; convert with `as`");
  }
}

auto expression(Checker& checker, Node node) -> Term {
  if (!node) {
    return {};
  }
  return set(checker, node, infer(checker, node));
}

/// Reports what has the form of an expression, but no value.
static auto misplaced(Checker& checker, Node node) -> Term {
  if (node.is(NodeKind::String)) {
    checker.report.add(DiagnosticCode::T2027, node.range(), "a string is not a value")
        .note("strings are allowed only in extern properties and flags");
    return {};
  }
  checker.report
      .add(
          DiagnosticCode::T2027, node.range(),
          fmt::format("`{}` is not allowed here", node.is(NodeKind::RangeExpression) ? ".." : "::"))
      .note(
          "ranges are allowed only in `for` statements, bounds, slices `a[lo..hi]` and arrays "
          "`[lo..hi]`");
  return {};
}

static auto infer(Checker& checker, Node node) -> Term {
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(checker, node);
    case ExpressionKind::Integer:
      checker.literals.push_back(node.index());
      return checker.inference.number();
    case ExpressionKind::Float:
      return checker.inference.fraction();
    case ExpressionKind::Boolean:
      return Term(TypeStore::kBool);
    case ExpressionKind::Dim:
      return Term(TypeStore::kI32);
    case ExpressionKind::String:
      return misplaced(checker, node);
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
      return expression(checker, node.child(Field::Value));
    case ExpressionKind::Binary:
      return binary(checker, node);
    case ExpressionKind::Unary:
      return unary(checker, node);
    case ExpressionKind::Conditional:
      return conditional(checker, node);
    case ExpressionKind::Call:
      return call(checker, node);
    case ExpressionKind::Index:
      return index(checker, node);
    case ExpressionKind::Slice:
      return slice(checker, node);
    case ExpressionKind::Field:
      return field(checker, node);
    case ExpressionKind::For:
      return for_expression(checker, node);
    case ExpressionKind::Let:
      return let(checker, node);
    case ExpressionKind::Tuple:
      return tuple(checker, node);
    case ExpressionKind::Array:
      return array(checker, node);
    case ExpressionKind::Cast:
      return cast(checker, node);
    case ExpressionKind::Submit:
      return submit(checker, node);
    case ExpressionKind::Await:
      return await(checker, node);
    case ExpressionKind::EncodeBegin:
      return encode_begin(checker, node);
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      checker.has_holes = true;
      return checker.inference.open();
    case ExpressionKind::If:
      return if_expression(checker, node, Wanted::Value);
    case ExpressionKind::Range:
    case ExpressionKind::Path:
      return misplaced(checker, node);
    case ExpressionKind::None:
      break;
  }
  return node.is(NodeKind::Block) ? block(checker, node, Wanted::Value) : Term();
}

static auto name(Checker& checker, Node node) -> Term {
  const names::Resolution resolution = checker.resolved.names.of(node.index());
  if (resolution.is(Meaning::Local)) {
    const names::Local& local = checker.resolved.names.locals[resolution.index()];
    return local.kind == names::LocalKind::Size ? checker.inference.number()
                                                : checker.local_terms[resolution.index()];
  }
  if (resolution.is(Meaning::Item)) {
    return constant_item(checker, checker.resolved.names.items[resolution.index()]);
  }
  return {};
}

static auto unary(Checker& checker, Node node) -> Term {
  Node operand = node.child(Field::Operand);
  const NodeKind token = node.child(Field::Operator).kind();
  if (token == NodeKind::Amp) {
    return address_of(checker, node, operand);
  }
  if (token == NodeKind::Star) {
    return dereference(checker, node, operand);
  }
  const Term term = expression(checker, operand);
  types::Operator op{};
  if (!operand || !types::find_operator(token, 1, op)) {
    return {};
  }
  const types::OperatorScheme& scheme = types::scheme_of(op);
  if (checker.inference.is_open(term) || term.is_error()) {
    return term;
  }
  if (!checker.inference.shape(term) ||
      !fits(checker, scheme.operands, checker.inference.scalar(term))) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2002, node.range(),
                           fmt::format("`{}` cannot be applied to {}",
                                       node.child(Field::Operator).text(), text(checker, term)));
    if (!negated_number(checker, draft, node, term)) {
      draft.note(types::scheme_text(op));
    }
    return {};
  }
  return term;
}

static auto address_of(Checker& checker, Node node, Node operand) -> Term {
  Node inner = bare(operand);
  const Term term = expression(checker, operand);
  if (const uint32_t local = inner ? local_of(checker, inner) : names::Local::kNone;
      local != names::Local::kNone && inner.is(NodeKind::Identifier)) {
    const bool is_reference = checker.inference.kind(term) == TypeKind::Reference;
    if (is_reference) {
      checker.report
          .add(DiagnosticCode::T2009, node.range(), "cannot take a reference to a reference")
          .note(fmt::format("`{}` is already a reference", inner.text()));
      return term;
    }
    if (checker.resolved.names.locals[local].kind != LocalKind::Var) {
      immutable(checker, inner, local);
      return {};
    }
  } else if (checker.inference.kind(term) == TypeKind::Reference) {
    checker.report.add(DiagnosticCode::T2009, node.range(),
                       "cannot take a reference to a reference");
    return term;
  } else if (operand && !term.is_error() && !inner.is(NodeKind::IndexExpression) &&
             !inner.is(NodeKind::UnaryExpression)) {
    checker.report
        .add(DiagnosticCode::T2007, operand.range(),
             "cannot take a reference to an expression that is not a place")
        .note("`&` takes a reference to a `var`");
    return {};
  }
  return checker.inference.reference(term);
}

static auto dereference(Checker& checker, Node node, Node operand) -> Term {
  const Term term = expression(checker, operand);
  if (term.is_error()) {
    return {};
  }
  if (auto referent = checker.inference.referent(term)) {
    return *referent;
  }
  if (checker.inference.is_open(term)) {
    const Term referent = checker.inference.open();
    checker.inference.unify(term, checker.inference.reference(referent));
    return referent;
  }
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2008, operand.range(),
                         fmt::format("`*` takes a reference, found {}", text(checker, term)));
  draft.fix("remove the `*`", Applicability::Unsafe,
            {{{node.range().begin, operand.range().begin}, ""}});
  return {};
}

static void condition_type(Checker& checker, Node node, Term term) {
  if (!checker.inference.unify(term, Term(TypeStore::kBool))) {
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2006, node.range(),
        fmt::format("the condition is {}, expected `bool`", text(checker, term)));
    number_as_condition(checker, draft, node, term);
  }
}

void condition(Checker& checker, Node node) {
  if (node) {
    condition_type(checker, node, expression(checker, node));
  }
}

static auto conditional(Checker& checker, Node node) -> Term {
  Node consequence = node.child(Field::Consequence);
  Node alternative = node.child(Field::Alternative);
  Node guard = node.child(Field::Condition);
  const Term first = expression(checker, consequence);
  const Term choice = expression(checker, guard);
  const Term second = expression(checker, alternative);
  // An array of booleans selects element by element.
  const std::optional<types::ShapeId> shape = checker.inference.shape(choice);
  const bool is_by_element =
      shape && *shape != types::kScalar && checker.inference.shape(first) == shape;
  if (guard && !is_by_element) {
    condition_type(checker, guard, choice);
  }
  if (alternative && !meet(checker, first, second)) {
    const std::string wanted = text(checker, first);
    checker.report
        .add(DiagnosticCode::T2001, alternative.range(),
             fmt::format("the branches of a conditional have different types: {} and {}", wanted,
                         text(checker, second)))
        .label(consequence.range(), fmt::format("this is {}", wanted));
  }
  return first.is_error() ? second : first;
}

/// Names keep the type that their other uses give them: `i as u8` converts a loop's `i64`.
static auto has_names(syntax::Node node) -> bool {
  return mentions(node, syntax::NodeKind::Identifier);
}

static auto cast(Checker& checker, Node node) -> Term {
  Node value = node.child(Field::Value);
  Node written = node.child(Field::Type);
  const Term from = expression(checker, value);
  const TypeId type = checker.lowering.lower(written);
  if (written) {
    set(checker, written, Term(type));
  }
  checker.has_secrets =
      checker.has_secrets || checker.types.visibility(type) == types::Visibility::Secret;
  const Term to = checker.inference.term(type);
  if (from.is_error() || to.is_error() || checker.inference.is_open(from)) {
    return to;
  }
  const std::optional<types::ShapeId> shape = checker.inference.shape(from);
  const std::optional<types::ShapeId> wanted = checker.inference.shape(to);
  if (checker.inference.is_integer_literal(from) && checker.inference.dtype(to) &&
      is_integer(*checker.inference.dtype(to)) && !has_names(value)) {
    checker.inference.unify(from, checker.inference.scalar(to));
  }
  const bool fits_shape =
      shape && wanted &&
      (*wanted == types::kScalar || types::shapes_match(checker.types, *shape, *wanted));
  const bool is_bool_to = wanted && checker.inference.dtype(to) == DType::Bool;
  const bool is_bool_from = shape && checker.inference.dtype(from) == DType::Bool;
  const bool is_bool_to_fraction =
      is_bool_from && checker.inference.dtype(to) && is_fractional(*checker.inference.dtype(to));
  if (!fits_shape || (is_bool_to && !is_bool_from) || is_bool_to_fraction) {
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2020, node.range(),
        fmt::format("cannot convert {} to {}", text(checker, from), text(checker, to)));
    draft.note(is_bool_to            ? "compare with zero: `x != 0`"
               : is_bool_to_fraction ? "a boolean converts to an integer, 0 or 1"
                                     : "`as` converts numbers, and arrays element by element");
    return to;
  }
  return checker.inference.array(checker.inference.scalar(to), *shape);
}

static auto tuple(Checker& checker, Node node) -> Term {
  std::vector<Term> members;
  for (Node element : node.children(Field::Element)) {
    members.push_back(expression(checker, element));
  }
  return checker.inference.tuple(std::move(members));
}

static auto let(Checker& checker, Node node) -> Term {
  Node value = node.child(Field::Value);
  bind_names(checker, node, expression(checker, value), value);
  return expression(checker, node.child(Field::Body));
}

/// Results of two encoders under one name differ only in the future.
static void note_read(Checker& checker, Node field, Name name, uint32_t record) {
  for (const ReadField& other : checker.read_fields) {
    if (other.name != name) {
      continue;
    }
    if (other.record != record) {
      checker.report
          .add(DiagnosticCode::T2029, field.range(),
               fmt::format("`{}` is read from two encoders", field.text()))
          .label(node_at(checker, other.node).range(), "also read here")
          .note(
              "each encoder has its own names, so these are two different values; use two names to "
              "tell them apart");
    }
    return;
  }
  checker.read_fields.push_back({name, record, field.index()});
}

static auto field(Checker& checker, Node node) -> Term {
  Node record = node.child(Field::Record);
  Node name = node.child(Field::Field);
  const Term term = expression(checker, record);
  if (!name || term.is_error() || checker.inference.is_open(term)) {
    return term.is_error() ? Term() : checker.inference.open();
  }
  const TypeKind kind = checker.inference.kind(term);
  if (kind == TypeKind::Future || kind == TypeKind::Encoder) {
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2015, node.range(),
                           fmt::format("`{}` is read from {} before it is awaited", name.text(),
                                       kind == TypeKind::Future ? "a future" : "an encoder"));
    if (kind == TypeKind::Future) {
      draft.note("the results of a device are available only after `await`: `(await f).x`");
      draft.fix("await the future", Applicability::Unsafe,
                {{{record.range().begin, record.range().begin}, "(await "},
                 {{record.range().end, record.range().end}, ")"}});
    } else {
      draft.note("submit the encoder, then await the future: `(await submit e).x`");
    }
    const std::optional<Term> found = checker.inference.field(checker.inference.record_of(term),
                                                              checker.interner.intern(name.text()));
    return found.value_or(Term());
  }
  const Name interned = checker.interner.intern(name.text());
  if (auto open = checker.inference.open_record(term)) {
    note_read(checker, name, interned, *open);
    checker.inference.add_flags(term, interned, static_cast<uint8_t>(types::BufferFlag::MapRead));
  }
  if (kind == TypeKind::Array && checker.kind == BodyKind::Device) {
    if (const std::optional<Term> column = field_of_elements(checker, term, interned)) {
      return *column;
    }
  }
  if (auto found = checker.inference.field(term, interned)) {
    const types::RecordField* declared = declared_field(checker, term, interned);
    checker.has_secrets = checker.has_secrets ||
                          (declared != nullptr &&
                           checker.types.visibility(declared->type) == types::Visibility::Secret);
    return *found;
  }
  if (checker.inference.open_record(term)) {
    const Term result = checker.inference.open();
    checker.pending_fields.push_back({name.index(), term, interned, result});
    return result;
  }
  if (is_unreadable(checker, record, name)) {
    return {};
  }
  names::Draft draft = checker.report.add(
      DiagnosticCode::T2014, name.range(),
      kind == TypeKind::Record ? fmt::format("the record has no field `{}`", name.text())
                               : fmt::format("{} has no fields", text(checker, term)));
  std::vector<std::string_view> candidates;
  for (Name candidate : checker.inference.field_names(term)) {
    candidates.push_back(checker.interner.text(candidate));
  }
  if (auto closest = closest_name(name.text(), candidates)) {
    draft.note(fmt::format("did you mean `{}`?", *closest));
    draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
  }
  return {};
}

}  // namespace tacet::check
