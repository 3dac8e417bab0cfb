#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/body.h"
#include "compiler/front/hir/function_writer.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/signature.h"

namespace tacet::hir {

using Node = syntax::Node;
using NodeKind = syntax::NodeKind;
using Field = syntax::Field;
using TypeId = types::TypeId;

struct FieldPlace {
  Name name;
  PlaceId place;
};

/// What an expression stands for, or what a variable is.
struct Denotation {
  enum class Kind : uint8_t {
    Nothing,  ///< no value
    Value,
    Place,   ///< a `var`
    Alias,   ///< a reference to a place
    Fields,  ///< an encoder, future or record
    Tuple,
  };
  Kind kind = Kind::Nothing;
  ValueId value = {};
  /// Of `Place` and `Alias`; of `Fields` where the handle is, none for records.
  PlaceId place = {};
  std::vector<FieldPlace> fields = {};
  std::vector<Denotation> members = {};
};

// Calls: build_call.cpp.
/// What a call borrows: places with the operands that refer to them, and targets that are not
/// known.
struct Lent {
  std::vector<std::pair<PlaceId, size_t>> places;
  std::vector<TypeId> unknown;
};

/// From the tree of a coordinator function to its graph. Private to this folder.
///
/// Nested expressions become instructions in the order of evaluation. What a block or `if` yields
/// goes through a place, so that only places need phis later.
struct Builder {
  Builder(query::Context& context_, names::ItemId item_, const syntax::Tree& tree_,
          const check::Body& body_, const types::Signature& signature_, Function& function);

  query::Context& context;
  names::ItemId item;
  const syntax::Tree& tree;
  const check::Body& body;
  const types::Signature& signature;
  types::TypeStore& types;
  Interner& interner;
  FunctionWriter writer;
  /// By local.
  std::vector<Denotation> locals;
};

auto type(const Builder& builder, Node node) -> TypeId;
auto kind_of(const Builder& builder, TypeId type) -> types::TypeKind;

// build_statement.cpp
void build(Builder& builder);
void statements(Builder& builder, Node block, Node tail);
void let_or_var(Builder& builder, Node node);
void if_statement(Builder& builder, Node node);
auto conditional(Builder& builder, Node node) -> Denotation;
auto has_fields(const Builder& builder, TypeId type) -> bool;
void tag(Builder& builder, TagSubject subject, uint32_t index, Node tags);
void tag_meaning(Builder& builder, const Denotation& meaning, Node tags, uint32_t node);
void note_name(Builder& builder, const Denotation& meaning, uint32_t node);
auto make(Opcode opcode, Node node) -> Instruction;

// build_encode.cpp
void encode(Builder& builder, Node node);
auto encode_begin(Builder& builder, Node node) -> Denotation;
auto submit(Builder& builder, Node node) -> Denotation;
auto await(Builder& builder, Node node) -> Denotation;
auto new_fields(Builder& builder, TypeId type, Name owner, uint32_t node) -> Denotation;
void copy_fields(Builder& builder, const Denotation& from, const Denotation& to, uint32_t node);
auto find_field(const Denotation& meaning, Name name) -> PlaceId;
auto handle(Builder& builder, const Denotation& meaning, uint32_t node) -> ValueId;

// build_expression.cpp
auto expression(Builder& builder, Node node) -> Denotation;
/// The one value that an expression has; of references the reference itself.
auto value(Builder& builder, Node node) -> ValueId;
auto value_of(Builder& builder, const Denotation& meaning, Node node) -> ValueId;
auto name(Builder& builder, Node node) -> Denotation;
auto pattern(Builder& builder, Node node) -> Denotation;
auto opaque(Builder& builder, Node node) -> Denotation;
auto opaque(Builder& builder, Node node, TypeId type) -> ValueId;
auto mentioned(Builder& builder, Node node) -> std::vector<ValueId>;
void overwrite_unknown(Builder& builder, TypeId referent, Node node);
auto of_value(ValueId value) -> Denotation;

// build_call.cpp
auto call(Builder& builder, Node node) -> Denotation;
/// Appends what `meaning` is passed as to where `type` is expected.
void pass(Builder& builder, const Denotation& meaning, TypeId type, Node node,
          std::vector<ValueId>& passed);
void pass_dims(Builder& builder, Node call, std::vector<ValueId>& passed);
auto receive(Builder& builder, TypeId type, std::span<const ValueId> values, size_t& next,
             uint32_t node, Name name = {}) -> Denotation;
auto callee(const Builder& builder, Node call) -> names::ItemId;
auto signature_of(Builder& builder, names::ItemId item) -> std::shared_ptr<const types::Signature>;
auto result_types(const types::Signature& signature) -> std::vector<TypeId>;

inline auto type(const Builder& builder, Node node) -> TypeId {
  return builder.body.type(node);
}

inline auto kind_of(const Builder& builder, TypeId type) -> types::TypeKind {
  return builder.types[type].kind;
}

}  // namespace tacet::hir
