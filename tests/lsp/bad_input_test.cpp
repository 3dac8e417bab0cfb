// What no client and no disk should come with, through the server of the compiler: a clear answer
// to each, nothing lost, and the session continues. What the transcripts show of frames, messages
// and edits does not depend on the language; this does.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lsp/real_session.h"

namespace tacet::lsp {
namespace {

constexpr std::string_view kGood = "#version 0.1.0\nval v(x: i64) -> i64 { returns x }\n";
const Json kPull = {{"textDocument", {{"diagnostic", Json::object()}}}};
const std::string kUri = "file:///nowhere/a.tacet";

auto codes(const Json& diagnostics) -> std::string {
  std::string found;
  for (const Json& diagnostic : diagnostics) {
    found += (found.empty() ? "" : " ") + diagnostic["code"].get<std::string>();
  }
  return found;
}

auto pulled(RealSession& session, const std::string& uri) -> Json {
  return session.ask_of("textDocument/diagnostic", uri)["result"]["items"];
}

/// Every request about a document is answered, whatever is in it.
void ask_everything(RealSession& session, const std::string& uri) {
  for (const char* method : {"textDocument/documentSymbol", "textDocument/foldingRange",
                             "textDocument/semanticTokens/full", "textDocument/diagnostic"}) {
    EXPECT_TRUE(session.ask_of(method, uri).contains("result")) << method;
  }
  for (const char* method :
       {"textDocument/hover", "textDocument/definition", "textDocument/completion"}) {
    EXPECT_TRUE(session.ask_at(method, uri, 1, 30).contains("result")) << method;
  }
  const Json formatted = session.ask(
      "textDocument/formatting", {{"textDocument", {{"uri", uri}}}, {"options", Json::object()}});
  EXPECT_TRUE(formatted.contains("result"));
}

class NestedParentheses : public ::testing::TestWithParam<size_t> {};

TEST_P(NestedParentheses, AreOneMistakeAndAnswered) {
  const size_t n = GetParam();
  RealSession session(kPull);
  session.open(kUri, "#version 0.1.0\nconst deep = " + std::string(n, '(') + "1" +
                         std::string(n, ')') + "\nval v(x: i64) -> i64 { returns x }\n");
  EXPECT_EQ(codes(pulled(session, kUri)), "T0006");
  ask_everything(session, kUri);
  // Deep in the middle, and at the end, editing continues.
  session.insert(kUri, 1, static_cast<int>(n), "(");
  session.insert(kUri, 2, 0, "const more = missing\n");
  EXPECT_NE(codes(pulled(session, kUri)).find("T0006"), std::string::npos);
  EXPECT_EQ(session.end(), 0);
}

TEST_P(NestedParentheses, OpenedAndNeverClosed) {
  RealSession session(kPull);
  session.open(kUri, "#version 0.1.0\nconst deep = " + std::string(GetParam(), '('));
  EXPECT_NE(codes(pulled(session, kUri)), "");
  ask_everything(session, kUri);
  EXPECT_EQ(session.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(Depths, NestedParentheses,
                         ::testing::Values(size_t{50000}, size_t{100000}));

TEST(BadInput, AFileOnDiskThatIsNoUtf8) {
  TemporaryFolder folder;
  folder.write("library.tacet",
               "#version 0.1.0\n// caf\xE9\nval next(x: i64) -> i64 { returns x }\n");
  const std::string text = "#version 0.1.0\nimport library\nval v() -> i64 { returns next(1) }\n";
  folder.write("a.tacet", text);
  Json capabilities = kPull;
  RealSession session(capabilities, folder.path().string());
  session.open(folder.uri("a.tacet"), text);
  // It is read all the same: only what is wrong with it is reported, there.
  Json items;
  for (int i = 0; i < 200 && items.size() != 1; ++i) {
    items = session.ask("workspace/diagnostic",
                        {{"previousResultIds", Json::array()}})["result"]["items"];
    items.erase(
        std::remove_if(items.begin(), items.end(),
                       [&](const Json& item) { return item["uri"] == folder.uri("a.tacet"); }),
        items.end());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0]["uri"], folder.uri("library.tacet"));
  EXPECT_EQ(codes(items[0]["items"]), "T0010");
  EXPECT_EQ(codes(pulled(session, folder.uri("a.tacet"))), "");
  EXPECT_EQ(session.end(), 0);
}

TEST(BadInput, ANulByte) {
  RealSession session(kPull);
  session.open(kUri,
               std::string_view("#version 0.1.0\nval v(x: i64) -> i64 { returns x \0 }\n", 52));
  const Json items = pulled(session, kUri);
  ASSERT_EQ(items.size(), 1U) << items.dump();
  EXPECT_EQ(items[0]["code"], "T0003");
  EXPECT_EQ(items[0]["range"]["start"]["character"], 33);
  ask_everything(session, kUri);
  EXPECT_EQ(session.end(), 0);
}

TEST(BadInput, CarriageReturns) {
  RealSession session(kPull);
  session.open(kUri, "#version 0.1.0\r\nval v(x: i64) -> i64 {\r\n    returns y\r\n}\r\n");
  const Json items = pulled(session, kUri);
  ASSERT_EQ(items.size(), 1U) << items.dump();
  EXPECT_EQ(items[0]["range"]["start"], (Json{{"line", 2}, {"character", 12}}));
  ask_everything(session, kUri);
  // An edit in front of a line end leaves it whole.
  session.insert(kUri, 2, 13, " + x");
  session.insert(kUri, 1, 22, "");
  const Json edits = session.ask("textDocument/formatting",
                                 {{"textDocument", {{"uri", kUri}}}, {"options", Json::object()}});
  for (const Json& edit : edits["result"]) {
    const std::string text = edit["newText"];
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
              std::count(text.begin(), text.end(), '\r'));
  }
  EXPECT_EQ(session.end(), 0);
}

TEST(BadInput, LinksThatGoRoundInTheWorkspace) {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  folder.write("inner/library.tacet", kGood);
  fs::create_directory_symlink(folder.path(), folder.path() / "inner" / "up");
  fs::create_directory_symlink(folder.path() / "inner", folder.path() / "inner" / "self");
  fs::create_symlink("loop.tacet", folder.path() / "loop.tacet");
  fs::create_symlink("nothing", folder.path() / "dangling.tacet");
  Json capabilities = kPull;
  capabilities["window"] = {{"workDoneProgress", true}};
  RealSession session(capabilities, folder.path().string());
  session.answer(session.wait_for("window/workDoneProgress/create"), nullptr);
  while (session.wait_for("$/progress")["params"]["value"]["kind"] != "end") {
  }
  session.open(folder.uri("inner/a.tacet"),
               "#version 0.1.0\nimport library\nval w() -> i64 { returns v(1) }\n");
  EXPECT_EQ(codes(pulled(session, folder.uri("inner/a.tacet"))), "");
  EXPECT_EQ(session.end(), 0);
}

TEST(BadInput, AFileOfAHundredMegabytes) {
  TemporaryFolder folder;
  folder.write("library.tacet", kGood);
  folder.write("huge.tacet", "");
  std::filesystem::resize_file(folder.path() / "huge.tacet", 100'000'000);
  RealSession session(kPull, folder.path().string());
  // On disk, and opened: each time it is said once, and nothing else suffers.
  const Json logged = session.wait_for("window/logMessage");
  EXPECT_NE(logged["params"]["message"].get<std::string>().find("huge.tacet: larger than 64 MiB"),
            std::string::npos)
      << logged;
  session.open(folder.uri("huge.tacet"), std::string(100'000'000, ' '));
  const Json refused = session.wait_for("window/logMessage");
  EXPECT_NE(refused["params"]["message"].get<std::string>().find("exceeds 64 MB"),
            std::string::npos)
      << refused;
  EXPECT_TRUE(
      session.ask_of("textDocument/diagnostic", folder.uri("huge.tacet")).contains("error"));
  session.open(folder.uri("a.tacet"),
               "#version 0.1.0\nimport library\nval w() -> i64 { returns v(1) }\n");
  EXPECT_EQ(codes(pulled(session, folder.uri("a.tacet"))), "");
  EXPECT_EQ(session.end(), 0);
}

TEST(BadInput, EditsThatCannotBe) {
  RealSession session(kPull);
  session.insert(kUri, 0, 0, "x");
  const Json ignored = session.wait_for("window/logMessage");
  EXPECT_NE(ignored["params"]["message"].get<std::string>().find("which is not open"),
            std::string::npos);
  session.open(kUri, kGood);
  session.insert(kUri, 99, 99, "const c = missing\n");
  EXPECT_NE(session.wait_for("window/logMessage")["params"]["message"].get<std::string>().find(
                "was truncated"),
            std::string::npos);
  EXPECT_EQ(codes(pulled(session, kUri)), "T1003");
  session.notify("$/cancelRequest", {{"id", 4711}});
  EXPECT_EQ(session.ask("textDocument/nonsense", Json::object())["error"]["code"], -32601);
  session.client().send_bytes("Content-Length: nonsense\r\n\r\nContent-Type: x\r\n\r\n");
  EXPECT_EQ(codes(pulled(session, kUri)), "T1003");
  EXPECT_EQ(session.end(), 0);
}

}  // namespace
}  // namespace tacet::lsp
