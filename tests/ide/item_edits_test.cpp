// After any row of edits to items (renamed, gone, back, twice, moved, with a brace or a comment
// open), everything that is said of two files, one of which imports the other, is what is said of
// their texts afresh. TACET_EDITS_SEED begins with another row, TACET_ROUNDS tries more.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/lenses.h"
#include "lsp/ide/name_colours.h"
#include "tests/generator/synthetic_workspace.h"
#include "tests/harness/files.h"
#include "tests/harness/rounds.h"

namespace tacet::ide {
namespace {

constexpr std::string_view kPaths[] = {"/m/first.tacet", "/m/second.tacet"};
using Texts = std::array<std::string, std::size(kPaths)>;

void apply(AnalysisHost& host, const Texts& texts, const std::vector<size_t>& changed) {
  std::vector<FileChange> changes;
  for (const size_t i : changed) {
    changes.push_back(
        {std::string(kPaths[i]), std::make_shared<const std::string>(texts[i]), true});
  }
  host.apply(changes);
}

void write(std::string& out, const Diagnostic& diagnostic) {
  out += fmt::format("{}..{} {} {} {}", diagnostic.place.range.begin, diagnostic.place.range.end,
                     code_name(diagnostic.code), static_cast<int>(diagnostic.severity),
                     diagnostic.message);
  for (const Label& label : diagnostic.labels) {
    out +=
        fmt::format("; {}..{} {}", label.place.range.begin, label.place.range.end, label.message);
  }
  for (const Reason& reason : diagnostic.reasons) {
    out += fmt::format("; {} {}..{} {}", reason.depth, reason.place.range.begin,
                       reason.place.range.end, reason.text);
  }
  for (const std::string& note : diagnostic.notes) {
    out += "; " + note;
  }
  for (const Fix& fix : diagnostic.fixes) {
    out += "; " + fix.title;
    for (const TextEdit& edit : fix.edits) {
      out += fmt::format(" {}..{} {}", edit.range.begin, edit.range.end, edit.new_text);
    }
  }
  out += '\n';
}

/// What is said of a file of which everything depends on items: all of it as text.
auto answers(AnalysisHost& host) -> std::string {
  const auto analysis = host.analysis({});
  std::string out;
  for (const std::string_view path : kPaths) {
    const FileId file = analysis->file(path).value();
    const TextRange whole{0, static_cast<uint32_t>(analysis->text(file)->size())};
    for (const Diagnostic& diagnostic : file_diagnostics(*analysis, file)) {
      write(out, diagnostic);
    }
    for (const Token& token : semantic_tokens(*analysis, file, whole)) {
      out += fmt::format("{}..{} {} {}\n", token.range.begin, token.range.end,
                         static_cast<int>(token.kind), token.modifiers);
    }
    for (const Symbol& symbol : document_symbols(*analysis->syntax(file))) {
      out += fmt::format("{} {}\n", symbol.name, symbol.detail);
    }
    for (const Lens& lens : lenses(*analysis, file)) {
      const auto text = lens_text(*analysis, file, lens.subject, lens.kind);
      out += fmt::format("{} {}\n", lens.range.begin, text ? text->title : "nothing");
    }
    for (const Hint& hint :
         inlay_hints(analysis->snapshot(), file, whole, {true, true}, analysis->parties(file))) {
      out += fmt::format("{} {}\n", hint.offset, hint.text);
    }
  }
  return out;
}

/// Where two texts begin to differ, for a message.
auto first_difference(std::string_view edited, std::string_view fresh) -> std::string {
  const auto at = static_cast<size_t>(
      std::mismatch(edited.begin(), edited.end(), fresh.begin(), fresh.end()).first -
      edited.begin());
  const size_t line = edited.rfind('\n', at) + 1;
  return fmt::format("edited: {}\nfresh:  {}", edited.substr(line, 300), fresh.substr(line, 300));
}

/// Random edits of a text, by its items.
class ItemEditor {
 public:
  explicit ItemEditor(std::mt19937_64& random) : random_(random) {}

  void edit(Texts& texts, size_t which) {
    std::string& text = texts[which];
    const syntax::FileSyntax file = syntax::parse_file(text, syntax::Language::Module);
    switch (below(9)) {
      case 0:
        rename(text, file, fmt::format("fresh_{}", below(3)));
        break;
      case 1:
        rename(text, file, name_in(texts[below(texts.size())]));
        break;
      case 2:
        remove(text, unit_of(file));
        break;
      case 3:
        copy(text, unit_of(file), texts[below(texts.size())]);
        break;
      case 4:
        move(text, unit_of(file), file);
        break;
      case 5:
        replace_any(text, "{}", "");
        break;
      case 6:
        text.insert(unit_of(file).begin, below(2) == 0 ? "/*" : "*/");
        break;
      case 7:
        use_other_name(texts, which, file);
        break;
      case 8:
        text.insert(unit_of(file).begin, "import first\n");
        break;
      default:
        break;
    }
  }

  auto below(size_t n) -> size_t { return n == 0 ? 0 : random_() % n; }

 private:
  auto unit_of(const syntax::FileSyntax& file) -> TextRange {
    const syntax::Unit& unit = file.units[below(file.units.size())];
    return {unit.begin, unit.end()};
  }

  static auto names_of(const syntax::FileSyntax& file) -> std::vector<TextRange> {
    std::vector<TextRange> names;
    for (const syntax::Unit& unit : file.units) {
      if (const syntax::Node name = unit.item().child(syntax::Field::Name)) {
        names.push_back(name.range().shifted(unit.begin));
      }
    }
    return names;
  }

  auto name_in(const std::string& text) -> std::string {
    const auto names = names_of(syntax::parse_file(text, syntax::Language::Module));
    if (names.empty()) {
      return "nobody";
    }
    const TextRange name = names[below(names.size())];
    return text.substr(name.begin, name.length());
  }

  void rename(std::string& text, const syntax::FileSyntax& file, const std::string& name) {
    const auto names = names_of(file);
    if (!names.empty()) {
      const TextRange old = names[below(names.size())];
      text.replace(old.begin, old.length(), name);
    }
  }

  /// Some name in the text becomes that of an item, wherever it stands.
  void use_other_name(Texts& texts, size_t which, const syntax::FileSyntax& file) {
    std::vector<TextRange> places;
    for (const syntax::Unit& unit : file.units) {
      for (const syntax::NodeData& node : unit.tree->nodes) {
        if (node.kind == syntax::NodeKind::Identifier) {
          places.push_back(TextRange{node.begin, node.end}.shifted(unit.begin));
        }
      }
    }
    if (!places.empty()) {
      const TextRange place = places[below(places.size())];
      texts[which].replace(place.begin, place.length(), name_in(texts[below(texts.size())]));
    }
  }

  static void remove(std::string& text, TextRange unit) { text.erase(unit.begin, unit.length()); }

  void copy(const std::string& text, TextRange unit, std::string& into) {
    const std::string copied = text.substr(unit.begin, unit.length());
    const syntax::FileSyntax other = syntax::parse_file(into, syntax::Language::Module);
    into.insert(unit_of(other).begin, copied);
  }

  void move(std::string& text, TextRange unit, const syntax::FileSyntax& file) {
    const std::string moved = text.substr(unit.begin, unit.length());
    const uint32_t to = unit_of(file).begin;
    text.insert(to, moved);
    text.erase(unit.begin + (to <= unit.begin ? moved.size() : 0), moved.size());
  }

  void replace_any(std::string& text, std::string_view characters, std::string_view by) {
    std::vector<size_t> places;
    for (size_t i = 0; i < text.size(); ++i) {
      if (characters.find(text[i]) != std::string_view::npos) {
        places.push_back(i);
      }
    }
    if (!places.empty()) {
      text.replace(places[below(places.size())], 1, by);
    }
  }

  std::mt19937_64& random_;
};

auto sources() -> std::vector<std::string> {
  std::vector<std::string> texts;
  for (const char* folder : {"tests/check", "examples"}) {
    for (const auto& path : harness::find_files(
             {.folder = folder, .endings = {".tacet"}, .depth = harness::Depth::Below})) {
      std::string text = harness::read_file(path);
      if (text.size() < 3000) {
        texts.push_back(std::move(text));
      }
    }
  }
  return texts;
}

/// Failed checks are found with the text at hand.
class ThrowingChecks {
 public:
  ThrowingChecks()
      : previous_(
            set_check_handler([](const char* file, int line, const char*, const char* message) {
              throw std::logic_error(fmt::format("{}:{}: {}", file, line, message));
            })) {}
  ~ThrowingChecks() { set_check_handler(previous_); }
  ThrowingChecks(const ThrowingChecks&) = delete;
  auto operator=(const ThrowingChecks&) -> ThrowingChecks& = delete;

 private:
  CheckHandler previous_;
};

/// What is said of texts, or the check that fails.
auto answers_or_failure(const Texts& texts) -> std::string {
  AnalysisHost fresh;
  apply(fresh, texts, {0, 1});
  try {
    return answers(fresh);
  } catch (const std::logic_error& failure) {
    return fmt::format("failed check: {}", failure.what());
  }
}

/// How much a row of edits compared, so that a test does not pass on nothing.
struct Compared {
  size_t n_texts = 0;
  size_t n_lines = 0;
};

void run_row(uint64_t seed, const std::vector<std::string>& all, Compared& compared) {
  constexpr size_t kEdits = 8;
  constexpr size_t kMostText = 12'000;
  std::mt19937_64 random(seed);
  ItemEditor editor(random);
  Texts texts = {all[editor.below(all.size())], all[editor.below(all.size())]};
  if (const size_t end = texts[1].find('\n'); end != std::string::npos) {
    texts[1].insert(end + 1, "import first\n");
  }
  AnalysisHost edited;
  apply(edited, texts, {0, 1});
  answers(edited);
  std::vector<Texts> before;
  for (size_t i = 0; i < kEdits; ++i) {
    const size_t which = editor.below(texts.size());
    before.push_back(texts);
    if (i > 0 && editor.below(4) == 0) {
      texts = before[editor.below(before.size())];  // undone
    } else {
      editor.edit(texts, which);
    }
    if (texts[0].size() + texts[1].size() > kMostText) {
      return;
    }
    // A person asks after some edits, and not after others.
    apply(edited, texts, {0, 1});
    if (editor.below(3) == 0) {
      continue;
    }
    const std::string of_fresh = answers_or_failure(texts);
    ASSERT_EQ(of_fresh.find("failed check"), std::string::npos)
        << "seed " << seed << ", edit " << i << "\n"
        << of_fresh << "\n--- first\n"
        << texts[0] << "\n--- second\n"
        << texts[1];
    const std::string of_edited = answers(edited);
    ++compared.n_texts;
    compared.n_lines += static_cast<size_t>(std::count(of_fresh.begin(), of_fresh.end(), '\n'));
    ASSERT_EQ(of_edited == of_fresh, true)
        << "seed " << seed << ", edit " << i << "\n"
        << first_difference(of_edited, of_fresh) << "\n--- first\n"
        << texts[0] << "\n--- second\n"
        << texts[1];
  }
}

TEST(ItemEdits, LeaveNothingOldBehind) {
  const ThrowingChecks throwing;
  const std::vector<std::string> all = sources();
  const uint64_t first = harness::number_of("TACET_EDITS_SEED", 1);
  const uint64_t n_rows = harness::rounds(150);
  Compared compared;
  for (uint64_t seed = first; seed < first + n_rows && !HasFatalFailure(); ++seed) {
    run_row(seed, all, compared);
  }
  if (!HasFatalFailure()) {
    EXPECT_GE(compared.n_texts, 3 * n_rows);
    EXPECT_GE(compared.n_lines, 50 * compared.n_texts);
  }
}

/// Two threads that take piece by piece.
class TwoThreads final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = next++; i < n; i = next++) {
        body(i);
      }
    };
    std::thread other(work);
    work();
    other.join();
  }
};

/// Large files are analysed in pieces.
TEST(ItemEdits, AreFoundByTwoThreadsAsByOne) {
  std::mt19937_64 random(harness::number_of("TACET_EDITS_SEED", 1));
  ItemEditor editor(random);
  for (uint64_t row = 0; row < harness::rounds(4); ++row) {
    Texts texts = {testing::module_text(2400), "#version 0.1.0\nimport first\n"};
    for (int i = 0; i < 6; ++i) {
      editor.edit(texts, 0);
    }
    AnalysisHost alone;
    AnalysisHost shared;
    apply(alone, texts, {0, 1});
    apply(shared, texts, {0, 1});
    TwoThreads executor;
    const auto of_alone = alone.analysis({});
    const auto of_shared = shared.analysis({});
    const FileId file = of_alone->file(kPaths[0]).value();
    std::string expected;
    for (const Diagnostic& diagnostic : file_diagnostics(*of_alone, file)) {
      write(expected, diagnostic);
    }
    std::string found;
    for (const Diagnostic& diagnostic : file_diagnostics(*of_shared, file, executor)) {
      write(found, diagnostic);
    }
    ASSERT_EQ(found == expected, true) << first_difference(found, expected);
    EXPECT_FALSE(expected.empty());
  }
}

}  // namespace
}  // namespace tacet::ide
