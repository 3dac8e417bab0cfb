#pragma once

#include <map>
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
#include "compiler/front/types/size_proof.h"
#include "compiler/front/types/solve_sizes.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::check {

using Node = syntax::Node;
using NodeKind = syntax::NodeKind;
using Field = syntax::Field;
using Term = types::Term;
using TypeId = types::TypeId;
using BodyKind = names::BodyKind;

/// Whether the value of a block or `if` is used.
enum class Wanted : uint8_t { Nothing, Value };

/// A parameter or result of an item, whose type is required.
struct Port {
  names::ItemId item;
  Field list;
  NodeKind kind;
  size_t ordinal;
};

struct Deferred {
  uint32_t node;
  types::Operator op;
  Term left;
  Term right;
  Term result;
};
struct PendingField {
  uint32_t node;
  Term record;
  Name name;
  Term result;
};
/// Fields that what an encoder of this body brought must have where it is passed on.
struct WantedField {
  uint32_t node;
  std::optional<Port> by;
  Term actual;
  types::RecordField field;
};
/// Fields read from what encoders of this body brought: which record, and where first.
struct ReadField {
  Name name;
  uint32_t record;
  uint32_t node;
};

/// `[lo..hi]` with known bounds, by the node of `lo..hi`.
struct IntegerRange {
  uint32_t node;
  int64_t lower;
  int64_t upper;
};

/// The state of checking one item: what `check_item` starts with and finds out. Private to this
/// folder; the functions over it are grouped by topic in `check_*.cpp`.
struct Checker {
  Checker(query::Context& context_, names::ItemId item_, const syntax::Tree& tree_,
          const ConstantTypes* constants_);

  query::Context& context;
  const ConstantTypes* constants;
  names::ItemId item;
  const syntax::Tree& tree;
  names::Report report;
  Interner& interner;
  names::ItemTable& table;
  const names::ItemKey& key;
  types::TypeStore& types;
  names::ResolvedBody resolved;
  BodyKind kind = BodyKind::None;
  types::TypeLowering lowering;
  types::Signature signature;
  types::Inference inference;
  std::vector<Term> terms;
  std::vector<Term> local_terms;
  /// The head or body mentions a secret.
  bool has_secrets = false;
  /// By node and by local: is the value secret? Empty where nothing is.
  std::vector<bool> secret_nodes;
  std::vector<bool> under_secret;  ///< by node: a secret decides whether it is reached
  std::vector<bool> secret_locals;
  /// Of tuples and records by node and by local: which columns are secret.
  std::map<uint32_t, std::vector<bool>> secret_columns;
  std::map<uint32_t, std::vector<bool>> secret_columns_of_locals;
  /// Something is left to be filled in, so not all types can be known.
  bool has_holes = false;
  std::vector<Deferred> deferred;
  std::vector<PendingField> pending_fields;
  std::vector<WantedField> wanted_fields;
  std::vector<ReadField> read_fields;
  std::vector<uint32_t> literals;
  std::vector<IntegerRange> ranges;
  std::optional<names::Device> encoding_on;
  std::optional<Port> expected_by;
};

auto node_at(const Checker& checker, uint32_t index) -> Node;
auto is_spec(const Checker& checker) -> bool;
auto set(Checker& checker, Node node, Term term) -> Term;
auto visibility_of(const Checker& checker, size_t node) -> bool;

// check_item.cpp
auto run(Checker& checker, Facts facts) -> CheckedItem;

// check_expression.cpp
/// What `tokens` of the grammar say in a message.
auto text(Checker& checker, Term term) -> std::string;
auto text(Checker& checker, TypeId type) -> std::string;
auto local_of(const Checker& checker, Node name) -> uint32_t;
auto expression(Checker& checker, Node node) -> Term;
void condition(Checker& checker, Node node);
auto expect(Checker& checker, Node node, Term actual, Term expected, std::string_view what) -> bool;
void mismatch(Checker& checker, Node node, Term actual, Term expected, std::string_view what);
void label_origin(Checker& checker, names::Draft& draft, Node node, Term term);
auto write_as_fraction(Checker& checker, names::Draft& draft, Node literal, Term beside) -> bool;

// check_constant.cpp
/// An integer literal, or an array of them: what a constant of it is depends on its use.
auto is_written_out(Node value) -> bool;
auto type_of_constant(Checker& checker, names::ItemId item) -> TypeId;
auto value_node_of_constant(Checker& checker, names::ItemId item) -> Node;
auto constant_item(Checker& checker, names::ItemId item) -> Term;

// check_head.cpp
void class_member(Checker& checker, Node root);
void extern_properties(Checker& checker, Node root);

// check_spec.cpp
void specification(Checker& checker, Node root);

// check_operator.cpp
auto binary(Checker& checker, Node node) -> Term;
auto combine_scalars(Checker& checker, const types::OperatorScheme& scheme, Term left, Term right)
    -> std::optional<Term>;
auto combine_shapes(Checker& checker, Node node, Term left, Term right)
    -> std::optional<types::ShapeId>;
auto fits(Checker& checker, types::OperandSet set, Term scalar) -> bool;
void retry_deferred(Checker& checker);

// check_sizes.cpp
/// The form of an expression of sizes, constants and `len(a)`.
auto size_form(Checker& checker, Node node) -> types::MaybeForm;
/// What a function with size parameters must be, and the lengths in its head.
void sizes_of_function(Checker& checker, Node root);
/// The same of a specification.
void sizes_of_specification(Checker& checker, Node root);
/// Reports a length that is negative for some sizes.
void require_length(Checker& checker, Node node, const types::SizeForm& length);
void require_lengths(Checker& checker, Node written, TypeId type);
/// Reports a number of elements to take that is more than there are for some sizes.
void require_at_most(Checker& checker, Node node, const types::SizeForm& k, int64_t extent);
auto facts_of_sizes(const Checker& checker) -> types::SizeFacts;

// implemented_sizes.cpp
/// Reports a function with sizes, or of a specification with sizes, whose types are not those of
/// its specification.
void implemented_sizes(Checker& checker, Node root);

// instantiate.cpp
struct GenericCall {
  Node call;
  Node name;
  names::ItemId item;
  const std::vector<Term>& arguments;
  bool is_encoded;
  /// How many of the values between `'<` and `>` are types.
  size_t n_written_types = 0;
};
/// The signature of a function with size or type parameters at a call. The callee's name means the
/// instance from now on, if all its sizes are numbers. Nothing, with a report, if there is none.
auto instantiate(Checker& checker, GenericCall call, const types::Signature& generic)
    -> std::optional<types::Signature>;
/// What a call has between `'<` and `>`, but for the first `n_skipped`.
auto written_values(Node call, size_t n_skipped) -> std::vector<Node>;

// function_arguments.cpp
/// The functions that a call passes.
struct PassedFunctions {
  std::vector<names::FunctionValue> values;
  std::vector<Node> nodes;
  /// None is a parameter of this function.
  bool are_known = true;
};
/// Nothing, with a report, if some are missing or none.
auto passed_functions(Checker& checker, const GenericCall& call, const types::Signature& generic)
    -> std::optional<PassedFunctions>;
/// What a function that is passed takes and gives, in its own sizes if these are open.
struct GivenFunction {
  types::FunctionParameter function;
  std::vector<Name> sizes;
  std::vector<types::SizeConstraint> constraints;
};
/// The function that `node` names, where it is given `scalars`, as far as they are known. Nothing
/// if it cannot be passed, or its types depend on what is not known.
auto passed_function(Checker& checker, Node node, const std::vector<std::optional<TypeId>>& scalars)
    -> std::optional<GivenFunction>;
/// Reports functions that are not what `signature`, whose types and sizes are those of the call,
/// takes.
auto do_functions_fit(Checker& checker, const GenericCall& call, const PassedFunctions& passed,
                      const types::Signature& signature) -> bool;
/// A call of a parameter that is a function.
auto call_parameter(Checker& checker, Node call, Node name, const names::Local& local) -> Term;

// type_arguments.cpp
/// The types of a call, as they are written, and how many are.
struct TypeArguments {
  std::vector<Name> words;
  size_t n_written = 0;
};
/// The types that a call gives, or that its arguments have. Nothing, with a report, if they do not
/// determine them, or the bounds do not allow them.
auto type_arguments(Checker& checker, const GenericCall& call, const types::Signature& generic,
                    const PassedFunctions& functions) -> std::optional<TypeArguments>;

// prove_indices.cpp
/// Reports indices that are outside of their arrays for some sizes.
void prove_indices(Checker& checker);

// check_array.cpp
auto value_of_constant(Checker& checker, Node name) -> std::optional<int64_t>;
auto length_of(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term;
auto array(Checker& checker, Node node) -> Term;
auto for_expression(Checker& checker, Node node) -> Term;
auto index(Checker& checker, Node node) -> Term;
auto without_outermost(Checker& checker, Node node, Term array, uint64_t dimension) -> Term;
auto with_outermost(Checker& checker, int64_t extent, Term element) -> Term;
auto evaluate(Checker& checker, Node node) -> std::optional<int64_t>;

// check_slice.cpp
auto slice(Checker& checker, Node node) -> Term;
/// `[lo..hi]`, an array of integers; `range` is what is between the brackets.
auto range_array(Checker& checker, Node range) -> Term;
/// `concat(a, b, …)`.
auto concatenation(Checker& checker, Node call, const std::vector<Node>& arguments) -> Term;

// check_elements.cpp
auto is_array(Checker& checker, Term term) -> bool;
/// The variables of a loop stand for the elements of `arrays`, whose types are known. Gives how
/// many elements there are.
auto element_variables(Checker& checker, Node loop, const std::vector<Node>& arrays) -> int64_t;

// check_call.cpp
auto call(Checker& checker, Node node) -> Term;
auto call_item(Checker& checker, Node call, Node name, names::ItemId item, bool is_encoded) -> Term;
void label_port(Checker& checker, names::Draft& draft, const Port& port, std::string message);
auto argument_nodes(Node call) -> std::vector<Node>;
/// Those that are values and not functions.
auto value_nodes(const Checker& checker, Node call) -> std::vector<Node>;
void label_item(Checker& checker, names::Draft& draft, names::ItemId item, std::string message);

// check_columns.cpp
/// Is it a tuple or record, or an array of them?
auto is_of_columns(Checker& checker, Term term) -> bool;
auto construct(Checker& checker, Node call, Node name, names::ItemId item) -> Term;
/// `people.age`: an array of the fields of an array's records; nothing if there is no such field.
auto field_of_elements(Checker& checker, Term array, Name name) -> std::optional<Term>;
/// Reports a tuple, a record or an array of them where numbers are expected.
auto requires_numbers(Checker& checker, Node node, Term term, std::string_view what) -> bool;
/// Makes the types of two values one that may both come to one place: records with the same fields.
auto meet(Checker& checker, Term first, Term second) -> bool;
/// Which columns of a value are secret, once visibilities are known: one of a number.
auto columns_at(Checker& checker, Node node) -> std::vector<bool>;

// check_builtin.cpp
auto builtin(Checker& checker, Node call, names::Builtin builtin) -> Term;
auto count(Checker& checker, Node call, const std::vector<Node>& arguments, size_t least,
           size_t most) -> bool;

// check_function.cpp
auto number_function(Checker& checker, Node call, names::Builtin builtin,
                     const std::vector<Node>& arguments) -> Term;

// check_statement.cpp
auto block(Checker& checker, Node node, Wanted wanted) -> Term;
/// `syntax::tail_of` a block that need not yield anything: an `if` at its end counts if both arms
/// yield.
auto yielded_by(Node block) -> Node;
void bind_names(Checker& checker, Node statement, Term value, Node value_node);
auto if_expression(Checker& checker, Node node, Wanted wanted) -> Term;
void function(Checker& checker, Node root);
void results(Checker& checker, Node place, Node value, Term term);

// check_place.cpp
void immutable(Checker& checker, Node target, uint32_t local);
void assignment(Checker& checker, Node node);

// check_encode.cpp
void encode(Checker& checker, Node node);
auto encode_begin(Checker& checker, Node node) -> Term;
auto submit(Checker& checker, Node node) -> Term;
auto await(Checker& checker, Node node) -> Term;

// secret_fixes.cpp
void fix_public_local(Checker& checker, names::Draft& draft, uint32_t local, Node value);
void fix_public_result(Checker& checker, names::Draft& draft, size_t ordinal, Node value);

// foreign_forms.cpp: what forms of other languages mean here
void number_as_condition(Checker& checker, names::Draft& draft, Node node, Term term);
/// An operand of `&&` or `||` that is a number; false if none is.
auto number_as_truth(Checker& checker, names::Draft& draft, Node operation, Term left, Term right)
    -> bool;
/// `!` on a number; false if it is something else.
auto negated_number(Checker& checker, names::Draft& draft, Node operation, Term operand) -> bool;
/// `[e] * n` of a shape that is not wanted; false if it is something else.
auto repeated_element(names::Draft& draft, Node node) -> bool;

// check_finish.cpp
void finish(Checker& checker);

// check_visibility.cpp
void visibilities(Checker& checker);

// fixed_literals.cpp
void fixed_literals(Checker& checker);

// check_record.cpp
void subsume(Checker& checker, Node node, Term actual, Term expected);
auto declared_field(Checker& checker, Term record, Name name) -> const types::RecordField*;
void wanted_fields(Checker& checker);
void records_of_head(Checker& checker, Node root);
void add_encoded(Checker& checker, Node name, Term encoder, Name field, Term type, bool is_call);
auto readable(Checker& checker, TypeId record) -> TypeId;
auto is_unreadable(Checker& checker, Node record, Node name) -> bool;

inline auto node_at(const Checker& checker, uint32_t index) -> Node {
  return {&checker.tree, index};
}

inline auto is_spec(const Checker& checker) -> bool {
  return checker.kind == BodyKind::Val || checker.kind == BodyKind::Tmln ||
         checker.kind == BodyKind::Sptl;
}

inline auto set(Checker& checker, Node node, Term term) -> Term {
  checker.terms[node.index()] = term;
  return term;
}

inline auto visibility_of(const Checker& checker, size_t node) -> bool {
  return node < checker.secret_nodes.size() && checker.secret_nodes[node];
}

}  // namespace tacet::check
