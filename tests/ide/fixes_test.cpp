// Every fix of every diagnostic in tests/check is offered where the diagnostic is, and fixes it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/core/diagnostics/apply_edits.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "tests/harness/files.h"
#include "tests/harness/sections.h"

namespace tacet::ide {
namespace {

using Files = std::vector<harness::ProgramFile>;

/// The files of a fixture: what follows a `//- /name` is another one.
auto files_of(const std::filesystem::path& path) -> Files {
  return harness::split_files(harness::read_file(path), "/" + path.filename().string());
}

auto fixtures() -> std::vector<std::filesystem::path> {
  return harness::find_files({.folder = "tests/check",
                              .endings = {".tacet", ".tlhe"},
                              .least = 500,
                              .depth = harness::Depth::Below});
}

/// One revision of some files.
class World {
 public:
  explicit World(const Files& files) {
    std::vector<FileChange> changes;
    for (const auto& [path, text, line] : files) {
      changes.push_back({path, std::make_shared<const std::string>(text), true});
    }
    host_->apply(changes);
    analysis_ = host_->analysis({});
  }
  auto operator*() const -> const Analysis& { return *analysis_; }
  [[nodiscard]] auto file(const std::string& path) const -> FileId {
    return *analysis_->file(path);
  }
  [[nodiscard]] auto n_diagnostics() const -> size_t {
    size_t n = 0;
    for (FileId file : analysis_->files()) {
      n += file_diagnostics(*analysis_, file).size();
    }
    return n;
  }
  /// How often this is said.
  [[nodiscard]] auto n_like(const Diagnostic& wanted, FileId file) const -> size_t {
    const auto all = file_diagnostics(*analysis_, file);
    return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const Diagnostic& other) {
      return other.code == wanted.code && other.message == wanted.message;
    }));
  }

 private:
  std::unique_ptr<AnalysisHost> host_ = std::make_unique<AnalysisHost>();
  std::unique_ptr<Analysis> analysis_;
};

auto edited(Files files, size_t which, const std::vector<TextEdit>& edits) -> Files {
  files[which].text = apply_edits(files[which].text, edits);
  return files;
}

/// The fixes of one diagnostic, as actions.
void check_fixes(const Files& files, size_t which, const World& world,
                 const Diagnostic& diagnostic) {
  const FileId file = world.file(files[which].path);
  const std::string where = files[which].path + ": " + diagnostic.message;
  size_t n_preferred = 0;
  for (const Fix& fix : diagnostic.fixes) {
    if (fix.applicability == Applicability::DisplayOnly) {
      continue;
    }
    const auto actions = actions_at(*world, file, diagnostic.place.range, FixAll::WithEdits);
    const auto action = std::find_if(actions.begin(), actions.end(), [&](const Action& candidate) {
      return candidate.title == fix.title && candidate.diagnostic == diagnostic;
    });
    ASSERT_NE(action, actions.end()) << where << ": no action " << fix.title;
    EXPECT_EQ(action->kind, Action::Kind::QuickFix) << where;
    n_preferred += action->is_preferred ? 1 : 0;
    EXPECT_TRUE(!action->is_preferred || fix.applicability == Applicability::Safe) << where;
    const World after(edited(files, which, action->edits));
    EXPECT_LT(after.n_like(diagnostic, after.file(files[which].path)),
              world.n_like(diagnostic, file))
        << where << ": not mended by " << fix.title;
    if (fix.applicability == Applicability::Safe) {
      // Code that was not checked because of an error may have further ones.
      EXPECT_LE(after.n_diagnostics(), world.n_diagnostics())
          << where << ": made worse by " << fix.title;
    }
  }
  EXPECT_LE(n_preferred, 1U) << where;
}

/// All safe fixes at once, until there are none.
void check_fix_all(Files files, size_t which) {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    const World world(files);
    const FileId file = world.file(files[which].path);
    const auto actions = actions_at(*world, file, {0, 0}, FixAll::WithEdits);
    const auto named = actions_at(*world, file, {0, 0}, FixAll::Named);
    EXPECT_TRUE(std::equal(
        actions.begin(), actions.end(), named.begin(), named.end(),
        [](const Action& a, const Action& b) { return a.kind == b.kind && a.title == b.title; }))
        << files[which].path;
    const auto all = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
      return action.kind == Action::Kind::FixAll;
    });
    if (all == actions.end()) {
      return;
    }
    files = edited(std::move(files), which, all->edits);
    EXPECT_LE(World(files).n_diagnostics(), world.n_diagnostics()) << files[which].path;
  }
  ADD_FAILURE() << files[which].path << ": mending has no end";
}

TEST(QuickFixes, EveryFixIsOfferedAndWorks) {
  size_t n_fixes = 0;
  for (const std::filesystem::path& path : fixtures()) {
    const Files files = files_of(path);
    const World world(files);
    for (size_t i = 0; i < files.size(); ++i) {
      for (const Diagnostic& diagnostic : file_diagnostics(*world, world.file(files[i].path))) {
        n_fixes += diagnostic.fixes.size();
        check_fixes(files, i, world, diagnostic);
      }
    }
  }
  EXPECT_GE(n_fixes, 60U);
}

TEST(QuickFixes, SafeOnesCanBeAppliedAllAtOnce) {
  for (const std::filesystem::path& path : fixtures()) {
    const Files files = files_of(path);
    for (size_t i = 0; i < files.size(); ++i) {
      check_fix_all(files, i);
    }
  }
}

}  // namespace
}  // namespace tacet::ide
