// Runs the fixtures of tests/render. A fixture is a text of sections:
//
//   //- file PATH            a source; `⟦name:text⟧` marks a range, escapes are expanded
//   //- diagnostic CODE NAME MESSAGE      lines below: `label NAME: …`, `note: …`,
//                            `fix safe|unsafe|display TITLE` and `edit NAME: new text`
//   //- human WIDTH, //- colour, //- short, //- json, //- github, //- sarif
//                            what the diagnostics above render to
//
// UPDATE_GOLDEN=1 rewrites what they render to.
#include "compiler/core/diagnostics/render.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/harness/sections.h"

namespace tacet {
namespace {

struct TestFile {
  std::string path;
  std::string text;
  LineIndex lines{""};
};

using harness::Section;

auto word_and_rest(const std::string& text) -> std::pair<std::string, std::string> {
  size_t space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

class Fixture {
 public:
  explicit Fixture(const std::string& text) {
    harness::Sections found = harness::split_sections(text);
    EXPECT_EQ(found.front, "") << "in front of the first section";
    sections_ = std::move(found.sections);
  }

  /// Renders every output section; `UPDATE_GOLDEN` writes the result back.
  auto run() -> std::string {
    std::string result;
    for (Section& section : sections_) {
      auto [kind, rest] = word_and_rest(section.heading);
      if (kind == "file") {
        add_file(rest, section.body);
      } else if (kind == "diagnostic") {
        add_diagnostic(rest, section.body);
      } else {
        section.body = render(kind, rest);
      }
      result += "//- " + section.heading + "\n" + section.body;
    }
    return result;
  }

  [[nodiscard]] auto n_outputs() const -> size_t { return n_outputs_; }

 private:
  void add_file(const std::string& path, const std::string& body) {
    TestFile file;
    file.path = path;
    std::string text = expand_escapes(body);
    FileId id{static_cast<uint32_t>(files_.size())};
    std::vector<std::pair<std::string, uint32_t>> open;
    const std::string kOpen = "⟦";
    const std::string kClose = "⟧";
    for (size_t i = 0; i < text.size();) {
      if (text.compare(i, kOpen.size(), kOpen) == 0) {
        size_t colon = text.find(':', i);
        open.emplace_back(text.substr(i + kOpen.size(), colon - i - kOpen.size()),
                          static_cast<uint32_t>(file.text.size()));
        i = colon + 1;
      } else if (text.compare(i, kClose.size(), kClose) == 0) {
        auto end = static_cast<uint32_t>(file.text.size());
        ranges_[open.back().first] = {id, {open.back().second, end}};
        open.pop_back();
        i += kClose.size();
      } else {
        file.text.push_back(text[i++]);
      }
    }
    file.lines = LineIndex(file.text);
    files_.push_back(std::move(file));
  }

  auto range(const std::string& name) -> FileRange {
    EXPECT_TRUE(ranges_.contains(name)) << name;
    return ranges_[name];
  }

  void add_diagnostic(const std::string& heading, const std::string& body) {
    auto [code_text, rest] = word_and_rest(heading);
    auto [place, message] = word_and_rest(rest);
    DiagnosticCode code{};
    EXPECT_TRUE(find_code(code_text, code)) << code_text;
    FileRange at = place == "nowhere" ? FileRange{} : range(place);
    Diagnostic diagnostic = make_diagnostic(code, at, expand_escapes(message));
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) {
      add_detail(diagnostic, line);
    }
    diagnostics_.push_back(std::move(diagnostic));
  }

  void add_detail(Diagnostic& diagnostic, const std::string& line) {
    auto [kind, rest] = word_and_rest(line);
    size_t colon = rest.find(": ");
    if (kind == "severity") {
      EXPECT_TRUE(rest == "warning" || rest == "hint" || rest == "information") << line;
      diagnostic.severity = rest == "warning" ? Severity::Warning
                            : rest == "hint"  ? Severity::Hint
                                              : Severity::Information;
    } else if (kind == "note:") {
      diagnostic.notes.push_back(expand_escapes(rest));
    } else if (kind == "label") {
      diagnostic.labels.push_back(
          {range(rest.substr(0, colon)), expand_escapes(rest.substr(colon + 2))});
    } else if (kind == "fix") {
      auto [level, title] = word_and_rest(rest);
      EXPECT_TRUE(level == "safe" || level == "unsafe" || level == "display") << line;
      diagnostic.fixes.push_back({title,
                                  level == "safe"     ? Applicability::Safe
                                  : level == "unsafe" ? Applicability::Unsafe
                                                      : Applicability::DisplayOnly,
                                  {}});
    } else if (kind == "edit") {
      diagnostic.fixes.back().edits.push_back(
          {range(rest.substr(0, colon)).range, expand_escapes(rest.substr(colon + 2))});
    } else {
      EXPECT_EQ(line, "") << "unknown line";
    }
  }

  auto render(const std::string& kind, const std::string& argument) -> std::string {
    ++n_outputs_;
    SourceLookup sources = [&](FileId id) -> SourceView {
      if (id.index >= files_.size()) {
        return {};
      }
      return {files_[id.index].path, files_[id.index].text, &files_[id.index].lines};
    };
    if (kind == "sarif") {
      return render_sarif(diagnostics_, sources, {"tacet", "1.2.3"});
    }
    std::string result;
    for (const Diagnostic& diagnostic : diagnostics_) {
      if (kind == "human") {
        auto width = static_cast<uint32_t>(argument.empty() ? 100 : std::stoul(argument));
        result += render_human(diagnostic, sources, {Colour::Never, width}) + "\n";
      } else if (kind == "colour") {
        std::string text = render_human(diagnostic, sources, {Colour::Always, 100});
        for (size_t i = 0; (i = text.find('\x1b', i)) != std::string::npos;) {
          text.replace(i, 1, "␛");
        }
        result += text;
      } else if (kind == "short") {
        result += render_short(diagnostic, sources);
      } else if (kind == "json") {
        result += render_json(diagnostic, sources);
      } else if (kind == "github") {
        result += render_github(diagnostic, sources);
      } else {
        ADD_FAILURE() << "unknown section " << kind;
      }
    }
    return result;
  }

  std::vector<Section> sections_;
  std::vector<TestFile> files_;
  std::map<std::string, FileRange> ranges_;
  std::vector<Diagnostic> diagnostics_;
  size_t n_outputs_ = 0;
};

class RenderFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RenderFixture, RendersAsWritten) {
  Fixture fixture(harness::read_file(GetParam()));
  harness::expect_golden(GetParam(), fixture.run());
  EXPECT_GT(fixture.n_outputs(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Files, RenderFixture,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/render", .endings = {".txt"}, .least = 6})),
                         harness::name_of_file);

/// Any range in any bytes renders: nothing is read outside of the text, and what comes
/// out is UTF-8 in which nothing but line ends controls a terminal.
TEST(Render, TakesAnyBytesAndAnyRange) {
  uint64_t state = 12345;
  auto random = [&](uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>((state >> 33) % n);
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    static constexpr std::string_view kPieces[] = {
        "a", " ", "\n", "\r\n", "\t", "\xFF", "秘", "\x1b[31m", "\u202E", "\U0001F512", "\u0301"};
    for (uint32_t i = random(60); i > 0; --i) {
      text += kPieces[random(std::size(kPieces))];
    }
    LineIndex lines(text);
    SourceLookup sources = [&](FileId) { return SourceView{"a.tacet", text, &lines}; };
    auto any_range = [&] {
      uint32_t begin = random(text.size() + 3);
      return TextRange{begin, begin + random(20)};
    };
    Diagnostic diagnostic = make_diagnostic(DiagnosticCode::T0001, {FileId{0}, any_range()}, text);
    for (uint32_t i = random(4); i > 0; --i) {
      diagnostic.labels.push_back({{FileId{0}, any_range()}, "label"});
    }
    diagnostic.fixes.push_back({"fix", Applicability::Safe, {{any_range(), text}}});
    diagnostic.fixes.back().edits.push_back({any_range(), "\n"});
    for (const std::string& out :
         {render_human(diagnostic, sources, {Colour::Never, 20 + random(60)}),
          render_short(diagnostic, sources), render_json(diagnostic, sources)}) {
      EXPECT_EQ(find_invalid_utf8(out), out.size()) << text;
      EXPECT_EQ(out.find('\x1b'), std::string::npos) << text;
    }
    EXPECT_FALSE(render_sarif(std::vector{diagnostic}, sources, {}).empty());
    EXPECT_FALSE(render_github(diagnostic, sources).empty());
  }
}

}  // namespace
}  // namespace tacet
