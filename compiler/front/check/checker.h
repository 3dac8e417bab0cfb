#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/front/check/check_item.h"
#include "compiler/front/names/resolve_body.h"
#include "compiler/front/types/function_scheme.h"
#include "compiler/front/types/inference.h"
#include "compiler/front/types/item_order.h"
#include "compiler/front/types/lower_type.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/front/types/queries.h"

namespace tacet::check {

/// The state of `check_item`. Private to this folder; its parts stand in `check_*.cpp`.
class Checker {
 public:
  Checker(query::Context& context, names::ItemId item, const syntax::Tree& tree,
          const ConstantTypes* constants);

  auto run(Facts facts) -> CheckedItem;

 private:
  using Node = syntax::Node;
  using NodeKind = syntax::NodeKind;
  using Field = syntax::Field;
  using Term = types::Term;
  using TypeId = types::TypeId;
  using BodyKind = names::BodyKind;

  /// Whether the value of a block or `if` is used.
  enum class Wanted : uint8_t { Nothing, Value };

  /// A parameter or result of an item, whose type is asked for.
  struct Port {
    names::ItemId item;
    Field list;
    NodeKind kind;
    size_t ordinal;
  };

  [[nodiscard]] auto node(uint32_t index) const -> Node { return {&tree_, index}; }
  [[nodiscard]] auto is_spec() const -> bool {
    return kind_ == BodyKind::Val || kind_ == BodyKind::Tmln || kind_ == BodyKind::Sptl;
  }
  /// What `tokens` of the grammar say in a message.
  auto text(Term term) -> std::string;
  auto text(TypeId type) -> std::string;
  auto set(Node node, Term term) -> Term {
    terms_[node.index()] = term;
    return term;
  }
  auto local_of(Node name) const -> uint32_t;

  auto take_body() -> Body;
  [[nodiscard]] auto visibility_of(size_t node) const -> bool {
    return node < secret_nodes_.size() && secret_nodes_[node];
  }

  // Items: check_item.cpp, check_head.cpp.
  void item(Node root);
  void head(Node root);
  void declare_locals();
  /// Reports an item that is made of itself.
  auto is_cyclic(Node root, const types::ItemOrder& order, std::string_view situation) -> bool;
  void alias(Node root);
  void constant(Node root);
  void class_member(Node root);
  void extern_properties(Node root);
  void resource(Node resource);
  void dims_of_class(Node root);

  // Specifications: check_spec.cpp.
  void specification(Node root);
  void definition(Node node);
  void returns(Node node);
  void implicit_events(Node root);
  void unused_events(Node block);

  // Expressions: check_expression.cpp.
  auto expression(Node node) -> Term;
  auto infer(Node node) -> Term;
  auto misplaced(Node node) -> Term;
  auto name(Node node) -> Term;
  auto constant_item(names::ItemId item) -> Term;
  auto unary(Node node) -> Term;
  auto address_of(Node node, Node operand) -> Term;
  auto dereference(Node node, Node operand) -> Term;
  auto conditional(Node node) -> Term;
  auto cast(Node node) -> Term;
  auto tuple(Node node) -> Term;
  auto field(Node node) -> Term;
  void note_read(Node field, Name name, uint32_t record);
  auto let(Node node) -> Term;
  void condition(Node node);
  void condition_type(Node node, Term term);

  // Operators: check_operator.cpp.
  auto binary(Node node) -> Term;
  auto apply(Node node, const types::OperatorScheme& scheme, Term left, Term right) -> Term;
  auto combine_scalars(const types::OperatorScheme& scheme, Term left, Term right)
      -> std::optional<Term>;
  auto combine_shapes(Node node, Term left, Term right) -> std::optional<types::ShapeId>;
  auto fits(types::OperandSet set, Term scalar) -> bool;
  void operator_mismatch(Node node, const types::OperatorScheme& scheme, Term left, Term right);
  void retry_deferred();

  // Arrays: check_array.cpp.
  auto array(Node node) -> Term;
  auto for_expression(Node node) -> Term;
  auto index(Node node) -> Term;
  auto without_outermost(Node node, Term array, uint64_t dimension) -> Term;
  auto counted(Term reduced) -> Term;
  auto with_outermost(int64_t extent, Term element) -> Term;
  void check_affine(Node index);
  auto constant_extent(Node node) -> int64_t;
  auto evaluate(Node node) -> std::optional<int64_t>;

  // Calls: check_call.cpp, check_builtin.cpp.
  auto call(Node node) -> Term;
  auto call_item(Node call, Node name, names::ItemId item, bool is_encoded) -> Term;
  void template_values(Node call, Node name, const types::Signature& signature);
  void label_port(names::Draft& draft, const Port& port, std::string message);
  void call_arguments(Node call, Node name, names::ItemId item, const types::Signature& signature);
  void device_of_call(Node name, names::ItemId item, const types::Signature& signature,
                      bool is_encoded);
  auto builtin(Node call, names::Builtin builtin) -> Term;
  auto event_function(Node call, names::Builtin builtin, const std::vector<Node>& arguments)
      -> Term;
  auto array_function(Node call, names::Builtin builtin, const std::vector<Node>& arguments)
      -> Term;
  auto reduction(Node call, const std::vector<Node>& arguments) -> Term;
  auto bound_of_draw(Node bound) -> Term;
  auto permutation(Node length) -> Term;
  auto rand(Node call, names::Builtin builtin, const std::vector<Node>& arguments) -> Term;
  auto count(Node call, const std::vector<Node>& arguments, size_t least, size_t most) -> bool;

  // Functions of numbers: check_function.cpp.
  auto number_function(Node call, names::Builtin builtin, const std::vector<Node>& arguments)
      -> Term;
  auto fits_function(Node argument, const types::FunctionScheme& scheme) -> bool;
  auto chosen(Node call, const types::FunctionScheme& scheme, Node left, Node right) -> Term;
  auto outermost_of(Node argument) -> std::optional<int64_t>;
  auto sorted(const std::vector<Node>& arguments, names::Builtin builtin) -> Term;
  auto argument_nodes(Node call) const -> std::vector<Node>;
  void label_item(names::Draft& draft, names::ItemId item, std::string message);

  // Statements: check_statement.cpp.
  auto block(Node node, Wanted wanted) -> Term;
  auto tail(Node block) const -> Node;
  void statement(Node node);
  void bind(Node statement, Term value, Node value_node);
  void bind_name(Node name, Term term);
  auto bound_values(size_t n, Term value, Node value_node) -> std::vector<Term>;
  auto single_value(Term value, Node value_node) -> Term;
  auto written_type(Node written, Term bound, Node place, Node name, bool has_value) -> Term;
  void assignment(Node node);
  auto place(Node target) -> Term;
  auto place_of_name(Node name) -> Term;
  auto place_of_element(Node element) -> Term;
  void immutable(Node target, uint32_t local);
  auto if_expression(Node node, Wanted wanted) -> Term;
  void loop(Node node);
  void return_statement(Node node);
  void function(Node root);
  void results(Node place, Node value, Term term);
  auto leaves(Node node) const -> bool;

  // Devices: check_encode.cpp, check_record.cpp.
  void encode(Node node);
  auto encoder_term(Node encoder) -> Term;
  void encoded_arguments(Node value, Term record);
  auto results_of_call(Node call, uint32_t encoder) -> std::vector<Term>;
  auto result_of_copy(Node value, uint32_t encoder) -> Term;
  auto encoded_call(Node call) -> Term;
  void copy_of_value(Node value);
  auto encode_begin(Node node) -> Term;
  auto submit(Node node) -> Term;
  auto await(Node node) -> Term;
  auto await_of_field(Node node, Node operand) -> bool;
  auto encoder_device(uint32_t local) const -> std::optional<names::Device>;

  // Ends: check_finish.cpp, check_visibility.cpp, fixed_literals.cpp.
  void finish();
  void pending_fields();
  void unresolved_locals();
  void literal_ranges();
  void visibilities();
  auto fraction_bits(Node at) -> std::optional<uint8_t>;
  void fixed_literals();
  void promoted_literals(Node at);
  void fixed_integer(Node value, uint8_t fraction_bits);
  void fixed_literal(Node value, uint8_t fraction_bits);
  void fixed_constant(Node at, Node written, uint8_t fraction_bits);

  // Mismatches.
  auto expect(Node node, Term actual, Term expected, std::string_view what) -> bool;
  void subsume(Node node, Term actual, Term expected);
  void subsume_declared(Node node, Term actual, Term expected);
  [[nodiscard]] auto is_record(Term type) -> bool;
  auto declared_field(Term record, Name name) -> const types::RecordField*;
  auto flags_of_declared(Term record, Name name) -> std::optional<uint8_t>;
  void missing_field(Node node, Name name, std::string_view from, const std::optional<Port>& by);
  void wanted_fields();
  void records_of_head(Node root);
  void add_encoded(Node name, Term encoder, Name field, Term type, bool is_call);
  auto readable(TypeId record) -> TypeId;
  auto is_unreadable(Node record, Node name) -> bool;
  void mismatch(Node node, Term actual, Term expected, std::string_view what);
  void label_origin(names::Draft& draft, Node node, Term term);
  auto write_as_fraction(names::Draft& draft, Node literal, Term beside) -> bool;

  query::Context& context_;
  const ConstantTypes* constants_;
  names::ItemId item_;
  const syntax::Tree& tree_;
  names::Report report_;
  Interner& interner_;
  names::ItemTable& table_;
  const names::ItemKey& key_;
  types::TypeStore& types_;
  names::ResolvedBody resolved_;
  BodyKind kind_ = BodyKind::None;
  types::TypeLowering lowering_;
  types::Signature signature_;
  types::Inference inference_;
  std::vector<Term> terms_;
  std::vector<Term> local_terms_;
  /// The head or body mentions a secret.
  bool has_secrets_ = false;
  /// By node and by local: is the value secret? Empty where nothing is.
  std::vector<bool> secret_nodes_;
  std::vector<bool> under_secret_;  ///< by node: a secret decides whether it is reached
  std::vector<bool> secret_locals_;
  /// Something is left to be filled in, so not all types can be known.
  bool has_holes_ = false;

  struct Deferred {
    uint32_t node;
    types::Operator op;
    Term left;
    Term right;
    Term result;
  };
  std::vector<Deferred> deferred_;
  struct PendingField {
    uint32_t node;
    Term record;
    Name name;
    Term result;
  };
  std::vector<PendingField> pending_fields_;
  /// Fields that what an encoder of this body brought must have where it is passed on.
  struct WantedField {
    uint32_t node;
    std::optional<Port> by;
    Term actual;
    types::RecordField field;
  };
  std::vector<WantedField> wanted_fields_;
  auto may_be_absent(const WantedField& wanted) -> bool;
  /// Fields read from what encoders of this body brought: which record, and where first.
  struct ReadField {
    Name name;
    uint32_t record;
    uint32_t node;
  };
  std::vector<ReadField> read_fields_;
  std::vector<uint32_t> literals_;
  std::optional<names::Device> encoding_on_;
  std::optional<Port> expected_by_;

  friend class VisibilityPass;
};

}  // namespace tacet::check
