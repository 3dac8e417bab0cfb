#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::LocalKind;
using types::TypeKind;
using types::TypeStore;

auto Checker::encode_begin(Node node) -> Term {
  if (kind_ != names::BodyKind::Coordinator) {
    return {};
  }
  (void)node;
  return inference_.encoder(inference_.new_record());
}

auto Checker::submit(Node node) -> Term {
  Node operand = node.child(Field::Operand);
  if (kind_ != names::BodyKind::Coordinator) {
    return {};
  }
  const Term term = expression(operand);
  if (!operand || term.is_error() || inference_.is_open(term)) {
    return term.is_error() ? Term() : inference_.open();
  }
  if (inference_.kind(term) != TypeKind::Encoder) {
    report_
        .add(DiagnosticCode::T2016, operand.range(),
             fmt::format("`submit` takes an encoder, found {}", text(term)))
        .note("create an encoder with `let e = encode-begin …;`");
    return {};
  }
  if (std::optional<uint32_t> record = inference_.open_record(term)) {
    return inference_.future(*record);
  }
  const Term record = inference_.record_of(term);
  return Term(record.is_error() ? TypeStore::kFuture : types_.future(record.type()));
}

/// `await f.x`, which is `await (f.x)`: reported if `f` is the future.
auto Checker::await_of_field(Node node, Node operand) -> bool {
  Node future = operand.child(Field::Record);
  if (!future || inference_.kind(expression(future)) != TypeKind::Future) {
    return false;
  }
  names::Draft draft =
      report_.add(DiagnosticCode::T2015, node.range(),
                  fmt::format("cannot await `{}`, a field of a future", operand.text()));
  draft.note(
      "`await` applies to the whole operand; `(await f).x` awaits the future, then reads its "
      "field");
  draft.fix("await the future", Applicability::Unsafe,
            {{{node.range().begin, node.range().begin}, "("},
             {{future.range().end, future.range().end}, ")"}});
  return true;
}

auto Checker::await(Node node) -> Term {
  Node operand = node.child(Field::Operand);
  if (kind_ != names::BodyKind::Coordinator) {
    return {};
  }
  if (operand.is(NodeKind::FieldExpression) && await_of_field(node, operand)) {
    return {};
  }
  const Term term = expression(operand);
  if (!operand || term.is_error() || inference_.is_open(term)) {
    return term.is_error() ? Term() : inference_.open();
  }
  if (inference_.kind(term) != TypeKind::Future) {
    const bool is_encoder = inference_.kind(term) == TypeKind::Encoder;
    names::Draft draft = report_.add(
        DiagnosticCode::T2016, operand.range(),
        fmt::format("`await` takes a future, found {}", is_encoder ? "an encoder" : text(term)));
    if (is_encoder) {
      draft.note("`submit` submits an encoder's commands and returns a future");
      draft.fix("submit the encoder", Applicability::Unsafe,
                {{{operand.range().begin, operand.range().begin}, "submit "}});
    }
    return {};
  }
  const Term record = inference_.resolve(inference_.record_of(term));
  if (record.is_error() || inference_.open_record(record)) {
    return record.is_error() ? inference_.open() : record;
  }
  return types_[record.type()].kind == TypeKind::Record ? Term(readable(record.type())) : Term();
}

/// The device of an encoder that is begun in this body.
auto Checker::encoder_device(uint32_t local) const -> std::optional<names::Device> {
  if (local == names::Local::kNone) {
    return std::nullopt;
  }
  const names::Local& encoder = resolved_.names.locals[local];
  if (encoder.declaration == names::Local::kNone) {
    return std::nullopt;
  }
  Node value = node(encoder.declaration).child(Field::Value);
  Node device = value.is(NodeKind::EncodeBeginExpression) ? value.child(Field::Device) : Node();
  names::Device found{};
  return device && names::find_device(device.text(), found) ? std::optional(found) : std::nullopt;
}

auto Checker::encoded_call(Node call) -> Term {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  const names::ItemId item = function ? resolved_.names.item(function.index()) : names::ItemId();
  if (!item.has_value()) {
    return {};
  }
  return call_item(call, function, item, true);
}

/// A copy to a gpu reads its source when the commands run, so it takes a reference.
void Checker::copy_of_value(Node value) {
  names::Draft draft = report_.add(DiagnosticCode::T2008, value.range(),
                                   "a copy to `gpu` takes a reference, found a value");
  const uint32_t local = value.is(NodeKind::Identifier) ? local_of(value) : names::Local::kNone;
  if (local != names::Local::kNone && resolved_.names.locals[local].kind == LocalKind::Var) {
    draft.fix("take a reference with `&`", Applicability::Safe,
              {{{value.range().begin, value.range().begin}, "&"}});
  } else {
    draft.note("store the value in a variable first: `var v = …;`, then copy `&v`");
  }
}

/// The encoder of an `encode` statement, or nothing if it is something else.
auto Checker::encoder_term(Node encoder) -> Term {
  const Term term = encoder ? expression(encoder) : Term();
  if (term.is_error() || inference_.is_open(term) || inference_.kind(term) == TypeKind::Encoder) {
    return term;
  }
  report_
      .add(DiagnosticCode::T2016, encoder.range(),
           fmt::format("`{}` is {}, expected an encoder", encoder.text(), text(term)))
      .note("create an encoder with `let e = encode-begin …;`");
  return {};
}

/// Variables that a declared encoder brings along have the types of its record.
void Checker::encoded_arguments(Node value, Term record) {
  for (Node part : subtree(value)) {
    const names::Local* argument = resolved_.names.local(part.index());
    if (argument == nullptr || argument->kind != LocalKind::Encoded ||
        argument->node != names::Local::kNone) {
      continue;
    }
    if (auto found = inference_.field(record, argument->name)) {
      inference_.unify(local_terms_[resolved_.names.of(part.index()).index()], *found);
    }
  }
}

/// The results of an encoded call.
auto Checker::results_of_call(Node call, uint32_t encoder) -> std::vector<Term> {
  encoding_on_ = encoder_device(encoder);
  const Term given = call.is(NodeKind::CallExpression) ? encoded_call(call) : Term();
  encoding_on_.reset();
  if (call) {
    set(call, given);
  }
  if (given.is_error()) {
    return {};
  }
  return inference_.kind(given) == TypeKind::Tuple ? inference_.members(given)
                                                   : std::vector<Term>{given};
}

/// What an encoded copy of `value` gives.
auto Checker::result_of_copy(Node value, uint32_t encoder) -> Term {
  const bool is_for_gpu = encoder_device(encoder) == names::Device::Gpu;
  const Term source = expression(value);
  const TypeKind kind = inference_.kind(source);
  if (kind == TypeKind::Encoder || kind == TypeKind::Future || kind == TypeKind::Record) {
    report_
        .add(DiagnosticCode::T2001, value.range(),
             fmt::format("a copy takes a value, found {}", text(source)))
        .note("copy the fields of an encoder or a future one by one");
    return {};
  }
  if (is_for_gpu && kind == TypeKind::Value) {
    copy_of_value(value);
    return source;
  }
  return inference_.referent(source).value_or(source);
}

void Checker::encode(Node node) {
  if (kind_ != names::BodyKind::Coordinator) {
    return;
  }
  Node encoder = node.child(Field::Encoder);
  Node value = node.child(Field::Value);
  const uint32_t local = encoder ? local_of(encoder) : names::Local::kNone;
  const Term target = encoder_term(encoder);
  const Term record = target.is_error() ? Term() : inference_.record_of(target);
  encoded_arguments(value, record);
  while (value.is(NodeKind::TaggedExpression)) {
    value = value.child(Field::Value);
  }
  const bool is_call = node.child(Field::Method).text() == "call";
  std::vector<Term> results;
  if (is_call) {
    results = results_of_call(value, local);
  } else if (value) {
    results = {result_of_copy(value, local)};
  }
  const std::vector<Node> destinations = children_of(node, NodeKind::EncodeDestination);
  const bool is_known = !results.empty() && !results[0].is_error();
  if (is_known && results.size() != destinations.size()) {
    report_.add(DiagnosticCode::T2004, value.range(),
                fmt::format("{} destination{} given {} value{}", destinations.size(),
                            destinations.size() == 1 ? " is" : "s are", results.size(),
                            results.size() == 1 ? "" : "s"));
  }
  for (size_t i = 0; i < destinations.size(); ++i) {
    Node name = destinations[i].child(Field::Name);
    const uint32_t destination = name ? local_of(name) : names::Local::kNone;
    if (destination == names::Local::kNone) {
      continue;
    }
    const Term given = i < results.size() ? results[i] : Term();
    const Term known = local_terms_[destination];
    if (!inference_.unify(known, given)) {
      mismatch(name, given, known, fmt::format("`{}`", name.text()));
    }
    set(name, known);
    if (!record.is_error()) {
      add_encoded(name, target, interner_.intern(name.text()), known, is_call);
    }
  }
}

}  // namespace tacet::check
