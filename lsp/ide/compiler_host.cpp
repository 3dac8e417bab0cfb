#include "lsp/ide/compiler_host.h"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "compiler/query/database.h"
#include "compiler/syntax/file_syntax.h"
#include "formatter/format.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/folding.h"
#include "lsp/ide/semantic_tokens.h"

namespace tacet::ide {

/// The names of all files that were ever seen, and which of them are there now. Written by
/// one thread, read by all.
class FileNames {
 public:
  auto find(std::string_view path) const -> std::optional<FileId> {
    const std::shared_lock lock(mutex_);
    auto found = ids_.find(path);
    bool is_there = found != ids_.end() && is_present_[found->second.index];
    return is_there ? std::optional(found->second) : std::nullopt;
  }

  void set_present(FileId file, bool is_present) {
    const std::unique_lock lock(mutex_);
    is_present_[file.index] = is_present;
  }

  auto find_or_add(const std::string& path) -> FileId {
    const std::unique_lock lock(mutex_);
    auto [at, is_new] = ids_.try_emplace(path, FileId{static_cast<uint32_t>(paths_.size())});
    if (is_new) {
      paths_.push_back(path);
      is_present_.push_back(false);
    }
    return at->second;
  }

  auto path(FileId file) const -> std::string {
    const std::shared_lock lock(mutex_);
    return paths_[file.index];
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, FileId, std::less<>> ids_;
  std::vector<std::string> paths_;
  std::vector<bool> is_present_;
};

class CompilerAnalysis final : public Analysis {
 public:
  CompilerAnalysis(const FileNames& names, query::Snapshot snapshot)
      : names_(names), snapshot_(std::move(snapshot)) {}

  auto file(std::string_view path) const -> std::optional<FileId> override {
    return names_.find(path);
  }
  auto path(FileId file) const -> std::string override { return names_.path(file); }
  auto text(FileId file) const -> std::shared_ptr<const std::string> override {
    return snapshot_.get<syntax::SourceText>(file).text;
  }

  auto diagnostics(FileId file) const -> std::vector<Diagnostic> override {
    return syntax::syntax_errors(*syntax(file), file);
  }
  auto hover(FileId, uint32_t) const -> std::optional<Hover> override { return std::nullopt; }
  auto definition(FileId, uint32_t) const -> DefinitionLinks override { return {}; }
  auto symbols(FileId file) const -> std::vector<Symbol> override {
    return document_symbols(*syntax(file));
  }
  auto folds(FileId file) const -> std::vector<Fold> override {
    return folding_ranges(*syntax(file));
  }
  auto tokens(FileId file, TextRange range) const -> std::vector<Token> override {
    return semantic_tokens(*syntax(file), range, nullptr);
  }
  auto format(FileId file, TextRange range) const -> std::vector<TextEdit> override {
    auto syntax_of_file = syntax(file);
    bool is_whole = range == TextRange{0, syntax_of_file->size()};
    return is_whole ? formatter::format(*syntax_of_file).edits
                    : formatter::format_range(*syntax_of_file, range).edits;
  }
  auto actions(FileId file, TextRange range) const -> std::vector<Action> override {
    return code_actions(diagnostics(file), range);
  }

 private:
  auto syntax(FileId file) const -> std::shared_ptr<const syntax::FileSyntax> {
    return snapshot_.get<syntax::ParseFile>(file);
  }

  const FileNames& names_;
  query::Snapshot snapshot_;
};

class CompilerHost final : public AnalysisHost {
 public:
  void apply(std::span<const FileChange> changes) override {
    database_.write([&](query::Writer& writer) {
      for (const FileChange& change : changes) {
        FileId file = names_.find_or_add(change.path);
        names_.set_present(file, change.text != nullptr);
        if (change.text == nullptr) {
          writer.remove<syntax::SourceText>(file);
          continue;
        }
        writer.set<syntax::SourceText>(
            file, {change.text, syntax::language_of(change.path)},
            change.is_open ? query::Durability::Low : query::Durability::Medium);
      }
    });
  }

  auto analysis(CancellationToken token) -> std::unique_ptr<Analysis> override {
    return std::make_unique<CompilerAnalysis>(names_, database_.snapshot(std::move(token)));
  }

 private:
  FileNames names_;
  query::Database database_;
};

auto make_compiler_host() -> std::unique_ptr<AnalysisHost> {
  return std::make_unique<CompilerHost>();
}

}  // namespace tacet::ide
