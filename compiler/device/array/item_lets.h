#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/core/syntax/bare.h"
#include "compiler/device/array/lower.h"

/// Private to this folder.
namespace tacet::array {

/// One item's text and what is known about it.
struct ItemText {
  names::ItemId item;
  names::ItemTree tree;
  check::BodyPtr body;
  std::shared_ptr<const types::Signature> signature;
  FileId file;
  uint32_t begin = 0;  ///< of the tree in the file
  /// Of what is called: where, so that nothing depends on where other items stand.
  std::optional<FileRange> stands_at;

  static auto of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                 std::optional<FileRange> stands_at = {}) -> ItemText;

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node { return {tree.get(), index}; }
  [[nodiscard]] auto place(syntax::Node at) const -> FileRange {
    return stands_at.value_or(FileRange{file, at.range().shifted(begin)});
  }
  /// The expression that the item gives, or null; what precedes it binds names. Of a constant, its
  /// value.
  [[nodiscard]] auto result() const -> syntax::Node;
  [[nodiscard]] auto local_of(syntax::Node name) const -> uint32_t;
};

/// The arguments of a call; the values of a list.
auto arguments_of(const ItemText& text, syntax::Node call) -> std::vector<syntax::Node>;
auto elements_of(syntax::Node list) -> std::vector<syntax::Node>;
/// The built-in function that is called.
auto called_builtin(const ItemText& text, syntax::Node call) -> std::optional<names::Builtin>;

/// The extents of a value; none for a scalar.
auto extents_of(const program::FrontendSnapshot& snapshot, const ItemText& text, syntax::Node node)
    -> std::vector<int64_t>;

/// What is bound to names in an item, and which variables of `for` and parameters it depends on.
class ItemLets {
 public:
  /// The number that a parameter is, by its ordinal, if it is known before anything runs.
  using KnownParameter = std::function<std::optional<int64_t>(uint32_t)>;

  ItemLets(const program::FrontendSnapshot& snapshot, const ItemText& text,
           KnownParameter known_parameter = {});

  /// What a local is bound to; null if it is no `let` or one of several that a tuple is bound to.
  [[nodiscard]] auto value_of(uint32_t local) const -> syntax::Node;
  /// The value of an integer that needs nothing but literals, constants and names for such.
  [[nodiscard]] auto constant(syntax::Node node) const -> std::optional<int64_t>;
  /// The locals that the result depends on and that are bound to arrays or numbers, in the order
  /// of the text.
  [[nodiscard]] auto candidates() const -> const std::vector<uint32_t>& { return candidates_; }
  /// The same, each behind those it depends on.
  [[nodiscard]] auto in_order_of_dependence() const -> const std::vector<uint32_t>& {
    return ordered_;
  }
  [[nodiscard]] auto describe(uint32_t local) const -> LetArray;
  /// The variables of `for` around `node` that it depends on, the outermost first.
  [[nodiscard]] auto variables_of(syntax::Node node) const -> const std::vector<uint32_t>& {
    return dependence_of(node).variables;
  }
  /// The parameters that it depends on, by ordinal.
  [[nodiscard]] auto parameters_of(syntax::Node node) const -> const std::vector<uint32_t>& {
    return dependence_of(node).parameters;
  }
  /// The locals that `node` mentions as values, other than in indices, each as often as it does.
  [[nodiscard]] auto mentioned_in(syntax::Node node) const -> std::vector<uint32_t>;
  /// The extent of the `for` that a variable is of.
  [[nodiscard]] auto extent_of(uint32_t variable) const -> int64_t;

 private:
  struct Dependence {
    std::vector<uint32_t> variables;
    std::vector<uint32_t> parameters;
  };

  void find_candidates();
  auto dependence_of(syntax::Node node) const -> const Dependence&;
  auto find_dependence(syntax::Node node) const -> Dependence;

  const program::FrontendSnapshot& snapshot_;
  const ItemText& text_;
  KnownParameter known_parameter_;
  std::vector<uint32_t> candidates_;
  std::vector<uint32_t> ordered_;
  std::map<uint32_t, uint32_t> n_uses_;
  mutable std::map<uint32_t, Dependence> dependences_;            ///< by node
  mutable std::map<uint32_t, std::optional<int64_t>> constants_;  ///< by local
  mutable uint32_t depth_of_names_ = 0;
};

}  // namespace tacet::array
