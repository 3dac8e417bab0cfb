#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/array/expression_pool.h"
#include "compiler/array/item_lets.h"
#include "compiler/array/lower.h"
#include "compiler/array/unique_names.h"
#include "compiler/diagnostics/code.h"

/// Private to this folder.
namespace tacet::array {

/// The state of `lower`.
class ItemLowering {
 public:
  ItemLowering(const check::FrontendSnapshot& snapshot, names::ItemId item,
               const InliningChoice& choice);

  auto run() -> Lowering;

 private:
  using Node = syntax::Node;
  using Field = syntax::Field;
  using NodeKind = syntax::NodeKind;
  /// Where the elements of a value are asked for, by dimension of it, each within its extent.
  using Indices = std::vector<ArrayIndex>;

  /// One statement while it is made.
  struct Scope {
    explicit Scope(const Store<ArrayId, Array>& arrays) : pool(arrays) {}

    ExpressionPool pool;
    std::map<uint32_t, ArrayIndex> variables;        ///< of `for`, by local: where they stand
    std::map<std::vector<int64_t>, ExprId> inlined;  ///< by let and where it is asked for
  };

  // lower.cpp: items and statements.
  void check_item();
  void check_statements(Node body);
  void add_inputs();
  auto owner_of(const types::SignatureParameter& parameter, FileRange place) -> Owner;
  auto range_of_parameter(const types::SignatureParameter& parameter) const
      -> std::optional<Interval>;
  void choose(const InliningChoice& choice);
  void add_result(Node result);
  /// The value of `node` as an array: along the variables that it depends on, then its own
  /// dimensions. Made once.
  auto materialised(Node node, const std::string& name, FileRange place) -> ArrayId;
  auto add_statement(Node node, const std::vector<uint32_t>& variables, Array array) -> ArrayId;
  void remove_unused_statements();
  auto check_size(const std::vector<int64_t>& extents, FileRange place) -> bool;

  // lower_expression.cpp
  auto expression(Node node, const Indices& at) -> ExprId;
  auto name(Node node, const Indices& at) -> ExprId;
  auto let(uint32_t local, const Indices& at, FileRange place) -> ExprId;
  auto unary(Node node, const Indices& at) -> ExprId;
  auto binary(Node node, const Indices& at) -> ExprId;
  auto cast(Node node, const Indices& at) -> ExprId;
  auto for_value(Node node, const Indices& at) -> ExprId;
  auto index(Node node, const Indices& at) -> ExprId;
  auto call(Node node, const Indices& at) -> ExprId;
  auto reduce(Node node, Operator op, Node array, uint64_t dimension, const Indices& at) -> ExprId;
  auto rotation(Node node, const Indices& at) -> ExprId;
  /// Reads what `materialised` made of `node`.
  auto site_of(Node node, ArrayId array, const Indices& at, FileRange place) -> ExprId;
  auto are_within(const Indices& at, const std::vector<int64_t>& extents) const -> bool;
  /// Would an index that goes through `dim` cyclically meet `dim` in another way within `array`?
  auto may_meet(DimId dim, Node array, const Indices& others) const -> bool;
  /// What a person would call a dimension of a value; empty if the text does not say.
  auto dimension_name(Node node, size_t dimension) const -> std::string;

  // lower_index.cpp
  /// Reports what is no index that an array program can have.
  auto index_of(Node node) -> std::optional<ArrayIndex>;
  auto index_of_name(Node node) -> std::optional<ArrayIndex>;
  auto index_of_binary(Node node) -> std::optional<ArrayIndex>;
  auto index_mistake(Node node, std::string message, std::string_view note)
      -> std::optional<ArrayIndex>;

  // lower_unsupported.cpp
  auto unsupported(Node node, std::string_view what, std::string_view way_out) -> ExprId;
  auto unsupported_expression(Node node) -> ExprId;
  auto unsupported_operator(Node node) -> ExprId;
  auto unsupported_call(Node node) -> ExprId;
  void report(DiagnosticCode code, FileRange place, std::string message, std::string_view note);

  [[nodiscard]] auto pool() -> ExpressionPool& { return scope_->pool; }
  [[nodiscard]] auto extents(Node node) const -> std::vector<int64_t> {
    return extents_of(snapshot_, text_, node);
  }
  [[nodiscard]] auto local(uint32_t index) const -> const names::Local& {
    return text_.body->names.locals[index];
  }
  [[nodiscard]] auto text_of(Name name) const -> std::string {
    return std::string(snapshot_.interner().text(name));
  }
  /// Stands for what was reported.
  auto nothing(FileRange place) -> ExprId { return pool().literal(0, place); }

  const check::FrontendSnapshot& snapshot_;
  ItemText text_;
  ItemLets lets_;
  Program program_;
  UniqueNames array_names_;
  std::vector<ArrayId> parameters_;           ///< by ordinal
  std::map<uint32_t, bool> is_inlined_;       ///< by local
  std::map<uint32_t, ArrayId> materialised_;  ///< by node
  std::unique_ptr<Scope> scope_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tacet::array
