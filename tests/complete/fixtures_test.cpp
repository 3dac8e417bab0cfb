// Runs every tests/complete/*.test. A file is a sequence of cases:
//
//   === what the case shows
//   //- /other.tacet        a further file, up to the next such line
//   …
//   //- /a.tacet
//   text with $0 where the cursor is
//   ---
//   name  kind  detail      what is offered, best first
//   keywords: let var       those at the end, on one line
//   snippet: if …           and snippets, a line each
//
// tests/complete/inserted/*.test say instead what is inserted, by name: `f: f(${1:x})`; for a form
// behind an expression, `reveal: [x.]reveal(x)`, where the text in brackets goes.
//
// UPDATE_GOLDEN=1 rewrites what is offered.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "formatter/format.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/complete.h"
#include "lsp/ide/complete_imports.h"
#include "lsp/ide/fitting_snippets.h"
#include "lsp/ide/keyword_documentation.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/harness/sections.h"

namespace tacet::ide {
namespace {

using harness::Case;

auto kind_text(CompletionKind kind) -> std::string_view {
  switch (kind) {
    case CompletionKind::Keyword:
      return "keyword";
    case CompletionKind::Local:
      return "local";
    case CompletionKind::Parameter:
      return "parameter";
    case CompletionKind::Field:
      return "field";
    case CompletionKind::Constant:
      return "constant";
    case CompletionKind::Specification:
      return "specification";
    case CompletionKind::Class:
      return "class";
    case CompletionKind::Function:
      return "function";
    case CompletionKind::Method:
      return "method";
    case CompletionKind::Type:
      return "type";
    case CompletionKind::Party:
      return "party";
    case CompletionKind::Device:
      return "device";
    case CompletionKind::Module:
      return "module";
    case CompletionKind::Flag:
      return "flag";
    case CompletionKind::Snippet:
      return "snippet";
  }
  return "";
}

/// The files of a case; the last is the one with the cursor, whose offset is taken out.
auto files_of(const Case& test, uint32_t& cursor) -> std::vector<FileChange> {
  std::vector<harness::ProgramFile> files = harness::split_files(test.source, "/a.tacet");
  std::string& last = files.back().text;
  const size_t at = last.find("$0");
  EXPECT_NE(at, std::string::npos) << "no cursor";
  cursor = at == std::string::npos ? 0 : static_cast<uint32_t>(at);
  last.erase(cursor, at == std::string::npos ? 0 : 2);
  std::vector<FileChange> changes;
  for (auto& [path, text, line] : files) {
    changes.push_back({path, std::make_shared<const std::string>(text), true});
  }
  return changes;
}

/// What the edits of a completion are for: with them the name is offered as one that is visible.
void expect_visible_when_imported(const Analysis& analysis, std::vector<FileChange> files,
                                  uint32_t cursor, const Completion& item) {
  const FileId file = *analysis.file(files.back().path);
  const ResolvedCompletion resolved =
      resolve_completion(analysis.snapshot(), file, item.documented);
  ASSERT_EQ(resolved.edits.size(), 1U) << item.label;
  const TextEdit& edit = resolved.edits.front();
  EXPECT_EQ(edit, import_edit(*analysis.syntax(file), *analysis.text(file), item.module));
  ASSERT_TRUE(edit.range.is_empty() && edit.range.end <= cursor) << item.label;
  FileChange& changed = files.back();
  changed.text = std::make_shared<const std::string>(apply_edits(*changed.text, resolved.edits));
  auto host = std::make_unique<AnalysisHost>();
  host->apply(files);
  auto after = host->analysis({});
  const auto moved = cursor + static_cast<uint32_t>(edit.new_text.size());
  const Completions found =
      complete(after->snapshot(), *after->file(changed.path), moved, after->imports());
  EXPECT_TRUE(std::any_of(
      found.items.begin(), found.items.end(),
      [&](const Completion& other) { return other.label == item.label && other.module.empty(); }))
      << item.label << " is not visible in\n"
      << *changed.text;
}

auto offered(const Case& test) -> std::string {
  uint32_t cursor = 0;
  const std::vector<FileChange> files = files_of(test, cursor);
  auto host = std::make_unique<AnalysisHost>();
  host->apply(files);
  auto analysis = host->analysis({});
  std::string out;
  std::string keywords;
  std::string snippets;
  for (const Completion& item : complete(analysis->snapshot(), *analysis->file(files.back().path),
                                         cursor, analysis->imports())
                                    .items) {
    if (item.kind == CompletionKind::Keyword) {
      keywords += " " + item.label;
      continue;
    }
    if (item.kind == CompletionKind::Snippet) {
      snippets += "snippet: " + item.label + "\n";
      continue;
    }
    if (!item.module.empty()) {
      expect_visible_when_imported(*analysis, files, cursor, item);
    }
    out += fmt::format("{}  {}{}{}\n", item.label, kind_text(item.kind),
                       item.detail.empty() ? "" : "  ", item.detail);
  }
  return out + (keywords.empty() ? "" : "keywords:" + keywords + "\n") + snippets;
}

/// Is the text right, and as the formatter would have it?
auto is_formatted(std::string text) -> bool {
  // A block in which nothing is filled in.
  for (size_t at = text.find("{\n"); at != std::string::npos; at = text.find("{\n", at + 1)) {
    const size_t next = text.find_first_not_of(" \n", at + 1);
    if (next != std::string::npos && text[next] == '}') {
      text.erase(at + 1, next - at - 1);
    }
  }
  const formatter::FormatResult result =
      formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted);
  return result.diagnostics.empty() && result.text == text;
}

/// What the completions insert that are more than their names.
auto inserted(const Case& test) -> std::string {
  uint32_t cursor = 0;
  const std::vector<FileChange> files = files_of(test, cursor);
  auto host = std::make_unique<AnalysisHost>();
  host->apply(files);
  auto analysis = host->analysis({});
  const FileId file = *analysis->file(files.back().path);
  const auto text = analysis->text(file);
  std::string out;
  for (const Completion& item :
       complete(analysis->snapshot(), file, cursor, analysis->imports()).items) {
    const bool is_form = item.kind == CompletionKind::Snippet && item.removed.is_empty();
    if (!item.snippet.empty() && !is_form) {
      const std::string removed = text->substr(item.removed.begin, item.removed.length());
      out += fmt::format("{}: {}{}\n", item.keyword.empty() ? item.label : item.keyword,
                         removed.empty() ? "" : "[" + removed + "]", item.snippet);
    }
  }
  return out;
}

class CompletionFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompletionFixture, OffersWhatItSays) {
  harness::expect_cases(GetParam(), offered);
}

INSTANTIATE_TEST_SUITE_P(Files, CompletionFixture,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/complete", .endings = {".test"}, .least = 5})),
                         harness::name_of_file);

class InsertionFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(InsertionFixture, InsertsWhatItSays) {
  harness::expect_cases(GetParam(), inserted);
}

INSTANTIATE_TEST_SUITE_P(
    Files, InsertionFixture,
    ::testing::ValuesIn(harness::find_files(
        {.folder = "tests/complete/inserted", .endings = {".test"}, .least = 2})),
    harness::name_of_file);

TEST(Keywords, AreDocumented) {
  for (const std::string_view keyword : {
#define TACET_PUNCTUATION(Name, text)
#define TACET_NODE(Name, text)
#define TACET_RESERVED_WORD(Name, text) std::string_view(text),
#define TACET_CONTEXTUAL_WORD(Name, text) std::string_view(text),
#include "compiler/core/syntax/node_kinds.def"
       }) {
    EXPECT_FALSE(keyword_documentation(keyword).empty()) << keyword;
  }
  EXPECT_TRUE(keyword_documentation("x").empty());
}

/// A snippet as it would be in a file: at the top, or in a function.
TEST(Snippets, AreWholeAndFormatted) {
  for (const Snippet& snippet : all_snippets()) {
    const std::string text = snippet_as_text(snippet.text);
    const std::string item = "#version 0.1.0\n\n" + text + "\n";
    std::string inner = "    " + text;
    for (size_t at = inner.find('\n'); at != std::string::npos; at = inner.find('\n', at + 1)) {
      inner.insert(at + 1, inner.compare(at + 1, 1, "\n") == 0 ? "" : "    ");
    }
    const std::string statement =
        "#version 0.1.0\n\nfn f(x: i64) -> i64 {\n" + inner + "\n    x\n}\n";
    EXPECT_TRUE(is_formatted(item) || is_formatted(statement)) << item << statement;
  }
}

}  // namespace
}  // namespace tacet::ide
