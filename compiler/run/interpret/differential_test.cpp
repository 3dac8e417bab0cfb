// Random programs, evaluated by three evaluators: as a specification, as a coordinator function,
// and here.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>

#include "compiler/run/interpret/interpret.h"

namespace tacet::interpret {
namespace {

constexpr size_t kParameters = 3;

enum class NodeType : uint8_t { Number, Truth };

/// One step of a random program: a parameter, a literal, an operator, a choice, or a call of a
/// program before it.
struct RandomNode {
  NodeType type = NodeType::Number;
  std::string operation;  ///< "param", "literal", "if", "call", or the operator
  int64_t literal = 0;
  std::vector<size_t> operands;
};

struct RandomProgram {
  ElementType type;
  std::vector<RandomNode> nodes;  ///< operands before their uses; the last is the result
  size_t depth_of_calls = 0;
};

constexpr size_t kMaxDepthOfCalls = 5;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  auto below(size_t n) -> size_t { return random_() % n; }
  auto bits() -> uint64_t { return random_(); }

  /// A program that may call those of `before`.
  auto program(const std::vector<RandomProgram>& before) -> RandomProgram {
    constexpr ElementKind kKinds[] = {ElementKind::I8,  ElementKind::I16, ElementKind::I32,
                                      ElementKind::I64, ElementKind::U8,  ElementKind::U16,
                                      ElementKind::U32, ElementKind::U64};
    RandomProgram program{{kKinds[below(8)], 0}, {}};
    for (size_t i = 0; i < kParameters; ++i) {
      program.nodes.push_back({NodeType::Number, "param", static_cast<int64_t>(i), {}});
    }
    size_t n_nodes = 4 + below(12);
    while (program.nodes.size() < n_nodes || program.nodes.back().type != NodeType::Number) {
      program.nodes.push_back(below(6) == 0 ? call(program, before) : node(program));
    }
    return program;
  }

 private:
  auto pick(const RandomProgram& program, NodeType type) -> std::optional<size_t> {
    std::vector<size_t> found;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      if (program.nodes[i].type == type) {
        found.push_back(i);
      }
    }
    return found.empty() ? std::nullopt : std::optional<size_t>(found[below(found.size())]);
  }

  /// A call of a program of the same type, if there is one.
  auto call(RandomProgram& program, const std::vector<RandomProgram>& before) -> RandomNode {
    std::vector<size_t> callees;
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i].type == program.type && before[i].depth_of_calls < kMaxDepthOfCalls) {
        callees.push_back(i);
      }
    }
    if (callees.empty()) {
      return node(program);
    }
    RandomNode call{NodeType::Number, "call", 0, {}};
    size_t callee = callees[below(callees.size())];
    call.literal = static_cast<int64_t>(callee);
    program.depth_of_calls = std::max(program.depth_of_calls, before[callee].depth_of_calls + 1);
    for (size_t i = 0; i < kParameters; ++i) {
      call.operands.push_back(*pick(program, NodeType::Number));
    }
    return call;
  }

  auto node(const RandomProgram& program) -> RandomNode {
    auto number = [&] { return *pick(program, NodeType::Number); };
    std::optional<size_t> truth = pick(program, NodeType::Truth);
    switch (below(9)) {
      case 0:
        return {NodeType::Number, "literal", static_cast<int64_t>(below(100)), {}};
      case 1:
      case 2: {
        constexpr const char* kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
        return {NodeType::Truth, kComparisons[below(6)], 0, {number(), number()}};
      }
      case 3:
        if (truth) {
          return {NodeType::Truth,
                  below(2) == 0 ? "&&" : "||",
                  0,
                  {*truth, *pick(program, NodeType::Truth)}};
        }
        [[fallthrough]];
      case 4:
      case 5:
        if (truth) {
          return {NodeType::Number, "if", 0, {*truth, number(), number()}};
        }
        [[fallthrough]];
      default: {
        constexpr const char* kOperators[] = {"+", "-", "*",  "/",  "%",  "&",
                                              "|", "^", "<<", ">>", ">>>"};
        return {NodeType::Number, kOperators[below(11)], 0, {number(), number()}};
      }
    }
  }

  std::mt19937_64 random_;
};

/// What calls do with their arguments.
enum class Arguments : uint8_t { AreEvaluated, AreEvaluatedByNeed };

/// A value that may have to be computed; nothing if that divides by zero or shifts too far.
using Input = std::function<std::optional<Cell>()>;

/// What a program gives.
class Oracle {
 public:
  Oracle(const std::vector<RandomProgram>& programs, size_t program, std::vector<Input> inputs,
         Arguments arguments)
      : programs_(programs),
        program_(programs[program]),
        inputs_(std::move(inputs)),
        arguments_(arguments),
        known_(program_.nodes.size()) {}

  auto result() -> std::optional<Cell> { return value(program_.nodes.size() - 1); }

 private:
  auto value(size_t at) -> std::optional<Cell> {
    if (!known_[at]) {
      known_[at] = compute(program_.nodes[at]);
    }
    return *known_[at];
  }

  auto call(const RandomNode& node) -> std::optional<Cell> {
    std::vector<Input> inputs;
    for (size_t operand : node.operands) {
      if (arguments_ == Arguments::AreEvaluated && !value(operand)) {
        return std::nullopt;
      }
      inputs.emplace_back([this, operand] { return value(operand); });
    }
    return Oracle(programs_, static_cast<size_t>(node.literal), std::move(inputs), arguments_)
        .result();
  }

  auto compute(const RandomNode& node) -> std::optional<Cell> {
    if (node.operation == "param") {
      return inputs_[static_cast<size_t>(node.literal)]();
    }
    if (node.operation == "call") {
      return call(node);
    }
    if (node.operation == "literal") {
      return static_cast<Cell>(node.literal);
    }
    std::optional<Cell> first = value(node.operands[0]);
    if (!first) {
      return std::nullopt;
    }
    if (node.operation == "if") {
      return value(node.operands[*first != 0 ? 1 : 2]);
    }
    std::optional<Cell> second = value(node.operands[1]);
    return second ? combine(node, *first, *second) : std::nullopt;
  }

  /// In arithmetic of its own: numbers as a wide type, reduced at the end.
  auto combine(const RandomNode& node, Cell left, Cell right) const -> std::optional<Cell> {
    __extension__ using Wide = __int128;
    ElementKind kind = program_.type.kind;
    bool is_signed = is_signed_integer(kind);
    Wide a = is_signed ? Wide{static_cast<int64_t>(left)} : Wide{left};
    Wide b = is_signed ? Wide{static_cast<int64_t>(right)} : Wide{right};
    const std::string& op = node.operation;
    auto fits = [&](Wide value) { return wrapped(kind, static_cast<uint64_t>(value)); };
    bool is_shift = op == "<<" || op == ">>" || op == ">>>";
    if (((op == "/" || op == "%") && b == 0) ||
        (is_shift && (b < 0 || b >= Wide{bit_width(kind)}))) {
      return std::nullopt;
    }
    if (op == "+")
      return fits(a + b);
    if (op == "-")
      return fits(a - b);
    if (op == "*")
      return wrapped(kind, left * right);
    if (op == "/")
      return fits(a / b);
    if (op == "%")
      return fits(a % b);
    if (op == "&")
      return fits(a & b);
    if (op == "|")
      return fits(a | b);
    if (op == "^")
      return fits(a ^ b);
    if (op == "<<")
      return wrapped(kind, left << static_cast<unsigned>(b));
    if (op == ">>")
      return fits(a >> static_cast<unsigned>(b));
    if (op == ">>>") {
      bool is_upper_half = !is_signed && a >= Wide{1} << (bit_width(kind) - 1);
      return fits((is_upper_half ? a - (Wide{1} << bit_width(kind)) : a) >>
                  static_cast<unsigned>(b));
    }
    if (op == "&&")
      return left & right;
    if (op == "||")
      return left | right;
    if (op == "<")
      return a < b;
    if (op == "<=")
      return a <= b;
    if (op == ">")
      return a > b;
    if (op == ">=")
      return a >= b;
    return op == "==" ? a == b : a != b;
  }

  const std::vector<RandomProgram>& programs_;
  const RandomProgram& program_;
  std::vector<Input> inputs_;
  Arguments arguments_;
  std::vector<std::optional<std::optional<Cell>>> known_;
};

/// Writes a program as a specification and as a function.
class Writer {
 public:
  Writer(const RandomProgram& program, Generator& generator)
      : program_(program), generator_(generator), type_(element_type_name(program.type)) {}

  auto specification(size_t number) -> std::string {
    std::vector<std::string> definitions;
    for (size_t i = kParameters; i < program_.nodes.size(); ++i) {
      definitions.push_back(fmt::format("    n{}: {} :- {}\n", i, type_of(i), spec_expression(i)));
    }
    // The order of definitions means nothing.
    for (size_t i = definitions.size(); i > 1; --i) {
      std::swap(definitions[i - 1], definitions[generator_.below(i)]);
    }
    return fmt::format("val s{}({}) -> {} {{\n{}    returns n{}\n}}\n", number, parameters(), type_,
                       fmt::join(definitions, ""), program_.nodes.size() - 1);
  }

  auto function(size_t number) -> std::string {
    names_.assign(program_.nodes.size(), "");
    for (size_t i = 0; i < kParameters; ++i) {
      names_[i] = fmt::format("n{}", i);
    }
    body_.clear();
    std::string result = emit(program_.nodes.size() - 1);
    return fmt::format("fn f{}({}) -> {} impls s{}, time, space {{\n{}    {}\n}}\n", number,
                       parameters(), type_, number, body_, result);
  }

 private:
  auto parameters() const -> std::string { return fmt::format("n0: {0}, n1: {0}, n2: {0}", type_); }

  auto type_of(size_t at) const -> std::string {
    return program_.nodes[at].type == NodeType::Truth ? "bool" : type_;
  }

  auto spec_expression(size_t at) const -> std::string {
    const RandomNode& node = program_.nodes[at];
    if (node.operation == "literal") {
      return fmt::format("{}", node.literal);
    }
    if (node.operation == "if") {
      return fmt::format("n{} if n{} else n{}", node.operands[1], node.operands[0],
                         node.operands[2]);
    }
    if (node.operation == "call") {
      return fmt::format("s{}(n{}, n{}, n{})", node.literal, node.operands[0], node.operands[1],
                         node.operands[2]);
    }
    return fmt::format("n{} {} n{}", node.operands[0], node.operation, node.operands[1]);
  }

  /// Emits the statements that compute a node, if none in scope has; gives its variable.
  auto emit(size_t at) -> std::string {
    if (!names_[at].empty()) {
      return names_[at];
    }
    const RandomNode& node = program_.nodes[at];
    std::string name = fmt::format("v{}", n_variables_++);
    if (node.operation == "literal") {
      body_ += fmt::format("let {}: {} = {};\n", name, type_of(at), node.literal);
    } else if (node.operation == "if") {
      std::string condition = emit(node.operands[0]);
      // By assignment or as a value.
      bool assigns = generator_.below(2) == 0;
      body_ += assigns ? fmt::format("var {}: {};\nif {} {{\n", name, type_of(at), condition)
                       : fmt::format("let {}: {} = if {} {{\n", name, type_of(at), condition);
      emit_arm(node.operands[1], name, assigns);
      body_ += "} else {\n";
      emit_arm(node.operands[2], name, assigns);
      body_ += assigns ? "}\n" : "};\n";
    } else if (node.operation == "call") {
      std::vector<std::string> passed;
      for (size_t operand : node.operands) {
        passed.push_back(emit(operand));
      }
      body_ += fmt::format("let {}: {} = f{}({});\n", name, type_of(at), node.literal,
                           fmt::join(passed, ", "));
    } else {
      std::string left = emit(node.operands[0]);
      std::string right = emit(node.operands[1]);
      body_ +=
          fmt::format("let {}: {} = {} {} {};\n", name, type_of(at), left, node.operation, right);
    }
    names_[at] = name;
    return name;
  }

  void emit_arm(size_t at, const std::string& target, bool assigns) {
    std::vector<std::string> outside = names_;
    std::string result = emit(at);
    body_ += assigns ? fmt::format("{} = {};\n", target, result) : fmt::format("{}\n", result);
    names_ = outside;
  }

  const RandomProgram& program_;
  Generator& generator_;
  std::string type_;
  std::vector<std::string> names_;
  std::string body_;
  size_t n_variables_ = 0;
};

auto result_text(ElementType type, std::optional<Cell> value) -> std::string {
  return value ? element_text(type, *value) : "fails";
}

auto evaluate_item(const program::FrontendSnapshot& snapshot, FileId file, names::Namespace space,
                   const std::string& name, const std::vector<Cell>& inputs)
    -> std::optional<Cell> {
  Compilation compilation = compile(snapshot, snapshot.find(file, space, name), {});
  EXPECT_TRUE(compilation.executable) << compilation.problem;
  std::vector<Value> values;
  for (Cell input : inputs) {
    values.push_back({compilation.executable->parameters[0].type, {}, {input}});
  }
  RunResult result = run(*compilation.executable, values, {});
  return result.is_done() ? std::optional<Cell>(result.values[0].cells[0]) : std::nullopt;
}

TEST(Differential, TenThousandProgramsGiveTheSameAsSpecificationAsFunctionAndHere) {
  constexpr size_t kFiles = 100;
  constexpr size_t kPerFile = 100;
  Generator generator(20240717);
  size_t n_failing = 0;
  size_t n_saved_by_need = 0;
  for (size_t file_number = 0; file_number < kFiles; ++file_number) {
    std::string text =
        "#version 0.1.0\ntmln time(e: Event) -> Event { returns e }\n"
        "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n";
    std::vector<RandomProgram> programs;
    for (size_t i = 0; i < kPerFile; ++i) {
      programs.push_back(generator.program(programs));
      Writer writer(programs.back(), generator);
      text += writer.specification(i);
      text += writer.function(i);
    }
    program::Frontend frontend;
    FileId file = frontend.set_file("random.tacet", text);
    program::FrontendSnapshot snapshot = frontend.snapshot();
    for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
      ASSERT_NE(diagnostic.severity, Severity::Error)
          << diagnostic.message << "\n"
          << text.substr(diagnostic.place.range.begin, 200);
    }
    for (size_t i = 0; i < kPerFile; ++i) {
      std::vector<Cell> cells;
      std::vector<Input> inputs;
      for (size_t k = 0; k < kParameters; ++k) {
        Cell bits = generator.below(2) == 0 ? generator.bits() : generator.below(8);
        cells.push_back(wrapped(programs[i].type.kind, bits));
        inputs.emplace_back([cell = cells.back()] { return std::optional<Cell>(cell); });
      }
      auto expected = [&](Arguments arguments) {
        return result_text(programs[i].type, Oracle(programs, i, inputs, arguments).result());
      };
      std::string as_specification = expected(Arguments::AreEvaluatedByNeed);
      std::string as_function = expected(Arguments::AreEvaluated);
      n_failing += as_specification == "fails" ? 1 : 0;
      n_saved_by_need += as_specification == as_function ? 0 : 1;
      ASSERT_EQ(result_text(programs[i].type, evaluate_item(snapshot, file, names::Namespace::Class,
                                                            fmt::format("s{}", i), cells)),
                as_specification)
          << Writer(programs[i], generator).specification(i);
      ASSERT_EQ(
          result_text(programs[i].type, evaluate_item(snapshot, file, names::Namespace::Callable,
                                                      fmt::format("f{}", i), cells)),
          as_function)
          << Writer(programs[i], generator).function(i);
    }
  }
  // Both outcomes are common enough to mean something.
  EXPECT_GT(n_failing, 500U);
  EXPECT_LT(n_failing, 8000U);
  EXPECT_GT(n_saved_by_need, 100U);
}

}  // namespace
}  // namespace tacet::interpret
