#include "compiler/run/interpret/interpret.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/core/diagnostics/explanation.h"

namespace tacet::interpret {
namespace {

/// A checked program, and what running its functions gives, as text.
class Runner {
 public:
  explicit Runner(std::string text, std::string_view path = "program.tacet") {
    file_ = frontend_.set_file(path, std::move(text));
    for (const Diagnostic& diagnostic : frontend_.snapshot().diagnostics(file_)) {
      if (diagnostic.severity == Severity::Error) {
        ADD_FAILURE() << code_name(diagnostic.code) << ": " << diagnostic.message;
      }
    }
  }

  /// The item called `name`, else the pipeline's function, else the last that could run.
  auto find(std::string_view name) -> names::ItemId {
    program::FrontendSnapshot snapshot = frontend_.snapshot();
    for (names::Namespace space : {names::Namespace::Callable, names::Namespace::Class}) {
      names::ItemId item = snapshot.find(file_, space, name);
      if (item.has_value()) {
        return item;
      }
    }
    names::ItemId last;
    for (const names::FileItem& item : snapshot.items(file_)->items) {
      if (item.kind == names::ItemKind::Program || item.kind == names::ItemKind::Val ||
          item.kind == names::ItemKind::Fn) {
        last = item.id;
      }
      if (item.kind == names::ItemKind::Pipeline) {
        syntax::Node entry = names::item_node(*snapshot.tree(item.id)).child(syntax::Field::Entry);
        return snapshot.body(item.id)->names.item(entry.index());
      }
    }
    return last;
  }

  /// Integers fill the parameters' elements in order.
  auto run(std::string_view name, const std::vector<int64_t>& arguments = {},
           const MachineOptions& options = {}) -> std::string {
    std::set<std::string, std::less<>> available;
    for (const auto& [extern_name, function] : options.externs) {
      available.insert(extern_name);
    }
    names::ItemId entry = find(name);
    if (!entry.has_value()) {
      return "nothing to run";
    }
    Compilation compilation = compile(frontend_.snapshot(), entry, available);
    if (!compilation.executable) {
      return compilation.problem;
    }
    const Executable& executable = *compilation.executable;
    std::vector<Value> inputs;
    size_t at = 0;
    for (const EntryParameter& parameter : executable.parameters) {
      Value value{parameter.type, parameter.shape, {}};
      for (uint64_t i = 0; i < n_elements(parameter.shape); ++i) {
        value.cells.push_back(cast(kI64, parameter.type, static_cast<Cell>(arguments.at(at++))));
      }
      inputs.push_back(std::move(value));
    }
    RunResult result = tacet::interpret::run(executable, inputs, options);
    last_ = result;
    if (result.failure) {
      return fmt::format("{}: {}", code_name(result.failure->code), result.failure->message);
    }
    std::string text;
    for (size_t i = 0; i < result.values.size(); ++i) {
      text += fmt::format("{}{} = {}", i == 0 ? "" : "; ", executable.results[i].name,
                          value_text(result.values[i]));
    }
    return text;
  }

  [[nodiscard]] auto last() const -> const RunResult& { return last_; }

 private:
  program::Frontend frontend_;
  FileId file_;
  RunResult last_;
};

constexpr std::string_view kTrivial = R"(#version 0.1.0
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
)";

auto module(std::string_view text) -> std::string {
  return fmt::format("{}{}", kTrivial, text);
}

TEST(Interpret, RecursionAMillionDeep) {
  Runner runner(module(R"(
val rec_sum(a: i64, b: i64) -> i64 {
    returns 0 if a > b else
        a if a == b else
        rec_sum(a + 1, b) + a
}
fn rec_sum_impl(a: i64, b: i64) -> i64 impls rec_sum, time, space {
    if a > b {
        0
    } else if a == b {
        a
    } else {
        rec_sum_impl(a + 1, b) + a
    }
}
)"));
  EXPECT_EQ(runner.run("rec_sum", {1, 10}), "out = 55");
  EXPECT_EQ(runner.run("rec_sum_impl", {5, 4}), "out = 0");
  EXPECT_EQ(runner.run("rec_sum_impl", {1, 1'000'000}), "out = 500000500000");
  EXPECT_EQ(runner.run("rec_sum", {1, 1'000'000}), "out = 500000500000");
  MachineOptions options;
  options.memory_limit_bytes = 1 << 20;
  EXPECT_EQ(runner.run("rec_sum_impl", {1, 1'000'000}, options),
            "T8004: the run needs more than its 1 MiB of memory");
  ASSERT_EQ(runner.last().failure->labels.size(), 7U);
  EXPECT_EQ(runner.last().failure->labels[0].message, "called in `rec_sum_impl`");
}

TEST(Interpret, OnlyTheArmThatIsTakenIsEvaluated) {
  Runner runner(module(R"(
val safe(a: i64, b: i64) -> i64 {
    quotient :- a / b
    twice :- quotient + quotient
    returns 0 if b == 0 else twice + quotient
}
)"));
  EXPECT_EQ(runner.run("safe", {7, 0}), "out = 0");
  EXPECT_EQ(runner.run("safe", {7, 2}), "out = 9");
}

TEST(Interpret, ALongRowOfDefinitionsIsNoDeepRecursion) {
  std::string text = fmt::format("{}val f(x0: i64) -> i64 {{\n", kTrivial);
  constexpr int kDefinitions = 20'000;
  for (int i = kDefinitions; i > 0; --i) {
    text += fmt::format("x{} :- x{} + 1\n", i, i - 1);
  }
  text += fmt::format("returns x{}\n}}\n", kDefinitions);
  Runner runner(text);
  EXPECT_EQ(runner.run("f", {5}), fmt::format("out = {}", kDefinitions + 5));
}

TEST(Interpret, FailuresNameTheValuesAndTheCallers) {
  Runner runner(module(R"(
val share(cake: i64, guests: i64) -> i64 { returns cake / guests }
val party(n: i64) -> i64 { returns 1 + share(12, n - 3) }
)"));
  EXPECT_EQ(runner.run("party", {3}), "T8001: division by zero: `12 / 0`");
  ASSERT_EQ(runner.last().failure->labels.size(), 1U);
  EXPECT_EQ(runner.last().failure->labels[0].message, "called in `party`");
}

TEST(Interpret, PagesOfRunTimeDiagnosticsHaveProgramsThatShowThem) {
  MachineOptions options;
  options.memory_limit_bytes = 1 << 22;
  options.externs["broken"] = [](std::span<const int64_t>, std::span<int64_t>) { return 1; };
  size_t n_codes = 0;
  for (DiagnosticCode code : all_codes()) {
    if (code_name(code)[1] != '8') {
      continue;
    }
    ++n_codes;
    for (const PageProgram& program : page_programs(explanation(code))) {
      SCOPED_TRACE(fmt::format("{}, line {}", code_name(code), program.line));
      Runner runner(program.text);
      std::string shown = runner.run("", {}, options);
      std::vector<DiagnosticCode> found;
      for (const Diagnostic& warning : runner.last().warnings) {
        found.push_back(warning.code);
      }
      if (runner.last().failure) {
        found.push_back(runner.last().failure->code);
      }
      bool fails = program.expectation == Expectation::Fails;
      EXPECT_EQ(found, fails ? std::vector<DiagnosticCode>{code} : std::vector<DiagnosticCode>{})
          << shown;
    }
  }
  EXPECT_EQ(n_codes, 13U);
}

}  // namespace
}  // namespace tacet::interpret
