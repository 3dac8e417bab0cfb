#include <fmt/format.h>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/queries.h"

namespace tacet::check {

using names::LocalKind;
using names::Meaning;
using syntax::ExpressionKind;
using types::DType;
using types::TypeKind;
using types::TypeStore;

auto Checker::text(TypeId type) -> std::string {
  return types::type_text(types_, interner_, type);
}

auto Checker::text(Term term) -> std::string {
  if (inference_.is_open(term)) {
    return "_";
  }
  if (inference_.is_integer_literal(term)) {
    return "an integer";
  }
  if (inference_.is_fraction_literal(term)) {
    return "a number with a fraction";
  }
  return fmt::format("`{}`", text(inference_.finish(term)));
}

auto Checker::local_of(Node name) const -> uint32_t {
  const names::Resolution resolution = resolved_.names.of(name.index());
  return resolution.is(Meaning::Local) ? resolution.index() : names::Local::kNone;
}

/// Says what `node` is, and where a name for it was declared.
void Checker::label_origin(names::Draft& draft, Node node, Term term) {
  node = bare(node);
  const names::Local* local =
      node.is(NodeKind::Identifier) ? resolved_.names.local(node.index()) : nullptr;
  if (local != nullptr && local->node != names::Local::kNone) {
    draft.label(this->node(local->node).range(),
                fmt::format("`{}` is {}", node.text(), text(term)));
  } else if (node) {
    draft.label(node.range(), fmt::format("this is {}", text(term)));
  }
}

/// Offers `1.0` for the whole number `1` beside a number with a fraction.
auto Checker::write_as_fraction(names::Draft& draft, Node literal, Term beside) -> bool {
  const std::optional<DType> dtype = inference_.dtype(beside);
  const bool has_fraction =
      inference_.is_fraction_literal(beside) || (dtype && is_fractional(*dtype));
  if (!literal.is(NodeKind::Integer) || !has_fraction) {
    return false;
  }
  draft.replace(literal.range(), fmt::format("write `{}.0`", literal.text()),
                fmt::format("{}.0", literal.text()), Applicability::Safe);
  return true;
}

auto Checker::expect(Node node, Term actual, Term expected, std::string_view what) -> bool {
  if (inference_.unify(actual, expected)) {
    subsume(node, actual, expected);
    return true;
  }
  mismatch(node, actual, expected, what);
  return false;
}

void Checker::mismatch(Node node, Term actual, Term expected, std::string_view what) {
  const std::optional<types::ShapeId> shape = inference_.shape(actual);
  const std::optional<types::ShapeId> wanted = inference_.shape(expected);
  const bool is_shape = shape && wanted && !inference_.shapes_match(*shape, *wanted);
  names::Draft draft =
      report_.add(is_shape ? DiagnosticCode::T2013 : DiagnosticCode::T2001, node.range(),
                  fmt::format("{} is {}, expected {}", what, text(actual), text(expected)));
  if (node.is(NodeKind::Identifier)) {
    label_origin(draft, node, actual);
  }
  if (expected_by_) {
    label_port(draft, *expected_by_, fmt::format("{} expected here", text(expected)));
  }
  if (write_as_fraction(draft, node, expected)) {
    return;
  }
  if (auto referent = inference_.referent(actual);
      referent && inference_.kind(expected) != TypeKind::Reference) {
    draft.note("references are not dereferenced implicitly; use `*`");
    if (node.is(NodeKind::Identifier) || node.is(NodeKind::CallExpression)) {
      draft.fix("read the value with `*`", Applicability::Unsafe,
                {{{node.range().begin, node.range().begin}, "*"}});
    }
  } else if (inference_.referent(expected) && node.is(NodeKind::Identifier) && !referent) {
    draft.note("`&` takes a reference to a `var`");
  } else if (inference_.dtype(actual) && inference_.dtype(expected) && !is_shape &&
             *inference_.dtype(expected) != DType::Bool) {
    draft.note("no implicit conversion between these types; convert with `as`");
  }
}

auto Checker::expression(Node node) -> Term {
  if (!node) {
    return {};
  }
  return set(node, infer(node));
}

/// Reports what has the form of an expression, but no value.
auto Checker::misplaced(Node node) -> Term {
  if (node.is(NodeKind::String)) {
    report_.add(DiagnosticCode::T2027, node.range(), "a string is not a value")
        .note("strings are allowed only in extern properties and flags");
    return {};
  }
  report_
      .add(
          DiagnosticCode::T2027, node.range(),
          fmt::format("`{}` is not allowed here", node.is(NodeKind::RangeExpression) ? ".." : "::"))
      .note("ranges are allowed only in `for` statements and bounds");
  return {};
}

auto Checker::infer(Node node) -> Term {
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(node);
    case ExpressionKind::Integer:
      literals_.push_back(node.index());
      return inference_.integer();
    case ExpressionKind::Float:
      return inference_.fraction();
    case ExpressionKind::Boolean:
      return Term(TypeStore::kBool);
    case ExpressionKind::Dim:
      return Term(TypeStore::kI32);
    case ExpressionKind::String:
      return misplaced(node);
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
      return expression(node.child(Field::Value));
    case ExpressionKind::Binary:
      return binary(node);
    case ExpressionKind::Unary:
      return unary(node);
    case ExpressionKind::Conditional:
      return conditional(node);
    case ExpressionKind::Call:
      return call(node);
    case ExpressionKind::Index:
      return index(node);
    case ExpressionKind::Field:
      return field(node);
    case ExpressionKind::For:
      return for_expression(node);
    case ExpressionKind::Let:
      return let(node);
    case ExpressionKind::Tuple:
      return tuple(node);
    case ExpressionKind::Array:
      return array(node);
    case ExpressionKind::Cast:
      return cast(node);
    case ExpressionKind::Submit:
      return submit(node);
    case ExpressionKind::Await:
      return await(node);
    case ExpressionKind::EncodeBegin:
      return encode_begin(node);
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      has_holes_ = true;
      return inference_.open();
    case ExpressionKind::If:
      return if_expression(node, Wanted::Value);
    case ExpressionKind::Range:
    case ExpressionKind::Path:
      return misplaced(node);
    case ExpressionKind::None:
      break;
  }
  return node.is(NodeKind::Block) ? block(node, Wanted::Value) : Term();
}

auto Checker::name(Node node) -> Term {
  const names::Resolution resolution = resolved_.names.of(node.index());
  if (resolution.is(Meaning::Local)) {
    return local_terms_[resolution.index()];
  }
  if (resolution.is(Meaning::Item)) {
    return constant_item(resolved_.names.items[resolution.index()]);
  }
  return {};
}

/// A constant has the type that its use needs, if it is a number or an array of fractions.
auto Checker::constant_item(names::ItemId item) -> Term {
  TypeId type = TypeStore::kError;
  if (constants_ != nullptr && table_[item].file == key_.file) {
    auto found = constants_->find(item);
    type = found == constants_->end() ? TypeStore::kError : found->second;
  } else {
    type = context_.get<TypeOfConst>(item);
  }
  if (type == TypeStore::kI64) {
    return inference_.integer();
  }
  if (type == TypeStore::kF64) {
    return inference_.fraction();
  }
  const std::optional<types::ShapeId> shape = inference_.shape(Term(type));
  return shape && inference_.dtype(inference_.scalar(Term(type))) == types::DType::F64
             ? inference_.array(inference_.fraction(), *shape)
             : Term(type);
}

auto Checker::unary(Node node) -> Term {
  Node operand = node.child(Field::Operand);
  const NodeKind token = node.child(Field::Operator).kind();
  if (token == NodeKind::Amp) {
    return address_of(node, operand);
  }
  if (token == NodeKind::Star) {
    return dereference(node, operand);
  }
  const Term term = expression(operand);
  types::Operator op{};
  if (!operand || !types::find_operator(token, 1, op)) {
    return {};
  }
  const types::OperatorScheme& scheme = types::scheme_of(op);
  if (inference_.is_open(term) || term.is_error()) {
    return term;
  }
  if (!inference_.shape(term) || !fits(scheme.operands, inference_.scalar(term))) {
    names::Draft draft = report_.add(DiagnosticCode::T2002, node.range(),
                                     fmt::format("`{}` cannot be applied to {}",
                                                 node.child(Field::Operator).text(), text(term)));
    draft.note(types::scheme_text(op));
    return {};
  }
  return term;
}

auto Checker::address_of(Node node, Node operand) -> Term {
  Node inner = bare(operand);
  const Term term = expression(operand);
  if (const uint32_t local = inner ? local_of(inner) : names::Local::kNone;
      local != names::Local::kNone && inner.is(NodeKind::Identifier)) {
    const bool is_reference = inference_.kind(term) == TypeKind::Reference;
    if (is_reference) {
      report_.add(DiagnosticCode::T2009, node.range(), "cannot take a reference to a reference")
          .note(fmt::format("`{}` is already a reference", inner.text()));
      return term;
    }
    if (resolved_.names.locals[local].kind != LocalKind::Var) {
      immutable(inner, local);
      return {};
    }
  } else if (inference_.kind(term) == TypeKind::Reference) {
    report_.add(DiagnosticCode::T2009, node.range(), "cannot take a reference to a reference");
    return term;
  } else if (operand && !term.is_error() && !inner.is(NodeKind::IndexExpression) &&
             !inner.is(NodeKind::UnaryExpression)) {
    report_
        .add(DiagnosticCode::T2007, operand.range(),
             "cannot take a reference to an expression that is not a place")
        .note("`&` takes a reference to a `var`");
    return {};
  }
  return inference_.reference(term);
}

auto Checker::dereference(Node node, Node operand) -> Term {
  const Term term = expression(operand);
  if (term.is_error()) {
    return {};
  }
  if (auto referent = inference_.referent(term)) {
    return *referent;
  }
  if (inference_.is_open(term)) {
    const Term referent = inference_.open();
    inference_.unify(term, inference_.reference(referent));
    return referent;
  }
  names::Draft draft = report_.add(DiagnosticCode::T2008, operand.range(),
                                   fmt::format("`*` takes a reference, found {}", text(term)));
  draft.fix("remove the `*`", Applicability::Unsafe,
            {{{node.range().begin, operand.range().begin}, ""}});
  return {};
}

void Checker::condition_type(Node node, Term term) {
  if (!inference_.unify(term, Term(TypeStore::kBool))) {
    names::Draft draft =
        report_.add(DiagnosticCode::T2006, node.range(),
                    fmt::format("the condition is {}, expected `bool`", text(term)));
    if (inference_.dtype(term) || inference_.is_integer_literal(term)) {
      draft.note("numbers are not conditions; compare with zero: `x != 0`");
    }
  }
}

void Checker::condition(Node node) {
  if (node) {
    condition_type(node, expression(node));
  }
}

auto Checker::conditional(Node node) -> Term {
  Node consequence = node.child(Field::Consequence);
  Node alternative = node.child(Field::Alternative);
  Node guard = node.child(Field::Condition);
  const Term first = expression(consequence);
  const Term choice = expression(guard);
  const Term second = expression(alternative);
  // An array of booleans selects element by element.
  const std::optional<types::ShapeId> shape = inference_.shape(choice);
  const bool is_by_element = shape && *shape != types::kScalar && inference_.shape(first) == shape;
  if (guard && !is_by_element) {
    condition_type(guard, choice);
  }
  if (alternative && !inference_.unify(first, second)) {
    const std::string wanted = text(first);
    report_
        .add(DiagnosticCode::T2001, alternative.range(),
             fmt::format("the branches of a conditional have different types: {} and {}", wanted,
                         text(second)))
        .label(consequence.range(), fmt::format("this is {}", wanted));
  }
  return first.is_error() ? second : first;
}

/// Names keep the type that their other uses give them: `i as u8` converts a loop's `i64`.
static auto has_names(syntax::Node node) -> bool {
  return mentions(node, syntax::NodeKind::Identifier);
}

auto Checker::cast(Node node) -> Term {
  Node value = node.child(Field::Value);
  Node written = node.child(Field::Type);
  const Term from = expression(value);
  const TypeId type = lowering_.lower(written);
  if (written) {
    set(written, Term(type));
  }
  has_secrets_ = has_secrets_ || types_.visibility(type) == types::Visibility::Secret;
  const Term to = inference_.term(type);
  if (from.is_error() || to.is_error() || inference_.is_open(from)) {
    return to;
  }
  const std::optional<types::ShapeId> shape = inference_.shape(from);
  const std::optional<types::ShapeId> wanted = inference_.shape(to);
  if (inference_.is_integer_literal(from) && inference_.dtype(to) &&
      is_integer(*inference_.dtype(to)) && !has_names(value)) {
    inference_.unify(from, inference_.scalar(to));
  }
  const bool fits_shape =
      shape && wanted && (*wanted == types::kScalar || inference_.shapes_match(*shape, *wanted));
  const bool is_bool_to = wanted && inference_.dtype(to) == DType::Bool;
  const bool is_bool_from = shape && inference_.dtype(from) == DType::Bool;
  const bool is_bool_to_fraction =
      is_bool_from && inference_.dtype(to) && is_fractional(*inference_.dtype(to));
  if (!fits_shape || (is_bool_to && !is_bool_from) || is_bool_to_fraction) {
    names::Draft draft = report_.add(DiagnosticCode::T2020, node.range(),
                                     fmt::format("cannot convert {} to {}", text(from), text(to)));
    draft.note(is_bool_to            ? "compare with zero: `x != 0`"
               : is_bool_to_fraction ? "a boolean converts to an integer, 0 or 1"
                                     : "`as` converts numbers, and arrays element by element");
    return to;
  }
  return inference_.array(inference_.scalar(to), *shape);
}

auto Checker::tuple(Node node) -> Term {
  std::vector<Term> members;
  for (Node element : node.children(Field::Element)) {
    members.push_back(expression(element));
  }
  return inference_.tuple(std::move(members));
}

auto Checker::let(Node node) -> Term {
  Node value = node.child(Field::Value);
  bind(node, expression(value), value);
  return expression(node.child(Field::Body));
}

/// Results of two encoders under one name are told apart by the future alone.
void Checker::note_read(Node field, Name name, uint32_t record) {
  for (const ReadField& other : read_fields_) {
    if (other.name != name) {
      continue;
    }
    if (other.record != record) {
      report_
          .add(DiagnosticCode::T2029, field.range(),
               fmt::format("`{}` is read from two encoders", field.text()))
          .label(node(other.node).range(), "also read here")
          .note(
              "each encoder has its own names, so these are two different values; use two names to "
              "tell them apart");
    }
    return;
  }
  read_fields_.push_back({name, record, field.index()});
}

auto Checker::field(Node node) -> Term {
  Node record = node.child(Field::Record);
  Node name = node.child(Field::Field);
  const Term term = expression(record);
  if (!name || term.is_error() || inference_.is_open(term)) {
    return term.is_error() ? Term() : inference_.open();
  }
  const TypeKind kind = inference_.kind(term);
  if (kind == TypeKind::Future || kind == TypeKind::Encoder) {
    names::Draft draft =
        report_.add(DiagnosticCode::T2015, node.range(),
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
    const std::optional<Term> found =
        inference_.field(inference_.record_of(term), interner_.intern(name.text()));
    return found.value_or(Term());
  }
  const Name interned = interner_.intern(name.text());
  if (auto open = inference_.open_record(term)) {
    note_read(name, interned, *open);
    inference_.add_flags(term, interned, static_cast<uint8_t>(types::BufferFlag::MapRead));
  }
  if (auto found = inference_.field(term, interned)) {
    const types::RecordField* declared = declared_field(term, interned);
    has_secrets_ = has_secrets_ || (declared != nullptr &&
                                    types_.visibility(declared->type) == types::Visibility::Secret);
    return *found;
  }
  if (inference_.open_record(term)) {
    const Term result = inference_.open();
    pending_fields_.push_back({name.index(), term, interned, result});
    return result;
  }
  if (is_unreadable(record, name)) {
    return {};
  }
  names::Draft draft = report_.add(DiagnosticCode::T2014, name.range(),
                                   kind == TypeKind::Record
                                       ? fmt::format("the record has no field `{}`", name.text())
                                       : fmt::format("{} has no fields", text(term)));
  std::vector<std::string_view> candidates;
  for (Name candidate : inference_.field_names(term)) {
    candidates.push_back(interner_.text(candidate));
  }
  if (auto closest = closest_name(name.text(), candidates)) {
    draft.note(fmt::format("did you mean `{}`?", *closest));
    draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
  }
  return {};
}

}  // namespace tacet::check
