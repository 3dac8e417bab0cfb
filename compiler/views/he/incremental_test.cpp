#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/query/event_log.h"
#include "compiler/views/he/item_program.h"

namespace tacet::he_views {
namespace {

constexpr const char* kText = R"(#version 0.1.0

fn(cpu) other(a: i64) -> i64 { a + 1 }

fn(he) sums(a: secret [[i64; 4]; 8] in 0..16 from client) -> secret [i64; 8]
    schedule { a: {0: 8}[1: 2] }
{
    for i: 8 { sum(a[i]) }
}

fn(he) squares(a: secret [i64; 8] in 0..16 from client) -> secret [i64; 8] {
    for i: 8 { a[i] * a[i] }
}
)";

auto replaced(std::string text, std::string_view what, std::string_view by) -> std::string {
  return text.replace(text.find(what), what.size(), by);
}

auto problems_of(program::Frontend& frontend, FileId file) -> std::vector<Diagnostic> {
  return frontend.snapshot().query().run(
      [&](query::Context& context) { return program_diagnostics(context, file); });
}

class IncrementalPrograms : public testing::Test {
 protected:
  IncrementalPrograms() : log_(frontend_.database()) { static_cast<void>(n_run_after(kText)); }

  /// How many programs are made for the diagnostics of the text after that of the time before.
  auto n_run_after(const std::string& text) -> int64_t {
    const FileId file = frontend_.set_file("main.tacet", text);
    diagnostics_ = problems_of(frontend_, file);
    const std::vector<std::string> events = log_.take();
    return std::count_if(events.begin(), events.end(), [](const std::string& event) {
      return event.rfind("program_of_item(", 0) == 0;
    });
  }

  program::Frontend frontend_;
  query::EventLog log_;
  std::vector<Diagnostic> diagnostics_;
};

TEST_F(IncrementalPrograms, AreMadeAgainWhenTheirTextChanges) {
  EXPECT_EQ(n_run_after(replaced(kText, "a[i] * a[i]", "a[i] + a[i]")), 1);
  EXPECT_EQ(n_run_after(replaced(kText, "1: 2", "1: 4")), 2);  // and the other is as it was
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(IncrementalPrograms, StayWhenSomethingElseChanges) {
  EXPECT_EQ(n_run_after(replaced(kText, "a + 1", "a + 2")), 0);
  EXPECT_EQ(n_run_after(replaced(kText, "fn(cpu)", "// above everything\n\nfn(cpu)")), 0);
}

TEST_F(IncrementalPrograms, HaveTheirDiagnosticsWhereTheyMovedTo) {
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_[0].code, DiagnosticCode::T6010);
  const TextRange before = diagnostics_[0].place.range;
  const TextEdit removal = diagnostics_[0].fixes.at(0).edits.at(0);
  EXPECT_EQ(n_run_after(replaced(kText, "fn(cpu)", "//\nfn(cpu)")), 0);
  EXPECT_EQ(diagnostics_.at(0).place.range, before.shifted(3));
  EXPECT_EQ(diagnostics_[0].fixes.at(0).edits.at(0).range, removal.range.shifted(3));
}

TEST(ItemPrograms, AreNotMadeOfWhatHasErrors) {
  program::Frontend frontend;
  const FileId file = frontend.set_file("main.tlhe", "input a: [n] from client\nsum(a)\n");
  for (const Diagnostic& diagnostic : problems_of(frontend, file)) {
    EXPECT_NE(code_name(diagnostic.code)[1], '6') << diagnostic.message;
  }
}

}  // namespace
}  // namespace tacet::he_views
