#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/query/event_log.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

constexpr std::string_view kText = R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val double(x: i64) -> i64 { returns x + x }
fn double_impl(x: i64) -> i64 impls double, time, space { x + x }
feq half {
    val half(x: i64) -> i64 { returns x / 2 }
    extern(cpu) pure half_cpu(i64) -> i64
}
fn caller(x: i64) -> i64 impls double, time, space { double_impl(x) }
)";

/// The text, in memory of its own.
auto text() -> std::string {
  std::string copy;
  copy.append(kText);
  return copy;
}

auto replaced(std::string text, std::string_view what, std::string_view by) -> std::string {
  return text.replace(text.find(what), what.size(), by);
}

/// A checked file, and the queries that run after an edit.
class Incremental : public testing::Test {
 protected:
  Incremental() : log_(frontend_.database()) {
    file_ = frontend_.set_file("main.tacet", text());
    EXPECT_TRUE(frontend_.snapshot().diagnostics(file_).empty());
    log_.take();
  }

  /// The executed queries without their keys, and how often each ran.
  auto executed_after(const std::string& text) -> std::map<std::string, int> {
    frontend_.set_file("main.tacet", text);
    diagnostics_ = frontend_.snapshot().diagnostics(file_);
    std::map<std::string, int> counts;
    for (const std::string& event : log_.take()) {
      ++counts[event.substr(0, event.find('('))];
    }
    return counts;
  }

  Frontend frontend_;
  query::EventLog log_;
  FileId file_;
  std::vector<Diagnostic> diagnostics_;
};

TEST_F(Incremental, AnEditInOneBodyChecksThatBodyAlone) {
  const auto counts = executed_after(replaced(text(), "space { x + x }", "space { x + y }"));
  EXPECT_EQ(counts.at("diagnostics_of_function"), 1);
  EXPECT_FALSE(counts.contains("diagnostics_of_item"));
  EXPECT_FALSE(counts.contains("specification_of"));
  EXPECT_EQ(counts.at("head_of_item"), 1);
  EXPECT_FALSE(counts.contains("signature_of"));
  EXPECT_FALSE(counts.contains("class_of_item"));
  EXPECT_FALSE(counts.contains("implemented_by"));
  EXPECT_FALSE(counts.contains("module_scope"));
  EXPECT_FALSE(counts.contains("scope_of_file"));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_[0].code, DiagnosticCode::T1003);
}

TEST_F(Incremental, AnEditInOneBodyInfersThatBodyAlone) {
  const auto counts = executed_after(replaced(text(), "space { x + x }", "space { x - x }"));
  EXPECT_EQ(counts.at("diagnostics_of_function"), 1);
  EXPECT_FALSE(counts.contains("interface_of"));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_[0].code, DiagnosticCode::T3001);
}

TEST_F(Incremental, AnEditOfASpecificationInfersWhatImplementsIt) {
  const auto counts = executed_after(replaced(text(), "returns x + x", "returns x * x"));
  EXPECT_EQ(counts.at("diagnostics_of_function"), 2);
  EXPECT_FALSE(counts.contains("interface_of"));
  ASSERT_EQ(diagnostics_.size(), 1U);  // of two, one leaves the work to the other
  EXPECT_EQ(diagnostics_[0].code, DiagnosticCode::T3001);
}

TEST_F(Incremental, AnEditInAClassMemberChecksThatMemberAndTheClass) {
  const auto counts = executed_after(replaced(text(), "returns x / 2", "returns 1 + x / 2"));
  EXPECT_EQ(counts.at("specification_of"), 1);
  EXPECT_EQ(counts.at("diagnostics_of_item"), 1);  // of the class; not of the other member
  EXPECT_FALSE(counts.contains("signature_of"));
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(Incremental, TypingAboveAnItemChecksNothing) {
  const auto counts =
      executed_after(replaced(text(), "\ntmln time", "\n// one line\n// another\n\ntmln time"));
  EXPECT_FALSE(counts.contains("signature_of"));
  EXPECT_LE(counts.contains("diagnostics_of_item") ? counts.at("diagnostics_of_item") : 0, 1);
}

TEST_F(Incremental, AnEditOfASignatureChecksThoseWhoCall) {
  const auto counts = executed_after(
      replaced(text(), "fn double_impl(x: i64) -> i64", "fn double_impl(x: i32) -> i64"));
  EXPECT_EQ(counts.at("signature_of"), 1);
  EXPECT_EQ(counts.at("diagnostics_of_function"), 2);
  ASSERT_EQ(diagnostics_.size(), 2U);
}

TEST_F(Incremental, DiagnosticsMoveWithTheirItems) {
  const std::string broken = replaced(text(), "double_impl(x) }", "double_imp(x) }");
  executed_after(broken);
  ASSERT_EQ(diagnostics_.size(), 1U);
  const Diagnostic before = diagnostics_[0];
  executed_after(replaced(broken, "\ntmln time", "\n// above\ntmln time"));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_[0], shifted(before, 9));
}

TEST_F(Incremental, AnEditInOneFileLeavesOthersAlone) {
  const FileId other = frontend_.set_file(
      "other.tacet", "#version 0.1.0\nimport main\nval f(x: i64) -> i64 { returns double(x) }\n");
  EXPECT_TRUE(frontend_.snapshot().diagnostics(other).empty());
  log_.take();
  frontend_.set_file("main.tacet", replaced(text(), "space { x + x }", "space { x }"));
  EXPECT_TRUE(frontend_.snapshot().diagnostics(other).empty());
  for (const std::string& event : log_.take()) {
    EXPECT_EQ(event.find("diagnostics_of_"), std::string::npos) << event;
  }
}

TEST_F(Incremental, ChangesOfTheImportedModuleReachTheImporter) {
  const std::string importer =
      "#version 0.1.0\nimport main\nval f(x: i64) -> i64 { returns twice(x) }\n";
  const FileId other = frontend_.set_file("other.tacet", importer);
  EXPECT_EQ(frontend_.snapshot().diagnostics(other).size(), 1U);
  frontend_.set_file("main.tacet", text() + "val twice(x: i64) -> i64 { returns x * 2 }\n");
  EXPECT_TRUE(frontend_.snapshot().diagnostics(other).empty());
  frontend_.remove_file("main.tacet");
  const std::vector<Diagnostic> left = frontend_.snapshot().diagnostics(other);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].code, DiagnosticCode::T1006);
}

}  // namespace
}  // namespace tacet::program
