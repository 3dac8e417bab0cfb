#include "compiler/run/interpret/type_layout.h"

#include <algorithm>

namespace tacet::interpret {

using types::Type;
using types::TypeId;
using types::TypeKind;
using types::TypeStore;

/// Frames are far smaller; sums and products of sizes below it do not overflow.
static constexpr uint64_t kMaxCells = uint64_t{1} << 31;

#define TACET_DTYPE(Name, text, bits) \
  static_assert(static_cast<int>(types::DType::Name) == static_cast<int>(ElementKind::Name));
#include "compiler/front/types/dtypes.def"

auto element_type(const TypeStore& types, TypeId type) -> ElementType {
  const Type& data = types[type];
  if (data.kind == TypeKind::Reference) {
    return element_type(types, data.element);
  }
  if (data.kind != TypeKind::Value) {
    return kI64;
  }
  uint8_t fraction_bits = data.fraction_bits;
  if (data.dtype == types::DType::Fxp && fraction_bits == 0) {
    fraction_bits = kDefaultFractionBits;
  }
  return {static_cast<ElementKind>(data.dtype), fraction_bits};
}

auto extents(const TypeStore& types, TypeId type) -> std::vector<uint64_t> {
  const Type& data = types[type];
  std::vector<uint64_t> result;
  if (data.kind == TypeKind::Value || data.kind == TypeKind::Array) {
    for (int64_t extent : types.extents(data.shape)) {
      result.push_back(extent < 0 ? 0 : static_cast<uint64_t>(extent));
    }
  }
  return result;
}

static auto product(const std::vector<uint64_t>& shape, uint64_t n) -> std::optional<uint64_t> {
  for (uint64_t extent : shape) {
    if (n != 0 && extent > kMaxCells / n) {
      return std::nullopt;
    }
    n *= extent;
  }
  return n;
}

template <class List, class GetType>
static auto sum(const TypeStore& types, const List& list, GetType get_type)
    -> std::optional<uint64_t> {
  uint64_t n = 0;
  for (const auto& part : list) {
    std::optional<uint64_t> cells = n_cells(types, get_type(part));
    if (!cells || n + *cells > kMaxCells) {
      return std::nullopt;
    }
    n += *cells;
  }
  return n;
}

auto n_cells(const TypeStore& types, TypeId type) -> std::optional<uint64_t> {
  const Type& data = types[type];
  switch (data.kind) {
    case TypeKind::Value:
      return product(extents(types, type), 1);
    case TypeKind::Array: {
      std::optional<uint64_t> element = n_cells(types, data.element);
      return element ? product(extents(types, type), *element) : std::nullopt;
    }
    case TypeKind::Reference:
      return 1;
    case TypeKind::Record:
      return sum(types, types.fields(data.fields),
                 [](const types::RecordField& field) { return field.type; });
    case TypeKind::Tuple:
      return sum(types, types.members(data.members), [](TypeId member) { return member; });
    case TypeKind::Encoder:
    case TypeKind::Future:
      return data.element.has_value() ? n_cells(types, data.element) : 0;
    case TypeKind::Event:
    case TypeKind::BufferSpace:
      return 0;
    case TypeKind::Error:
    case TypeKind::Slice:
    case TypeKind::RngState:
      return std::nullopt;
  }
  return std::nullopt;
}

auto holds_reference(const TypeStore& types, TypeId type) -> bool {
  const Type& data = types[type];
  if (data.kind == TypeKind::Reference) {
    return true;
  }
  std::vector<TypeId> inner =
      data.kind == TypeKind::Tuple ? types.members(data.members) : std::vector<TypeId>{};
  for (const types::RecordField& field : record_fields(types, type)) {
    inner.push_back(field.type);
  }
  return std::any_of(inner.begin(), inner.end(),
                     [&](TypeId part) { return holds_reference(types, part); });
}

auto parts(const TypeStore& types, TypeId type) -> std::vector<TypeId> {
  const Type& data = types[type];
  return data.kind == TypeKind::Tuple ? types.members(data.members) : std::vector<TypeId>{type};
}

auto is_remote(const TypeStore& types, TypeId type) -> bool {
  const TypeKind kind = types[type].kind;
  return kind == TypeKind::Encoder || kind == TypeKind::Future;
}

auto record_fields(const TypeStore& types, TypeId type) -> std::vector<types::RecordField> {
  const Type& data = types[type];
  if (data.kind == TypeKind::Record) {
    return types.fields(data.fields);
  }
  return is_remote(types, type) && data.element.has_value() ? record_fields(types, data.element)
                                                            : std::vector<types::RecordField>();
}

}  // namespace tacet::interpret
