// The grammar's parser and the compiler's own give the same tree, node for node and field for
// field, on every well-formed program.

#include "tests/grammar/two_parsers.h"

#include <gtest/gtest.h>

#include "tests/generator/random_program.h"
#include "tests/syntax/corpus.h"

namespace tacet {
namespace {

using syntax::Language;

TEST(TwoParsers, AgreeOnTheCorpus) {
  testing::GrammarParser grammar;
  for (const testing::CorpusFile& file : testing::corpus()) {
    SCOPED_TRACE(file.path);
    expect_same_tree(grammar, file.text, syntax::language_of(file.path));
    if (HasFatalFailure()) {
      return;
    }
  }
}

void expect_agreement(testing::Start start, Language language, int n_tokens) {
  testing::GrammarParser grammar;
  testing::ProgramGenerator generator;
  for (uint64_t seed = 0; seed < 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    expect_same_tree(grammar, generator.program(random, start, n_tokens), language);
  }
}

TEST(TwoParsers, AgreeOnModulesOfTheGenerator) {
  expect_agreement(testing::Start::Module, Language::Module, 60);
}

TEST(TwoParsers, AgreeOnArrayProgramsOfTheGenerator) {
  expect_agreement(testing::Start::ArrayProgram, Language::ArrayProgram, 40);
}

}  // namespace
}  // namespace tacet
