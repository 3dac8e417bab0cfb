// How tightly each operator binds, held against a table by the language's own definition, for
// every pair of operators and both parsers.

#include <gtest/gtest.h>

#include "tests/grammar/two_parsers.h"

namespace tacet {
namespace {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// The loosest first; operators of one row group to the left.
const std::vector<std::vector<std::string>> kLevels = {{"|"},
                                                       {"^"},
                                                       {"&"},
                                                       {"<<", ">>", ">>>"},
                                                       {"||"},
                                                       {"&&"},
                                                       {"<", "<=", ">", ">=", "==", "!="},
                                                       {"+", "-"},
                                                       {"*", "/", "%"}};

/// The value behind `returns` in a specification that returns `expression`, after both parsers
/// agreed on it.
auto operator_of(testing::GrammarParser& grammar, const std::string& expression) -> std::string {
  std::string text = "#version 0.1.0\nval v() { returns " + expression + " }";
  expect_same_tree(grammar, text, syntax::Language::Module);
  auto file = parse_file(text, syntax::Language::Module);
  Node statement = file.units.back().item().child(Field::Body).child(NodeKind::ReturnsStatement);
  return std::string(statement.child(Field::Value).child(Field::Operator).text());
}

TEST(Precedence, OfEveryPairOfOperators) {
  testing::GrammarParser grammar;
  for (size_t first = 0; first < kLevels.size(); ++first) {
    for (size_t second = 0; second < kLevels.size(); ++second) {
      for (const std::string& a : kLevels[first]) {
        for (const std::string& b : kLevels[second]) {
          // The operator that binds less tightly is the outer one; of equals, the last.
          const std::string& outer = first < second ? a : b;
          std::string expression = "x " + a + " y " + b + " z";
          EXPECT_EQ(operator_of(grammar, expression), outer) << expression;
        }
      }
    }
  }
}

TEST(Precedence, PrefixesBindTighterThanEveryOperator) {
  testing::GrammarParser grammar;
  for (const auto& level : kLevels) {
    for (const std::string& infix : level) {
      for (const char* prefix : {"-", "!", "~", "&", "*"}) {
        std::string expression = std::string(prefix) + "x " + infix + " y";
        EXPECT_EQ(operator_of(grammar, expression), infix) << expression;
      }
    }
  }
}

}  // namespace
}  // namespace tacet
