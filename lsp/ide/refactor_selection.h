#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

/// Private to the refactorings: what is selected, and the questions that all of them ask.
namespace tacet::ide {

/// An item and the part of it that is selected.
struct Selection {
  const program::FrontendSnapshot* snapshot = nullptr;
  FileId file;
  names::FileItem item;
  names::ItemTree tree;
  uint32_t begin = 0;  ///< where the tree begins in the file
  TextRange range;     ///< in the tree, without the white space around it; may be empty
  check::BodyPtr body;

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node { return {tree.get(), index}; }
  [[nodiscard]] auto root() const -> syntax::Node { return names::item_node(*tree); }
  /// Is it a `fn(dev)`?
  [[nodiscard]] auto is_device_function() const -> bool;
  [[nodiscard]] auto is_specification() const -> bool;
  /// The local that the node names, as an index, or `names::Local::kNone`.
  [[nodiscard]] auto local_at(uint32_t node) const -> uint32_t;
  [[nodiscard]] auto type_text(types::TypeId type) const -> std::string;
  [[nodiscard]] auto is_value(types::TypeId type) const -> bool;
  /// `base`, or `base_2`, …: what neither the item nor the file uses yet.
  [[nodiscard]] auto fresh_name(std::string_view base) const -> std::string;
  /// An edit, by offsets in the tree.
  [[nodiscard]] auto edit(TextRange place, std::string text) const -> TextEdit {
    return {place.shifted(begin), std::move(text)};
  }
};

/// The selections of the items that `range` is within, a `feq` before its member. Items that were
/// not understood as a whole are left out.
auto find_selections(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::vector<Selection>;

/// Does anything in the item draw random numbers, itself or by a call?
auto draws(const Selection& selection) -> bool;

/// The nodes from `node` to the root, `node` first.
auto path_up(const Selection& selection, syntax::Node node) -> std::vector<syntax::Node>;

/// The expression that is just what is selected; null if there is none.
auto selected_expression(const Selection& selection) -> syntax::Node;

/// Does the subtree hold a node of which `is_it` says so?
auto has_node(syntax::Node node, const std::function<bool(syntax::Node)>& is_it) -> bool;

/// May it fail: by an operator, or in what it calls? Where a secret decides whether it is
/// evaluated, such a fault is hidden, and elsewhere everybody sees it: it may not go from one to
/// the other.
auto may_fail(const Selection& selection, syntax::Node expression) -> bool;

/// Is what stands at `towards`, right in `above`, computed in some cases only?
auto is_conditional(syntax::Node above, syntax::Node towards) -> bool;

/// Is it computed without effects and at any place where its names mean the same?
auto is_pure(const Selection& selection, syntax::Node expression) -> bool;

/// The text of an expression for a place where an operand is expected: in parentheses unless it
/// binds as tightly as a name.
auto as_operand(syntax::Node expression, std::string text) -> std::string;

/// White space in front of the line that `offset` is in.
auto indentation(std::string_view text, uint32_t offset) -> std::string;

/// `line` in front of the statement at `offset`, on a line of its own if the statement has one.
auto line_before(const Selection& selection, uint32_t offset, const std::string& line) -> TextEdit;

/// Is `path[at]`, of the nodes up from an expression, an argument that a builtin function wants as
/// a constant, such as the number of elements of `top_k`?
auto is_constant_argument(const Selection& selection, const std::vector<syntax::Node>& path,
                          size_t at) -> bool;

/// An action with its edits in order, and the fresh name that they bring, if any.
auto make_action(Action::Kind kind, std::string title, std::vector<TextEdit> edits,
                 std::string new_name = {}) -> Action;

// One refactoring each, in a file of its name.
void extract_variable(const Selection& selection, std::vector<Action>& actions);
void extract_function(const Selection& selection, std::vector<Action>& actions);
void extract_specification(const Selection& selection, std::vector<Action>& actions);
void inline_variable(const Selection& selection, std::vector<Action>& actions);
void inline_call(const Selection& selection, std::vector<Action>& actions);
void write_types(const Selection& selection, std::vector<Action>& actions);
void change_visibility(const Selection& selection, std::vector<Action>& actions);
void change_callee(const Selection& selection, std::vector<Action>& actions);
void combine_loop(const Selection& selection, std::vector<Action>& actions);
void split_class(const Selection& selection, std::vector<Action>& actions);

}  // namespace tacet::ide
