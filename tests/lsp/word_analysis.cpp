#include "tests/lsp/word_analysis.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/check.h"
#include "compiler/diagnostics/code.h"
#include "compiler/query/revision.h"

namespace tacet::lsp {

struct WordHost::Files {
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<const std::string>> texts;
};

struct Word {
  TextRange range;
  std::string_view text;
};

static auto is_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Words, and every other visible character by itself; comments are one word.
static auto words_of(std::string_view text) -> std::vector<Word> {
  std::vector<Word> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '#') {
      end = std::min(text.find('\n', at), text.size());
    } else if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) {
        ++end;
      }
    }
    if (static_cast<unsigned char>(text[at]) > ' ') {
      words.push_back(
          {{static_cast<uint32_t>(at), static_cast<uint32_t>(end)}, text.substr(at, end - at)});
    }
    at = end;
  }
  return words;
}

class WordAnalysis final : public ide::Analysis {
 public:
  WordAnalysis(std::shared_ptr<const WordHost::Files> files, CancellationToken revision,
               CancellationToken request)
      : files_(std::move(files)), revision_(std::move(revision)), request_(std::move(request)) {}

  auto file(std::string_view path) const -> std::optional<FileId> override {
    for (uint32_t i = 0; i < files_->paths.size(); ++i) {
      if (files_->paths[i] == path && files_->texts[i] != nullptr) {
        return FileId{i};
      }
    }
    return std::nullopt;
  }
  auto files() const -> std::vector<FileId> override {
    std::vector<FileId> found;
    for (uint32_t i = 0; i < files_->paths.size(); ++i) {
      if (files_->texts[i] != nullptr) {
        found.push_back(FileId{i});
      }
    }
    return found;
  }
  auto path(FileId file) const -> std::string override { return files_->paths[file.index]; }
  auto text(FileId file) const -> std::shared_ptr<const std::string> override {
    return files_->texts[file.index];
  }

  auto diagnostics(FileId file) const -> std::vector<Diagnostic> override {
    check_cancelled();
    std::vector<Diagnostic> found;
    auto words = words_of(*text(file));
    for (const Word& word : words) {
      if (word.text == "block") {
        wait_for_cancellation();
      }
      if (word.text == "bad") {
        auto diagnostic = make_diagnostic(DiagnosticCode::T0001, {file, word.range}, "`bad` word");
        Label& label = diagnostic.labels.emplace_back();
        label.place = {file, words.front().range};
        label.message = "the file begins here";
        diagnostic.notes.emplace_back("words are good");
        diagnostic.fixes.push_back({"say `good`", Applicability::Safe, {{word.range, "good"}}});
        found.push_back(std::move(diagnostic));
      }
    }
    return found;
  }

  auto hover(FileId file, uint32_t offset) const -> std::optional<ide::Hover> override {
    check_cancelled();
    for (const Word& word : words_of(*text(file))) {
      if (!word.range.touches(offset)) {
        continue;
      }
      if (word.text == "block") {
        wait_for_cancellation();
      }
      TACET_CHECK(word.text != "crash", "asked to");
      if (word.text == "throw") {
        throw std::runtime_error("thrown on demand");
      }
      return ide::Hover{word.range, "```tacet\n" + std::string(word.text) + "\n```\n---\na word"};
    }
    return std::nullopt;
  }

  auto definition(FileId file, uint32_t offset) const -> ide::DefinitionLinks override {
    ide::DefinitionLinks links;
    for (const Word& word : words_of(*text(file))) {
      if (!word.range.touches(offset)) {
        continue;
      }
      links.origin = word.range;
      for (uint32_t i = 0; i < files_->paths.size(); ++i) {
        if (files_->texts[i] == nullptr) {
          continue;
        }
        for (const ide::Symbol& symbol : symbols(FileId{i})) {
          if (symbol.name == word.text) {
            links.targets.push_back({FileId{i}, symbol.range, symbol.name_range});
          }
        }
      }
    }
    return links;
  }

  auto symbols(FileId file) const -> std::vector<ide::Symbol> override {
    std::vector<ide::Symbol> found;
    auto words = words_of(*text(file));
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].text == "def") {
        found.push_back({std::string(words[i + 1].text),
                         "word",
                         ide::SymbolKind::Function,
                         cover(words[i].range, words[i + 1].range),
                         words[i + 1].range,
                         {}});
      }
    }
    return found;
  }

  auto folds(FileId file) const -> std::vector<ide::Fold> override {
    std::vector<ide::Fold> found;
    std::vector<uint32_t> open;
    for (const Word& word : words_of(*text(file))) {
      if (word.text == "{") {
        open.push_back(word.range.begin);
      } else if (word.text == "}" && !open.empty()) {
        found.push_back({{open.back(), word.range.end}, ide::FoldKind::Block});
        open.pop_back();
      }
    }
    return found;
  }

  /// Every word that begins as the one at the cursor does.
  auto completions(FileId file, uint32_t offset) const -> ide::Completions override {
    ide::Completions found{{offset, offset}, {offset, offset}, {}, true};
    const std::vector<Word> words = words_of(*text(file));
    for (const Word& word : words) {
      if (word.range.begin < offset && offset <= word.range.end && is_word(word.text.front())) {
        found.typed = {word.range.begin, offset};
        found.word = word.range;
      }
    }
    const std::string typed = text(file)->substr(found.typed.begin, found.typed.length());
    for (const Word& word : words) {
      if (word.text.starts_with(typed) && word.range != found.word) {
        const std::string name(word.text);
        found.items.push_back({name, ide::CompletionKind::Local, "a word", name});
      }
    }
    return found;
  }

  auto documentation(FileId, std::string_view documented) const -> std::string override {
    return "the word `" + std::string(documented) + "`";
  }

  auto tokens(FileId file, TextRange range) const -> std::vector<ide::Token> override {
    std::vector<ide::Token> found;
    std::string_view before;
    for (const Word& word : words_of(*text(file))) {
      bool is_comment = word.text.front() == '#';
      if (word.range.end > range.begin && word.range.begin < range.end &&
          (is_comment || is_word(word.text.front()))) {
        bool is_name = before == "def";
        ide::TokenKind kind = is_comment           ? ide::TokenKind::Comment
                              : word.text == "def" ? ide::TokenKind::Keyword
                              : is_name            ? ide::TokenKind::Function
                                                   : ide::TokenKind::Variable;
        found.push_back({word.range, kind, is_name ? ide::kDeclaration : uint8_t{0}});
      }
      before = word.text;
    }
    return found;
  }

  auto format(FileId file, TextRange range) const -> std::vector<TextEdit> override {
    std::vector<TextEdit> edits;
    const std::string& all = *text(file);
    for (uint32_t at = 0; at < all.size();) {
      uint32_t end = at;
      while (end < all.size() && all[end] == ' ') {
        ++end;
      }
      bool is_inside = at >= range.begin && end <= range.end;
      if (end > at && is_inside && (end == all.size() || all[end] == '\n')) {
        edits.push_back({{at, end}, ""});
      }
      at = std::max(end, at + 1);
    }
    return edits;
  }

  auto actions(FileId file, TextRange range) const -> std::vector<ide::Action> override {
    std::vector<ide::Action> found;
    ide::Action all{"say `good` everywhere", ide::Action::Kind::FixAll, false, {}, {}};
    for (Diagnostic& diagnostic : diagnostics(file)) {
      TextRange place = diagnostic.place.range;
      Fix& fix = diagnostic.fixes.front();
      all.edits.insert(all.edits.end(), fix.edits.begin(), fix.edits.end());
      if (place.touches(range.begin) || range.contains(place)) {
        found.push_back({fix.title, ide::Action::Kind::QuickFix, true, diagnostic, fix.edits});
      }
    }
    if (!all.edits.empty()) {
      found.push_back(std::move(all));
    }
    return found;
  }

 private:
  void check_cancelled() const {
    if (revision_.is_cancelled() || request_.is_cancelled()) {
      throw query::Cancelled{};
    }
  }

  [[noreturn]] void wait_for_cancellation() const {
    for (;;) {
      check_cancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::shared_ptr<const WordHost::Files> files_;
  CancellationToken revision_;
  CancellationToken request_;
};

void WordHost::apply(std::span<const ide::FileChange> changes) {
  revision_.cancel();
  revision_ = CancellationToken();
  auto files = files_ == nullptr ? std::make_shared<Files>() : std::make_shared<Files>(*files_);
  for (const ide::FileChange& change : changes) {
    auto found = std::find(files->paths.begin(), files->paths.end(), change.path);
    auto index = static_cast<size_t>(found - files->paths.begin());
    if (found == files->paths.end()) {
      files->paths.push_back(change.path);
      files->texts.emplace_back();
    }
    files->texts[index] = change.text;
  }
  files_ = std::move(files);
}

auto WordHost::analysis(CancellationToken token) -> std::unique_ptr<ide::Analysis> {
  if (files_ == nullptr) {
    files_ = std::make_shared<const Files>();
  }
  return std::make_unique<WordAnalysis>(files_, revision_, std::move(token));
}

}  // namespace tacet::lsp
