#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// What makes nodes of kernels, with the types that the language gives them.
namespace tacet::kernel {

auto n_elements(const Type& type) -> int64_t;
/// The type of `a[i]…` with so many indices, for `a` of type `array`.
auto part_of(const Type& array, size_t n_indices) -> Type;
/// The type of `for i: extent { e }`, for `e` of type `element`.
auto with_outermost(int64_t extent, const Type& element) -> Type;
/// Does it give a truth value?
auto is_comparison(types::Operator op) -> bool;
auto is_logical(types::Operator op) -> bool;  ///< `Land`, `Lor`

enum class Obliviousness : uint8_t { MayBranch, Oblivious };

/// Adds nodes to one kernel. Nodes are not looked up: what is made twice is there twice. Ids and
/// the kernel stay valid; references into its stores do not.
class Builder {
 public:
  explicit Builder(Kernel& kernel) : kernel_(kernel) {}

  /// Where the nodes that are made from now on are in the text.
  void set_place(FileRange place) { place_ = place; }
  [[nodiscard]] auto place() const -> FileRange { return place_; }
  [[nodiscard]] auto kernel() -> Kernel& { return kernel_; }
  [[nodiscard]] auto type(ExprId expr) const -> const Type& { return kernel_.exprs[expr].type; }

  // Expressions.
  auto literal(ElementType type, Cell cell) -> ExprId;
  auto truth(bool value) -> ExprId { return literal(engine::kBool, value ? 1 : 0); }
  auto integer(int64_t value, ElementType type = engine::kI64) -> ExprId {
    return literal(type, engine::wrapped(type.kind, static_cast<uint64_t>(value)));
  }
  /// A scalar 0, or an array of them. By value: a type in the kernel would move while it grows.
  auto zero(Type type) -> ExprId;
  auto read(VariableId variable) -> ExprId;
  /// The element, or a part with fewer indices than dimensions; `array` itself without indices.
  auto element(ExprId array, std::vector<ExprId> indices) -> ExprId;
  auto unary(types::Operator op, ExprId operand) -> ExprId;
  /// Operands of one element type. `Land` and `Lor` are oblivious unless something else is said.
  auto binary(types::Operator op, ExprId left, ExprId right,
              Obliviousness obliviousness = Obliviousness::Oblivious) -> ExprId;
  auto negation(ExprId truth) -> ExprId { return unary(types::Operator::Not, truth); }
  auto select(ExprId condition, ExprId then, ExprId otherwise, Obliviousness obliviousness)
      -> ExprId;
  /// `operand` itself if it has that element type; a literal is converted.
  auto cast(ExprId operand, ElementType to) -> ExprId;
  auto array(std::vector<ExprId> elements) -> ExprId;
  auto tabulate(VariableId index, int64_t extent, ExprId body) -> ExprId;
  auto reduce(types::Operator op, uint32_t dimension, ExprId body) -> ExprId;
  auto rotate(ExprId operand, ExprId by) -> ExprId;
  /// `k` is how many `TopK` takes.
  auto apply(engine::Function function, std::vector<ExprId> arguments, int64_t k = 0) -> ExprId;

  /// `extent` is how many a permutation moves.
  auto draw(Draw draw, int64_t extent) -> ExprId;

  // Statements; they stand nowhere yet.
  template <class Node>
  auto statement(Node node) -> StatementId {
    return kernel_.statements.add({std::move(node), place_});
  }
  auto assign(VariableId variable, ExprId value) -> StatementId {
    return statement(Assign{variable, value});
  }

  /// A variable named after `name`, and after nothing else in the kernel.
  auto variable(std::string_view name, Type type, VariableKind kind = VariableKind::Local)
      -> VariableId;
  /// The same for one that is assigned to more than once.
  auto mutable_variable(std::string_view name, Type type) -> VariableId;

 private:
  auto add(decltype(Expr::node) node, Type type) -> ExprId {
    return kernel_.exprs.add({std::move(node), std::move(type), place_});
  }
  auto unique_name(std::string_view name) -> std::string;

  Kernel& kernel_;
  FileRange place_;
  std::set<std::string, std::less<>> names_;  ///< of the variables up to `n_names_`
  size_t n_names_ = 0;
};

}  // namespace tacet::kernel
