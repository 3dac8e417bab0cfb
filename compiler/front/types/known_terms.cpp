#include <algorithm>

#include "compiler/front/types/inference.h"

// What is known of terms so far, and in the end.

namespace tacet::types {

// ---- what is known ----

auto Inference::kind(Term term) -> TypeKind {
  term = resolve(term);
  if (!term.is_variable()) {
    return types_[term.type()].kind;
  }
  switch (variables_[term.index()].kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::Fraction:
    case Kind::Array:
      return TypeKind::Value;
    case Kind::Reference:
      return TypeKind::Reference;
    case Kind::Record:
      return TypeKind::Record;
    case Kind::Encoder:
      return TypeKind::Encoder;
    case Kind::Future:
      return TypeKind::Future;
    case Kind::Tuple:
      return TypeKind::Tuple;
    case Kind::Bound:
    case Kind::Open:
      return TypeKind::Error;
  }
  return TypeKind::Error;
}

auto Inference::shape(Term term) -> std::optional<ShapeId> {
  term = resolve(term);
  if (!term.is_variable()) {
    const Type& type = types_[term.type()];
    return type.kind == TypeKind::Value ? std::optional(type.shape) : std::nullopt;
  }
  const Variable& variable = variables_[term.index()];
  switch (variable.kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::Fraction:
      return kScalar;
    case Kind::Array:
      return ShapeId{variable.payload};
    case Kind::Bound:
    case Kind::Open:
    case Kind::Reference:
    case Kind::Record:
    case Kind::Encoder:
    case Kind::Future:
    case Kind::Tuple:
      return std::nullopt;
  }
  return std::nullopt;
}

auto Inference::outer_shape(Term term) -> std::optional<ShapeId> {
  term = resolve(term);
  if (!term.is_variable() && types_[term.type()].kind == TypeKind::Array) {
    return types_[term.type()].shape;
  }
  return shape(term);
}

auto Inference::innermost(Term term) -> Term {
  term = resolve(term);
  if (!term.is_variable() && types_[term.type()].kind == TypeKind::Array) {
    return Term(types_[term.type()].element);
  }
  return scalar(term);
}

auto Inference::scalar(Term term) -> Term {
  term = resolve(term);
  if (term.is_variable()) {
    const Variable& variable = variables_[term.index()];
    return variable.kind == Kind::Array ? resolve(variable.term) : term;
  }
  const Type& type = types_[term.type()];
  if (type.kind != TypeKind::Value || type.shape == kScalar) {
    return term;
  }
  return Term(types_.value(Visibility::Public, type.dtype, kScalar, type.fraction_bits));
}

auto Inference::referent(Term term) -> std::optional<Term> {
  term = resolve(term);
  if (!term.is_variable()) {
    const Type& type = types_[term.type()];
    return type.kind == TypeKind::Reference
               ? std::optional(Term(without_visibility(types_, type.element)))
               : std::nullopt;
  }
  const Variable& variable = variables_[term.index()];
  return variable.kind == Kind::Reference ? std::optional(resolve(variable.term)) : std::nullopt;
}

auto Inference::dtype(Term term) -> std::optional<DType> {
  term = resolve(term);
  if (term.is_variable()) {
    return std::nullopt;
  }
  const Type& type = types_[term.type()];
  return type.kind == TypeKind::Value ? std::optional(type.dtype) : std::nullopt;
}

auto Inference::members(Term term) -> std::vector<Term> {
  term = resolve(term);
  if (term.is_variable()) {
    const Variable& variable = variables_[term.index()];
    return variable.kind == Kind::Tuple ? tuples_[variable.payload] : std::vector<Term>();
  }
  const Type& type = types_[term.type()];
  std::vector<Term> result;
  if (type.kind == TypeKind::Tuple) {
    for (TypeId member : types_.members(type.members)) {
      result.push_back(this->term(member));
    }
  }
  return result;
}

// ---- records ----

auto Inference::open_record(Term term) -> std::optional<uint32_t> {
  term = resolve(term);
  if (!term.is_variable()) {
    return std::nullopt;
  }
  const Variable& variable = variables_[term.index()];
  const bool has_record = variable.kind == Kind::Record || variable.kind == Kind::Encoder ||
                          variable.kind == Kind::Future;
  return has_record ? std::optional(records_.root(variable.payload)) : std::nullopt;
}

auto Inference::record_of(Term term) -> Term {
  term = resolve(term);
  if (std::optional<uint32_t> open = open_record(term)) {
    return record(*open);
  }
  if (!term.is_variable()) {
    const Type& type = types_[term.type()];
    if (type.kind == TypeKind::Record) {
      return term;
    }
    if (type.element.has_value() &&
        (type.kind == TypeKind::Encoder || type.kind == TypeKind::Future)) {
      return Term(type.element);
    }
  }
  return {};
}

auto Inference::field(Term record, Name name) -> std::optional<Term> {
  if (std::optional<uint32_t> open = open_record(record)) {
    const OpenRecords::Field* field = records_.field(*open, name);
    return field == nullptr ? std::nullopt : std::optional(field->type);
  }
  record = resolve(record);
  const Type& type = types_[record.is_variable() ? TypeStore::kError : record.type()];
  if (type.kind == TypeKind::Record) {
    for (const RecordField& field : types_.fields(type.fields)) {
      if (field.name == name) {
        return term(field.type);
      }
    }
  }
  return std::nullopt;
}

auto Inference::add_field(Term record, Name name, Term type, uint8_t flags) -> bool {
  std::optional<uint32_t> open = open_record(record);
  if (!open) {
    return false;
  }
  records_.add_field(*open, {name, type, flags});
  return true;
}

void Inference::add_flags(Term record, Name name, uint8_t flags) {
  if (std::optional<uint32_t> open = open_record(record)) {
    if (OpenRecords::Field* field = records_.field(*open, name)) {
      field->flags |= flags;
    }
  }
}

auto Inference::field_names(Term record) -> std::vector<Name> {
  std::vector<Name> names;
  if (std::optional<uint32_t> open = open_record(record)) {
    for (const OpenRecords::Field& field : records_.fields(*open)) {
      names.push_back(field.name);
    }
    return names;
  }
  record = resolve(record);
  const Type& type = types_[record.is_variable() ? TypeStore::kError : record.type()];
  if (type.kind == TypeKind::Record) {
    for (const RecordField& field : types_.fields(type.fields)) {
      names.push_back(field.name);
    }
  }
  return names;
}

// ---- finishing ----

auto Inference::finish_record(uint32_t record, bool is_on_device) -> TypeId {
  const uint32_t whole = records_.root(record);
  // An encoder that was encoded into itself, which is a mistake, has no end.
  if (std::find(finishing_.begin(), finishing_.end(), whole) != finishing_.end()) {
    return TypeStore::kError;
  }
  finishing_.push_back(whole);
  std::vector<RecordField> fields;
  for (const OpenRecords::Field& field : records_.fields(whole)) {
    if (is_on_device) {
      fields.push_back({field.name, finish(field.type), field.flags});
    } else if ((field.flags & static_cast<uint8_t>(BufferFlag::MapRead)) != 0) {
      fields.push_back({field.name, finish(field.type), 0});
    }
  }
  finishing_.pop_back();
  return types_.record(fields);
}

auto Inference::finish(Term term) -> TypeId {
  term = resolve(term);
  if (!term.is_variable()) {
    return term.type();
  }
  const Variable known = variables_[term.index()];
  switch (known.kind) {
    case Kind::Number:
    case Kind::Integer:
      return TypeStore::kI64;
    case Kind::Fraction:
      return scalar_type(fraction_);
    case Kind::Array: {
      const TypeId scalar = finish(known.term);
      const Type& type = types_[scalar];
      if (type.kind == TypeKind::Error) {
        return scalar;
      }
      if (type.kind != TypeKind::Value) {
        return types_.array(scalar, types_.extents(ShapeId{known.payload}));
      }
      return types_.value(Visibility::Public, type.dtype, ShapeId{known.payload},
                          type.fraction_bits);
    }
    case Kind::Reference: {
      const TypeId referent = finish(known.term);
      return referent == TypeStore::kError ? referent : types_.reference(referent);
    }
    case Kind::Record:
      return finish_record(known.payload, false);
    case Kind::Encoder:
      return types_.encoder(finish_record(known.payload, true));
    case Kind::Future:
      return types_.future(finish_record(known.payload, true));
    case Kind::Tuple: {
      std::vector<TypeId> members;
      for (size_t i = 0; i < tuples_[known.payload].size(); ++i) {
        members.push_back(finish(tuples_[known.payload][i]));
      }
      return types_.tuple(members);
    }
    case Kind::Bound:
    case Kind::Open:
      return TypeStore::kError;
  }
  return TypeStore::kError;
}

}  // namespace tacet::types
