// Whole implementations, from a specification and a device: of the coordinator, with and without a
// timeline, of parties and of ciphertexts. What is generated passes all checks of its device, and
// computes what the specification says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/run/oracle/deep_check.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/views/emit/fill.h"
#include "problems/fill_checks.h"
#include "tests/fill/removals.h"

namespace tacet::emit {
namespace {

using syntax::Field;
using syntax::Node;

auto lines_of(const std::vector<Diagnostic>& diagnostics) -> std::string {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += fmt::format("{} {}\n", code_name(diagnostic.code), diagnostic.message);
  }
  return text;
}

auto differences_of(const std::string& text) -> std::string {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  SequentialExecutor executor;
  oracle::RunOptions options;
  options.n_runs = 20;
  options.max_steps = 20'000;
  std::vector<Diagnostic> found =
      oracle::deep_check(frontend.snapshot(), {file}, options, executor).diagnostics;
  std::erase_if(
      found, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
  return lines_of(found);
}

struct Whole {
  std::string text;
  std::string left;
};

auto filled(const std::string& text) -> Whole {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  const Filled result = fill_holes(frontend, file, problems::fill_checks());
  return {result.text, lines_of(result.left)};
}

constexpr const char* kHead = R"(#version 0.1.0

tmln at_once(e: Event) -> Event { returns e }
tmln once(e: Event) -> Event {
    local, remote :- encode_event(e)
    sent :- submit_event(remote)
    returns sync_event(local, sent)
}
tmln twice_in_flight(e: Event) -> Event {
    loc1, rem1 :- encode_event(e)
    sub1 :- submit_event(rem1)
    loc2, rem2 :- encode_event(loc1, sub1)
    sub2 :- submit_event(rem2)
    done1 :- sync_event(loc2, sub1)
    returns sync_event(done1, sub2)
}
tmln one_by_one(e: Event) -> Event {
    loc1, rem1 :- encode_event(e)
    done1 :- sync_event(loc1, submit_event(rem1))
    loc2, rem2 :- encode_event(done1)
    returns sync_event(loc2, submit_event(rem2))
}
sptl space(s: BufferSpace) -> BufferSpace { returns s }
feq larger {
    val larger_spec(a: i64, b: i64) -> i64 { returns a if a > b else b }
    fn(mpc) larger_mpc(a: secret i64, b: secret i64) -> secret i64 { a if a > b else b }
}
feq plus {
    val plus_spec(a: i64, b: i64) -> i64 { returns a + b }
    fn(mpc) plus_mpc(a: secret i64, b: secret i64) -> secret i64 { a + b }
    fn(he) plus_he(a: secret i64 in -1000..1000, b: secret i64 in -1000..1000) -> secret i64 { a + b }
}
val difference(a: i64, b: i64) -> i64 { returns 2 * larger(a, b) - a - b }
val both(a: i64, b: i64, c: i64) -> i64 {
    first :- larger(a, b)
    second :- larger(b, c)
    returns first if first < second else second * 2
}
val chain(a: i64, b: i64, c: i64) -> i64 { returns plus(plus(a, b) * 2, c) }
val clamp(x: i64, low: i64, high: i64) -> i64 {
    at_least :- low if x < low else x
    returns high if high < at_least else at_least
}
val score(a: i64, b: i64) -> i64 {
    d :- a - b
    square :- d * d
    returns square + larger(square, a) * 3
}
val polynomial(a: i64, b: i64) -> i64 {
    d :- a - b
    returns d * d + 3 * a
}
val fact(n: i64) -> i64 { returns 1 if n < 2 else n * fact(n - 1) }
)";

void expect_whole(const std::string& function) {
  const std::string text = std::string(kHead) + function;
  const Whole whole = filled(text);
  EXPECT_EQ(whole.left, "") << whole.text;
  EXPECT_EQ(differences_of(whole.text), "") << whole.text;
  if (std::getenv("TACET_RESTORE_SHOW") != nullptr) {
    fmt::print("{}\n", whole.text.substr(std::string(kHead).size()));
  }
}

TEST(Whole, CoordinatorWithoutSteps) {
  expect_whole("fn f(x: i64, low: i64, high: i64) -> i64 impls clamp, at_once, space { ??? }\n");
}

TEST(Whole, CoordinatorWithOneEncoding) {
  expect_whole("fn f(a: i64, b: i64) -> i64 impls difference, once, space {\n    ???\n}\n");
  expect_whole("fn f(a: i64, b: i64, c: i64) -> i64 impls both, once, space {\n    ???\n}\n");
}

TEST(Whole, CoordinatorWithTwoInFlight) {
  expect_whole(
      "fn f(a: i64, b: i64, c: i64) -> i64 impls both, twice_in_flight, space {\n    ???\n}\n");
}

TEST(Whole, CoordinatorWithOneAfterTheOther) {
  expect_whole(
      "fn f(a: i64, b: i64, c: i64) -> i64 impls chain, one_by_one, space {\n    ???\n}\n");
}

TEST(Whole, ForParties) {
  expect_whole(
      "fn(mpc) f(x: secret i64, low: i64, high: i64) -> secret i64 impls clamp {\n    ???\n}\n");
  expect_whole("fn(mpc) f(a: secret i64, b: secret i64) -> secret i64 impls score {\n    ???\n}\n");
}

TEST(Whole, ForCiphertexts) {
  expect_whole(
      "fn(he) f(a: secret i64 in -100..100, b: secret i64 in -100..100) -> secret i64 impls "
      "polynomial {\n    ???\n}\n");
}

/// Each operator's value in device functions is removed and filled again. What is filled in
/// passes runs on random inputs, which share nothing with the proof that let it in.
TEST(Whole, PartsOfDeviceFunctions) {
  const std::string functions[] = {
      "fn(mpc) f(a: secret i64, b: secret i64) -> secret i64 impls polynomial {\n"
      "    let d = a - b;\n    let s = d * d;\n    s + 3 * a\n}\n",
      "fn(he) f(a: secret i64 in -100..100, b: secret i64 in -100..100) -> secret i64 impls "
      "polynomial {\n    let d = a - b;\n    d * d + 3 * a\n}\n",
      "fn(mpc) f(x: secret [i64; 4], y: secret [i64; 4]) -> secret i64 impls product {\n"
      "    var s: secret i64 = 0;\n    for i in 0..4 { s = s + x[i] * y[i]; }\n    s\n}\n",
      "fn(mpc) f(x: secret i64, low: i64, high: i64) -> secret i64 impls clamp {\n"
      "    let at_least = low if x < low else x;\n    high if high < at_least else at_least\n}\n"};
  size_t n_asked = 0;
  size_t n_filled = 0;
  for (const std::string& function : functions) {
    const std::string text = std::string(kHead) +
                             "val product(x: [i64; 4], y: [i64; 4]) -> i64 "
                             "{ returns sum(for i: 4 { x[i] * y[i] }) }\n" +
                             function;
    program::Frontend frontend;
    const FileId file = frontend.set_file("program.tacet", text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const names::ItemId item = snapshot.find(file, names::Namespace::Callable, "f");
    const names::ItemTree tree = snapshot.tree(item);
    for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      if (!node.is(syntax::NodeKind::BinaryExpression)) {
        continue;
      }
      const TextRange place = node.range().shifted(snapshot.item_begin(item));
      const Whole whole = filled(apply_edits(text, std::vector<TextEdit>{{place, "?"}}));
      ++n_asked;
      if (whole.left.empty()) {
        ++n_filled;
        EXPECT_EQ(differences_of(whole.text), "") << whole.text;
      } else if (std::getenv("TACET_RESTORE_SHOW") != nullptr) {
        fmt::print("{}\n{}\n", node.text(), whole.left);
      }
    }
  }
  fmt::print("parts of device functions: {} of {}\n", n_filled, n_asked);
  EXPECT_GE(n_asked, 12U);
  EXPECT_GE(10 * n_filled, 9 * n_asked);
}

TEST(Whole, WithoutRecursionOnDevices) {
  const Whole whole = filled(std::string(kHead) +
                             "fn(mpc) f(n: secret i64) -> secret i64 impls fact {\n    ???\n}\n");
  EXPECT_NE(whole.left.find("`fact` calls itself, and functions of `mpc` have no recursion"),
            std::string::npos)
      << whole.left << whole.text;
  EXPECT_NE(whole.text.find("???"), std::string::npos);
}

TEST(Whole, NeedsASpecification) {
  const Whole whole =
      filled(std::string(kHead) + "fn(mpc) f(n: secret i64) -> secret i64 {\n    ???\n}\n");
  EXPECT_NE(whole.left.find("implements no value specification"), std::string::npos) << whole.left;
}

/// The bodies of all accepted coordinator functions with steps.
TEST(Whole, BodiesOfTheAcceptedPrograms) {
  size_t n_asked = 0;
  size_t n_written = 0;
  for (const testing::AcceptedProgram& program : testing::accepted_programs()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file("program.tacet", program.text);
    const bool was_right = differences_of(program.text).empty();
    std::vector<TextRange> bodies;
    {
      const program::FrontendSnapshot snapshot = frontend.snapshot();
      for (const names::FileItem& item : snapshot.items(file)->items) {
        const names::ItemTree tree = snapshot.tree(item.id);
        const Node body = names::item_node(*tree).child(Field::Body);
        if (item.kind == names::ItemKind::Fn && body &&
            body.text().find("encode-begin") != std::string_view::npos) {
          bodies.push_back(body.range().shifted(snapshot.item_begin(item.id)));
        }
      }
    }
    for (const TextRange body : bodies) {
      const std::string text =
          apply_edits(program.text, std::vector<TextEdit>{{body, "{\n    ???\n}"}});
      frontend.set_file("program.tacet", text);
      const Filled result = fill_holes(frontend, file);
      ++n_asked;
      if (result.left.empty()) {
        ++n_written;
        if (was_right) {
          EXPECT_EQ(differences_of(result.text), "") << program.path << "\n" << result.text;
        }
      } else if (std::getenv("TACET_RESTORE_SHOW") != nullptr) {
        fmt::print("{} {}\n{}\n", program.path,
                   program.text.substr(body.begin, body.end - body.begin), lines_of(result.left));
      }
    }
  }
  fmt::print("bodies with steps: {} of {}\n", n_written, n_asked);
  EXPECT_GE(n_asked, 100U);
}

}  // namespace
}  // namespace tacet::emit
