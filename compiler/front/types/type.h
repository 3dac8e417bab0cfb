#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/intern_table.h"
#include "base/interner.h"
#include "compiler/front/types/dtype.h"
#include "compiler/front/types/size_form.h"

namespace tacet::types {

enum class TypeKind : uint8_t {
  Error,  ///< untypable; matches everything, so that one error is reported once
  Value,  ///< `(visibility, dtype, shape)`: numbers, booleans and arrays of them
  Slice,  ///< `[T]`
  Reference,
  Record,
  Tuple,  ///< several results; the empty one is the type of what has no value
  Encoder,
  Future,
  Event,
  BufferSpace,
  RngState,
  Array,  ///< of elements that are no values, such as records
};

struct TypeTag;
/// A type of one `TypeStore`: equal types have equal ids.
using TypeId = Id<TypeTag>;
struct ShapeTag;
/// The extents of an array, outermost first. `kScalar` has none.
using ShapeId = Id<ShapeTag>;
struct FieldListTag;
using FieldListId = Id<FieldListTag>;
struct TypeListTag;
using TypeListId = Id<TypeListTag>;

inline constexpr ShapeId kScalar{0};
struct Type {
  TypeKind kind = TypeKind::Error;
  Visibility visibility = Visibility::Public;  ///< of values
  DType dtype = DType::Bool;                   ///< of values
  uint8_t fraction_bits = 0;                   ///< of `fxp<20>`; 0 is what the profile says
  ShapeId shape = kScalar;                     ///< of values and arrays
  TypeId element = {};  ///< of references, slices and arrays; the record of encoders and futures
  FieldListId fields = {};  ///< of records
  TypeListId members = {};  ///< of tuples

  friend auto operator==(const Type&, const Type&) -> bool = default;
};

/// The flags of a buffer, a set of these.
enum class BufferFlag : uint8_t {
  Storage = 1,
  MapRead = 2,
  MapWrite = 4,
  CopySrc = 8,
  CopyDst = 16,
  Uniform = 32,
};

/// One field of a record type, in the order of its declaration.
struct RecordField {
  Name name;
  TypeId type;
  uint8_t flags = 0;

  friend auto operator==(const RecordField&, const RecordField&) -> bool = default;
};

struct TypeHash {
  auto operator()(const Type& type) const -> size_t;
  auto operator()(const std::vector<int64_t>& extents) const -> size_t;
  auto operator()(const std::vector<RecordField>& fields) const -> size_t;
  auto operator()(const std::vector<TypeId>& members) const -> size_t;
  auto operator()(const SizeForm& form) const -> size_t;
};

inline constexpr uint32_t kFirstScalarType = 7;

/// A number or boolean of its own. Constant ids, no look-up.
constexpr auto scalar_type(DType dtype, Visibility visibility = Visibility::Public) -> TypeId {
  return {kFirstScalarType + 2 * static_cast<uint32_t>(dtype) + static_cast<uint32_t>(visibility)};
}

/// All types that were ever made, each once. A service of the database: safe to use from many
/// threads, and ids are comparable as long as it lives.
class TypeStore {
 public:
  TypeStore();

  static constexpr TypeId kError{0};
  /// What has no value: the empty tuple.
  static constexpr TypeId kUnit{1};
  static constexpr TypeId kEvent{2};
  static constexpr TypeId kBufferSpace{3};
  static constexpr TypeId kRngState{4};
  /// `Encoder` and `Future` without a record, as specifications have them.
  static constexpr TypeId kEncoder{5};
  static constexpr TypeId kFuture{6};
  static constexpr TypeId kBool = scalar_type(DType::Bool);
  static constexpr TypeId kI32 = scalar_type(DType::I32);
  static constexpr TypeId kI64 = scalar_type(DType::I64);
  static constexpr TypeId kF64 = scalar_type(DType::F64);

  auto make(const Type& type) -> TypeId;
  /// A value type. Scalars of the standard fraction take no look-up.
  auto value(Visibility visibility, DType dtype, ShapeId shape, uint8_t fraction_bits = 0)
      -> TypeId;
  auto reference(TypeId referent) -> TypeId;
  auto slice(TypeId element) -> TypeId;
  /// `extents` of `element`, flat: `[[T; m]; n]` is `[T; n, m]`.
  auto array(TypeId element, std::span<const int64_t> extents) -> TypeId;
  auto record(const std::vector<RecordField>& fields) -> TypeId;
  auto tuple(const std::vector<TypeId>& members) -> TypeId;
  auto encoder(TypeId record) -> TypeId;
  auto future(TypeId record) -> TypeId;
  auto shape(const std::vector<int64_t>& extents) -> ShapeId;
  /// The extent that is `form`: the number itself for constants.
  auto extent(const SizeForm& form) -> int64_t;
  /// The form of an extent that is known.
  [[nodiscard]] auto form(int64_t extent) const -> SizeForm;

  [[nodiscard]] auto operator[](TypeId id) const -> const Type& { return types_[id]; }
  [[nodiscard]] auto extents(ShapeId shape) const -> const std::vector<int64_t>& {
    return shapes_[shape];
  }
  [[nodiscard]] auto fields(FieldListId id) const -> const std::vector<RecordField>& {
    return field_lists_[id];
  }
  [[nodiscard]] auto members(TypeListId id) const -> const std::vector<TypeId>& {
    return type_lists_[id];
  }

  /// `type` with the visibility `visibility`, of what it refers to for references. Types that
  /// are no values stay as they are.
  auto with_visibility(TypeId type, Visibility visibility) -> TypeId;
  [[nodiscard]] auto visibility(TypeId type) const -> Visibility;

 private:
  InternTable<TypeId, Type, TypeHash> types_;
  InternTable<ShapeId, std::vector<int64_t>, TypeHash> shapes_;
  InternTable<FieldListId, std::vector<RecordField>, TypeHash> field_lists_;
  InternTable<TypeListId, std::vector<TypeId>, TypeHash> type_lists_;
  InternTable<SizeFormId, SizeForm, TypeHash> size_forms_;
};

/// The type as it is written: `secret [i32; 4, 2]`, `Future'{x: i32'<storage>}`. The error type
/// is `_`.
auto type_text(const TypeStore& types, const Interner& names, TypeId type) -> std::string;

/// `8`, `n`, `2 * n + 1`; `_` if it is not known.
auto extent_text(const TypeStore& types, const Interner& names, int64_t extent) -> std::string;

}  // namespace tacet::types
