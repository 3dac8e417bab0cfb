#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <vector>

namespace tacet::testing {

/// One test of a corpus file.
struct CorpusTest {
  std::string name;
  /// Lines behind the name that begin with a colon: `:error` says that the source is malformed.
  std::vector<std::string> attributes;
  /// Without the line end in front of the line that separates it from the tree.
  std::string source;
  /// The tree as `tree-sitter test` writes it; empty with `:error`.
  std::string tree;

  [[nodiscard]] auto is_malformed() const -> bool;
};

/// Reads a file in the format of `tree-sitter test`: a name between lines of `=`, a source, a line
/// of `-`, a tree.
auto read_corpus(std::string_view text) -> std::vector<CorpusTest>;

/// What `read_corpus` reads back.
auto write_corpus(const std::vector<CorpusTest>& tests) -> std::string;

/// The named nodes as an indented S-expression with fields, comments included.
auto write_tree(const TSTree* tree) -> std::string;

}  // namespace tacet::testing
