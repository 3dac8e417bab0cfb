#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/item_frame.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/unique_names.h"

/// Private to this folder.
namespace tacet::array {

/// The state of `lower`.
class ItemLowering {
 public:
  ItemLowering(const program::FrontendSnapshot& snapshot, names::ItemId item,
               const InliningChoice& choice);

  auto run() -> Lowering;

 private:
  using Node = syntax::Node;
  using Field = syntax::Field;
  using NodeKind = syntax::NodeKind;
  using Frame = ItemFrame;
  /// Where the elements of a value are asked for, by dimension of it, each within its extent.
  using Indices = std::vector<ArrayIndex>;

  /// One statement while it is made.
  struct Scope {
    explicit Scope(const Program& program)
        : pool(program.arrays, is_real(program) ? ExpressionPool::Powers::InOrder
                                                : ExpressionPool::Powers::Squared) {}

    ExpressionPool pool;
    std::map<Variable, ArrayIndex> variables;        ///< of `for`: where they stand
    std::map<std::vector<int64_t>, ExprId> inlined;  ///< by let and where it is asked for
  };

  // lower.cpp: items and statements.
  void check_item();
  /// Of the frame's item.
  void check_statements(Node body);
  void check_faults();
  void add_inputs();
  void add_input(const types::SignatureParameter& parameter, FileRange place);
  /// Of the item's fixed-point numbers, which must all have as many.
  void find_fraction_bits();
  auto owner_of(const types::SignatureParameter& parameter, FileRange place) -> Owner;
  auto range_of_parameter(const types::SignatureParameter& parameter) const
      -> std::optional<Interval>;
  void choose(const InliningChoice& choice);
  void add_result(Node result);
  /// The value of `node` as an array: along the variables that it depends on, then its own
  /// dimensions. Made once.
  auto materialised(Node node, const std::string& name, FileRange place) -> ArrayId;
  auto add_statement(Node node, const std::vector<Variable>& variables, Array array) -> ArrayId;
  void add_lets();
  auto check_size(const std::vector<int64_t>& extents, FileRange place) -> bool;

  // lower_expression.cpp
  auto expression(Node node, const Indices& at) -> ExprId;
  auto any_expression(Node node, const Indices& at) -> ExprId;
  auto name(Node node, const Indices& at) -> ExprId;
  auto index_variable(Node node) -> ExprId;
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
  auto may_meet(DimId dim, Node array, const Indices& others) -> bool;
  /// What a person would call a dimension of a value; empty if the text does not say.
  auto dimension_name(Node node, size_t dimension) -> std::string;

  // lower_call.cpp: what stands in other items.
  auto function_call(Node node, const Indices& at) -> ExprId;
  /// The item that is called there, or null, which is reported.
  auto called_frame(Node call) -> Frame*;
  auto new_called_frame(Node call) -> Frame*;
  auto constant_frame(names::ItemId constant, Node use) -> Frame&;
  auto constant_item(names::ItemId constant, Node node, const Indices& at) -> ExprId;
  /// What the frame's parameter stands for, along `at`.
  auto argument(uint32_t ordinal, const Indices& at) -> ExprId;
  /// The variables around `node` that it depends on, also by way of arguments, outermost first.
  auto variables_of(Node node) -> const std::vector<Variable>&;
  auto add_frame(names::ItemId item, Frame* caller, Node call, std::optional<FileRange> stands_at)
      -> Frame&;
  auto has_mistakes(names::ItemId item) const -> bool;
  /// Calls `function` with another frame.
  template <class Function>
  auto in_frame(Frame& frame, const Function& function) {
    Frame* before = std::exchange(frame_, &frame);
    auto result = function();
    frame_ = before;
    return result;
  }

  // lower_constants.cpp
  auto array_literal(Node node, const Indices& at) -> ExprId;
  /// The elements of an array whose text says them all.
  auto written_elements(Node node) -> std::optional<std::vector<int64_t>>;
  auto add_written(Node node, uint8_t fraction_bits, std::vector<int64_t>& elements) -> bool;
  /// A literal with a fraction.
  auto fraction(Node node) -> ExprId;
  /// What arrays of the type of `node` have.
  auto fraction_bits_of(Node node) const -> uint8_t;
  /// A constant array, if that is what `node` is.
  auto constant_array(Node node, const std::string& name, FileRange place)
      -> std::optional<ArrayId>;
  auto add_constant(Array array) -> ArrayId;
  /// The numbers from 0 to below `n`.
  auto numbers_below(int64_t n, FileRange place) -> ArrayId;

  // lower_index.cpp
  /// Reports what is no index that an array program can have.
  auto is_wrapped(Node value) const -> bool;
  auto index_of(Node node) -> std::optional<ArrayIndex>;
  auto unwrapped_index_of(Node node) -> std::optional<ArrayIndex>;
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
    return extents_of(snapshot_, text(), node);
  }
  [[nodiscard]] auto text() const -> const ItemText& { return frame_->text; }
  [[nodiscard]] auto lets() const -> const ItemLets& { return frame_->lets; }
  [[nodiscard]] auto local(uint32_t index) const -> const names::Local& {
    return text().body->names.locals[index];
  }
  [[nodiscard]] auto name_of(const Variable& variable) const -> std::string {
    return text_of(frames_[variable.frame]->text.body->names.locals[variable.local].name);
  }
  [[nodiscard]] auto variable(uint32_t local) const -> Variable { return {frame_->id, local}; }
  /// A `let` of a function that is called, or in front of a constant, never is.
  [[nodiscard]] auto is_inlined(uint32_t local) const -> bool {
    auto found = is_inlined_.find(local);
    return frame_->id == 0 && found != is_inlined_.end() && found->second;
  }
  [[nodiscard]] auto text_of(Name name) const -> std::string {
    return std::string(snapshot_.interner().text(name));
  }
  static void add_to_key(const Indices& at, std::vector<int64_t>& key);
  /// Stands for what was reported.
  auto nothing(FileRange place) -> ExprId { return pool().literal(0, place); }

  const program::FrontendSnapshot& snapshot_;
  std::vector<std::unique_ptr<Frame>> frames_;  ///< the item's own first
  Frame* frame_ = nullptr;                      ///< of the nodes at hand
  std::map<names::ItemId, Frame*> constants_;
  Program program_;
  UniqueNames array_names_;
  std::vector<ArrayId> parameters_;      ///< by ordinal
  std::map<uint32_t, bool> is_inlined_;  ///< by local of the item itself
  using FrameNode = std::pair<uint32_t, uint32_t>;
  std::map<FrameNode, Frame*> called_;  ///< null where that was reported
  std::map<FrameNode, ArrayId> materialised_;
  std::map<FrameNode, std::vector<Variable>> variables_;
  std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>, uint8_t>, ArrayId>
      constant_arrays_;
  uint32_t depth_ = 0;  ///< of expressions in expressions
  std::unique_ptr<Scope> scope_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tacet::array
