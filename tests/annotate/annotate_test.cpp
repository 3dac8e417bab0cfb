// A program with every tag written out means what it meant: it has no diagnostics that it did not
// have, each name stands for the same node of the specification, and writing the tags out again
// changes nothing.

#include "compiler/views/emit/annotate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "compiler/core/diagnostics/explanation.h"
#include "compiler/front/hir/build.h"
#include "compiler/spec/infer/quotients.h"
#include "formatter/format.h"
#include "tests/generator/random_program.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/syntax/corpus.h"

namespace tacet::emit {
namespace {

auto formatted(std::string_view text) -> std::string {
  return formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted).text;
}

/// What the names of a program's functions stand for, in the order of the text.
class Meaning {
 public:
  explicit Meaning(const program::FrontendSnapshot& snapshot) : snapshot_(snapshot) {}

  auto of(FileId file) -> std::string {
    std::string out;
    for (const names::FileItem& item : snapshot_.items(file)->items) {
      if (item.kind == names::ItemKind::Fn) {
        out += function(item.id);
      }
    }
    return out;
  }

 private:
  auto function(names::ItemId item) -> std::string {
    const auto quotients = snapshot_.query().get<infer::QuotientsOf>(item);
    const auto function = snapshot_.query().get<hir::SsaOf>(item);
    if (!quotients || !function) {
      return {};
    }
    spec_ = snapshot_.query().get<infer::SpecificationOf>(quotients->val)->graph;
    const names::ItemTree tree = snapshot_.tree(item);
    std::string out;
    for (const hir::NameUse& use : function->names) {
      const infer::SpecNodeId node = quotients->of_value[use.value.index];
      out += fmt::format("{}: {}\n", syntax::Node(tree.get(), use.node).text(),
                         node.has_value() ? text(node, 8) : "nothing");
    }
    return out;
  }

  /// A node without the names that it and its children have.
  auto text(infer::SpecNodeId id, int depth) -> std::string {
    const infer::SpecNode& node = spec_->nodes[id];
    std::string out = fmt::format("{}.{}.{}", static_cast<int>(node.term.kind),
                                  static_cast<int>(node.term.op), node.term.number);
    if (node.term.item.has_value()) {
      out += snapshot_.interner().text(snapshot_.item_key(node.term.item).name);
    }
    if (node.term.text.has_value()) {
      out += snapshot_.interner().text(node.term.text);
    }
    for (infer::SpecNodeId child : node.children) {
      out += depth == 0 ? "…" : fmt::format("({})", text(child, depth - 1));
    }
    return out;
  }

  const program::FrontendSnapshot& snapshot_;
  infer::SpecGraphPtr spec_;
};

/// Messages may call nodes by the names that they got.
auto diagnostics_text(const std::vector<Diagnostic>& diagnostics) -> std::string {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) {
    lines.push_back(fmt::format("{}\n", code_name(diagnostic.code)));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

struct Checked {
  std::string annotated;
  std::string diagnostics;
  std::string meaning;
};

auto check(const std::string& text) -> Checked {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  Checked result;
  result.annotated = formatted(annotate(snapshot, file));
  result.diagnostics = diagnostics_text(snapshot.diagnostics(file));
  result.meaning = Meaning(snapshot).of(file);
  return result;
}

/// True if anything was annotated.
auto expect_same(const std::string& text) -> bool {
  const Checked before = check(formatted(text));
  const Checked after = check(before.annotated);
  EXPECT_EQ(after.diagnostics, before.diagnostics) << before.annotated;
  EXPECT_EQ(after.meaning, before.meaning) << before.annotated;
  EXPECT_EQ(after.annotated, before.annotated);
  return before.annotated != formatted(text);
}

TEST(Annotate, WritesTheTagsOfTheMinimumExactly) {
  const std::string program = R"(#version 0.1.0

tmln time(e: Event) -> Event {
    returns e
}

sptl space(s: BufferSpace) -> BufferSpace {
    returns s
}

val min(a: i64, b: i64) -> out: i64 {
    c: bool :- a < b
    ret: i64 :- a if c else b
    returns ret
}

fn min_impl(a: i64, b: i64) -> i64 impls min, time, space {
    var v;
    let c = a < b;
    if c {
        v = a;
    } else {
        v = b;
    }
    v
}
)";
  const std::string listing = R"(
fn min_impl(
    a: i64 @ [input(val.a)-usable, none(tmln)-usable, none(sptl)-usable],
    b: i64 @ [input(val.b)-usable, none(tmln)-usable, none(sptl)-usable]) ->
i64 @ [node(val.out), none(tmln)-usable, none(sptl)-usable]
impls min, time, space
{
    var v: i64 @ [none(val)-dead, none(tmln)-usable, none(sptl)-saved];
    let c: bool @ [node(val.c)-usable, none(tmln)-usable, none(sptl)-usable]
        = a < b;
    if @ [node(val.ret), none(sptl), none(tmln)] c {
        v = a;
        @out { v: [node(val.a)-usable, none(tmln)-usable, none(sptl)-saved] };
    } else {
        v = b;
        @out { v: [node(val.b)-usable, none(tmln)-usable, none(sptl)-saved] };
    }
    @in { v: [node(val.ret)-usable, none(tmln)-usable, none(sptl)-saved] };
    v
}
)";
  const std::string head = program.substr(0, program.find("\nfn "));
  EXPECT_EQ(check(program).annotated, formatted(head + listing));
}

TEST(Annotate, NamesWhatHasNoName) {
  const std::string program = R"(#version 0.1.0

tmln time(e: Event) -> Event {
    returns e
}

sptl space(s: BufferSpace) -> BufferSpace {
    returns s
}

val min(a: i64, b: i64) -> i64 {
    returns (2 if a < b else b) * 3
}

// The smaller one.
fn min_impl(a: i64, b: i64) -> i64 impls min, time, space {
    let less = a < b; // a comment
    let v = if less { 2 } else { b };
    v * 3
}
)";
  EXPECT_EQ(check(program).annotated, R"(#version 0.1.0

tmln time(e: Event) -> Event {
    returns e
}

sptl space(s: BufferSpace) -> BufferSpace {
    returns s
}

val min(a: i64, b: i64) -> out: i64 {
    k: i64 :- 2
    c: bool :- a < b
    t: i64 :- k if c else b
    k2: i64 :- 3
    returns t * k2
}

// The smaller one.
fn min_impl(
    a: i64 @ [input(val.a)-usable, none(tmln)-usable, none(sptl)-usable],
    b: i64 @ [input(val.b)-usable, none(tmln)-usable, none(sptl)-usable],
) -> i64 @ [node(val.out), none(tmln)-usable, none(sptl)-usable] impls min, time, space {
    let less: bool @ [node(val.c)-usable, none(tmln)-usable, none(sptl)-usable] = a < b; // a comment
    let v: i64 @ [node(val.t)-usable, none(tmln)-usable, none(sptl)-usable] = if @ [
        node(val.t),
        none(sptl),
        none(tmln),
    ] less {
        2 @ [node(val.k)-usable, none(tmln)-usable, none(sptl)-usable]
    } else {
        b
    };
    v * 3 @ [node(val.k2)-usable, none(tmln)-usable, none(sptl)-usable]
}
)");
}

/// `NAME.tacet` beside `NAME.annotated`; `UPDATE_GOLDEN=1` writes that anew.
TEST(Annotate, WritesWhatIsExpected) {
  const auto sources =
      harness::find_files({.folder = "tests/annotate/golden", .endings = {".tacet"}});
  for (const std::filesystem::path& path : sources) {
    SCOPED_TRACE(path);
    const std::string program = harness::read_file(path);
    const Checked checked = check(program);
    EXPECT_EQ(checked.diagnostics, "");
    harness::expect_golden(std::filesystem::path(path).replace_extension(".annotated"),
                           checked.annotated);
    expect_same(program);
  }
  harness::expect_no_orphans(
      harness::find_files({.folder = "tests/annotate/golden", .endings = {".annotated"}}), sources);
}

/// The corpus, the fixtures of the check, those with mistakes included, and what is run.
auto programs() -> std::vector<testing::CorpusFile> {
  std::vector<testing::CorpusFile> files = testing::corpus();
  for (const char* folder : {"tests/check", "tests/run"}) {
    for (const auto& path : harness::find_files({.folder = folder,
                            .endings = {".tacet"},
                            .least = 20,
                            .depth = harness::Depth::Below})) {
      files.push_back({path.string(), harness::read_file(path)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

TEST(Annotate, KeepsTheMeaningOfTheCorpus) {
  size_t n_annotated = 0;
  for (const testing::CorpusFile& file : programs()) {
    if (syntax::language_of(file.path) == syntax::Language::Module) {
      SCOPED_TRACE(file.path);
      n_annotated += expect_same(file.text) ? 1 : 0;
    }
  }
  EXPECT_GE(n_annotated, 20U);
}

TEST(Annotate, KeepsTheMeaningOfTheProgramsOfPages) {
  for (DiagnosticCode code : all_codes()) {
    for (const PageProgram& program : page_programs(explanation(code))) {
      SCOPED_TRACE(fmt::format("{}.md:{}", code_name(code), program.line));
      if (program.text.rfind("#version", 0) == 0) {
        expect_same(program.text);
      }
    }
  }
}

TEST(Annotate, LeavesProgramsThatMeanNothingAlone) {
  const testing::ProgramGenerator generator;
  testing::Random random(7);
  for (int i = 0; i < 100; ++i) {
    const std::string text = generator.program(random, testing::Start::Module, 400);
    SCOPED_TRACE(text);
    expect_same(text);
  }
}

}  // namespace
}  // namespace tacet::emit
