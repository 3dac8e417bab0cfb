// What a refactoring writes has no new mistakes and, where it says so, computes the same: at random
// selections of random functions, and at many places of all programs of the repository.
// TACET_REFACTOR_SEED begins with another function, TACET_ROUNDS tries more.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>

#include "compiler/core/diagnostics/apply_edits.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/ide/code_actions.h"
#include "tests/harness/files.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"
#include "tests/mpc_lower/loop_nests.h"

namespace tacet::ide {
namespace {

using testing::Random;

/// One file under analysis.
class OneFile {
 public:
  explicit OneFile(const std::string& text) {
    const FileChange change{"/a.tacet", std::make_shared<const std::string>(text), true};
    host_->apply({&change, 1});
    analysis_ = host_->analysis({});
  }
  [[nodiscard]] auto actions(TextRange range) const -> std::vector<Action> {
    return actions_at(*analysis_, *analysis_->file("/a.tacet"), range, FixAll::WithEdits);
  }
  /// Except what does not fit on a device, which depends on how a program is written.
  [[nodiscard]] auto errors() const -> std::vector<std::string> {
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic :
         file_diagnostics(*analysis_, *analysis_->file("/a.tacet"))) {
      const bool is_of_device = code_name(diagnostic.code)[1] == '6';
      if (diagnostic.severity == Severity::Error && !is_of_device) {
        all.push_back(diagnostic.message);
      }
    }
    return all;
  }

 private:
  std::unique_ptr<AnalysisHost> host_ = std::make_unique<AnalysisHost>();
  std::unique_ptr<Analysis> analysis_;
};

auto is_refactoring(const Action& action) -> bool {
  return action.kind == Action::Kind::Extract || action.kind == Action::Kind::Inline ||
         action.kind == Action::Kind::Rewrite;
}

/// Does the title say that the program becomes another?
auto changes_meaning(const Action& action) -> bool {
  return action.title.starts_with("make ") || action.title.starts_with("move ");
}

/// Something that a user might select: a node, several statements, a place in a name.
auto random_range(const syntax::FileSyntax& file, Random& random) -> TextRange {
  const syntax::Unit& unit = file.units[random() % file.units.size()];
  const auto n = static_cast<uint32_t>(unit.tree->nodes.size());
  // Often a block or a name: there are few of them.
  const bool wants_block = random() % 3 == 0;
  const bool wants_name = random() % 3 == 0;
  auto at = static_cast<uint32_t>(random() % n);
  for (uint32_t i = 0; i < n; ++i) {
    const syntax::NodeKind kind = unit.tree->nodes[(at + i) % n].kind;
    if ((wants_block && kind == syntax::NodeKind::Block) ||
        (wants_name && kind == syntax::NodeKind::Identifier)) {
      at = (at + i) % n;
      break;
    }
  }
  const syntax::Node node(unit.tree.get(), at);
  if (random() % 4 == 0 && node.is(syntax::NodeKind::Identifier)) {
    return TextRange{node.range().begin, node.range().begin}.shifted(unit.begin);
  }
  if (!node.is(syntax::NodeKind::Block) || node.is_leaf()) {
    return node.range().shifted(unit.begin);
  }
  std::vector<syntax::Node> statements;
  for (const syntax::Node child : node.children()) {
    if (!child.is(syntax::NodeKind::LeftBrace) && !child.is(syntax::NodeKind::RightBrace)) {
      statements.push_back(child);
    }
  }
  if (statements.empty()) {
    return node.range().shifted(unit.begin);
  }
  const size_t a = random() % statements.size();
  const size_t b = a + random() % (statements.size() - a);
  return TextRange{statements[a].range().begin, statements[b].range().end}.shifted(unit.begin);
}

/// Where `f` gives other results than before.
auto difference(const std::string& before, const std::string& after, Random& random)
    -> std::string {
  testing::CheckedModule old_module(before);
  testing::CheckedModule new_module(after);
  if (!new_module.is_right()) {
    return "it has errors";
  }
  const kernel::Kernel old_kernel = old_module.lower("f");
  const kernel::Kernel new_kernel = new_module.lower("f");
  for (int i = 0; i < 5; ++i) {
    const std::vector<kernel::Value> inputs = testing::random_inputs(random, old_kernel);
    const testing::Outcome expected = testing::run(old_kernel, inputs);
    const testing::Outcome found = testing::run(new_kernel, inputs);
    if (!expected.fault && found.results != expected.results) {
      return fmt::format("expected {}, found {}", testing::outcome_text(expected),
                         testing::outcome_text(found));
    }
  }
  return "";
}

TEST(Refactorings, OfRandomFunctionsMeanTheSame) {
  const uint64_t first = harness::number_of("TACET_REFACTOR_SEED", 1);
  const uint64_t n_functions = harness::rounds(100);
  std::map<std::string, size_t> n_of_kind;
  for (uint64_t seed = first; seed < first + n_functions; ++seed) {
    Random random(seed);
    const std::string text = testing::random_function(random, {});
    const OneFile file(text);
    const syntax::FileSyntax syntax = syntax::parse_file(text, syntax::Language::Module);
    for (int i = 0; i < 25; ++i) {
      for (const Action& action : file.actions(random_range(syntax, random))) {
        if (!is_refactoring(action) || changes_meaning(action)) {
          continue;
        }
        ++n_of_kind[action.title.substr(0, action.title.find('`'))];
        const std::string after = apply_edits(text, action.edits);
        ASSERT_EQ(difference(text, after, random), "")
            << "seed " << seed << ", " << action.title << "\n"
            << text << "\nbecomes\n"
            << after;
      }
    }
  }
  EXPECT_GT(n_of_kind["extract into a variable"], 50U);
  EXPECT_GT(n_of_kind["extract into a function"], 50U);
  EXPECT_GT(n_of_kind["inline "] + n_of_kind["inline the call of "], 5U);
}

/// Loops that may become trees, at each of their `for`s.
TEST(Refactorings, OfRandomLoopsMeanTheSame) {
  const uint64_t n_functions = harness::rounds(60);
  size_t n_combined = 0;
  for (uint64_t seed = 1; seed <= n_functions; ++seed) {
    Random random(seed);
    const std::string text = mpc_lower::loop_nest_text(seed);
    const OneFile file(text);
    ASSERT_TRUE(file.errors().empty()) << text;
    for (size_t at = text.find("    for "); at != std::string::npos;
         at = text.find(" for ", at + 8)) {
      const auto place = static_cast<uint32_t>(text.find("for", at));
      for (const Action& action : file.actions({place, place})) {
        if (action.title != "combine the iterations as a tree") {
          continue;
        }
        ++n_combined;
        const std::string after = apply_edits(text, action.edits);
        ASSERT_EQ(difference(text, after, random), "") << "seed " << seed << "\n"
                                                       << text << "\nbecomes\n"
                                                       << after;
      }
    }
  }
  EXPECT_GT(2 * n_combined, n_functions);
}

/// All module files below a folder of the repository.
auto modules(const std::string& folder) -> std::vector<std::string> {
  std::vector<std::string> texts;
  for (const auto& path : harness::find_files({.folder = folder,
                          .endings = {".tacet"},
                          .least = 10,
                          .depth = harness::Depth::Below})) {
    if (path.parent_path().filename() != "cggi") {  // whose analysis takes seconds
      texts.push_back(harness::read_file(path));
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(Refactorings, OfThePrograms) {
  Random random(7);
  size_t n_actions = 0;
  for (const char* folder : {"examples", "tests/lift/programs"}) {
    for (const std::string& text : modules(folder)) {
      const OneFile file(text);
      const std::vector<std::string> errors = file.errors();
      const syntax::FileSyntax syntax = syntax::parse_file(text, syntax::Language::Module);
      for (int i = 0; i < 15 && !syntax.units.empty(); ++i) {
        for (const Action& action : file.actions(random_range(syntax, random))) {
          if (is_refactoring(action) && !changes_meaning(action)) {
            ++n_actions;
            const std::string after = apply_edits(text, action.edits);
            ASSERT_EQ(OneFile(after).errors(), errors) << action.title << "\n" << after;
          }
        }
      }
    }
  }
  EXPECT_GT(n_actions, 100U);
}

}  // namespace
}  // namespace tacet::ide
