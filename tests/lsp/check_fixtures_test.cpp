// The fixtures of tests/check, opened in an editor: the server publishes what is written in them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/line_index.h"
#include "tests/check/fixture.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/lsp/real_session.h"

namespace tacet::lsp {
namespace {

using program::FixtureFile;
using program::Looks;

/// Would a fixture that looks so far expect diagnostics of this code? The server looks at all.
auto is_looked_for(const std::string& code, Looks looks) -> bool {
  const std::string_view phases = looks == Looks::Syntax   ? "0"
                                  : looks == Looks::Types  ? "012"
                                  : looks == Looks::Lint   ? "0125"
                                  : looks == Looks::Advice ? "01259"
                                                           : "0123467";
  return phases.find(code.at(1)) != std::string_view::npos;
}

auto position(const LineIndex& lines, const std::string& text, uint32_t offset) -> Json {
  const LineColumn at = lines.position(text, offset, PositionEncoding::Utf16);
  return {{"line", at.line}, {"character", at.column}};
}

/// What the protocol says of a diagnostic, without the words: `T1003 1 {range}`.
auto line_of(const std::string& code, int severity, const Json& range) -> std::string {
  return code + " " + std::to_string(severity) + " " + range.dump();
}

using Lines = std::multimap<std::string, std::string>;  ///< and the code of each

/// What the compiler finds in a file, which is what is written in the fixture.
auto expected_lines(const program::FrontendSnapshot& snapshot, FileId file, const std::string& text,
                    Looks looks) -> Lines {
  const LineIndex lines(text);
  Lines expected;
  for (const Diagnostic& diagnostic : program::diagnostics_of(snapshot, file, looks)) {
    const std::string code(code_name(diagnostic.code));
    const TextRange range = diagnostic.place.range;
    expected.emplace(line_of(code, 1 + static_cast<int>(diagnostic.severity),
                             {{"start", position(lines, text, range.begin)},
                              {"end", position(lines, text, range.end)}}),
                     code);
  }
  return expected;
}

auto published_lines(const Json& diagnostics) -> Lines {
  Lines published;
  for (const Json& diagnostic : diagnostics) {
    const auto code = diagnostic["code"].get<std::string>();
    published.emplace(line_of(code, diagnostic["severity"].get<int>(), diagnostic["range"]), code);
  }
  return published;
}

/// The day on which suppressions are judged, that of `diagnostics_of`: 2026-01-01.
constexpr const char* kToday = "1767225600";

class PublishedFixture : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override { ::setenv("SOURCE_DATE_EPOCH", kToday, 1); }
  void TearDown() override { ::unsetenv("SOURCE_DATE_EPOCH"); }
};

TEST_P(PublishedFixture, HasTheDiagnosticsWrittenInIt) {
  const std::string text = harness::read_file(GetParam());
  const std::vector<FixtureFile> files =
      program::read_fixture(GetParam().filename().string(), text);
  const Looks looks = program::looks_of(GetParam());
  ASSERT_EQ(program::run_fixture(GetParam().filename().string(), text, looks), "");
  program::Frontend frontend;
  std::vector<FileId> ids;
  RealSession session(Json{{"textDocument", {{"diagnostic", Json::object()}}}});
  for (const FixtureFile& file : files) {
    ids.push_back(frontend.set_file(file.path, file.text));
    session.open("mem:/" + file.path, file.text);
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const Json answer = session.ask_of("textDocument/diagnostic", "mem:/" + files[i].path);
    Lines published = published_lines(answer["result"]["items"]);
    for (const auto& [line, code] :
         expected_lines(frontend.snapshot(), ids[i], files[i].text, looks)) {
      const auto found = published.find(line);
      EXPECT_NE(found, published.end()) << files[i].path << ": not published: " << line;
      if (found != published.end()) {
        published.erase(found);
      }
    }
    for (const auto& [line, code] : published) {
      EXPECT_FALSE(is_looked_for(code, looks)) << files[i].path << ": not expected: " << line;
    }
  }
  EXPECT_EQ(session.end(), 0);
}

/// To a client that does not ask, of a file that waits for no other.
TEST_P(PublishedFixture, IsPushedAsItIsPulled) {
  const std::string text = harness::read_file(GetParam());
  const std::string uri = "mem:/" + GetParam().filename().string();
  RealSession pulling(Json{{"textDocument", {{"diagnostic", Json::object()}}}});
  pulling.open(uri, text);
  RealSession pushing;
  pushing.open(uri, text);
  EXPECT_EQ(published_lines(pushing.pushed(uri, [](const Json&) { return true; })),
            published_lines(pulling.ask_of("textDocument/diagnostic", uri)["result"]["items"]));
  EXPECT_EQ(pulling.end(), 0);
  EXPECT_EQ(pushing.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedFixture, ::testing::ValuesIn(program::fixture_paths()),
                         harness::name_below_folder);

}  // namespace
}  // namespace tacet::lsp
