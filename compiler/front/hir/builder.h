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

/// From the tree of a coordinator function to its graph. Private to this folder.
///
/// Nested expressions become instructions in the order of evaluation. What a block or `if` yields
/// goes through a place, so that only places need phis later.
class Builder {
 public:
  Builder(query::Context& context, names::ItemId item, const syntax::Tree& tree,
          const check::Body& body, const types::Signature& signature, Function& function);

  void build();

 private:
  using Node = syntax::Node;
  using NodeKind = syntax::NodeKind;
  using Field = syntax::Field;
  using TypeId = types::TypeId;

  struct FieldPlace {
    Name name;
    PlaceId place;
  };

  /// What an expression stands for, or what a variable is.
  struct Meaning {
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
    std::vector<Meaning> members = {};
  };

  // Statements: build_statement.cpp.
  void parameters();
  void statements(Node block, Node tail);
  void statement(Node node);
  void hole_statement(Node node);
  void let_or_var(Node node);
  void declare(uint32_t local, Node binding, Meaning meaning, bool is_var);
  void name_places(const Meaning& meaning, Name name);
  void assignment(Node node);
  void element_assignment(Node node);
  void if_statement(Node node);
  void annotation(Node node);
  void annotate(Node node, Node annotation);
  void finish(Node body);

  // Encoders, futures, records: build_encode.cpp.
  void encode(Node node);
  void encode_copy(Node node, const Meaning& encoder);
  void encode_call(Node node, const Meaning& encoder);
  auto encode_begin(Node node) -> Meaning;
  auto submit(Node node) -> Meaning;
  auto await(Node node) -> Meaning;
  auto new_fields(TypeId type, Name owner, uint32_t node) -> Meaning;
  void copy_fields(const Meaning& from, const Meaning& to, uint32_t node);
  auto find_field(const Meaning& meaning, Name name) const -> PlaceId;
  auto handle(const Meaning& meaning, uint32_t node) -> ValueId;

  // Expressions: build_expression.cpp.
  auto expression(Node node) -> Meaning;
  /// The one value that an expression has; of references the reference itself.
  auto value(Node node) -> ValueId;
  auto value_of(const Meaning& meaning, Node node) -> ValueId;
  auto name(Node node) -> Meaning;
  auto name_value(Node node) -> Meaning;
  auto unary(Node node) -> Meaning;
  auto reference(Node node) -> Meaning;
  auto dereference(Node node) -> Meaning;
  auto binary(Node node) -> Meaning;
  auto tuple(Node node) -> Meaning;
  auto array(Node node) -> Meaning;
  auto index(Node node) -> Meaning;
  auto field(Node node) -> Meaning;
  auto tagged(Node node) -> Meaning;
  auto conditional(Node node) -> Meaning;
  auto hole(Node node) -> Meaning;
  auto block_value(Node node) -> Meaning;
  auto let_in(Node node) -> Meaning;
  auto pattern(Node node) -> Meaning;
  auto opaque(Node node) -> Meaning;
  auto opaque(Node node, TypeId type) -> ValueId;
  auto mentioned(Node node) -> std::vector<ValueId>;
  void overwrite_unknown(TypeId referent, Node node);
  auto simple(Opcode opcode, Node node, std::span<const ValueId> operands) -> Meaning;
  auto either(TypeId reference, uint32_t node) -> Meaning;
  [[nodiscard]] auto is_result(Node node) const -> bool;
  auto merged(const Meaning& first, TypeId type, uint32_t node) -> Meaning;
  auto merge(const Meaning& from, const Meaning& to, Node node) -> bool;
  auto of_value(ValueId value) -> Meaning;

  // Calls: build_call.cpp.
  /// What a call borrows: places with the operands that refer to them, and targets that are not
  /// known.
  struct Lent {
    std::vector<std::pair<PlaceId, size_t>> places;
    std::vector<TypeId> unknown;
  };
  auto call(Node node) -> Meaning;
  auto pass_arguments(Node node, const types::Signature& signature, Instruction& instruction,
                      Lent& lent) -> std::vector<ValueId>;
  [[nodiscard]] auto expanded_results(const types::Signature& signature) const
      -> std::vector<TypeId>;
  void take_back(const Instruction& call, PlaceId place, const std::vector<ValueId>& operands,
                 size_t operand, Node node);
  auto received(const types::Signature& signature, InstructionId call, Node node) -> Meaning;
  /// Appends what `meaning` is passed as to where `type` is expected.
  void pass(const Meaning& meaning, TypeId type, Node node, std::vector<ValueId>& passed);
  void pass_dims(Node call, std::vector<ValueId>& passed);
  auto receive(TypeId type, std::span<const ValueId> values, size_t& next, uint32_t node,
               Name name = {}) -> Meaning;
  auto callee(Node call) const -> names::ItemId;
  auto signature_of(names::ItemId item) -> std::shared_ptr<const types::Signature>;
  auto result_types(const types::Signature& signature) -> std::vector<TypeId>;

  // Shared.
  [[nodiscard]] auto type(Node node) const -> TypeId { return body_.type(node); }
  [[nodiscard]] auto kind_of(TypeId type) const -> types::TypeKind { return types_[type].kind; }
  [[nodiscard]] auto has_fields(TypeId type) const -> bool;
  void tag(TagSubject subject, uint32_t index, Node tags);
  void tag_meaning(const Meaning& meaning, Node tags, uint32_t node);
  void note_name(const Meaning& meaning, uint32_t node);
  auto make(Opcode opcode, Node node) const -> Instruction;

  query::Context& context_;
  names::ItemId item_;
  const syntax::Tree& tree_;
  const check::Body& body_;
  const types::Signature& signature_;
  types::TypeStore& types_;
  Interner& interner_;
  FunctionWriter writer_;
  /// By local.
  std::vector<Meaning> locals_;
};

/// The `if` or block that a block yields the value of: its result, or what stands right before
/// its closing brace. Null if neither is there.
auto tail_of(syntax::Node block) -> syntax::Node;

}  // namespace tacet::hir
