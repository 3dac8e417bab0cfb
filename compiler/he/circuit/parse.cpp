#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/validate.h"
#include "engine/program/he/reader.h"
#include "engine/program/he/text.h"

namespace tacet::circuit {
namespace {

/// Deeper texts are rejected: no printer writes them, and the stack is limited.
constexpr uint32_t kMostNesting = 500;
constexpr uint32_t kMostInRow = 4000;

/// Reads the lines that are a circuit's own, and hands the others, in their places, to the reader
/// of programs, with a register for each statement.
class Parser : private engine::HeReader {
 public:
  explicit Parser(std::string_view text) : HeReader(text), builder_(circuit_) {}

  auto run(std::string_view text) -> Result<Circuit>;

 private:
  void header();
  void loop();
  void named_node();
  void statement();
  void skip_line();
  void want_line_end(engine::HeLine line);
  void finish(engine::HeProgram program);

  auto expression() -> NodeId;
  auto product() -> NodeId;
  auto atom() -> NodeId;
  auto call() -> NodeId;
  auto reference() -> NodeId;
  auto formula() -> LoopFormula;
  auto loop_name() -> LoopId;
  auto failed(std::string_view what) -> NodeId;
  void count_in_row(uint32_t n);

  Circuit circuit_;
  Builder builder_;
  engine::HeNames loops_;
  uint32_t depth_ = 0;  ///< of expressions in expressions
  std::vector<std::pair<std::string, NodeId>> named_;
  std::vector<std::string> families_;
  std::vector<bool> is_own_;          // by line, from 1: no declaration or output
  std::vector<std::string> instead_;  // by line: for the reader of programs
};

/// Something that keeps reading going after a problem.
auto Parser::failed(std::string_view what) -> NodeId {
  expected(what);
  return builder_.constant(0);
}

void Parser::want_line_end(engine::HeLine line) {
  if (!is_done() && at().line == line.number) {
    expected("the end of the line");
  }
}

void Parser::skip_line() {
  const uint32_t line = at().line;
  while (!is_done() && at().line == line) {
    take();
  }
}

void Parser::header() {
  const engine::HeLine start = line();
  want("circuit");
  circuit_.n_rows = natural<uint32_t>();
  want("x");
  circuit_.n_columns = natural<uint32_t>();
  if (circuit_.n_columns == 0) {
    fail(start, "there is no column");
  }
  want_line_end(start);
  // One row of slots is of reals; which modulus or scale does not matter.
  instead_[start.number] =
      fmt::format("he_program 1 slots {} x {} {} primes 1", circuit_.n_rows, circuit_.n_columns,
                  circuit_.n_rows == 1 ? "reals 40" : "modulus 65537");
}

void Parser::loop() {
  const engine::HeLine start = line();
  want("loop");
  loops_.push_back(name());
  want(":");
  circuit_.loops.add({.name = loops_.back(), .extent = integer()});
  want_line_end(start);
}

auto Parser::loop_name() -> LoopId {
  const auto found = std::find(loops_.begin(), loops_.end(), at().text);
  if (found == loops_.end()) {
    expected("a loop");
    return {};
  }
  take();
  return LoopId{static_cast<uint32_t>(found - loops_.begin())};
}

auto Parser::formula() -> LoopFormula {
  LoopFormula result;
  if (accept("{")) {
    result.table = list("}", [&] { return integer(); });
    want("[");
  }
  const engine::HeAffine sum = affine(loops_);
  result.constant = sum.constant;
  for (const engine::HeTerm& term : sum.terms) {
    result.terms.push_back({.loop = LoopId{term.variable}, .factor = term.factor});
  }
  if (!result.table.empty()) {
    want("]");
  }
  return normal(std::move(result));
}

auto Parser::call() -> NodeId {
  const std::string_view what = take();
  want("(");
  NodeId result;
  if (what == "sum" || what == "product") {
    const LoopId loop = loop_name();
    want(":");
    const NodeId body = expression();
    if (!problem().empty()) {
      return body;
    }
    result = what == "sum" ? builder_.sum(loop, body) : builder_.product(loop, body);
  } else if (what == "rot") {
    const NodeId operand = expression();
    want(",");
    result = builder_.rotate(operand, formula());
  } else if (what == "swap") {
    result = builder_.swap_rows(expression());
  } else {
    result = failed("`rot`, `swap`, `sum` or `product`");
  }
  want(")");
  return result;
}

/// A shared node, an element of a family or of a statement.
auto Parser::reference() -> NodeId {
  const std::string name = is("%") ? fmt::format("%{}", (take(), take())) : std::string(take());
  const auto named = std::find_if(named_.begin(), named_.end(),
                                  [&](const auto& item) { return item.first == name; });
  if (named != named_.end()) {
    return named->second;
  }
  std::vector<LoopFormula> indices;
  if (accept("[")) {
    indices = list("]", [&] { return formula(); });
  }
  const auto family = std::find(families_.begin(), families_.end(), name);
  if (family != families_.end()) {
    return builder_.input(FamilyId{static_cast<uint32_t>(family - families_.begin())},
                          std::move(indices));
  }
  for (uint32_t s = 0; s < circuit_.statements.size(); ++s) {
    if (circuit_.statements[s].name == name) {
      return builder_.result(s, std::move(indices));
    }
  }
  fail(fmt::format("`{}` is not defined", name));
  return builder_.constant(0);
}

auto Parser::atom() -> NodeId {
  if (is_done()) {
    return failed("an expression");
  }
  if (accept("(")) {
    const NodeId inside = expression();
    want(")");
    return inside;
  }
  if (is_number()) {
    return builder_.constant(integer());
  }
  if (is_word() && is_next("(")) {
    return call();
  }
  return is_word() || is("%") ? reference() : failed("an expression");
}

/// What walks circuits does so by recursion.
void Parser::count_in_row(uint32_t n) {
  if (n >= kMostInRow) {
    fail(fmt::format("more than {} chained operations", kMostInRow));
  }
}

auto Parser::product() -> NodeId {
  NodeId result = atom();
  for (uint32_t n = 0; accept("*"); ++n) {
    count_in_row(n);
    result = builder_.multiply(result, atom());
  }
  return result;
}

auto Parser::expression() -> NodeId {
  if (++depth_ > kMostNesting) {
    fail(fmt::format("nested more than {} levels deep", kMostNesting));
  }
  NodeId result = product();
  for (uint32_t n = 0; !is_done() && (is("+") || is("-")); ++n) {
    count_in_row(n);
    const bool is_sum = take() == "+";
    const NodeId other = product();
    result = is_sum ? builder_.add(result, other) : builder_.subtract(result, other);
  }
  --depth_;
  return result;
}

void Parser::named_node() {
  const engine::HeLine start = line();
  want("%");
  const std::string name = fmt::format("%{}", take());
  want("=");
  named_.emplace_back(name, expression());
  want_line_end(start);
}

void Parser::statement() {
  const engine::HeLine start = line();
  Statement result;
  result.name = name();
  std::string extents;
  if (accept("[")) {
    result.loops = list("]", [&] { return loop_name(); });
    for (const LoopId loop : result.loops) {
      extents += loop.has_value() ? fmt::format("{}{}:{}", extents.empty() ? "" : ", ",
                                                loops_[loop.index], circuit_.loops[loop].extent)
                                  : "";
    }
    extents = fmt::format("[{}]", extents);
  }
  if (accept("within")) {
    result.bound = real();
  }
  want("=");
  result.root = expression();
  want_line_end(start);
  instead_[start.number] = fmt::format("cipher {}{} = 0 over () repeat", result.name, extents);
  circuit_.statements.push_back(std::move(result));
}

/// Takes over what the reader of programs knows.
void Parser::finish(engine::HeProgram program) {
  circuit_.arrays = std::move(program.arrays);
  for (const std::string& name : families_) {
    const auto reg = std::find_if(program.registers.begin(), program.registers.end(),
                                  [&](const auto& item) { return item.name == name; });
    circuit_.families.add({.name = name,
                           .dimensions = reg->dimensions,
                           .gathers = reg->gathers,
                           .is_cipher = reg->kind == engine::HeKind::Cipher});
  }
  for (engine::HeOutput& output : program.outputs) {
    uint32_t s = 0;
    while (s < circuit_.statements.size() &&
           circuit_.statements[s].name != program.registers[output.source.reg].name) {
      ++s;
    }
    circuit_.outputs.push_back({.name = output.name,
                                .extents = output.extents,
                                .dimensions = output.dimensions,
                                .target = output.target,
                                .statement = s,
                                .indices = output.source.indices,
                                .row = output.row,
                                .column = output.column});
  }
}

auto Parser::run(std::string_view text) -> Result<Circuit> {
  const auto n_lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 2;
  is_own_.resize(n_lines);
  instead_.resize(n_lines);
  const auto own = [&](void (Parser::*read)()) {
    is_own_[at().line] = true;
    (this->*read)();
  };
  own(&Parser::header);
  while (!is_done()) {
    if (is("cipher") || is("native")) {
      families_.emplace_back(is_next("") ? "" : (take(), at().text));
      skip_line();
    } else if (is("input") || is("constant") || is("output") || is("+")) {
      skip_line();
    } else if (is("loop") && !is_next("=") && !is_next("[")) {
      own(&Parser::loop);
    } else {
      own(is("%") ? &Parser::named_node : &Parser::statement);
    }
  }
  if (!problem().empty()) {
    return Error{problem()};
  }
  std::string rest;
  for (size_t line = 1, at = 0; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    rest += is_own_[line] ? instead_[line] : std::string(text.substr(at, end - at));
    rest += '\n';
    at = end + 1;
  }
  Result<engine::HeProgram> program = engine::parse_he_program(rest);
  if (!program) {
    return program.error();
  }
  finish(std::move(program.value()));
  if (Status status = validate(circuit_); !status) {
    return status.error();
  }
  return std::move(circuit_);
}

}  // namespace

auto parse_circuit(std::string_view text) -> Result<Circuit> {
  return Parser(text).run(text);
}

}  // namespace tacet::circuit
