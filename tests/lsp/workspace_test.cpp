// The files of a workspace: read with progress, found where `tacet.toml` says, and reported.

#include <gtest/gtest.h>

#include "tests/lsp/real_session.h"

namespace tacet::lsp {
namespace {

constexpr std::string_view kLibrary = "#version 0.1.0\nval next(x: i64) -> i64 { returns x + 1 }\n";
constexpr std::string_view kUser =
    "#version 0.1.0\nimport library\nval v() -> i64 { returns next(1) }\n";

auto is_empty(const Json& diagnostics) -> bool {
  return diagnostics.empty();
}

TEST(Workspace, ReadingItIsShownAsProgress) {
  TemporaryFolder folder;
  for (int i = 0; i < 300; ++i) {
    folder.write("sources/module" + std::to_string(i) + ".tacet", kLibrary);
  }
  RealSession session({{"window", {{"workDoneProgress", true}}}}, folder.path().string());
  const Json create = session.wait_for("window/workDoneProgress/create");
  session.answer(create, nullptr);
  const Json token = create["params"]["token"];
  Json value;
  int last_percentage = -1;
  do {
    const Json progress = session.wait_for("$/progress");
    ASSERT_EQ(progress["params"]["token"], token);
    const bool is_first = value.is_null();
    value = progress["params"]["value"];
    EXPECT_EQ(value["kind"] == "begin", is_first);
    if (value.contains("percentage")) {
      EXPECT_GT(value["percentage"], last_percentage);
      last_percentage = value["percentage"];
    }
  } while (value["kind"] != "end");
  EXPECT_EQ(value["message"], "300 files");
  EXPECT_LE(last_percentage, 100);
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, AClientWithoutProgressGetsNoRequest) {
  TemporaryFolder folder;
  folder.write("a.tacet", kLibrary);
  RealSession session(Json::object(), folder.path().string());
  session.open(folder.uri("a.tacet"), kLibrary);
  session.pushed(folder.uri("a.tacet"), is_empty);
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, ModulesAreFoundInTheSourceFolders) {
  TemporaryFolder folder;
  folder.write("tacet.toml", "sources = [\"lib\"]\n");
  folder.write("lib/library.tacet", kLibrary);
  folder.write("app/a.tacet", kUser);
  // As a workspace, and as one file that was opened from somewhere.
  for (const std::string& root : {folder.path().string(), std::string()}) {
    RealSession session(Json::object(), root);
    session.open(folder.uri("app/a.tacet"), kUser);
    EXPECT_EQ(session.pushed(folder.uri("app/a.tacet"), is_empty), Json::array());
    const Json definition =
        session.ask_at("textDocument/definition", folder.uri("app/a.tacet"), 2, 26);
    EXPECT_EQ(definition["result"][0]["uri"], folder.uri("lib/library.tacet"));
    EXPECT_EQ(session.end(), 0);
  }
}

TEST(Workspace, AFileOfItsOwnIsOfferedItsNeighbours) {
  TemporaryFolder folder;
  folder.write("library.tacet", kLibrary);
  RealSession session;
  session.open(folder.uri("a.tacet"), "#version 0.1.0\n");
  session.pushed(folder.uri("a.tacet"), is_empty);
  session.insert(folder.uri("a.tacet"), 1, 0, "import ");
  session.settle();
  const Json offered =
      session.ask_at("textDocument/completion", folder.uri("a.tacet"), 1, 7)["result"]["items"];
  ASSERT_EQ(offered.size(), 1U);
  EXPECT_EQ(offered[0]["label"], "library");
  EXPECT_EQ(offered[0]["textEdit"]["newText"], "library");
  EXPECT_EQ(session.end(), 0);
}

/// More modules than a request reads: their names are read in the background.
TEST(Workspace, NamesOfItsModulesAreOfferedWithTheirImports) {
  TemporaryFolder folder;
  for (int i = 0; i < 400; ++i) {
    folder.write(
        "module" + std::to_string(i) + ".tacet",
        "#version 0.1.0\nval rare" + std::to_string(i) + "(x: i64) -> i64 { returns x }\n");
  }
  const std::string text = "#version 0.1.0\nval v() -> i64 { returns rare399 }\n";
  folder.write("a.tacet", text);
  RealSession session(Json::object(), folder.path().string());
  session.open(folder.uri("a.tacet"), text);
  session.settle();
  const Json offered =
      session.ask_at("textDocument/completion", folder.uri("a.tacet"), 1, 32)["result"]["items"];
  ASSERT_EQ(offered.size(), 1U);
  EXPECT_EQ(offered[0]["label"], "rare399");
  EXPECT_EQ(offered[0]["detail"], "import module399");
  EXPECT_EQ(offered[0]["additionalTextEdits"][0]["newText"], "\nimport module399\n\n");
  EXPECT_EQ(session.end(), 0);
}

/// Of a file in no workspace, in a session without settings.
TEST(Workspace, SuppressionsExpireEverywhere) {
  RealSession session;
  session.open("mem:/a.tacet",
               "// tacet: allow(style, until 2020-01-01) as long as it is new\n#version 0.1.0\n");
  const Json found = session.pushed("mem:/a.tacet", [](const Json& all) { return !all.empty(); });
  EXPECT_EQ(found[0]["code"], "T5020") << found.dump();
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, FilesAreFormattedAsTheirFoldersSay) {
  TemporaryFolder folder;
  folder.write(".editorconfig", "root = true\n[*]\nindent_size = 2\nmax_line_length = 90\n");
  folder.write("tacet.toml", "[format]\nwidth = 30\n");
  const std::string text =
      "#version 0.1.0\nval v(first: i64, second: i64) -> i64 {returns first}\n";
  folder.write("a.tacet", text);
  RealSession session(Json::object(), folder.path().string());
  session.open(folder.uri("a.tacet"), text);
  const auto indented = [&](const std::string& blanks) {
    const std::string edits =
        session.ask_of("textDocument/formatting", folder.uri("a.tacet")).dump();
    return edits.find("\\n" + blanks + "\"") != std::string::npos;
  };
  EXPECT_TRUE(indented("  "));
  EXPECT_FALSE(indented("   "));
  folder.write(".editorconfig", "root = true\n[*.tacet]\nindent_size = 3\n");
  EXPECT_TRUE(indented("   "));
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, FoldersComeAndGo) {
  TemporaryFolder folder;
  folder.write("one/library.tacet", kLibrary);
  folder.write("one/deep/other.tacet", "#version 0.1.0\nconst next_other = 1\n");
  folder.write("two/more.tacet", "#version 0.1.0\nconst next_more = 1\n");
  RealSession session(Json::object(), (folder.path() / "two").string());
  const auto n_found = [&] {
    session.settle();
    return session.ask("workspace/symbol", {{"query", "next"}})["result"].size();
  };
  const auto change = [&](Json added, Json removed) {
    session.notify("workspace/didChangeWorkspaceFolders",
                   {{"event", {{"added", std::move(added)}, {"removed", std::move(removed)}}}});
  };
  EXPECT_EQ(n_found(), 1U);
  const Json one = {{"uri", folder.uri("one")}, {"name", "one"}};
  const Json deep = {{"uri", folder.uri("one/deep")}, {"name", "deep"}};
  change(Json::array({one, deep}), Json::array());
  EXPECT_EQ(n_found(), 3U);
  // What is in another folder of the workspace stays, and so does what is open.
  change(Json::array(), Json::array({one}));
  EXPECT_EQ(n_found(), 2U);
  session.open(folder.uri("one/deep/other.tacet"), "#version 0.1.0\nconst next_open = 1\n");
  change(Json::array(), Json::array({deep}));
  EXPECT_EQ(n_found(), 2U);
  EXPECT_EQ(session.end(), 0);
}

/// Before its sources were read, so that the reading ends after it.
TEST(Workspace, AFolderRemovedWhileReadIsRemoved) {
  TemporaryFolder folder;
  for (int i = 0; i < 300; ++i) {
    folder.write("one/module" + std::to_string(i) + ".tacet", kLibrary);
  }
  folder.write("one/tacet.toml", "sources = [\".\"]\n");
  folder.write("two/more.tacet", "#version 0.1.0\nconst next_more = 1\n");
  RealSession session(Json::object(), (folder.path() / "one").string());
  session.notify("workspace/didChangeWorkspaceFolders",
                 {{"event",
                   {{"added", {{{"uri", folder.uri("two")}, {"name", "two"}}}},
                    {"removed", {{{"uri", folder.uri("one")}, {"name", "one"}}}}}}});
  session.settle();
  EXPECT_EQ(session.ask("workspace/symbol", {{"query", "next"}})["result"].size(), 1U);
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, ADeletedFolderMayBeReportedAlone) {
  TemporaryFolder folder;
  folder.write("deep/one/library.tacet", kLibrary);
  folder.write("deep/tacet.toml", "sources = [\"one\"]\n");
  folder.write("deeper/more.tacet", "#version 0.1.0\nconst next_more = 1\n");
  RealSession session({{"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}},
                      folder.path().string());
  const Json watched = session.wait_for("client/registerCapability")["params"]["registrations"][0];
  EXPECT_EQ(watched["registerOptions"]["watchers"].back(),
            (Json{{"globPattern", "**/*"}, {"kind", 4}}));
  const auto n_found = [&] {
    session.settle();
    return session.ask("workspace/symbol", {{"query", "next"}})["result"].size();
  };
  EXPECT_EQ(n_found(), 2U);
  const Json removed = {{"changes", {{{"uri", folder.uri("deep/")}, {"type", 3}}}}};
  std::filesystem::remove_all(folder.path() / "deep");
  session.notify("workspace/didChangeWatchedFiles", removed);
  EXPECT_EQ(n_found(), 1U);
  // Reported again, and late: another has come.
  folder.write("deep/two/library.tacet", kLibrary);
  session.notify("workspace/didChangeWatchedFiles", removed);
  EXPECT_EQ(n_found(), 2U);
  EXPECT_EQ(session.end(), 0);
}

/// Nobody asks anything between its closing and its reading.
TEST(Workspace, AClosedFileIsAsItIsOnDisk) {
  TemporaryFolder folder;
  folder.write("library.tacet", kLibrary);
  RealSession session({{"textDocument", {{"diagnostic", Json::object()}}}}, folder.path().string());
  session.settle();
  session.open(folder.uri("library.tacet"), "#version 0.1.0\n");
  session.settle();
  session.notify("textDocument/didClose",
                 {{"textDocument", {{"uri", folder.uri("library.tacet")}}}});
  session.settle();
  EXPECT_EQ(session.ask("workspace/symbol", {{"query", "next"}})["result"].size(), 1U);
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, FilesThatAreNotReadWithItAreNotReadAlone) {
  TemporaryFolder folder;
  folder.write("library.tacet", kLibrary);
  RealSession session(Json::object(), folder.path().string());
  for (const char* name : {"build/next.tacet", "lib/.old/next.tacet", "node_modules/next.tacet"}) {
    folder.write(name, kLibrary);
    session.notify("workspace/didChangeWatchedFiles",
                   {{"changes", {{{"uri", folder.uri(name)}, {"type", 1}}}}});
  }
  session.settle();
  EXPECT_EQ(session.ask("workspace/symbol", {{"query", "next"}})["result"].size(), 1U);
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, AManifestThatChangesIsReadAgain) {
  TemporaryFolder folder;
  folder.write("lib/library.tacet", kLibrary);
  folder.write("app/a.tacet", kUser);
  RealSession session(Json::object(), folder.path().string());
  session.open(folder.uri("app/a.tacet"), kUser);
  EXPECT_FALSE(is_empty(
      session.pushed(folder.uri("app/a.tacet"), [](const Json& found) { return !found.empty(); })));
  auto changed = [&](int type) {
    session.notify("workspace/didChangeWatchedFiles",
                   {{"changes", {{{"uri", folder.uri("tacet.toml")}, {"type", type}}}}});
  };
  folder.write("tacet.toml", "sources = [\"lib\"]\n");
  changed(1);
  session.pushed(folder.uri("app/a.tacet"), is_empty);
  std::filesystem::remove(folder.path() / "tacet.toml");
  changed(3);
  session.pushed(folder.uri("app/a.tacet"), [](const Json& found) { return !found.empty(); });
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, LinksOfItsManifestAreInFindings) {
  constexpr const char* kLoop =
      "#version 0.1.0\n"
      "fn(mpc) f(x: secret [i64; 140]) -> secret i64 {\n"
      "    var s: secret i64 = 1;\n"
      "    for i in 0..140 { s = s * s + x[i]; }\n"
      "    s\n"
      "}\n";
  TemporaryFolder folder;
  folder.write("a.tacet", kLoop);
  RealSession session(Json::object(), folder.path().string());
  session.open(folder.uri("a.tacet"), kLoop);
  const auto says = [&](const std::string& end) {
    session.pushed(folder.uri("a.tacet"), [&](const Json& found) {
      return std::any_of(found.begin(), found.end(), [&](const Json& each) {
        return each["code"] == "T9404" &&
               each["message"].get<std::string>().find(end) != std::string::npos;
      });
    });
  };
  says("140 rounds · 1.1 kB\n");
  folder.write("tacet.toml", "[mpc]\nlatency = 20\nbandwidth = 100\n");
  session.notify("workspace/didChangeWatchedFiles",
                 {{"changes", {{{"uri", folder.uri("tacet.toml")}, {"type", 1}}}}});
  says("140 rounds · 1.1 kB · 2.8 s");
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, AWrongManifestIsShown) {
  TemporaryFolder folder;
  folder.write("tacet.toml", "sources = 3\n");
  RealSession session(Json::object(), folder.path().string());
  const std::string shown = session.wait_for("window/showMessage")["params"]["message"];
  EXPECT_NE(shown.find("tacet.toml:1:11: `sources` must be a list of folders"), std::string::npos)
      << shown;
  EXPECT_EQ(session.end(), 0);
}

TEST(Workspace, ItsDiagnosticsArePulled) {
  TemporaryFolder folder;
  folder.write("good.tacet", kLibrary);
  folder.write("bad.tacet", "#version 0.1.0\nconst c = missing\n");
  RealSession session({{"textDocument", {{"diagnostic", Json::object()}}},
                       {"window", {{"workDoneProgress", true}}}},
                      folder.path().string());
  session.answer(session.wait_for("window/workDoneProgress/create"), nullptr);
  while (session.wait_for("$/progress")["params"]["value"]["kind"] != "end") {
  }
  auto pull = [&](Json previous) {
    return session.ask("workspace/diagnostic",
                       {{"previousResultIds", std::move(previous)}})["result"]["items"];
  };
  const Json first = pull(Json::array());
  ASSERT_EQ(first.size(), 1U) << first.dump();
  EXPECT_EQ(first[0]["uri"], folder.uri("bad.tacet"));
  EXPECT_EQ(first[0]["kind"], "full");
  EXPECT_EQ(first[0]["version"], nullptr);
  EXPECT_EQ(first[0]["items"][0]["code"], "T1003");
  // Nothing changed, and then it is open and fixed.
  Json previous = {{{"uri", folder.uri("bad.tacet")}, {"value", first[0]["resultId"]}}};
  EXPECT_EQ(pull(previous)[0]["kind"], "unchanged");
  session.open(folder.uri("bad.tacet"), "#version 0.1.0\nconst c = 1\n");
  const Json fixed = pull(previous);
  ASSERT_EQ(fixed.size(), 1U);
  EXPECT_EQ(fixed[0]["items"], Json::array());
  EXPECT_EQ(fixed[0]["version"], 1);
  // A client's diagnostics of a removed file are cleared.
  previous = {{{"uri", folder.uri("gone.tacet")}, {"value", "x"}}};
  EXPECT_EQ(pull(previous)[0]["items"], Json::array());
  EXPECT_EQ(session.end(), 0);
}

}  // namespace
}  // namespace tacet::lsp
