#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/names/report.h"
#include "compiler/front/types/signature.h"
#include "linter/rules/rule.h"

/// What rules about the text of items see: its syntax, with what names mean and which types there
/// are. Items with errors are not checked.
namespace tacet::linter {

/// How often a local is used.
struct Uses {
  uint32_t n_reads = 0;   ///< all but the declaration and what the others count
  uint32_t n_writes = 0;  ///< `x = …`
  uint32_t n_stores = 0;  ///< `x[i] = …`
  uint32_t n_refers = 0;  ///< `&x`, which are reads too
};

/// One item, for a rule to look at.
struct Text {
  names::ItemId own;
  names::ItemKey key;
  const syntax::Tree& tree;
  syntax::Node item;
  const check::Body& body;
  const types::TypeStore& types;
  const Interner& interner;
  const types::Signature& signature;
  std::vector<uint32_t> parents{};  ///< by node
  std::vector<Uses> uses{};         ///< by local
  /// Some of it is not written yet: `?` and `???` may use anything.
  bool has_holes = false;
  query::Context* context = nullptr;

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node { return {&tree, index}; }
  [[nodiscard]] auto parent(syntax::Node node) const -> syntax::Node;
  [[nodiscard]] auto type(syntax::Node node) const -> const types::Type& {
    return types[body.type(node)];
  }
  /// The uses of the local that `name` names, or null.
  [[nodiscard]] auto uses_of(syntax::Node name) const -> const Uses*;
  /// How another item is called.
  [[nodiscard]] auto signature_of(names::ItemId other) const
      -> std::shared_ptr<const types::Signature>;
  [[nodiscard]] auto is_device_function() const -> bool { return signature.is_device_function; }
  /// Is what it says computed as a function, so that it may be written otherwise? Of specifications
  /// and coordinator functions it is compared operation by operation.
  [[nodiscard]] auto is_free_in_form() const -> bool;
};

/// Counts, and finds parents. O(nodes).
void find_facts(Text& text);

/// Gathers what rules find in one item.
class TextFindings {
 public:
  explicit TextFindings(names::ItemId own) : own_(own) {}

  /// Good until the next call.
  auto add(DiagnosticCode code, TextRange place, std::string message) -> Diagnostic&;

  [[nodiscard]] auto take() -> std::vector<Diagnostic> { return std::move(all_); }

 private:
  names::ItemId own_;
  std::vector<Diagnostic> all_;
};

void add_fix(Diagnostic& finding, std::string title, Applicability applicability,
             std::vector<TextEdit> edits);

/// Another place of the same item, which explains the finding.
void add_label(Diagnostic& finding, TextRange place, std::string_view message);

/// The expression without parentheses around it.
auto bare(syntax::Node expression) -> syntax::Node;
/// Are both written with the same tokens? Blanks and comments do not count.
auto is_same(syntax::Node a, syntax::Node b) -> bool;
/// Does evaluating it do nothing else, and give the same each time? So it has no calls but those of
/// functions of numbers, no holes, and nothing of encoders.
auto is_repeatable(const Text& text, syntax::Node expression) -> bool;
/// The same, and it cannot fail: no division or shift but by a literal that is right, no index.
auto is_idle(const Text& text, syntax::Node expression) -> bool;
/// A number, `true` or `false`, or such a number with a sign.
auto is_literal(syntax::Node expression) -> bool;
/// Is there a comment between these places?
auto has_comment(const syntax::Tree& tree, TextRange range) -> bool;
/// Does it hold a node of this kind?
auto contains(syntax::Node node, syntax::NodeKind kind) -> bool;
/// The children of a block that are statements or its value, in order.
auto statements_of(syntax::Node block) -> std::vector<syntax::Node>;

/// Takes a statement away, with its line if it has that for itself.
auto removal_of(const syntax::Tree& tree, TextRange statement) -> TextEdit;
/// The tokens around `inner` are removed from `outer`, so that words do not run together.
auto unwrapping(const syntax::Tree& tree, TextRange outer, TextRange inner)
    -> std::vector<TextEdit>;

}  // namespace tacet::linter
