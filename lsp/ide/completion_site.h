#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/file_syntax.h"

namespace tacet::ide {

/// What a name at the cursor would mean, by the syntax around it.
enum class NameRole : uint8_t {
  Nothing,        ///< no name fits, or a new one is made up here
  Value,          ///< of an expression
  Kernel,         ///< what an encoded call runs
  Encoded,        ///< a variable of the encoder that the statement is about
  Encoder,        ///< in front of `.copy` and `.call`
  Method,         ///< behind an encoder
  Field,          ///< behind a record
  Type,           ///<
  TypeBound,      ///< of a type parameter
  Extent,         ///< of an array type, or a bound: a constant
  Specification,  ///< behind `impls`
  Node,           ///< of a specification, in a tag
  Variable,       ///< of an annotation, an extern's property or a schedule: one in scope
  Property,       ///< of an extern
  Party,          ///<
  Device,         ///<
  Module,         ///< behind `import`
  Entry,          ///< of a pipeline
  Flag,           ///< of a type
};

/// Where a completion is requested: the syntax in front of the cursor as it would be with a name
/// there. What follows the cursor is left out, since it is most often about to change.
struct CompletionSite {
  /// What is typed of the word, up to the cursor; all of the word. In the file.
  TextRange typed;
  TextRange word;
  syntax::Language language = syntax::Language::Module;
  /// What the made-up name is not part of, though a keyword might be: the item that ends in front.
  std::vector<syntax::Tree> before;
  /// The unit of the file that the cursor is in, up to the word, and a made-up name.
  syntax::Tree tree;
  /// Where it begins in the file.
  uint32_t begin = 0;
  /// From the root of `tree` to the made-up name.
  std::vector<syntax::Node> path;
  NameRole role = NameRole::Nothing;

  /// The innermost item that the cursor is in, or null.
  [[nodiscard]] auto item() const -> syntax::Node;
  /// The innermost node of that kind around the cursor, or null.
  [[nodiscard]] auto around(syntax::NodeKind kind) const -> syntax::Node;
  /// The node of `path` that is a child of `ancestor`, which is on the path too.
  [[nodiscard]] auto below(syntax::Node ancestor) const -> syntax::Node;
  /// The range of a node of `tree` in the file.
  [[nodiscard]] auto in_file(syntax::Node node) const -> TextRange {
    return node.range().shifted(begin);
  }
};

/// Nothing in comments, strings and numbers. O(length of the unit). The site must stay where it
/// is, since its nodes point into it.
auto find_completion_site(const syntax::FileSyntax& file, std::string_view text, uint32_t offset)
    -> std::unique_ptr<const CompletionSite>;

}  // namespace tacet::ide
