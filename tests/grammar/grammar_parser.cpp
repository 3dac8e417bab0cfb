#include "tests/grammar/grammar_parser.h"

#include "base/check.h"

namespace tacet::testing {

GrammarParser::GrammarParser() : parser_(ts_parser_new()) {
  TACET_CHECK(ts_parser_set_language(parser_.get(), tree_sitter_tacet()),
              "libtree-sitter refuses the generated parser");
}

auto GrammarParser::parse(std::string_view text) -> GrammarTree {
  return GrammarTree(ts_parser_parse_string(parser_.get(), nullptr, text.data(),
                                            static_cast<uint32_t>(text.size())));
}

}  // namespace tacet::testing
