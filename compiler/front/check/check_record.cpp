#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/absent_fields.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/types/columns.h"

// Records are accepted where fewer fields are expected. What a body begins itself gets the fields
// and flags that are asked of it; what is declared has those that were written down, since a caller
// may bring no more (parameters are contravariant).

namespace tacet::check {

using types::BufferFlag;
using types::RecordField;
using types::TypeKind;

static auto has(uint8_t flags, BufferFlag flag) -> bool {
  return (flags & static_cast<uint8_t>(flag)) != 0;
}

/// `storage, map_read`.
static auto flags_text(uint8_t flags) -> std::string {
  std::string text;
  for (auto [flag, name] : {std::pair(BufferFlag::Storage, "storage"),
                            {BufferFlag::MapRead, "map_read"},
                            {BufferFlag::MapWrite, "map_write"},
                            {BufferFlag::CopySrc, "copy_src"},
                            {BufferFlag::CopyDst, "copy_dst"},
                            {BufferFlag::Uniform, "uniform"}}) {
    if (has(flags, flag)) {
      text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
    }
  }
  return text;
}

static void subsume_declared(Checker& checker, Node node, Term actual, Term expected);

/// Reports a field that `node`, which comes from `from`, should have.
static void missing_field(Checker& checker, Node node, Name name, std::string_view from,
                          const std::optional<Port>& by) {
  names::Draft draft =
      checker.report.add(DiagnosticCode::T2030, node.range(),
                         fmt::format("{} has no field `{}`, which is required here", from,
                                     checker.interner.text(name)));
  draft.note("a record may have more fields than required, but not fewer");
  if (by) {
    label_port(checker, draft, *by,
               fmt::format("`{}` is required here", checker.interner.text(name)));
  }
}

/// Is the type known, and one with fields? Not if a mistake in it was reported.
static auto is_record(Checker& checker, Term type) -> bool {
  return !type.is_error() && !type.is_variable() &&
         checker.types[type.type()].kind == TypeKind::Record;
}

/// In a device function: a tuple or record, which has all columns that are asked of it.
static void require_columns(Checker& checker, Node node, Term actual, Term expected) {
  if (checker.inference.is_open(actual) || actual.is_error() ||
      types::matching_columns(checker.types, checker.inference.finish(actual),
                              checker.inference.finish(expected))) {
    return;
  }
  const Term given = checker.inference.resolve(actual);
  const Term wanted = checker.inference.resolve(expected);
  if (is_record(checker, given) && is_record(checker, wanted)) {
    for (const RecordField& field : checker.types.fields(checker.types[wanted.type()].fields)) {
      if (!checker.inference.field(given, field.name)) {
        missing_field(checker, node, field.name, text(checker, actual), checker.expected_by);
        return;
      }
    }
  }
  mismatch(checker, node, actual, expected, "the value");
}

/// The second half of `expect`, for types that unify: does `actual` have all that is asked of it?
void subsume(Checker& checker, Node node, Term actual, Term expected) {
  const TypeKind kind = checker.inference.kind(expected);
  if (checker.kind == BodyKind::Device && is_of_columns(checker, expected)) {
    require_columns(checker, node, actual, expected);
    return;
  }
  const bool is_on_device = kind == TypeKind::Encoder || kind == TypeKind::Future;
  if (!is_on_device && kind != TypeKind::Record) {
    return;
  }
  const Term wanted = checker.inference.resolve(checker.inference.record_of(expected));
  if (!is_record(checker, wanted) || checker.inference.is_open(actual) || actual.is_error()) {
    return;
  }
  if (!checker.inference.open_record(actual)) {
    subsume_declared(checker, node, actual, expected);
    return;
  }
  for (RecordField field : checker.types.fields(checker.types[wanted.type()].fields)) {
    if (!is_on_device) {
      field.flags = static_cast<uint8_t>(BufferFlag::MapRead);
    }
    checker.wanted_fields.push_back({node.index(), checker.expected_by, actual, field});
  }
}

static void subsume_declared(Checker& checker, Node node, Term actual, Term expected) {
  const Term declared = checker.inference.resolve(checker.inference.record_of(actual));
  if (!is_record(checker, declared)) {
    return;
  }
  const bool is_on_device = checker.inference.kind(expected) != TypeKind::Record;
  const Term wanted = checker.inference.resolve(checker.inference.record_of(expected));
  for (const RecordField& field : checker.types.fields(checker.types[wanted.type()].fields)) {
    if (!checker.inference.field(declared, field.name)) {
      missing_field(checker, node, field.name, text(checker, actual), checker.expected_by);
      return;
    }
    const RecordField& given = *declared_field(checker, declared, field.name);
    const bool is_reported = checker.types.visibility(given.type) == types::Visibility::Secret &&
                             checker.types.visibility(field.type) == types::Visibility::Public;
    if (!is_on_device && is_reported) {
      names::Draft draft =
          checker.report.add(DiagnosticCode::T2019, node.range(),
                             fmt::format("field `{}` is secret, expected a public field",
                                         checker.interner.text(field.name)));
      if (const names::Local* local = checker.resolved.names.local(node.index());
          local != nullptr && local->node != names::Local::kNone) {
        draft.label(
            node_at(checker, local->node).range(),
            fmt::format("secret here: field `{}` of the type of `{}`",
                        checker.interner.text(field.name), checker.interner.text(local->name)));
      }
      draft.note(
          "a secret becomes public only through `reveal(…)` or by reading an awaited result");
      return;
    }
    const uint8_t flags = given.flags;
    const auto lacking = static_cast<uint8_t>(field.flags & ~flags);
    if (is_on_device && flags != 0 && lacking != 0) {
      checker.report
          .add(DiagnosticCode::T2031, node.range(),
               fmt::format("field `{}` lacks {}, which is required here",
                           checker.interner.text(field.name), flags_text(lacking)))
          .note(fmt::format("it was declared with {}", flags_text(flags)));
      return;
    }
  }
}

/// A field of a declared record; null if there is no such record or field.
auto declared_field(Checker& checker, Term record, Name name) -> const RecordField* {
  record = checker.inference.resolve(record);
  if (!is_record(checker, record)) {
    return nullptr;
  }
  for (const RecordField& field : checker.types.fields(checker.types[record.type()].fields)) {
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

static auto flags_of_declared(Checker& checker, Term record, Name name) -> std::optional<uint8_t> {
  const RecordField* field = declared_field(checker, record, name);
  return field == nullptr ? std::nullopt : std::optional(field->flags);
}

/// `encode e.copy[name <- …]` or `encode e.call[name <- …]`, `encoder` being `e`.
void add_encoded(Checker& checker, Node name, Term encoder, Name field, Term type, bool is_call) {
  const Term record = checker.inference.resolve(checker.inference.record_of(encoder));
  auto flags = static_cast<uint8_t>(BufferFlag::Storage);
  flags |= is_call ? uint8_t{0} : static_cast<uint8_t>(BufferFlag::CopyDst);
  if (checker.inference.open_record(record)) {
    if (!checker.inference.field(record, field)) {
      checker.inference.add_field(record, field, type, flags);
    } else {
      checker.inference.add_flags(record, field, flags);
    }
    return;
  }
  const std::optional<uint8_t> declared = flags_of_declared(checker, record, field);
  if (!declared) {
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2014, name.range(),
        fmt::format(
            "{} has no field `{}`, and none can be added to an encoder with a declared type",
            text(checker, encoder), name.text()));
    draft.note("a caller may pass an encoder with only these fields; add the field to its type");
    return;
  }
  const auto lacking = static_cast<uint8_t>(flags & ~*declared);
  if (*declared != 0 && lacking != 0) {
    checker.report
        .add(DiagnosticCode::T2031, name.range(),
             fmt::format("field `{}` lacks {}, which {} needs", name.text(), flags_text(lacking),
                         is_call ? "the result of a call" : "a copy"))
        .note(fmt::format("it was declared with {}", flags_text(*declared)));
  }
}

/// What the coordinator can read once a declared future was awaited: decrypted, and no flags any
/// more. Fields
/// without any flag leave them open.
auto readable(Checker& checker, TypeId record) -> TypeId {
  std::vector<RecordField> fields;
  for (const RecordField& field : checker.types.fields(checker.types[record].fields)) {
    if (field.flags == 0 || has(field.flags, BufferFlag::MapRead)) {
      fields.push_back({field.name, types::without_visibility(checker.types, field.type), 0});
    }
  }
  return checker.types.record(fields);
}

/// Reports the field `name`, if what is read is an awaited future that has it, but not for reading.
auto is_unreadable(Checker& checker, Node record, Node name) -> bool {
  while (record.is(NodeKind::ParenthesizedExpression)) {
    record = record.child(Field::Value);
  }
  Node future = record.is(NodeKind::AwaitExpression) ? record.child(Field::Operand) : Node();
  const Term declared =
      future ? checker.inference.resolve(checker.inference.record_of(checker.terms[future.index()]))
             : Term();
  const std::optional<uint8_t> flags =
      flags_of_declared(checker, declared, checker.interner.intern(name.text()));
  if (!flags) {
    return false;
  }
  checker.report
      .add(DiagnosticCode::T2031, name.range(),
           fmt::format("field `{}` lacks `map_read`, which is required to read it", name.text()))
      .note(fmt::format("it was declared with {}", flags_text(*flags)));
  return true;
}

/// Reports encoders and futures in the head of a function that do not say what they hold.
void records_of_head(Checker& checker, Node root) {
  auto look = [&](Node port, TypeId type) {
    if (type != types::TypeStore::kEncoder && type != types::TypeStore::kFuture) {
      return;
    }
    Node written = port.child(Field::Type);
    checker.report
        .add(DiagnosticCode::T2032, (written ? written : port).range(),
             fmt::format("`{}` needs a record type", text(checker, type)))
        .note(fmt::format("in a function, write `{}'R`, where `R` is a record of the encoded "
                          "values; the record is omitted only in timeline specifications",
                          text(checker, type)));
  };
  size_t ordinal = 0;
  for (Node child : root.child(Field::Parameters).children()) {
    if (child.is(NodeKind::Parameter) && ordinal < checker.signature.parameters.size()) {
      look(child, checker.signature.parameters[ordinal++].type);
    }
  }
  ordinal = 0;
  for (Node child : root.child(Field::Results).children()) {
    if (child.is(NodeKind::Result) && ordinal < checker.signature.results.size()) {
      look(child, checker.signature.results[ordinal++].type);
    }
  }
}

/// Need a field not be there yet? A callee that gets an encoder may encode more, and marks what it
/// does not read as dead.
static auto may_be_absent(Checker& checker, const WantedField& wanted) -> bool {
  const TypeKind kind = checker.inference.kind(wanted.actual);
  const bool is_on_device = kind == TypeKind::Encoder || kind == TypeKind::Future;
  if (!is_on_device || !wanted.by || wanted.by->list != Field::Parameters ||
      checker.table[wanted.by->item].kind != names::ItemKind::Fn) {
    return false;
  }
  const auto& absent = checker.context.get<AbsentFieldsOf>(wanted.by->item);
  if (wanted.by->ordinal >= absent.size()) {
    return false;
  }
  const AbsentFields& fields = absent[wanted.by->ordinal];
  auto has = [&](const std::vector<Name>& names) {
    return std::find(names.begin(), names.end(), wanted.field.name) != names.end();
  };
  return has(fields.dead) ||
         (kind == TypeKind::Encoder && (fields.is_passed_on || has(fields.encoded)));
}

/// What was asked of encoders, futures and records that this body began.
void wanted_fields(Checker& checker) {
  std::vector<uint32_t> reported;
  for (const WantedField& wanted : checker.wanted_fields) {
    const Term record = checker.inference.record_of(wanted.actual);
    const std::optional<Term> found = checker.inference.field(record, wanted.field.name);
    const bool is_reported = !reported.empty() && reported.back() == wanted.node;
    if (!found && may_be_absent(checker, wanted)) {
      checker.inference.add_field(record, wanted.field.name,
                                  checker.inference.term(wanted.field.type), wanted.field.flags);
      continue;
    }
    if (!found) {
      if (!is_reported) {
        missing_field(checker, node_at(checker, wanted.node), wanted.field.name,
                      text(checker, wanted.actual), wanted.by);
      }
      reported.push_back(wanted.node);
      continue;
    }
    const Term type = checker.inference.term(wanted.field.type);
    if (!checker.inference.unify(*found, type) && !is_reported) {
      mismatch(checker, node_at(checker, wanted.node), *found, type,
               fmt::format("field `{}`", checker.interner.text(wanted.field.name)));
      reported.push_back(wanted.node);
    }
    checker.inference.add_flags(record, wanted.field.name, wanted.field.flags);
  }
}

}  // namespace tacet::check
