#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>

extern "C" auto tree_sitter_tacet() -> const TSLanguage*;

namespace tacet::testing {

struct GrammarTreeDelete {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using GrammarTree = std::unique_ptr<TSTree, GrammarTreeDelete>;

/// The parser generated from grammar/grammar.js, run by libtree-sitter.
class GrammarParser {
 public:
  GrammarParser();

  auto parse(std::string_view text) -> GrammarTree;

 private:
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  };
  std::unique_ptr<TSParser, Delete> parser_;
};

}  // namespace tacet::testing
