#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/query/event_log.h"
#include "compiler/run/conformance/device_functions.h"
#include "problems/problems.h"

namespace tacet::conformance {
namespace {

constexpr const char* kText = R"(#version 0.1.0

fn(cpu) other(a: i64) -> i64 { a + 1 }

val twice(x: i64) -> i64 { returns x + x }

fn(he) doubled(x: secret i64) -> secret i64 impls twice { 2 * x }

val square(x: i64) -> i64 { returns x * x }

fn(he) squared(x: secret i64) -> secret i64 impls square { x + x }
)";

auto replaced(std::string text, std::string_view what, std::string_view by) -> std::string {
  return text.replace(text.find(what), what.size(), by);
}

class IncrementalConformance : public testing::Test {
 protected:
  IncrementalConformance() : log_(frontend_.database()) {
    static_cast<void>(n_decided_after(kText));
  }

  /// How many functions are decided about for the diagnostics of the text after that before.
  auto n_decided_after(const std::string& text) -> int64_t {
    const FileId file = frontend_.set_file("main.tacet", text);
    diagnostics_ = problems::find(frontend_.snapshot(), file, {});
    const std::vector<std::string> events = log_.take();
    return std::count_if(events.begin(), events.end(), [](const std::string& event) {
      return event.rfind("conformance_of_function(", 0) == 0;
    });
  }

  program::Frontend frontend_;
  query::EventLog log_;
  std::vector<Diagnostic> diagnostics_;
};

TEST_F(IncrementalConformance, IsDecidedAgainWhereItChanges) {
  EXPECT_EQ(n_decided_after(replaced(kText, "2 * x", "x + x + 0")), 1);
  EXPECT_EQ(n_decided_after(replaced(kText, "returns x + x", "returns x + x + 0")), 1);
}

TEST_F(IncrementalConformance, StaysWhereSomethingElseChanges) {
  EXPECT_EQ(n_decided_after(replaced(kText, "a + 1", "a + 2")), 0);
  EXPECT_EQ(n_decided_after(replaced(kText, "fn(cpu)", "// above\n\nfn(cpu)")), 0);
}

TEST_F(IncrementalConformance, PointsAtBothWhereTheyMovedTo) {
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_[0].code, DiagnosticCode::T3050);
  const TextRange function = diagnostics_[0].place.range;
  const TextRange specification = diagnostics_[0].labels.at(0).place.range;
  EXPECT_EQ(n_decided_after(replaced(kText, "fn(cpu)", "//\nfn(cpu)")), 0);
  EXPECT_EQ(diagnostics_.at(0).place.range, function.shifted(3));
  EXPECT_EQ(diagnostics_[0].labels.at(0).place.range, specification.shifted(3));
}

TEST_F(IncrementalConformance, IsNotDecidedWhileSomethingIsWrong) {
  static_cast<void>(n_decided_after(replaced(kText, "a + 1", "b + 1")));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_NE(diagnostics_[0].code, DiagnosticCode::T3050);
}

}  // namespace
}  // namespace tacet::conformance
