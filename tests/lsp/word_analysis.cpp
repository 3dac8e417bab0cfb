#include "tests/lsp/word_analysis.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/check.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/query/revision.h"

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

  auto declaration(FileId file, uint32_t offset) const -> ide::DefinitionLinks override {
    return definition(file, offset);
  }
  auto implementation(FileId file, uint32_t offset) const -> ide::DefinitionLinks override {
    return definition(file, offset);
  }

  auto references(FileId file, uint32_t offset, ide::Declarations declarations) const
      -> std::vector<FileRange> override {
    std::vector<FileRange> found;
    for (uint32_t i = 0; i < files_->paths.size(); ++i) {
      for (const Use& use : uses_of(word_at(file, offset), FileId{i})) {
        if (declarations == ide::Declarations::Included || !use.is_definition) {
          found.push_back({FileId{i}, use.range});
        }
      }
    }
    return found;
  }

  auto highlights(FileId file, uint32_t offset) const -> std::vector<ide::Highlight> override {
    std::vector<ide::Highlight> found;
    for (const Use& use : uses_of(word_at(file, offset), file)) {
      found.push_back({use.range, use.is_definition ? ide::Highlight::Kind::Write
                                                    : ide::Highlight::Kind::Read});
    }
    return found;
  }

  auto linked(FileId file, uint32_t offset) const -> std::vector<TextRange> override {
    std::vector<TextRange> ranges;
    for (const ide::Highlight& highlight : highlights(file, offset)) {
      ranges.push_back(highlight.range);
    }
    return ranges;
  }

  auto renamed_name(FileId file, uint32_t offset) const -> std::optional<TextRange> override {
    for (const Use& use : uses_of(word_at(file, offset), file)) {
      if (use.range.touches(offset)) {
        return use.range;
      }
    }
    return std::nullopt;
  }
  auto rename(FileId file, uint32_t offset, std::string_view new_name) const
      -> ide::Renaming override {
    if (new_name == "bad") {
      return {"`bad` is no name", {}};
    }
    return {{}, references(file, offset, ide::Declarations::Included)};
  }

  /// Behind every defined word, and tags behind every `good`.
  auto hints(FileId file, TextRange range, ide::HintOptions options) const
      -> std::vector<ide::Hint> override {
    std::vector<ide::Hint> found;
    std::string_view before;
    for (const Word& word : words_of(*text(file))) {
      if (range.touches(word.range.end) && before == "def" && options.types) {
        ide::Hint& hint = found.emplace_back();
        hint.offset = word.range.end;
        hint.text = ": word";
        hint.insertion = hint.text;
      }
      if (range.touches(word.range.end) && word.text == "good" && options.tags) {
        ide::Hint& hint = found.emplace_back();
        hint.offset = word.range.end;
        hint.kind = ide::Hint::Kind::Tags;
        hint.text.assign(108, '+');
      }
      before = word.text;
    }
    return found;
  }

  auto lenses(FileId file) const -> std::vector<ide::Lens> override {
    std::vector<ide::Lens> found;
    for (const ide::Symbol& symbol : symbols(file)) {
      found.push_back({symbol.name_range, symbol.name_range.begin});
    }
    return found;
  }

  /// Every name that is declared can be run, with nothing to give.
  auto run_target(FileId file, std::string_view function) const
      -> std::optional<ide::RunTarget> override {
    for (const ide::Symbol& symbol : symbols(file)) {
      if (symbol.name == function) {
        ide::RunTarget target{.function = std::string(function), .inputs = {}};
        if (function == "shared") {
          target.protocol = "aby3";
          target.n_parties = 3;
        }
        return target;
      }
    }
    return std::nullopt;
  }
  auto lens_text(FileId file, uint32_t subject, ide::LensKind) const
      -> std::optional<ide::LensText> override {
    for (const ide::Lens& lens : lenses(file)) {
      if (lens.subject == subject) {
        auto places = references(file, subject, ide::Declarations::LeftOut);
        return ide::LensText{lens.range, std::to_string(places.size()) + " uses", places, {}};
      }
    }
    return std::nullopt;
  }

  auto workspace_symbols(std::string_view query) const -> std::vector<ide::FoundSymbol> override {
    std::vector<ide::FoundSymbol> found;
    for (FileId file : files()) {
      for (ide::Symbol& symbol : symbols(file)) {
        if (symbol.name.starts_with(query)) {
          found.push_back({file, {}, std::move(symbol)});
        }
      }
    }
    return found;
  }
  // What needs a language of more than words is tested with the compiler's.
  auto selections(FileId file, uint32_t) const -> std::vector<TextRange> override {
    return {{0, static_cast<uint32_t>(text(file)->size())}};
  }
  auto links(FileId) const -> std::vector<ide::FileLink> override { return {}; }
  auto import_places(FileId) const -> std::vector<FileRange> override { return {}; }
  auto signature_help(FileId, uint32_t) const -> std::optional<ide::SignatureHelp> override {
    return std::nullopt;
  }
  auto type_definition(FileId, uint32_t) const -> ide::DefinitionLinks override { return {}; }
  auto runnables(FileId) const -> std::vector<ide::Runnable> override { return {}; }
  auto hierarchy_item(FileId, uint32_t) const -> std::optional<ide::HierarchyItem> override {
    return std::nullopt;
  }
  auto incoming_calls(FileId, uint32_t) const -> std::vector<ide::Call> override { return {}; }
  auto outgoing_calls(FileId, uint32_t) const -> std::vector<ide::Call> override { return {}; }
  auto hierarchy_above(FileId, uint32_t) const -> std::vector<ide::HierarchyItem> override {
    return {};
  }
  auto hierarchy_below(FileId, uint32_t) const -> std::vector<ide::HierarchyItem> override {
    return {};
  }
  auto stage_text(FileId, std::string_view, uint32_t, const formatter::Style&) const
      -> ide::StageText override {
    return {{}, 0, false, "words have no stages"};
  }
  auto ended_at(FileId, uint32_t) const -> std::optional<TextRange> override {
    return std::nullopt;
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

  auto resolve_completion(FileId, std::string_view documented) const
      -> ide::ResolvedCompletion override {
    return {"the word `" + std::string(documented) + "`", {}, {}};
  }

  auto import_edit(FileId, std::string_view) const -> TextEdit override { return {}; }
  auto index(std::span<const FileId>) const -> bool override { return true; }

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

  auto keep_format(FileId /*file*/, std::vector<TextEdit> edits,
                   const formatter::Style& /*style*/) const -> std::vector<TextEdit> override {
    return edits;
  }
  auto format(FileId file, TextRange range, const formatter::Style& /*style*/) const
      -> std::vector<TextEdit> override {
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

  auto oblivious_form(FileId, uint32_t, const formatter::Style&) const
      -> std::optional<ide::ObliviousText> override {
    return std::nullopt;
  }
  auto actions(FileId file, TextRange range, ide::FixAll) const
      -> std::vector<ide::Action> override {
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
  struct Use {
    TextRange range;
    bool is_definition = false;
  };

  auto word_at(FileId file, uint32_t offset) const -> std::string {
    for (const Word& word : words_of(*text(file))) {
      if (word.range.touches(offset)) {
        return std::string(word.text);
      }
    }
    return {};
  }

  auto uses_of(const std::string& name, FileId file) const -> std::vector<Use> {
    std::vector<Use> found;
    std::string_view before;
    if (files_->texts[file.index] != nullptr) {
      for (const Word& word : words_of(*text(file))) {
        if (word.text == name) {
          found.push_back({word.range, before == "def"});
        }
        before = word.text;
      }
    }
    return found;
  }

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
