#include "lsp/ide/workspace_symbols.h"

#include <algorithm>
#include <tuple>

#include "compiler/names/declared_names.h"
#include "lsp/ide/completion_rank.h"
#include "lsp/ide/document_symbols.h"

namespace tacet::ide {

namespace {

struct Candidate {
  Match match = Match::Prefix;
  FoundSymbol found;

  /// What stands at the same place of two texts is told apart by the order of the files.
  [[nodiscard]] auto key() const {
    return std::tuple(match, std::string_view(found.symbol.name), found.file,
                      found.symbol.name_range.begin);
  }
};

auto comes_first(const Candidate& a, const Candidate& b) -> bool {
  return a.key() < b.key();
}

}  // namespace

static void collect(std::string_view query, FileId file, std::vector<Symbol> symbols,
                    const std::string& container, std::vector<Candidate>& candidates) {
  for (Symbol& symbol : symbols) {
    std::vector<Symbol> children = std::move(symbol.children);
    symbol.children.clear();
    collect(query, file, std::move(children), symbol.name, candidates);
    // Imports and what has no name are no symbols; tests are named by strings.
    if (auto found = match(query, symbol.name)) {
      candidates.push_back({*found, {file, container, std::move(symbol)}});
    }
  }
}

/// The files with the best matches, as far as that can be told without parsing any.
static auto files_with_matches(const check::FrontendSnapshot& snapshot,
                               const std::vector<FileId>& files, std::string_view query)
    -> std::vector<FileId> {
  using Best = std::tuple<Match, std::string_view, FileId>;
  std::vector<Best> hints;
  snapshot.query().run([&](query::Context& context) {
    const auto& interner = context.service<Interner>();
    for (const FileId file : files) {
      for (const names::DeclaredName& declared : context.get<names::DeclaredNamesOfFile>(file)) {
        const std::string_view name = interner.text(declared.name);
        if (const auto found = match(query, name)) {
          hints.emplace_back(*found, name, file);
        }
      }
    }
    return true;
  });
  if (hints.size() > kMaxFoundSymbols) {
    std::nth_element(hints.begin(), hints.begin() + kMaxFoundSymbols, hints.end());
    hints.resize(kMaxFoundSymbols);
  }
  std::vector<FileId> found;
  for (const Best& hint : hints) {
    found.push_back(std::get<FileId>(hint));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

auto workspace_symbols(const check::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                       std::string_view query) -> std::vector<FoundSymbol> {
  std::vector<Candidate> candidates;
  for (FileId file : files_with_matches(snapshot, files, query)) {
    const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
    collect(query, file, document_symbols(*syntax), {}, candidates);
    if (candidates.size() > 8 * kMaxFoundSymbols) {
      std::nth_element(candidates.begin(), candidates.begin() + kMaxFoundSymbols, candidates.end(),
                       comes_first);
      candidates.resize(kMaxFoundSymbols);
    }
  }
  std::sort(candidates.begin(), candidates.end(), comes_first);
  candidates.resize(std::min(candidates.size(), kMaxFoundSymbols));
  std::vector<FoundSymbol> found;
  found.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    found.push_back(std::move(candidate.found));
  }
  return found;
}

}  // namespace tacet::ide
