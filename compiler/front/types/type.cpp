#include "compiler/front/types/type.h"

namespace tacet::types {

auto TypeHash::operator()(const Type& type) const -> size_t {
  uint64_t hash = hash_combine(static_cast<uint64_t>(type.kind),
                               static_cast<uint64_t>(type.visibility) |
                                   (static_cast<uint64_t>(type.dtype) << 8) |
                                   (static_cast<uint64_t>(type.fraction_bits) << 16));
  hash = hash_combine(hash, type.shape.index);
  hash = hash_combine(hash, type.element.index);
  hash = hash_combine(hash, type.fields.index);
  return static_cast<size_t>(hash_combine(hash, type.members.index));
}

auto TypeHash::operator()(const std::vector<int64_t>& extents) const -> size_t {
  uint64_t hash = extents.size();
  for (int64_t extent : extents) {
    hash = hash_combine(hash, static_cast<uint64_t>(extent));
  }
  return static_cast<size_t>(hash);
}

auto TypeHash::operator()(const std::vector<RecordField>& fields) const -> size_t {
  uint64_t hash = fields.size();
  for (const RecordField& field : fields) {
    hash = hash_combine(hash, field.name.index);
    hash = hash_combine(hash, field.type.index);
    hash = hash_combine(hash, field.flags);
  }
  return static_cast<size_t>(hash);
}

auto TypeHash::operator()(const std::vector<TypeId>& members) const -> size_t {
  uint64_t hash = members.size();
  for (TypeId member : members) {
    hash = hash_combine(hash, member.index);
  }
  return static_cast<size_t>(hash);
}

auto TypeHash::operator()(const SizeForm& form) const -> size_t {
  uint64_t hash = hash_combine(form.terms.size(), static_cast<uint64_t>(form.constant));
  for (const SizeTerm& term : form.terms) {
    hash = hash_combine(hash, static_cast<uint64_t>(term.atom.kind));
    hash = hash_combine(hash, term.atom.name.index);
    hash = hash_combine(hash, static_cast<uint64_t>(term.atom.operand));
    hash = hash_combine(hash, static_cast<uint64_t>(term.atom.second));
    hash = hash_combine(hash, static_cast<uint64_t>(term.coefficient));
  }
  return static_cast<size_t>(hash);
}

TypeStore::TypeStore() {
  shapes_.intern({});
  const TypeListId no_members = type_lists_.intern({});
  auto add = [&](const Type& type, TypeId expected) {
    TACET_CHECK(types_.intern(type) == expected, "the first types have fixed ids");
  };
  add({.kind = TypeKind::Error}, kError);
  add({.kind = TypeKind::Tuple, .members = no_members}, kUnit);
  add({.kind = TypeKind::Event}, kEvent);
  add({.kind = TypeKind::BufferSpace}, kBufferSpace);
  add({.kind = TypeKind::RngState}, kRngState);
  add({.kind = TypeKind::Encoder}, kEncoder);
  add({.kind = TypeKind::Future}, kFuture);
  for (uint32_t dtype = 0; dtype < kDTypes; ++dtype) {
    for (Visibility visibility : {Visibility::Public, Visibility::Secret}) {
      const auto number = static_cast<DType>(dtype);
      add({.kind = TypeKind::Value, .visibility = visibility, .dtype = number},
          scalar_type(number, visibility));
    }
  }
}

auto TypeStore::make(const Type& type) -> TypeId {
  return types_.intern(type);
}

auto TypeStore::value(Visibility visibility, DType dtype, ShapeId shape, uint8_t fraction_bits)
    -> TypeId {
  if (shape == kScalar && fraction_bits == 0) {
    return scalar_type(dtype, visibility);
  }
  return make({.kind = TypeKind::Value,
               .visibility = visibility,
               .dtype = dtype,
               .fraction_bits = fraction_bits,
               .shape = shape});
}

auto TypeStore::reference(TypeId referent) -> TypeId {
  return make({.kind = TypeKind::Reference, .element = referent});
}

auto TypeStore::slice(TypeId element) -> TypeId {
  return make({.kind = TypeKind::Slice, .element = element});
}

auto TypeStore::array(TypeId element, std::span<const int64_t> extents) -> TypeId {
  if (element == kError) {
    return kError;
  }
  const Type inner = types_[element];
  std::vector<int64_t> all(extents.begin(), extents.end());
  if (inner.kind == TypeKind::Value || inner.kind == TypeKind::Array) {
    const std::vector<int64_t>& rest = shapes_[inner.shape];
    all.insert(all.end(), rest.begin(), rest.end());
  }
  if (inner.kind != TypeKind::Value) {
    return make({.kind = TypeKind::Array,
                 .shape = shape(all),
                 .element = inner.kind == TypeKind::Array ? inner.element : element});
  }
  return value(inner.visibility, inner.dtype, shape(all), inner.fraction_bits);
}

auto TypeStore::record(const std::vector<RecordField>& fields) -> TypeId {
  return make({.kind = TypeKind::Record, .fields = field_lists_.intern(fields)});
}

auto TypeStore::tuple(const std::vector<TypeId>& members) -> TypeId {
  return make({.kind = TypeKind::Tuple, .members = type_lists_.intern(members)});
}

auto TypeStore::encoder(TypeId record) -> TypeId {
  return make({.kind = TypeKind::Encoder, .element = record});
}

auto TypeStore::future(TypeId record) -> TypeId {
  return make({.kind = TypeKind::Future, .element = record});
}

auto TypeStore::shape(const std::vector<int64_t>& extents) -> ShapeId {
  return extents.empty() ? kScalar : shapes_.intern(extents);
}

auto TypeStore::extent(const SizeForm& form) -> int64_t {
  return form.terms.empty() ? form.constant : kUnknownExtent - 1 - size_forms_.intern(form).index;
}

auto TypeStore::form(int64_t extent) const -> SizeForm {
  TACET_CHECK(extent != kUnknownExtent, "the form of an extent that is not known");
  return is_symbolic(extent)
             ? size_forms_[SizeFormId{static_cast<uint32_t>(kUnknownExtent - 1 - extent)}]
             : SizeForm{extent};
}

auto TypeStore::with_visibility(TypeId type, Visibility visibility) -> TypeId {
  Type changed = types_[type];
  switch (changed.kind) {
    case TypeKind::Value:
      if (changed.visibility == visibility) {
        return type;
      }
      changed.visibility = visibility;
      return make(changed);
    case TypeKind::Reference:
    case TypeKind::Slice:
      changed.element = with_visibility(changed.element, visibility);
      return make(changed);
    case TypeKind::Error:
    case TypeKind::Record:
    case TypeKind::Tuple:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
    case TypeKind::Array:
      return type;
  }
  return type;
}

auto TypeStore::visibility(TypeId type) const -> Visibility {
  const Type& known = types_[type];
  switch (known.kind) {
    case TypeKind::Value:
      return known.visibility;
    case TypeKind::Reference:
    case TypeKind::Slice:
      return visibility(known.element);
    case TypeKind::Error:
    case TypeKind::Record:
    case TypeKind::Tuple:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
    case TypeKind::Array:
      return Visibility::Public;
  }
  return Visibility::Public;
}

}  // namespace tacet::types
