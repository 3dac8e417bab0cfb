#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/absent_fields.h"
#include "compiler/front/check/checker.h"

// Records go where fewer fields are asked for. What a body begins itself gets the fields and
// flags that are asked of it; what is declared has those that were written down, since a caller
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

/// Reports a field that `node`, which comes from `from`, should have.
void Checker::missing_field(Node node, Name name, std::string_view from,
                            const std::optional<Port>& by) {
  names::Draft draft = report_.add(
      DiagnosticCode::T2030, node.range(),
      fmt::format("{} has no field `{}`, which is required here", from, interner_.text(name)));
  draft.note("a record may have more fields than required, but not fewer");
  if (by) {
    label_port(draft, *by, fmt::format("`{}` is required here", interner_.text(name)));
  }
}

/// Is the type known, and one with fields? Not if a mistake in it was reported.
auto Checker::is_record(Term type) -> bool {
  return !type.is_error() && !type.is_variable() && types_[type.type()].kind == TypeKind::Record;
}

/// The second half of `expect`, for types that unify: does `actual` have all that is asked of it?
void Checker::subsume(Node node, Term actual, Term expected) {
  const TypeKind kind = inference_.kind(expected);
  const bool is_on_device = kind == TypeKind::Encoder || kind == TypeKind::Future;
  if (!is_on_device && kind != TypeKind::Record) {
    return;
  }
  const Term wanted = inference_.resolve(inference_.record_of(expected));
  if (!is_record(wanted) || inference_.is_open(actual) || actual.is_error()) {
    return;
  }
  if (!inference_.open_record(actual)) {
    subsume_declared(node, actual, expected);
    return;
  }
  for (RecordField field : types_.fields(types_[wanted.type()].fields)) {
    if (!is_on_device) {
      field.flags = static_cast<uint8_t>(BufferFlag::MapRead);
    }
    wanted_fields_.push_back({node.index(), expected_by_, actual, field});
  }
}

void Checker::subsume_declared(Node node, Term actual, Term expected) {
  const Term declared = inference_.resolve(inference_.record_of(actual));
  if (!is_record(declared)) {
    return;
  }
  const bool is_on_device = inference_.kind(expected) != TypeKind::Record;
  const Term wanted = inference_.resolve(inference_.record_of(expected));
  for (const RecordField& field : types_.fields(types_[wanted.type()].fields)) {
    if (!inference_.field(declared, field.name)) {
      missing_field(node, field.name, text(actual), expected_by_);
      return;
    }
    const RecordField& given = *declared_field(declared, field.name);
    const bool is_told = types_.visibility(given.type) == types::Visibility::Secret &&
                         types_.visibility(field.type) == types::Visibility::Public;
    if (!is_on_device && is_told) {
      names::Draft draft = report_.add(
          DiagnosticCode::T2019, node.range(),
          fmt::format("field `{}` is secret, expected a public field", interner_.text(field.name)));
      if (const names::Local* local = resolved_.names.local(node.index());
          local != nullptr && local->node != names::Local::kNone) {
        draft.label(this->node(local->node).range(),
                    fmt::format("secret here: field `{}` of the type of `{}`",
                                interner_.text(field.name), interner_.text(local->name)));
      }
      draft.note(
          "a secret becomes public only through `reveal(…)` or by reading an awaited result");
      return;
    }
    const uint8_t flags = given.flags;
    const auto lacking = static_cast<uint8_t>(field.flags & ~flags);
    if (is_on_device && flags != 0 && lacking != 0) {
      report_
          .add(DiagnosticCode::T2031, node.range(),
               fmt::format("field `{}` lacks {}, which is required here",
                           interner_.text(field.name), flags_text(lacking)))
          .note(fmt::format("it was declared with {}", flags_text(flags)));
      return;
    }
  }
}

/// A field of a declared record; null if there is no such record or field.
auto Checker::declared_field(Term record, Name name) -> const RecordField* {
  record = inference_.resolve(record);
  if (!is_record(record)) {
    return nullptr;
  }
  for (const RecordField& field : types_.fields(types_[record.type()].fields)) {
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

auto Checker::flags_of_declared(Term record, Name name) -> std::optional<uint8_t> {
  const RecordField* field = declared_field(record, name);
  return field == nullptr ? std::nullopt : std::optional(field->flags);
}

/// `encode e.copy[name <- …]` or `encode e.call[name <- …]`, `encoder` being `e`.
void Checker::add_encoded(Node name, Term encoder, Name field, Term type, bool is_call) {
  const Term record = inference_.resolve(inference_.record_of(encoder));
  auto flags = static_cast<uint8_t>(BufferFlag::Storage);
  flags |= is_call ? uint8_t{0} : static_cast<uint8_t>(BufferFlag::CopyDst);
  if (inference_.open_record(record)) {
    if (!inference_.field(record, field)) {
      inference_.add_field(record, field, type, flags);
    } else {
      inference_.add_flags(record, field, flags);
    }
    return;
  }
  const std::optional<uint8_t> declared = flags_of_declared(record, field);
  if (!declared) {
    names::Draft draft = report_.add(
        DiagnosticCode::T2014, name.range(),
        fmt::format(
            "{} has no field `{}`, and none can be added to an encoder with a declared type",
            text(encoder), name.text()));
    draft.note("a caller may pass an encoder with only these fields; add the field to its type");
    return;
  }
  const auto lacking = static_cast<uint8_t>(flags & ~*declared);
  if (*declared != 0 && lacking != 0) {
    report_
        .add(DiagnosticCode::T2031, name.range(),
             fmt::format("field `{}` lacks {}, which {} needs", name.text(), flags_text(lacking),
                         is_call ? "the result of a call" : "a copy"))
        .note(fmt::format("it was declared with {}", flags_text(*declared)));
  }
}

/// What the coordinator can read once a declared future was awaited: decrypted, and no flags any
/// more. Fields
/// without any flag leave them open.
auto Checker::readable(TypeId record) -> TypeId {
  std::vector<RecordField> fields;
  for (const RecordField& field : types_.fields(types_[record].fields)) {
    if (field.flags == 0 || has(field.flags, BufferFlag::MapRead)) {
      fields.push_back({field.name, inference_.without_visibility(field.type), 0});
    }
  }
  return types_.record(fields);
}

/// Reports the field `name`, if what is read is an awaited future that has it, but not for reading.
auto Checker::is_unreadable(Node record, Node name) -> bool {
  while (record.is(NodeKind::ParenthesizedExpression)) {
    record = record.child(Field::Value);
  }
  Node future = record.is(NodeKind::AwaitExpression) ? record.child(Field::Operand) : Node();
  const Term declared =
      future ? inference_.resolve(inference_.record_of(terms_[future.index()])) : Term();
  const std::optional<uint8_t> flags = flags_of_declared(declared, interner_.intern(name.text()));
  if (!flags) {
    return false;
  }
  report_
      .add(DiagnosticCode::T2031, name.range(),
           fmt::format("field `{}` lacks `map_read`, which is required to read it", name.text()))
      .note(fmt::format("it was declared with {}", flags_text(*flags)));
  return true;
}

/// Reports encoders and futures in the head of a function that do not say what they hold.
void Checker::records_of_head(Node root) {
  auto look = [&](Node port, TypeId type) {
    if (type != types::TypeStore::kEncoder && type != types::TypeStore::kFuture) {
      return;
    }
    Node written = port.child(Field::Type);
    report_
        .add(DiagnosticCode::T2032, (written ? written : port).range(),
             fmt::format("`{}` needs a record type", text(type)))
        .note(fmt::format("in a function, write `{}'R`, where `R` is a record of the encoded "
                          "values; the record is omitted only in timeline specifications",
                          text(type)));
  };
  size_t ordinal = 0;
  for (Node child : root.child(Field::Parameters).children()) {
    if (child.is(NodeKind::Parameter) && ordinal < signature_.parameters.size()) {
      look(child, signature_.parameters[ordinal++].type);
    }
  }
  ordinal = 0;
  for (Node child : root.child(Field::Results).children()) {
    if (child.is(NodeKind::Result) && ordinal < signature_.results.size()) {
      look(child, signature_.results[ordinal++].type);
    }
  }
}

/// Need a field not be there yet? Whoever is handed an encoder may encode more, and says of what it
/// does not look at that it is dead.
auto Checker::may_be_absent(const WantedField& wanted) -> bool {
  const TypeKind kind = inference_.kind(wanted.actual);
  const bool is_on_device = kind == TypeKind::Encoder || kind == TypeKind::Future;
  if (!is_on_device || !wanted.by || wanted.by->list != Field::Parameters ||
      table_[wanted.by->item].kind != names::ItemKind::Fn) {
    return false;
  }
  const auto& absent = context_.get<AbsentFieldsOf>(wanted.by->item);
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
void Checker::wanted_fields() {
  std::vector<uint32_t> told;
  for (const WantedField& wanted : wanted_fields_) {
    const Term record = inference_.record_of(wanted.actual);
    const std::optional<Term> found = inference_.field(record, wanted.field.name);
    const bool is_told = !told.empty() && told.back() == wanted.node;
    if (!found && may_be_absent(wanted)) {
      inference_.add_field(record, wanted.field.name, inference_.term(wanted.field.type),
                           wanted.field.flags);
      continue;
    }
    if (!found) {
      if (!is_told) {
        missing_field(node(wanted.node), wanted.field.name, text(wanted.actual), wanted.by);
      }
      told.push_back(wanted.node);
      continue;
    }
    const Term type = inference_.term(wanted.field.type);
    if (!inference_.unify(*found, type) && !is_told) {
      mismatch(node(wanted.node), *found, type,
               fmt::format("field `{}`", interner_.text(wanted.field.name)));
      told.push_back(wanted.node);
    }
    inference_.add_flags(record, wanted.field.name, wanted.field.flags);
  }
}

}  // namespace tacet::check
