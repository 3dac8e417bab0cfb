// What is in a program is offered where it stands: each keyword of every program of the corpus when
// its first letters are typed, and each name that means something. What follows is cut off, left as
// it is, or both, as it is while somebody types.

#include "tests/syntax/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/front/names/queries.h"
#include "compiler/spec/program/frontend.h"
#include "lsp/ide/complete.h"

namespace tacet::ide {
namespace {

using syntax::Node;
using syntax::NodeKind;

/// The words of a file: where each begins, and whether it is a keyword.
struct Word {
  std::string text;
  uint32_t begin = 0;
  bool is_keyword = false;
};

auto is_word(std::string_view text) -> bool {
  return !text.empty() &&
         ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

/// Is the node a name whose meaning is known and which is not declared by it?
auto is_known_name(const program::FrontendSnapshot& snapshot, FileId file, Node node,
                   uint32_t begin) -> bool {
  const bool declares =
      node.field() == syntax::Field::Name || node.field() == syntax::Field::Variable;
  if (!node.is(NodeKind::Identifier) || declares) {
    return false;
  }
  auto entity = snapshot.entity_at(file, begin + 1);
  return entity && !entity->meaning.is(names::Meaning::Nothing) &&
         !entity->meaning.is(names::Meaning::Unknown);
}

/// Does a diagnostic say that something is wrong there? What is wrong is not offered.
auto is_wrong(const std::vector<Diagnostic>& diagnostics, uint32_t begin) -> bool {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& diagnostic) {
    return diagnostic.place.range.contains(begin);
  });
}

auto words_of(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Word> {
  std::vector<Word> words;
  const std::vector<Diagnostic> diagnostics = snapshot.diagnostics(file);
  const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
  for (const syntax::Unit& unit : syntax->units) {
    for (uint32_t i = 0; i < unit.tree->nodes.size(); ++i) {
      const Node node(unit.tree.get(), i);
      const uint32_t begin = node.range().begin + unit.begin;
      if (!node.is_leaf() || !is_word(node.text()) || node.text().size() < 2 ||
          is_wrong(diagnostics, begin)) {
        continue;
      }
      const bool is_keyword = !node.is(NodeKind::Identifier) && !node.is(NodeKind::EndOfFile);
      if (is_keyword || is_known_name(snapshot, file, node, begin)) {
        words.push_back({std::string(node.text()), begin, is_keyword});
      }
    }
  }
  return words;
}

auto is_offered(const Completions& found, const std::string& word) -> bool {
  return std::any_of(found.items.begin(), found.items.end(),
                     [&](const Completion& item) { return item.label == word; });
}

TEST(CompletionCorpus, WordsOfAProgramAreOfferedInPlace) {
  size_t n_words = 0;
  std::set<std::string> keywords;
  for (const testing::CorpusFile& program : testing::corpus()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file(program.path, program.text);
    const std::vector<Word> words = words_of(frontend.snapshot(), file);
    for (const Word& word : words) {
      ++n_words;
      auto snapshot = frontend.snapshot();
      EXPECT_TRUE(is_offered(complete(snapshot, file, word.begin + 1), word.text))
          << program.path << ": `" << word.text << "` at " << word.begin;
      if (word.is_keyword) {
        keywords.insert(word.text);
      }
    }
    // The same where the text ends at the cursor; not for every word, since each is an edit.
    for (size_t i = 0; i < words.size(); i += 7) {
      if (words[i].is_keyword) {
        frontend.set_file(program.path, program.text.substr(0, words[i].begin + 1));
        EXPECT_TRUE(
            is_offered(complete(frontend.snapshot(), file, words[i].begin + 1), words[i].text))
            << program.path << ", cut off: `" << words[i].text << "` at " << words[i].begin;
      }
    }
  }
  EXPECT_GT(n_words, 1000U);
  EXPECT_GT(keywords.size(), 60U);
}

}  // namespace
}  // namespace tacet::ide
