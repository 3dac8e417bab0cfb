#pragma once

#include <map>
#include <memory>
#include <string>

#include "lsp/ide/analysis.h"

namespace tacet::lsp {

/// A language of words, small enough to see through, for tests of the server itself.
///
///   def NAME    defines NAME, in every file; it is an outline entry
///   bad         is an error, with the fix `good`; its notes and labels are filled in
///   { … }       folds; `shared` is computed by parties, everything else under encryption
///   # …         is a comment to the end of its line
///
/// Hovering shows the word under the cursor; on `block` it waits to be cancelled, on
/// `crash` it fails a check and on `throw` it throws. Formatting drops spaces before line ends.
class WordHost final : public ide::AnalysisHost {
 public:
  void apply(std::span<const ide::FileChange> changes) override;
  void set_source_folders(std::vector<std::string>) override {}
  void set_lint(std::string, linter::Settings) override {}
  void set_offers_imports(bool) override {}
  void set_protocol(std::string, std::string) override {}
  void set_background(std::function<void(ide::BackgroundTask)>) override {}
  auto analysis(CancellationToken token) -> std::unique_ptr<ide::Analysis> override;
  auto query_counts() -> std::vector<ide::QueryCount> override { return {{"words", 3, 2, 1}}; }

 private:
  struct Files;
  std::shared_ptr<const Files> files_;
  CancellationToken revision_;

  friend class WordAnalysis;
};

}  // namespace tacet::lsp
