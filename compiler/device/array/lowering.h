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

using Node = syntax::Node;
using Field = syntax::Field;
using NodeKind = syntax::NodeKind;
using Frame = ItemFrame;
/// The elements of a value that are demanded, by its dimension, each within its extent.
using Indices = std::vector<ArrayIndex>;

/// One statement while it is made.
struct Scope {
  explicit Scope(const Program& program)
      : pool(program.arrays, is_real(program) ? ExpressionPool::Powers::InOrder
                                              : ExpressionPool::Powers::Squared) {}

  ExpressionPool pool;
  std::map<Variable, ArrayIndex> variables;        ///< of `for`: where they stand
  std::map<std::vector<int64_t>, ExprId> inlined;  ///< by let and demanded elements
};

using FrameNode = std::pair<uint32_t, uint32_t>;

/// The state of `lower`.
struct ItemLowering {
  ItemLowering(const program::FrontendSnapshot& snapshot_, names::ItemId item,
               const InliningChoice& choice);

  const program::FrontendSnapshot& snapshot;
  std::vector<std::unique_ptr<Frame>> frames;  ///< the item's own first
  Frame* frame = nullptr;                      ///< of the nodes at hand
  std::map<names::ItemId, Frame*> constants;
  Program program;
  UniqueNames array_names;
  std::vector<ArrayId> parameters;      ///< by ordinal
  std::map<uint32_t, bool> is_inlined;  ///< by local of the item itself
  std::map<FrameNode, Frame*> called;   ///< null where that was reported
  std::map<FrameNode, ArrayId> materialised;
  std::map<FrameNode, std::vector<Variable>> variables;
  std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>, uint8_t>, ArrayId>
      constant_arrays;
  uint32_t depth = 0;  ///< of expressions in expressions
  std::unique_ptr<Scope> scope;
  std::vector<Diagnostic> diagnostics;
};

/// Calls `function` with another frame.
template <class Function>
auto in_frame(ItemLowering& lowering, Frame& frame, const Function& function);
auto pool(ItemLowering& lowering) -> ExpressionPool&;
auto extents(const ItemLowering& lowering, Node node) -> std::vector<int64_t>;
auto text(const ItemLowering& lowering) -> const ItemText&;
auto lets(const ItemLowering& lowering) -> const ItemLets&;
auto local_of(const ItemLowering& lowering, uint32_t index) -> const names::Local&;
auto name_of(const ItemLowering& lowering, const Variable& variable) -> std::string;
auto variable(const ItemLowering& lowering, uint32_t local) -> Variable;
/// A `let` of a function that is called, or in front of a constant, never is.
auto is_inlined(const ItemLowering& lowering, uint32_t local) -> bool;
auto text_of(const ItemLowering& lowering, Name name) -> std::string;
/// Stands for what was reported.
auto nothing(ItemLowering& lowering, FileRange place) -> ExprId;

// lower.cpp
/// Of the frame's item.
void check_statements(ItemLowering& lowering, Node body);
void check_faults(ItemLowering& lowering);
/// The value of `node` as an array: along the variables that it depends on, then its own
/// dimensions. Made once.
auto materialised(ItemLowering& lowering, Node node, const std::string& name, FileRange place)
    -> ArrayId;
void add_lets(ItemLowering& lowering);
auto check_size(ItemLowering& lowering, const std::vector<int64_t>& extents, FileRange place)
    -> bool;
/// What arrays of the type of `node` have.
auto fraction_bits_of(const ItemLowering& lowering, Node node) -> uint8_t;

// lower_expression.cpp
auto expression(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
/// Reads what `materialised` made of `node`.
auto site_of(ItemLowering& lowering, Node node, ArrayId array, const Indices& at, FileRange place)
    -> ExprId;
auto are_within(const ItemLowering& lowering, const Indices& at,
                const std::vector<int64_t>& extents) -> bool;
/// What a person would call a dimension of a value; empty if the text does not say.
auto dimension_name(ItemLowering& lowering, Node node, size_t dimension) -> std::string;
void add_to_key(const Indices& at, std::vector<int64_t>& key);
/// What `array` has at the indices `first`, which may be outside of it, and `rest`, which are not.
auto part_of(ItemLowering& lowering, Node array, Indices first, const Indices& rest,
             FileRange place) -> ExprId;

// lower_parts.cpp
auto slice(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
/// `[lo..hi]`
auto range_array(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
auto concatenation(ItemLowering& lowering, Node call, const std::vector<Node>& arrays,
                   const Indices& at) -> ExprId;
/// The variable `local` of `for x, y: a, b { … }`.
auto element(ItemLowering& lowering, uint32_t local, const Indices& at, FileRange place) -> ExprId;

// lower_constants.cpp
/// The numbers from 0 to below `n`, for `node`; nothing, with a report, if they are too many.
auto numbers_below(ItemLowering& lowering, int64_t n, Node node) -> std::optional<ArrayId>;
auto index_variable(ItemLowering& lowering, Node node) -> ExprId;
auto array_literal(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
/// A literal with a fraction.
auto fraction(ItemLowering& lowering, Node node) -> ExprId;
/// So many units of the program's fixed-point numbers.
auto fixed_number(ItemLowering& lowering, types::Wide units, FileRange place) -> ExprId;
/// A constant array, if that is what `node` is.
auto constant_array(ItemLowering& lowering, Node node, const std::string& name, FileRange place)
    -> std::optional<ArrayId>;

// lower_call.cpp
auto function_call(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
/// The item that is called there, or null, which is reported.
auto called_frame(ItemLowering& lowering, Node call) -> Frame*;
auto constant_frame(ItemLowering& lowering, names::ItemId constant, Node use) -> Frame&;
auto constant_item(ItemLowering& lowering, names::ItemId constant, Node node, const Indices& at)
    -> ExprId;
/// What the frame's parameter stands for, along `at`.
auto argument(ItemLowering& lowering, uint32_t ordinal, const Indices& at) -> ExprId;
/// The variables around `node` that it depends on, also through arguments, outermost first.
auto variables_of(ItemLowering& lowering, Node node) -> const std::vector<Variable>&;
auto add_frame(ItemLowering& lowering, names::ItemId item, Frame* caller, Node call,
               std::optional<FileRange> stands_at) -> Frame&;
auto has_mistakes(const ItemLowering& lowering, names::ItemId item) -> bool;

// lower_index.cpp
auto index_of(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex>;
auto index_mistake(ItemLowering& lowering, Node node, std::string message, std::string_view note)
    -> std::optional<ArrayIndex>;

// lower_unsupported.cpp
auto unsupported(ItemLowering& lowering, Node node, std::string_view what,
                 std::string_view alternative) -> ExprId;
auto unsupported_expression(ItemLowering& lowering, Node node) -> ExprId;
auto unsupported_operator(ItemLowering& lowering, Node node) -> ExprId;
auto unsupported_call(ItemLowering& lowering, Node node) -> ExprId;
void report(ItemLowering& lowering, DiagnosticCode code, FileRange place, std::string message,
            std::string_view note);

template <class Function>
auto in_frame(ItemLowering& lowering, Frame& frame, const Function& function) {
  Frame* before = std::exchange(lowering.frame, &frame);
  auto result = function();
  lowering.frame = before;
  return result;
}

inline auto pool(ItemLowering& lowering) -> ExpressionPool& {
  return lowering.scope->pool;
}

inline auto extents(const ItemLowering& lowering, Node node) -> std::vector<int64_t> {
  return extents_of(lowering.snapshot, text(lowering), node);
}

inline auto text(const ItemLowering& lowering) -> const ItemText& {
  return lowering.frame->text;
}

inline auto lets(const ItemLowering& lowering) -> const ItemLets& {
  return lowering.frame->lets;
}

inline auto local_of(const ItemLowering& lowering, uint32_t index) -> const names::Local& {
  return text(lowering).body->names.locals[index];
}

inline auto name_of(const ItemLowering& lowering, const Variable& variable) -> std::string {
  return text_of(lowering,
                 lowering.frames[variable.frame]->text.body->names.locals[variable.local].name);
}

inline auto variable(const ItemLowering& lowering, uint32_t local) -> Variable {
  return {lowering.frame->id, local};
}

inline auto is_inlined(const ItemLowering& lowering, uint32_t local) -> bool {
  auto found = lowering.is_inlined.find(local);
  return lowering.frame->id == 0 && found != lowering.is_inlined.end() && found->second;
}

inline auto text_of(const ItemLowering& lowering, Name name) -> std::string {
  return std::string(lowering.snapshot.interner().text(name));
}

inline auto nothing(ItemLowering& lowering, FileRange place) -> ExprId {
  return pool(lowering).literal(0, place);
}

}  // namespace tacet::array
