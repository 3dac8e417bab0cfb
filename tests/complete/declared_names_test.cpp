// What a file declares, found without parsing it, against what its scope and its outline have, for
// every program of the corpus.

#include "compiler/front/names/declared_names.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/document_symbols.h"
#include "tests/syntax/corpus.h"

namespace tacet::ide {
namespace {

using names::DeclaredName;

void expect_outline(const std::vector<Symbol>& symbols, const std::vector<std::string>& declared,
                    const std::string& path) {
  for (const Symbol& symbol : symbols) {
    EXPECT_TRUE(std::binary_search(declared.begin(), declared.end(), symbol.name))
        << symbol.name << " of " << path;
    expect_outline(symbol.children, declared, path);
  }
}

TEST(DeclaredNames, HoldThoseOfScopesAndOutlines) {
  size_t n_found = 0;
  size_t n_declared = 0;
  for (const testing::CorpusFile& program : testing::corpus()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file(program.path, program.text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
    if (!syntax::syntax_errors(*syntax, file).empty()) {
      continue;
    }
    const auto declared = snapshot.get<names::DeclaredNamesOfFile>(file);
    EXPECT_TRUE(std::is_sorted(declared.begin(), declared.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }));
    const auto scope = snapshot.get<names::ScopeOfFile>(file);
    for (const names::FileScope::Entry& entry : scope->entries()) {
      ++n_found;
      EXPECT_TRUE(std::any_of(declared.begin(), declared.end(),
                              [&](const DeclaredName& name) {
                                return name.name == entry.name && name.is_in(entry.space) &&
                                       name.kind == entry.kind;
                              }))
          << snapshot.interner().text(entry.name) << " of " << program.path;
    }
    std::vector<std::string> names;
    for (const DeclaredName& name : declared) {
      names.emplace_back(snapshot.interner().text(name.name));
    }
    std::sort(names.begin(), names.end());
    n_declared += names.size();
    expect_outline(document_symbols(*syntax), names, program.path);
  }
  EXPECT_GT(n_found, 500U);
  // A superset, but not one of much else.
  EXPECT_LT(n_declared, 2 * n_found);
}

}  // namespace
}  // namespace tacet::ide
