#include "cli/checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compiler/core/query/event_log.h"

namespace tacet::cli {
namespace {

/// Two files of which one imports a module that is not among them.
class Session : public testing::Test {
 protected:
  Session() : log_(frontend_.database()), session_(frontend_) {
    folder_ = std::filesystem::path(testing::TempDir()) / "tacet_check_session";
    std::filesystem::create_directories(folder_ / "lib");
    write("lib/shared.tacet", "#version 0.1.0\nconst width = 4\n");
  }
  ~Session() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  auto file(const std::string& name, std::string text) const -> LoadedFile {
    return {name, (folder_ / name).string(), std::move(text)};
  }
  /// The messages of a round, and in `log_` the queries that it ran.
  auto round(std::vector<LoadedFile> files) -> std::vector<std::string> {
    SourceSet sources;
    SequentialExecutor executor;
    log_.take();
    std::vector<std::string> messages;
    for (const Diagnostic& diagnostic :
         session_.check(std::move(files), {(folder_ / "lib").string()}, problems::Until::Types,
                        executor, sources)) {
      messages.push_back(diagnostic.message);
    }
    return messages;
  }
  /// How many items were checked.
  auto n_checked() -> long {
    std::vector<std::string> events = log_.take();
    return std::count_if(events.begin(), events.end(), [](const std::string& event) {
      return event.rfind("diagnostics_of_item", 0) == 0;
    });
  }

  std::filesystem::path folder_;
  program::Frontend frontend_;
  query::EventLog log_;
  CheckSession session_;
};

constexpr const char* kImporting =
    "#version 0.1.0\nimport shared\nval f(a: [i64; width]) -> i64 { returns a[0] }\n";
constexpr const char* kAlone = "#version 0.1.0\nval g(x: i64) -> i64 { returns x }\n";

TEST_F(Session, LooksOnlyAtWhatChanged) {
  EXPECT_TRUE(round({file("a.tacet", kImporting), file("b.tacet", kAlone)}).empty());
  EXPECT_GE(n_checked(), 2);
  EXPECT_TRUE(round({file("a.tacet", kImporting), file("b.tacet", kAlone)}).empty());
  EXPECT_EQ(n_checked(), 0);
  EXPECT_EQ(round({file("a.tacet", kImporting),
                   file("b.tacet", "#version 0.1.0\nval g(x: i64) -> i64 { returns y }\n")}),
            std::vector<std::string>{"unknown node `y`"});
  EXPECT_EQ(n_checked(), 1);
}

TEST_F(Session, ReadsModulesAgain) {
  EXPECT_TRUE(round({file("a.tacet", kImporting)}).empty());
  EXPECT_EQ(session_.modules(), std::vector<std::string>{(folder_ / "lib/shared.tacet").string()});
  write("lib/shared.tacet", "#version 0.1.0\nconst breadth = 4\n");
  EXPECT_EQ(round({file("a.tacet", kImporting)}).size(), 1U);
  std::filesystem::remove(folder_ / "lib/shared.tacet");
  EXPECT_EQ(round({file("a.tacet", kImporting)}),
            std::vector<std::string>{"unknown module `shared`"});
  EXPECT_TRUE(session_.modules().empty());
  write("lib/shared.tacet", "#version 0.1.0\nconst width = 4\n");
  EXPECT_TRUE(round({file("a.tacet", kImporting)}).empty());
}

TEST_F(Session, ForgetsRemovedFiles) {
  EXPECT_EQ(
      round({file("a.tacet", kAlone), file("b.tacet", "#version 0.1.0\nimport a\nfn")}).size(), 1U);
  EXPECT_EQ(round({file("b.tacet", "#version 0.1.0\nimport a\n")}),
            std::vector<std::string>{"unknown module `a`"});
}

}  // namespace
}  // namespace tacet::cli
