#include "tests/ide/fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/find_references.h"
#include "lsp/ide/goto_definition.h"
#include "lsp/ide/goto_implementation.h"
#include "lsp/ide/hover.h"
#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/join_lines.h"
#include "lsp/ide/lenses.h"
#include "lsp/ide/name_colours.h"
#include "lsp/ide/rename.h"
#include "tests/harness/sections.h"

namespace tacet::ide {

using harness::lines_of;

Fixture::Fixture(const harness::Case& test)
    : feature_(test.title.substr(0, test.title.find(": "))),
      host_(std::make_unique<AnalysisHost>()) {
  std::vector<harness::ProgramFile> files = harness::split_files(test.source, "/a.tacet");
  std::string& last = files.back().text;
  if (const size_t cursor = last.find("$0"); cursor != std::string::npos) {
    cursor_ = static_cast<uint32_t>(cursor);
    last.erase(cursor, 2);
  }
  const size_t end = last.find("$1");
  end_ = end == std::string::npos ? cursor_ : static_cast<uint32_t>(end);
  if (end != std::string::npos) {
    last.erase(end, 2);
  }
  std::vector<FileChange> changes;
  for (auto& [path, text, line] : files) {
    changes.push_back({path, std::make_shared<const std::string>(text), true});
  }
  host_->set_background([](const BackgroundTask& task) { task.run([](std::string_view) {}); });
  host_->apply(changes);
  analysis_ = host_->analysis({});
  file_ = *analysis_->file(files.back().path);
  text_ = analysis_->text(file_);
}

auto Fixture::answer() const -> std::string {
  static_cast<void>(answer_now());
  return answer_now();
}

auto Fixture::answer_now() const -> std::string {
  if (feature_ == "hovers") {
    return hovers();
  }
  if (feature_ == "hover") {
    const auto hover = ide::hover(analysis_->snapshot(), file_, cursor_, analysis_->plans(),
                                  analysis_->parties(file_));
    return hover ? hover->markdown + "\n" : "";
  }
  if (feature_ == "definition") {
    return links(goto_definition(analysis_->snapshot(), file_, cursor_));
  }
  if (feature_ == "declaration") {
    return links(goto_declaration(analysis_->snapshot(), file_, cursor_));
  }
  if (feature_ == "implementation") {
    return links(goto_implementation(analysis_->snapshot(), file_, cursor_));
  }
  if (feature_ == "references") {
    return places(find_references(analysis_->snapshot(), file_, cursor_, Declarations::Included));
  }
  if (feature_ == "uses") {
    return places(find_references(analysis_->snapshot(), file_, cursor_, Declarations::LeftOut));
  }
  if (feature_ == "linked") {
    std::vector<FileRange> found;
    for (const TextRange range : linked_ranges(analysis_->snapshot(), file_, cursor_)) {
      found.push_back({file_, range});
    }
    return places(found);
  }
  if (feature_ == "highlights") {
    return highlights();
  }
  if (feature_ == "hints") {
    return hints({.types = true, .tags = false, .costs = false});
  }
  if (feature_ == "costs") {
    return hints({.types = false, .tags = false, .costs = true});
  }
  if (feature_ == "tags") {
    return hints({.types = false, .tags = true, .costs = false});
  }
  if (feature_ == "parameters") {
    return hints({.types = false, .costs = false, .parameters = true});
  }
  if (feature_ == "draws") {
    return hints({.types = false, .tags = false, .draws = true, .costs = false});
  }
  if (feature_ == "join") {
    const TextRange range{cursor_, end_};
    return apply_edits(*text_, join_lines(*analysis_->syntax(file_), *text_, {&range, 1}));
  }
  if (feature_ == "move up" || feature_ == "move down") {
    return moved(feature_ == "move up" ? MoveDirection::Up : MoveDirection::Down);
  }
  if (feature_ == "secrets") {
    return secrets();
  }
  if (feature_.starts_with("rename to ")) {
    return renamed(std::string_view(feature_).substr(10));
  }
  if (feature_ == "lenses") {
    return lenses();
  }
  if (feature_ == "actions") {
    return actions();
  }
  if (feature_ == "refactor") {
    return refactored();
  }
  ADD_FAILURE() << "no feature " << feature_;
  return {};
}

/// Markdown on one line.
static auto on_one_line(const std::string& markdown) -> std::string {
  std::string out;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```") || line == "---") {
      continue;
    }
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) {
      out += (out.empty() ? "" : " | ") + line.substr(begin);
    }
  }
  return out;
}

/// Each `^` in a comment that has nothing else points at the character above the comment.
auto Fixture::hovers() const -> std::string {
  std::string out;
  std::string line;
  size_t line_begin = 0;
  size_t number = 0;
  size_t begin = 0;
  size_t n_lines = 0;
  for (const std::string& candidate : lines_of(text())) {
    ++n_lines;
    const size_t slashes = candidate.find("//");
    const bool is_marker = slashes != std::string::npos &&
                           candidate.find('^') != std::string::npos &&
                           candidate.find_first_not_of(" /^") == std::string::npos;
    if (!is_marker) {
      line = candidate;
      line_begin = begin;
      number = n_lines;
    }
    for (size_t at = is_marker ? candidate.find('^') : std::string::npos; at != std::string::npos;
         at = candidate.find('^', at + 1)) {
      const auto hover =
          ide::hover(analysis_->snapshot(), file_, static_cast<uint32_t>(line_begin + at),
                     analysis_->plans(), analysis_->parties(file_));
      const std::string name =
          hover ? text().substr(hover->range.begin, hover->range.length()) : line.substr(at, 1);
      out += fmt::format("{}:{} {}  {}\n", number, at + 1, name,
                         hover ? on_one_line(hover->markdown) : "nothing");
    }
    begin += candidate.size() + 1;
  }
  return out;
}

auto Fixture::place(FileId file, TextRange range) const -> std::string {
  const std::string& text = *analysis_->text(file);
  const auto at = static_cast<ptrdiff_t>(range.begin);
  const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
  const size_t line_begin = range.begin == 0 ? 0 : text.rfind('\n', range.begin - 1) + 1;
  const size_t line_end = text.find('\n', range.begin);
  std::string shown = text.substr(line_begin, line_end - line_begin);
  const std::string name = text.substr(range.begin, range.length());
  shown.insert(range.begin - line_begin + name.size(), "›").insert(range.begin - line_begin, "‹");
  const size_t begin = shown.find_first_not_of(' ');
  return fmt::format("{}:{}:{}  {}", analysis_->path(file), line, range.begin - line_begin + 1,
                     shown.substr(begin));
}

auto Fixture::links(const DefinitionLinks& found) const -> std::string {
  std::string out;
  for (const Definition& target : found.targets) {
    EXPECT_TRUE(target.full.contains(target.name));
    EXPECT_TRUE(found.origin.touches(cursor_));
    out += place(target.file, target.name) + "\n";
  }
  return out;
}

auto Fixture::places(const std::vector<FileRange>& found) const -> std::string {
  std::string out;
  for (const FileRange& entry : found) {
    out += place(entry.file, entry.range) + "\n";
  }
  return out;
}

auto Fixture::highlights() const -> std::string {
  std::string out;
  for (const Highlight& highlight : ide::highlights(analysis_->snapshot(), file_, cursor_)) {
    const bool is_written = highlight.kind == Highlight::Kind::Write;
    out += fmt::format("{:<5}  {}\n", is_written ? "write" : "read", place(file_, highlight.range));
  }
  return out;
}

/// Every place that gets the new name, or why none does.
auto Fixture::renamed(std::string_view new_name) const -> std::string {
  const Renaming found = rename(analysis_->snapshot(), file_, cursor_, new_name);
  EXPECT_EQ(found.problem.empty(), !found.places.empty());
  return found.problem.empty() ? places(found.places) : found.problem + "\n";
}

/// The text with what is selected moved.
auto Fixture::moved(MoveDirection direction) const -> std::string {
  const std::vector<TextEdit> edits =
      move_item(*analysis_->syntax(file_), *text_, {cursor_, end_}, direction);
  return edits.empty() ? "nothing moves\n" : apply_edits(*text_, edits);
}

/// The lines that have hints, with them. What may be inserted is checked to be what is shown.
auto Fixture::hints(HintOptions options) const -> std::string {
  const TextRange whole{0, static_cast<uint32_t>(text().size())};
  std::string shown;
  size_t done = 0;
  for (const Hint& hint :
       inlay_hints(analysis_->snapshot(), file_, whole, options, analysis_->parties(file_))) {
    EXPECT_LE(done, hint.offset);
    EXPECT_TRUE(hint.insertion.empty() || hint.insertion.find(hint.text) != std::string::npos);
    shown += text().substr(done, hint.offset - done) + "‹" + hint.text + "›";
    done = hint.offset;
  }
  shown += text().substr(done);
  std::string out;
  for (const std::string& line : lines_of(shown)) {
    out += line.find("‹") == std::string::npos ? "" : line + "\n";
  }
  return out;
}

/// The lines with names that are coloured as secret, which are marked.
auto Fixture::secrets() const -> std::string {
  const TextRange whole{0, static_cast<uint32_t>(text().size())};
  std::string shown;
  size_t done = 0;
  for (const Token& token : semantic_tokens(*analysis_, file_, whole)) {
    if ((token.modifiers & kSecret) != 0) {
      const std::string name = text().substr(token.range.begin, token.range.length());
      shown += text().substr(done, token.range.begin - done) + "‹" + name + "›";
      done = token.range.end;
    }
  }
  shown += text().substr(done);
  std::string out;
  for (const std::string& line : lines_of(shown)) {
    out += line.find("‹") == std::string::npos ? "" : line + "\n";
  }
  return out;
}

auto Fixture::lenses() const -> std::string {
  std::string out;
  for (const Lens& lens : ide::lenses(*analysis_, file_)) {
    const auto said = lens_text(*analysis_, file_, lens.subject, lens.kind);
    EXPECT_TRUE(said.has_value());
    if (!said) {
      continue;
    }
    EXPECT_EQ(said->range, lens.range);
    out +=
        fmt::format("{}: {}\n", text().substr(lens.range.begin, lens.range.length()), said->title);
    for (const FileRange& entry : said->places) {
      out += fmt::format("    {}\n", place(entry.file, entry.range));
    }
  }
  return out;
}

auto Fixture::actions() const -> std::string {
  std::string out;
  for (const Action& action :
       actions_at(*analysis_, file_, {cursor_, cursor_}, FixAll::WithEdits)) {
    out +=
        fmt::format("{}{}{}\n", action.title, action.kind == Action::Kind::FixAll ? " (all)" : "",
                    action.is_preferred ? " (preferred)" : "");
  }
  return out;
}

/// What each refactoring of the selection makes of the lines that it changes.
auto Fixture::refactored() const -> std::string {
  const std::vector<std::string> before = lines_of(text());
  std::string out;
  for (const Action& action : actions_at(*analysis_, file_, {cursor_, end_}, FixAll::WithEdits)) {
    if (action.kind == Action::Kind::QuickFix || action.kind == Action::Kind::FixAll) {
      continue;
    }
    const std::vector<std::string> after = lines_of(apply_edits(text(), action.edits));
    size_t first = 0;
    while (first < std::min(before.size(), after.size()) && before[first] == after[first]) {
      ++first;
    }
    size_t last = 0;
    while (last < std::min(before.size(), after.size()) - first &&
           before[before.size() - 1 - last] == after[after.size() - 1 - last]) {
      ++last;
    }
    out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", action.title);
    for (size_t i = first; i < after.size() - last; ++i) {
      out += after[i].empty() ? "\n" : fmt::format("| {}\n", after[i]);
    }
  }
  return out;
}

}  // namespace tacet::ide
