#include "lsp/ide/workspace_symbols.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "compiler/front/names/declared_names.h"
#include "lsp/ide/completion_rank.h"
#include "lsp/ide/document_symbols.h"

namespace tacet::ide {

namespace {

struct Candidate {
  Match match = Match::Prefix;
  std::shared_ptr<const std::string> path;  ///< of its file
  FoundSymbol found;

  /// Files come in the order of their paths, not in the one in which they happened to be read.
  [[nodiscard]] auto key() const {
    return std::tuple(match, std::string_view(found.symbol.name), std::string_view(*path),
                      found.symbol.name_range.begin);
  }
};

auto comes_first(const Candidate& a, const Candidate& b) -> bool {
  return a.key() < b.key();
}

}  // namespace

static void collect(std::string_view query, FileId file,
                    const std::shared_ptr<const std::string>& path, std::vector<Symbol> symbols,
                    const std::string& container, std::vector<Candidate>& candidates) {
  for (Symbol& symbol : symbols) {
    std::vector<Symbol> children = std::move(symbol.children);
    symbol.children.clear();
    collect(query, file, path, std::move(children), symbol.name, candidates);
    // Imports and what has no name are no symbols; tests are named by strings.
    if (auto found = match(query, symbol.name)) {
      candidates.push_back({*found, path, {file, container, std::move(symbol)}});
    }
  }
}

/// The files with the best matches, as far as that is known without parsing any.
static auto files_with_matches(const program::FrontendSnapshot& snapshot,
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

auto workspace_symbols(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                       const PathOfFile& path_of, std::string_view query)
    -> std::vector<FoundSymbol> {
  std::vector<Candidate> candidates;
  for (FileId file : files_with_matches(snapshot, files, query)) {
    const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
    const auto path = std::make_shared<const std::string>(path_of(file));
    collect(query, file, path, document_symbols(*syntax), {}, candidates);
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
