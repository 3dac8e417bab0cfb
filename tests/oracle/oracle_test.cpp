// A function computes what the specification that it implements says: both are run by the
// reference interpreter, on values at the edges of their types and on random ones.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "compiler/diagnostics/code.h"
#include "compiler/diagnostics/explanation.h"
#include "compiler/interpret/interpret.h"

namespace tacet::interpret {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRunsPerFunction = 40;
/// Inputs on which a recursion goes on for longer say nothing.
constexpr uint64_t kMaxSteps = 100'000;

struct Program {
  std::string name;
  std::string text;
};

auto contents(const fs::path& path) -> std::string {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The examples, the fixtures that are meant to be run, and the programs of the pages. (The
/// fixtures of the check have functions that only have the right types.)
auto all_programs() -> std::vector<Program> {
  std::vector<Program> programs;
  for (const char* folder : {"examples", "tests/run"}) {
    std::vector<fs::path> paths;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(TACET_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".tacet") {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      programs.push_back({path.string(), contents(path)});
    }
  }
  for (DiagnosticCode code : all_codes()) {
    for (const PageProgram& program : page_programs(explanation(code))) {
      // What fails when it runs is no example of a function that conforms.
      if (code_name(code)[1] == '8' && program.expectation == Expectation::Fails) {
        continue;
      }
      programs.push_back({fmt::format("{}.md:{}", code_name(code), program.line), program.text});
    }
  }
  return programs;
}

class Inputs {
 public:
  explicit Inputs(uint64_t seed) : random_(seed) {}

  auto values(const std::vector<EntryParameter>& parameters) -> std::vector<Value> {
    // Small numbers are where the cases of a program meet.
    Spread spread = static_cast<Spread>(random_() % 3);
    std::vector<Value> result;
    for (const EntryParameter& parameter : parameters) {
      Value value{parameter.type, parameter.shape, {}};
      for (uint64_t i = 0; i < n_elements(parameter.shape); ++i) {
        value.cells.push_back(element(parameter, spread));
      }
      result.push_back(std::move(value));
    }
    return result;
  }

 private:
  enum class Spread : uint8_t { Small, Edges, All };

  auto element(const EntryParameter& parameter, Spread spread) -> Cell {
    if (parameter.bound) {
      auto width = static_cast<uint64_t>(parameter.bound->upper - parameter.bound->lower);
      auto lower = static_cast<uint64_t>(parameter.bound->lower);
      uint64_t offset = spread == Spread::Edges ? (random_() % 2) * (width - 1) : random_() % width;
      return cast(kI64, parameter.type, lower + offset);
    }
    int64_t number = integer(spread);
    if (types::is_integer(parameter.type.kind)) {
      return wrapped(parameter.type.kind, static_cast<Cell>(number));
    }
    if (parameter.type.kind == ElementKind::Bool) {
      return random_() % 2;
    }
    return cast(kI64, parameter.type, static_cast<Cell>(number % 1000));
  }

  auto integer(Spread spread) -> int64_t {
    switch (spread) {
      case Spread::Small:
        return static_cast<int64_t>(random_() % 12) - 4;
      case Spread::Edges: {
        // The ends of every width, and beside them.
        unsigned width = 8U << (random_() % 4);
        uint64_t end = uint64_t{1} << (width - 1 + random_() % 2 % (65 - width));
        return static_cast<int64_t>(end + random_() % 3 - 1);
      }
      case Spread::All:
        return static_cast<int64_t>(random_() >> (random_() % 60));
    }
    return 0;
  }

  std::mt19937_64 random_;
};

enum class End : uint8_t { Done, Failed, TookTooLong };

struct Outcome {
  End end = End::Done;
  std::string text;
};

auto outcome_of(const Executable& executable, const std::vector<Value>& inputs) -> Outcome {
  MachineOptions options;
  options.memory_limit_bytes = uint64_t{8} << 20;
  options.progress = [&](uint64_t n_steps) {
    if (n_steps > kMaxSteps) {
      options.cancellation.cancel();
    }
  };
  RunResult result = run(executable, inputs, options);
  if (result.is_cancelled || (result.failure && result.failure->code == DiagnosticCode::T8004)) {
    return {End::TookTooLong, ""};
  }
  if (result.failure) {
    return {End::Failed, result.failure->message};
  }
  std::vector<std::string> texts;
  for (const Value& value : result.values) {
    texts.push_back(value_text(value));
  }
  return {End::Done, fmt::format("{}", fmt::join(texts, "; "))};
}

/// Does the head say that parameters or results are other nodes than the specification's own?
auto has_tagged_head(const check::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  names::ItemTree tree = snapshot.tree(item);
  syntax::Node root = names::item_node(*tree);
  for (syntax::Field field : {syntax::Field::Parameters, syntax::Field::Results}) {
    syntax::Node list = root.child(field);
    for (uint32_t i = list.index(); list && i < list.subtree_end(); ++i) {
      if (tree->nodes[i].kind == syntax::NodeKind::Tag) {
        return true;
      }
    }
  }
  return false;
}

auto have_equal_types(const Executable& a, const Executable& b) -> bool {
  auto are_equal = [](const auto& left, const auto& right) {
    return left.type == right.type && left.shape == right.shape;
  };
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), are_equal) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
                    are_equal);
}

struct Counts {
  size_t n_functions = 0;
  size_t n_done = 0;
  size_t n_failed = 0;
};

void compare(const std::string& name, const Executable& specified, const Executable& function,
             uint64_t seed, Counts& counts) {
  SCOPED_TRACE(name);
  Inputs inputs(seed);
  ++counts.n_functions;
  for (size_t i = 0; i < kRunsPerFunction; ++i) {
    std::vector<Value> values = inputs.values(function.parameters);
    Outcome wanted = outcome_of(specified, values);
    Outcome given = outcome_of(function, values);
    if (wanted.end == End::TookTooLong || given.end == End::TookTooLong) {
      continue;
    }
    std::vector<std::string> texts;
    for (const Value& value : values) {
      texts.push_back(value_text(value));
    }
    ++(wanted.end == End::Done ? counts.n_done : counts.n_failed);
    ASSERT_EQ(given.end, wanted.end)
        << fmt::format("on {}: {} {}", fmt::join(texts, ", "), given.text, wanted.text);
    if (wanted.end == End::Done) {
      ASSERT_EQ(given.text, wanted.text) << "on " << fmt::format("{}", fmt::join(texts, ", "));
    }
  }
}

void compare_all(const Program& program, Counts& counts) {
  check::Frontend frontend;
  FileId file = frontend.set_file("program.tacet", program.text);
  check::FrontendSnapshot snapshot = frontend.snapshot();
  std::vector<Diagnostic> diagnostics = snapshot.diagnostics(file);
  if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::Error;
      })) {
    return;
  }
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn) {
      continue;
    }
    names::ItemId specification = snapshot.signature(item.id)->val;
    if (!specification.has_value() || has_tagged_head(snapshot, item.id)) {
      continue;
    }
    Compilation specified = compile(snapshot, specification, {});
    Compilation function = compile(snapshot, item.id, {});
    if (specified.executable && function.executable &&
        have_equal_types(*specified.executable, *function.executable)) {
      compare(fmt::format("{}: {}", program.name, snapshot.interner().text(item.name)),
              *specified.executable, *function.executable, counts.n_functions, counts);
    }
  }
}

TEST(Oracle, FunctionsComputeWhatTheirSpecificationsSay) {
  Counts counts;
  for (const Program& program : all_programs()) {
    compare_all(program, counts);
  }
  // Enough of them, and enough that came to an end, to mean something.
  EXPECT_GT(counts.n_functions, 40U);
  EXPECT_GT(counts.n_done, 20 * counts.n_functions);
  EXPECT_LT(counts.n_failed, counts.n_done / 5);
}

/// The test itself: it has to notice a function that does something else.
TEST(Oracle, NoticesAFunctionThatDoesSomethingElse) {
  check::Frontend frontend;
  FileId file = frontend.set_file("program.tacet", R"(#version 0.1.0
val at_edges(x: i8) -> i8 { returns 0 if x == 127 else x }
val always(x: i8) -> i8 { returns x }
)");
  check::FrontendSnapshot snapshot = frontend.snapshot();
  auto executable = [&](std::string_view name) {
    return *compile(snapshot, snapshot.find(file, names::Namespace::Class, name), {}).executable;
  };
  Executable left = executable("at_edges");
  Executable right = executable("always");
  Inputs inputs(1);
  bool is_noticed = false;
  for (size_t i = 0; i < kRunsPerFunction; ++i) {
    std::vector<Value> values = inputs.values(left.parameters);
    is_noticed |= outcome_of(left, values).text != outcome_of(right, values).text;
  }
  EXPECT_TRUE(is_noticed);
}

}  // namespace
}  // namespace tacet::interpret
