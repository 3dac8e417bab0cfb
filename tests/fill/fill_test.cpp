// What fills a hole makes a program that checks, and that computes what the specification says:
// holes are made in programs at random, filled, and the result is run against the specification.

#include "compiler/views/emit/fill.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/run/oracle/deep_check.h"
#include "formatter/format.h"
#include "tests/fill/random_specification.h"
#include "tests/syntax/corpus.h"

namespace tacet::emit {
namespace {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto text_of(const std::vector<Diagnostic>& diagnostics) -> std::string {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += fmt::format("{} {}\n", code_name(diagnostic.code), diagnostic.message);
    for (const std::string& note : diagnostic.notes) {
      text += fmt::format("    {}\n", note);
    }
  }
  return text;
}

struct Result {
  std::string text;
  std::string left;
  size_t n_filled = 0;
};

auto fill(const std::string& text) -> Result {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  Filled filled = fill_holes(frontend, file);
  return {filled.text, text_of(filled.left), filled.n_filled};
}

/// What a program without holes does that its specifications do not say. Empty if nothing.
auto differences(const std::string& text) -> std::string {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  SequentialExecutor executor;
  oracle::RunOptions options;
  options.n_runs = 12;
  options.max_steps = 20'000;
  std::vector<Diagnostic> found =
      oracle::deep_check(frontend.snapshot(), {file}, options, executor).diagnostics;
  std::erase_if(
      found, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
  return text_of(found);
}

void expect_filled(const std::string& text) {
  const Result result = fill(text);
  EXPECT_EQ(result.left, "") << "--- from\n" << text << "--- to\n" << result.text;
  EXPECT_GE(result.n_filled, 1U);
  if (result.left.empty()) {
    EXPECT_EQ(differences(result.text), "") << "--- from\n" << text << "--- to\n" << result.text;
  }
}

auto body_of_minimum(const std::string& body) -> std::string {
  return R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val next(a: i64) -> i64 { returns a + 1 }
fn next_impl(a: i64) -> i64 impls next, time, space { a + 1 }
val other(a: i64, b: i64) -> i64 {
    s :- a + b
    t :- s * 2
    returns t if s < t else next(a)
}
fn other_impl(a: i64, b: i64) -> i64 impls other, time, space {
)" + body +
         "}\n";
}

/// The lines of the last function's body.
auto filled_body(const std::string& body) -> std::string {
  const std::string text = body_of_minimum(body);
  const Result result = fill(text);
  EXPECT_EQ(result.left, "") << result.text;
  const size_t begin = result.text.find("fn other_impl");
  const size_t line = result.text.find('\n', begin) + 1;
  return result.text.substr(line, result.text.rfind('}') - line);
}

TEST(Fill, WritesAWholeBody) {
  EXPECT_EQ(filled_body("    ???\n"),
            "    let s = a + b;\n"
            "    let t = s * 2;\n"
            "    t if s < t else next_impl(a)\n");
}

TEST(Fill, DefinesWhatIsUsedAndDeclaredNowhere) {
  EXPECT_EQ(filled_body("    ???;\n"
                        "    if s < t { t } else { next_impl(a) }\n"),
            "    let s = a + b;\n"
            "    let t = s * 2;\n"
            "    if s < t { t } else { next_impl(a) }\n");
  // The last hole that all uses follow.
  EXPECT_EQ(filled_body("    ???;\n"
                        "    let s = a + b;\n"
                        "    ???;\n"
                        "    if s < t { t } else { ???; next_impl(a) }\n"),
            "    let s = a + b;\n"
            "    let t = s * 2;\n"
            "    if s < t { t } else { next_impl(a) }\n");
}

TEST(Fill, UsesVariablesThatHoldWhatIsNeeded) {
  EXPECT_EQ(filled_body("    let x = a + b;\n"
                        "    let y = ? * ?;\n"
                        "    ? if ? < y else next_impl(?)\n"),
            "    let x = a + b;\n"
            "    let y = x * 2;\n"
            "    y if x < y else next_impl(a)\n");
}

TEST(Fill, GivesAVariableItsValue) {
  EXPECT_EQ(filled_body("    var s;\n"
                        "    ???;\n"
                        "    let t = s * 2;\n"
                        "    t if s < t else next_impl(a)\n"),
            "    var s;\n"
            "    s = a + b;\n"
            "    let t = s * 2;\n"
            "    t if s < t else next_impl(a)\n");
}

TEST(Fill, DoesNotTakeWhatIsAssignedForItsOwnValue) {
  EXPECT_EQ(filled_body("    var s = a;\n"
                        "    s = ?;\n"
                        "    let t = s * 2;\n"
                        "    t if s < t else next_impl(a)\n"),
            "    var s = a;\n"
            "    s = a + b;\n"
            "    let t = s * 2;\n"
            "    t if s < t else next_impl(a)\n");
}

TEST(Fill, WritesRandomSpecificationsOut) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 150; ++i) {
    expect_filled(testing::random_specification(random, "    ???\n"));
  }
}

/// The places in the last function of a program where an expression may be left out.
auto expressions(const syntax::FileSyntax& file) -> std::vector<TextRange> {
  std::vector<TextRange> found;
  const syntax::Unit& unit = file.units.back();
  Node function = unit.tree->root().child(NodeKind::FnItem);
  Node body = function.child(Field::Body);
  for (uint32_t i = body.index() + 1; i < body.subtree_end(); ++i) {
    Node node(unit.tree.get(), i);
    constexpr std::array kKinds = {NodeKind::BinaryExpression,        NodeKind::UnaryExpression,
                                   NodeKind::ConditionalExpression,   NodeKind::CallExpression,
                                   NodeKind::ParenthesizedExpression, NodeKind::Integer};
    if (std::find(kKinds.begin(), kKinds.end(), node.kind()) != kKinds.end()) {
      found.push_back({node.range().begin + unit.begin, node.range().end + unit.begin});
    }
  }
  return found;
}

/// The `let` statements of the last function of a program.
auto statements(const syntax::FileSyntax& file) -> std::vector<TextRange> {
  std::vector<TextRange> found;
  const syntax::Unit& unit = file.units.back();
  for (uint32_t i = 0; i < unit.tree->nodes.size(); ++i) {
    Node node(unit.tree.get(), i);
    if (node.is(NodeKind::LetStatement)) {
      found.push_back({node.range().begin + unit.begin, node.range().end + unit.begin});
    }
  }
  return found;
}

/// Nearly all: what is left says why. A call of several results needs a statement, and code that
/// nothing uses once the hole is there may mean equal numbers of several places.
TEST(Fill, FillsHolesInRandomFunctions) {
  std::mt19937_64 random(3);
  size_t n_holes = 0;
  size_t n_left = 0;
  for (int i = 0; i < 60; ++i) {
    const Result whole = fill(testing::random_specification(random, "    ???\n"));
    const syntax::FileSyntax file = syntax::parse_file(whole.text, syntax::Language::Module);
    for (const auto& [places, hole] :
         {std::pair(expressions(file), "?"), std::pair(statements(file), "???;")}) {
      for (int j = 0; j < 3 && !places.empty(); ++j) {
        const TextRange range = places[random() % places.size()];
        const std::string text = apply_edits(whole.text, std::vector<TextEdit>{{range, hole}});
        const Result result = fill(text);
        ++n_holes;
        if (result.left.empty()) {
          EXPECT_EQ(differences(result.text), "") << "--- from\n"
                                                  << text << "--- to\n"
                                                  << result.text;
          continue;
        }
        ++n_left;
        EXPECT_TRUE(result.left.find("needs a statement") != std::string::npos ||
                    result.left.find("T3003") != std::string::npos)
            << result.left << "--- from\n"
            << text;
      }
    }
  }
  EXPECT_GE(n_holes, 200U);
  EXPECT_LE(n_left * 20, n_holes);
}

/// Every function of the corpus whose body can be found out again is.
TEST(Fill, WritesTheBodiesOfTheCorpus) {
  size_t n_filled = 0;
  for (const testing::CorpusFile& program : testing::corpus()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file("program.tacet", program.text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const std::vector<Diagnostic> diagnostics = snapshot.diagnostics(file);
    if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
          return diagnostic.severity == Severity::Error;
        })) {
      continue;
    }
    for (const names::FileItem& item : snapshot.items(file)->items) {
      const names::ItemTree tree = snapshot.tree(item.id);
      Node body = names::item_node(*tree).child(Field::Body);
      if (item.kind != names::ItemKind::Fn || !body ||
          snapshot.signature(item.id)->is_device_function ||
          snapshot.signature(item.id)->results.empty()) {
        continue;
      }
      const uint32_t begin = snapshot.item_begin(item.id);
      const TextRange range = {body.range().begin + begin, body.range().end + begin};
      const Result result =
          fill(apply_edits(program.text, std::vector<TextEdit>{{range, "{\n    ???\n}"}}));
      if (result.left.empty() && result.n_filled > 0) {
        ++n_filled;
        EXPECT_EQ(differences(result.text), "") << program.path << "\n" << result.text;
      } else {
        EXPECT_EQ(result.left.find(" T3"), std::string::npos) << result.left;
        EXPECT_NE(result.left.find("T3012"), std::string::npos) << result.left << result.text;
      }
    }
  }
  EXPECT_GE(n_filled, 8U);
}

}  // namespace
}  // namespace tacet::emit
