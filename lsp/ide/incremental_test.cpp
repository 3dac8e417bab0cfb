#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/query/event_log.h"
#include "lsp/ide/code_lens.h"
#include "lsp/ide/find_references.h"
#include "lsp/ide/hover.h"
#include "lsp/ide/inlay_hints.h"
#include "problems/problems.h"

namespace tacet::ide {
namespace {

const mpc_views::Parties kParties;

constexpr std::string_view kLibrary = R"(#version 0.1.0
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val double(x: i64) -> i64 { returns x + x }
val triple(x: i64) -> i64 { returns x + x + x }
fn double_impl(x: i64) -> i64 impls double, time, space { let d = x + x; d }
fn triple_impl(x: i64) -> i64 impls triple, time, space { let t = x + x; t + x }
)";

constexpr std::string_view kUser = R"(#version 0.1.0
import library
fn double_here(x: i64) -> i64 impls double, time, space { let here = x + x; here }
)";

auto replaced(std::string_view text, std::string_view what, std::string_view by) -> std::string {
  std::string result(text);
  return result.replace(result.find(what), what.size(), by);
}

/// Two files of which everything was asked, and the queries that run when it is asked again.
class IncrementalFeatures : public testing::Test {
 protected:
  IncrementalFeatures() : log_(frontend_.database()) {
    library_ = frontend_.set_file("library.tacet", std::string(kLibrary));
    user_ = frontend_.set_file("user.tacet", std::string(kUser));
    ask_all();
    log_.take();
  }

  void ask_all() {
    for (FileId file : {library_, user_}) {
      ask_lenses(file);
      ask_hints(file);
    }
    ask_hover("let d");
    ask_hover("let t");
  }
  void ask_lenses(FileId file) {
    const auto snapshot = frontend_.snapshot();
    said_.clear();
    for (const Lens& lens : code_lenses(snapshot, file)) {
      said_ +=
          lens_text(snapshot, file, lens.subject, lens.kind, plans_, kParties, {})->title + "\n";
    }
  }
  void ask_hints(FileId file) {
    const auto snapshot = frontend_.snapshot();
    const auto size = static_cast<uint32_t>(frontend_.text(file)->size());
    n_hints_ = inlay_hints(snapshot, file, {0, size}, {true, true}, kParties).size();
  }
  /// All that is wrong with both files.
  void ask_problems() {
    for (FileId file : {library_, user_}) {
      problems::find(frontend_.snapshot(), file, {.lint = linter::LintOptions{}});
    }
  }
  /// Hovers at the end of a piece of the library.
  void ask_hover(std::string_view in_front) {
    const auto text = frontend_.text(library_);
    const auto at = static_cast<uint32_t>(text->find(in_front) + in_front.size());
    ASSERT_TRUE(hover(frontend_.snapshot(), library_, at, plans_, kParties).has_value());
  }

  /// How often queries ran since the last time, whatever their keys.
  class Counts {
   public:
    explicit Counts(const std::vector<std::string>& events) {
      for (const std::string& event : events) {
        ++counts_[event.substr(0, event.find('('))];
      }
    }
    auto of(const std::string& query) const -> int {
      const auto found = counts_.find(query);
      return found == counts_.end() ? 0 : found->second;
    }

   private:
    std::map<std::string, int> counts_;
  };
  auto counts() -> Counts { return Counts(log_.take()); }
  void edit_body() {
    frontend_.set_file("library.tacet", replaced(kLibrary, "let d = x + x", "let d = x + x + x"));
  }

  program::Frontend frontend_;
  PlanStore plans_{he::default_operation_times()};
  query::EventLog log_;
  FileId library_;
  FileId user_;
  std::string said_;
  size_t n_hints_ = 0;
};

TEST_F(IncrementalFeatures, AnEditInOneBodyLeavesTheLensesAlone) {
  edit_body();
  ask_lenses(library_);
  EXPECT_EQ(said_,
            "2 implementations\n1 implementation\nimplements `double`\nimplements `triple`\n");
  ask_lenses(user_);
  const auto ran = counts();
  EXPECT_EQ(ran.of("implementations_of_file"), 0);
  EXPECT_EQ(ran.of("implementations_in_file"), 0);
  EXPECT_EQ(ran.of("importers_of_file"), 0);
  EXPECT_EQ(ran.of("implemented_by"), 0);
  EXPECT_EQ(ran.of("class_of_item"), 0);
  EXPECT_EQ(ran.of("body_of"), 0);
  EXPECT_EQ(ran.of("quotients_of"), 0);
  EXPECT_EQ(ran.of("head_of_item"), 1);
  EXPECT_EQ(ran.of("imported_words"), 0);
  EXPECT_EQ(ran.of("parse_file"), 1);
}

TEST_F(IncrementalFeatures, ARenamedFunctionConcernsItselfAlone) {
  ask_problems();
  log_.take();
  frontend_.set_file("library.tacet", replaced(kLibrary, "triple_impl", "tripled"));
  ask_problems();
  const auto ran = counts();
  EXPECT_EQ(ran.of("module_scope"), 2);  // the importer's, too
  for (const char* query :
       {"diagnostics_of_function", "hir_function", "coordinator_summary", "findings_of_item",
        "advice_of_item", "diagnostics_of_item", "signature_of"}) {
    EXPECT_EQ(ran.of(query), 1) << query;
  }
  EXPECT_EQ(ran.of("specification_of"), 0);
}

TEST_F(IncrementalFeatures, AnItemAddedAndRemovedAffectsNoOther) {
  ask_problems();
  log_.take();
  frontend_.set_file("library.tacet",
                     replaced(kLibrary, "#version 0.1.0\n", "#version 0.1.0\nconst more = 1\n"));
  ask_problems();
  const auto ran = counts();
  EXPECT_EQ(ran.of("diagnostics_of_function"), 0);
  EXPECT_EQ(ran.of("diagnostics_of_item"), 1);
  EXPECT_EQ(ran.of("advice_of_item"), 1);
  EXPECT_EQ(ran.of("findings_of_item"), 0);
}

TEST_F(IncrementalFeatures, AHoverInAnotherBodyInfersNothing) {
  edit_body();
  ask_hover("let t");
  const auto ran = counts();
  EXPECT_EQ(ran.of("body_of"), 0);
  EXPECT_EQ(ran.of("hir_ssa"), 0);
  EXPECT_EQ(ran.of("quotients_of"), 0);
}

TEST_F(IncrementalFeatures, AHoverInTheEditedBodyInfersThatBodyAlone) {
  edit_body();
  ask_hover("let d");
  const auto ran = counts();
  EXPECT_EQ(ran.of("body_of"), 1);
  EXPECT_EQ(ran.of("hir_ssa"), 1);
  EXPECT_EQ(ran.of("quotients_of"), 1);
  EXPECT_EQ(ran.of("specification_of"), 0);
}

TEST_F(IncrementalFeatures, HintsInferTheEditedBodyAlone) {
  const size_t n_before = n_hints_;
  edit_body();
  ask_hints(library_);
  EXPECT_GE(n_hints_, 2U);
  ask_hints(user_);
  EXPECT_EQ(n_hints_, n_before);
  const auto ran = counts();
  EXPECT_EQ(ran.of("body_of"), 1);
  EXPECT_EQ(ran.of("specification_of"), 0);
  EXPECT_EQ(ran.of("signature_of"), 0);
}

TEST_F(IncrementalFeatures, HintsOfAScreenLookAtTheItemsOnItAlone) {
  program::Frontend frontend;
  query::EventLog log(frontend.database());
  const FileId file = frontend.set_file("library.tacet", std::string(kLibrary));
  const auto at = static_cast<uint32_t>(kLibrary.find("let t"));
  EXPECT_EQ(inlay_hints(frontend.snapshot(), file, {at, at + 6}, {true, false}, kParties).size(),
            1U);
  const std::vector<std::string> ran = log.take();
  EXPECT_EQ(std::count_if(ran.begin(), ran.end(),
                          [](const std::string& event) { return event.starts_with("body_of("); }),
            1);
}

constexpr std::string_view kShared = R"(#version 0.1.0
fn(mpc) least(a: secret i64 from alice, b: secret i64 from bob) -> secret i64 { min(a, b) }
fn(mpc) twice(a: secret i64 from alice) -> secret i64 { a * a }
party alice
party bob
)";

/// What it costs to compute on shares is found out again for the function that was edited alone.
TEST_F(IncrementalFeatures, CostsOnSharesAreFoundForTheEditedFunctionAlone) {
  program::Frontend frontend;
  const FileId file = frontend.set_file("shared.tacet", std::string(kShared));
  const auto ask = [&] {
    const auto size = static_cast<uint32_t>(frontend.text(file)->size());
    std::vector<std::string> texts;
    for (const Hint& hint : inlay_hints(frontend.snapshot(), file, {0, size}, {}, kParties)) {
      texts.push_back(hint.text);
    }
    return texts;
  };
  const std::vector<std::string> before = ask();
  query::EventLog log(frontend.database());
  frontend.set_file("shared.tacet", replaced(kShared, "a * a }", "a * a * a }"));
  const std::vector<std::string> after = ask();
  const Counts ran(log.take());
  EXPECT_EQ(ran.of("shared_program_of_item"), 1);
  EXPECT_EQ(ran.of("costs_of_item"), 1);
  ASSERT_EQ(before.size(), 2U);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(before[1], "1 round · 8 B");
  EXPECT_EQ(after[1], "2 rounds · 16 B");

  frontend.set_file("shared.tacet", std::string(kShared));
  ask();
  log.take();
  frontend.set_file("shared.tacet",
                    replaced(kShared, "fn(mpc) least", "const one = 1\nfn(mpc) least"));
  ask();
  EXPECT_EQ(Counts(log.take()).of("shared_program_of_item"), 0);
}

TEST_F(IncrementalFeatures, ANewFunctionElsewhereReachesTheLenses) {
  std::string longer(kUser);
  longer.append("fn again(x: i64) -> i64 impls double, time, space { x + x }\n");
  frontend_.set_file("user.tacet", longer);
  ask_lenses(library_);
  EXPECT_EQ(said_.substr(0, said_.find('\n')), "3 implementations");
  frontend_.set_file("user.tacet", replaced(kUser, "import library", ""));
  ask_lenses(library_);
  EXPECT_EQ(said_.substr(0, said_.find('\n')), "1 implementation");
}

TEST_F(IncrementalFeatures, ReferencesLookIntoBodiesThatHaveTheName) {
  program::Frontend frontend;
  const FileId file = frontend.set_file("library.tacet", std::string(kLibrary));
  query::EventLog log(frontend.database());
  const auto at = static_cast<uint32_t>(kLibrary.find("triple_impl"));
  EXPECT_EQ(find_references(frontend.snapshot(), file, at, Declarations::Included).size(), 1U);
  const std::vector<std::string> ran = log.take();
  EXPECT_EQ(std::count_if(ran.begin(), ran.end(),
                          [](const std::string& event) { return event.starts_with("body_of("); }),
            1);
}

}  // namespace
}  // namespace tacet::ide
