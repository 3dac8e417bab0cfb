#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/program/frontend.h"

/// Random coordinator functions against an execution along every path: an error in the flows is
/// reported if, and only if, some path has it.
namespace tacet::program {
namespace {

constexpr int kVariables = 3;
constexpr int kEncoders = 2;
constexpr int kReferences = 2;

enum class Step : uint8_t { Assign, Read, Dereference, Submit, Encode, Call, Either };

/// A statement. `what` is which variable, encoder or reference.
struct Statement {
  Step step = Step::Call;
  int what = 0;
  std::vector<Statement> on_true = {};
  std::vector<Statement> on_false = {};
};

using Random = std::mt19937;

auto random_block(Random& random, int depth) -> std::vector<Statement> {
  std::vector<Statement> block;
  for (auto n = random() % 5; n > 0; --n) {
    Statement statement;
    statement.step = static_cast<Step>(random() % (depth > 0 ? 7U : 6U));
    switch (statement.step) {
      case Step::Assign:
      case Step::Read:
        statement.what = static_cast<int>(random() % kVariables);
        break;
      case Step::Dereference:
        statement.what = static_cast<int>(random() % kReferences);
        break;
      case Step::Submit:
      case Step::Encode:
        statement.what = static_cast<int>(random() % kEncoders);
        break;
      case Step::Call:
        break;
      case Step::Either:
        statement.on_true = random_block(random, depth - 1);
        statement.on_false = random_block(random, depth - 1);
        break;
    }
    block.push_back(std::move(statement));
  }
  return block;
}

/// The text of a function with these statements.
class Writer {
 public:
  auto program(const std::vector<Statement>& body) -> std::string {
    text_ =
        "#version 0.1.0\n"
        "tmln time(e: Event) -> Event { returns e }\n"
        "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n"
        "val f(x: i64) -> i64 { returns x }\n"
        "fn g(x: i64) -> i64 impls f, time, space { x }\n"
        "fn f_impl(x: i64) -> i64 impls f, time, space {\n";
    for (int i = 0; i < kVariables; ++i) {
      text_ += fmt::format("  var v{}: i64;\n", i);
    }
    for (int i = 0; i < kReferences; ++i) {
      text_ += fmt::format("  let r{0} = &v{0};\n", i);
    }
    for (int i = 0; i < kEncoders; ++i) {
      text_ += fmt::format("  let e{} = encode-begin he;\n", i);
    }
    block(body);
    return text_ + "  x\n}\n";
  }

 private:
  void block(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      write(statement);
    }
  }

  void write(const Statement& statement) {
    const int n = n_names_++;
    switch (statement.step) {
      case Step::Assign:
        text_ += fmt::format("  v{} = x;\n", statement.what);
        return;
      case Step::Read:
        text_ += fmt::format("  let n{} = v{};\n", n, statement.what);
        return;
      case Step::Dereference:
        text_ += fmt::format("  let n{} = *r{};\n", n, statement.what);
        return;
      case Step::Submit:
        text_ += fmt::format("  let w{} = await submit e{};\n", n, statement.what);
        return;
      case Step::Encode:
        text_ += fmt::format("  encode e{}.copy[d <- x];\n", statement.what);
        return;
      case Step::Call:
        text_ += fmt::format("  let n{} = g(x);\n", n);
        return;
      case Step::Either:
        text_ += "  if x < 0 {\n";
        block(statement.on_true);
        text_ += "  } else {\n";
        block(statement.on_false);
        text_ += "  }\n";
        return;
    }
  }

  std::string text_;
  int n_names_ = 0;
};

/// The errors of all paths: `T1010 v0`.
class Execution {
 public:
  auto run(const std::vector<Statement>& body) -> std::set<std::string> {
    std::vector<State> ends = block(body, {State()});
    const bool is_mixed_up =
        std::any_of(reported_.begin(), reported_.end(),
                    [](const std::string& entry) { return entry.rfind("T4002", 0) == 0; });
    for (const State& end : ends) {
      for (int i = 0; i < kEncoders && !is_mixed_up; ++i) {
        if (!end.is_submitted[i]) {
          reported_.insert(fmt::format("T4003 e{}", i));
        }
      }
    }
    return reported_;
  }

 private:
  struct State {
    bool is_assigned[kVariables] = {};
    bool is_submitted[kEncoders] = {};
    bool has_called = false;

    friend auto operator<=>(const State&, const State&) = default;
  };

  auto block(const std::vector<Statement>& statements, std::vector<State> states)
      -> std::vector<State> {
    for (const Statement& statement : statements) {
      if (statement.step == Step::Either) {
        std::vector<State> on_true = block(statement.on_true, states);
        std::vector<State> on_false = block(statement.on_false, states);
        std::set<State> both(on_true.begin(), on_true.end());
        both.insert(on_false.begin(), on_false.end());
        states.assign(both.begin(), both.end());
        continue;
      }
      for (State& state : states) {
        step(statement, state);
      }
    }
    return states;
  }

  void step(const Statement& statement, State& state) {
    switch (statement.step) {
      case Step::Assign:
        state.is_assigned[statement.what] = true;
        return;
      case Step::Dereference:
        if (state.has_called) {
          reported_.insert(fmt::format("T4004 r{}", statement.what));
        }
        [[fallthrough]];
      case Step::Read:
        if (!state.is_assigned[statement.what]) {
          reported_.insert(fmt::format("T1010 v{}", statement.what));
        }
        return;
      case Step::Encode:
      case Step::Submit:
        if (state.is_submitted[statement.what]) {
          reported_.insert(fmt::format("T4002 e{}", statement.what));
        }
        if (statement.step == Step::Submit) {
          state.is_submitted[statement.what] = true;
        }
        return;
      case Step::Call:
        state.has_called = true;
        return;
      case Step::Either:
        return;
    }
  }

  std::set<std::string> reported_;
};

/// What the checker says of flows: the code, and the first name in the message.
auto reported(const std::string& text) -> std::set<std::string> {
  Frontend frontend;
  const FileId file = frontend.set_file("a.tacet", text);
  std::set<std::string> result;
  for (const Diagnostic& diagnostic : frontend.snapshot().diagnostics(file)) {
    constexpr std::array kFlowCodes = {DiagnosticCode::T1010, DiagnosticCode::T4002,
                                       DiagnosticCode::T4003, DiagnosticCode::T4004};
    if (std::find(kFlowCodes.begin(), kFlowCodes.end(), diagnostic.code) != kFlowCodes.end()) {
      const size_t begin = diagnostic.message.find('`') + 1;
      const size_t end = diagnostic.message.find('`', begin);
      result.insert(fmt::format("{} {}", code_name(diagnostic.code),
                                diagnostic.message.substr(begin, end - begin)));
    }
  }
  return result;
}

TEST(RandomFlows, AreReportedIfSomePathHasTheError) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::vector<Statement> body = random_block(random, 3);
    const std::string text = Writer().program(body);
    ASSERT_EQ(reported(text), Execution().run(body)) << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace tacet::program
