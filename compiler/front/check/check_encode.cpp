#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::LocalKind;
using types::TypeKind;
using types::TypeStore;

auto encode_begin(Checker& checker, Node node) -> Term {
  if (checker.kind != names::BodyKind::Coordinator) {
    return {};
  }
  (void)node;
  return checker.inference.encoder(checker.inference.new_record());
}

auto submit(Checker& checker, Node node) -> Term {
  Node operand = node.child(Field::Operand);
  if (checker.kind != names::BodyKind::Coordinator) {
    return {};
  }
  const Term term = expression(checker, operand);
  if (!operand || term.is_error() || checker.inference.is_open(term)) {
    return term.is_error() ? Term() : checker.inference.open();
  }
  if (checker.inference.kind(term) != TypeKind::Encoder) {
    checker.report
        .add(DiagnosticCode::T2016, operand.range(),
             fmt::format("`submit` takes an encoder, found {}", text(checker, term)))
        .note("create an encoder with `let e = encode-begin …;`");
    return {};
  }
  if (std::optional<uint32_t> record = checker.inference.open_record(term)) {
    return checker.inference.future(*record);
  }
  const Term record = checker.inference.record_of(term);
  return Term(record.is_error() ? TypeStore::kFuture : checker.types.future(record.type()));
}

/// `await f.x`, which is `await (f.x)`: reported if `f` is the future.
static auto await_of_field(Checker& checker, Node node, Node operand) -> bool {
  Node future = operand.child(Field::Record);
  if (!future || checker.inference.kind(expression(checker, future)) != TypeKind::Future) {
    return false;
  }
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2015, node.range(),
                         fmt::format("cannot await `{}`, a field of a future", operand.text()));
  draft.note(
      "`await` applies to the whole operand; `(await f).x` awaits the future, then reads its "
      "field");
  draft.fix("await the future", Applicability::Unsafe,
            {{{node.range().begin, node.range().begin}, "("},
             {{future.range().end, future.range().end}, ")"}});
  return true;
}

auto await(Checker& checker, Node node) -> Term {
  Node operand = node.child(Field::Operand);
  if (checker.kind != names::BodyKind::Coordinator) {
    return {};
  }
  if (operand.is(NodeKind::FieldExpression) && await_of_field(checker, node, operand)) {
    return {};
  }
  const Term term = expression(checker, operand);
  if (!operand || term.is_error() || checker.inference.is_open(term)) {
    return term.is_error() ? Term() : checker.inference.open();
  }
  if (checker.inference.kind(term) != TypeKind::Future) {
    const bool is_encoder = checker.inference.kind(term) == TypeKind::Encoder;
    names::Draft draft =
        checker.report.add(DiagnosticCode::T2016, operand.range(),
                           fmt::format("`await` takes a future, found {}",
                                       is_encoder ? "an encoder" : text(checker, term)));
    if (is_encoder) {
      draft.note("`submit` submits an encoder's commands and returns a future");
      draft.fix("submit the encoder", Applicability::Unsafe,
                {{{operand.range().begin, operand.range().begin}, "submit "}});
    }
    return {};
  }
  const Term record = checker.inference.resolve(checker.inference.record_of(term));
  if (record.is_error() || checker.inference.open_record(record)) {
    return record.is_error() ? checker.inference.open() : record;
  }
  return checker.types[record.type()].kind == TypeKind::Record
             ? Term(readable(checker, record.type()))
             : Term();
}

/// The device of an encoder that is begun in this body.
static auto encoder_device(const Checker& checker, uint32_t local) -> std::optional<names::Device> {
  if (local == names::Local::kNone) {
    return std::nullopt;
  }
  const names::Local& encoder = checker.resolved.names.locals[local];
  if (encoder.declaration == names::Local::kNone) {
    return std::nullopt;
  }
  Node value = node_at(checker, encoder.declaration).child(Field::Value);
  Node device = value.is(NodeKind::EncodeBeginExpression) ? value.child(Field::Device) : Node();
  names::Device found{};
  return device && names::find_device(device.text(), found) ? std::optional(found) : std::nullopt;
}

static auto encoded_call(Checker& checker, Node call) -> Term {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  const names::ItemId item =
      function ? checker.resolved.names.item(function.index()) : names::ItemId();
  if (!item.has_value()) {
    return {};
  }
  return call_item(checker, call, function, item, true);
}

/// A copy to a gpu reads its source when the commands run, so it takes a reference.
static void copy_of_value(Checker& checker, Node value) {
  names::Draft draft = checker.report.add(DiagnosticCode::T2008, value.range(),
                                          "a copy to `gpu` takes a reference, found a value");
  const uint32_t local =
      value.is(NodeKind::Identifier) ? local_of(checker, value) : names::Local::kNone;
  if (local != names::Local::kNone && checker.resolved.names.locals[local].kind == LocalKind::Var) {
    draft.fix("take a reference with `&`", Applicability::Safe,
              {{{value.range().begin, value.range().begin}, "&"}});
  } else {
    draft.note("store the value in a variable first: `var v = …;`, then copy `&v`");
  }
}

/// The encoder of an `encode` statement, or nothing if it is something else.
static auto encoder_term(Checker& checker, Node encoder) -> Term {
  const Term term = encoder ? expression(checker, encoder) : Term();
  if (term.is_error() || checker.inference.is_open(term) ||
      checker.inference.kind(term) == TypeKind::Encoder) {
    return term;
  }
  checker.report
      .add(DiagnosticCode::T2016, encoder.range(),
           fmt::format("`{}` is {}, expected an encoder", encoder.text(), text(checker, term)))
      .note("create an encoder with `let e = encode-begin …;`");
  return {};
}

/// Variables that a declared encoder brings along have the types of its record.
static void encoded_arguments(Checker& checker, Node value, Term record) {
  for (Node part : subtree(value)) {
    const names::Local* argument = checker.resolved.names.local(part.index());
    if (argument == nullptr || argument->kind != LocalKind::Encoded ||
        argument->node != names::Local::kNone) {
      continue;
    }
    if (auto found = checker.inference.field(record, argument->name)) {
      checker.inference.unify(checker.local_terms[checker.resolved.names.of(part.index()).index()],
                              *found);
    }
  }
}

/// The results of an encoded call.
static auto results_of_call(Checker& checker, Node call, uint32_t encoder) -> std::vector<Term> {
  checker.encoding_on = encoder_device(checker, encoder);
  const Term given = call.is(NodeKind::CallExpression) ? encoded_call(checker, call) : Term();
  checker.encoding_on.reset();
  if (call) {
    set(checker, call, given);
  }
  if (given.is_error()) {
    return {};
  }
  return checker.inference.kind(given) == TypeKind::Tuple ? checker.inference.members(given)
                                                          : std::vector<Term>{given};
}

/// What an encoded copy of `value` gives.
static auto result_of_copy(Checker& checker, Node value, uint32_t encoder) -> Term {
  const bool is_for_gpu = encoder_device(checker, encoder) == names::Device::Gpu;
  const Term source = expression(checker, value);
  const TypeKind kind = checker.inference.kind(source);
  if (kind == TypeKind::Encoder || kind == TypeKind::Future || kind == TypeKind::Record) {
    checker.report
        .add(DiagnosticCode::T2001, value.range(),
             fmt::format("a copy takes a value, found {}", text(checker, source)))
        .note("copy the fields of an encoder or a future one by one");
    return {};
  }
  if (is_for_gpu && kind == TypeKind::Value) {
    copy_of_value(checker, value);
    return source;
  }
  return checker.inference.referent(source).value_or(source);
}

void encode(Checker& checker, Node node) {
  if (checker.kind != names::BodyKind::Coordinator) {
    return;
  }
  Node encoder = node.child(Field::Encoder);
  Node value = node.child(Field::Value);
  const uint32_t local = encoder ? local_of(checker, encoder) : names::Local::kNone;
  const Term target = encoder_term(checker, encoder);
  const Term record = target.is_error() ? Term() : checker.inference.record_of(target);
  encoded_arguments(checker, value, record);
  while (value.is(NodeKind::TaggedExpression)) {
    value = value.child(Field::Value);
  }
  const bool is_call = node.child(Field::Method).text() == "call";
  std::vector<Term> results;
  if (is_call) {
    results = results_of_call(checker, value, local);
  } else if (value) {
    results = {result_of_copy(checker, value, local)};
  }
  const std::vector<Node> destinations = children_of(node, NodeKind::EncodeDestination);
  const bool is_known = !results.empty() && !results[0].is_error();
  if (is_known && results.size() != destinations.size()) {
    checker.report.add(DiagnosticCode::T2004, value.range(),
                       fmt::format("{} destination{} given {} value{}", destinations.size(),
                                   destinations.size() == 1 ? " is" : "s are", results.size(),
                                   results.size() == 1 ? "" : "s"));
  }
  for (size_t i = 0; i < destinations.size(); ++i) {
    Node name = destinations[i].child(Field::Name);
    const uint32_t destination = name ? local_of(checker, name) : names::Local::kNone;
    if (destination == names::Local::kNone) {
      continue;
    }
    const Term given = i < results.size() ? results[i] : Term();
    const Term known = checker.local_terms[destination];
    if (!checker.inference.unify(known, given)) {
      mismatch(checker, name, given, known, fmt::format("`{}`", name.text()));
    }
    set(checker, name, known);
    if (!record.is_error()) {
      add_encoded(checker, name, target, checker.interner.intern(name.text()), known, is_call);
    }
  }
}

}  // namespace tacet::check
