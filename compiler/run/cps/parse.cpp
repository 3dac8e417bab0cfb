#include "compiler/run/cps/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/run/cps/formula_text.h"
#include "compiler/run/cps/parser.h"

// The program, its specifications and kernels.

namespace tacet::cps {

auto Parser::run() -> Result<Program> {
  declare();
  if (lines_.empty() || lines_[0] != "#cps 1") {
    at_ = 0;
    fail("`#cps 1`");
  }
  for (at_ = 1; at_ < lines_.size() && problem_.empty(); ++at_) {
    top_level();
  }
  if (!problem_.empty()) {
    return Error{std::move(problem_)};
  }
  return std::move(program_);
}

void Parser::split(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines_.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Parser::fail(std::string_view expected) {
  if (problem_.empty()) {
    problem_ = fmt::format("line {}: expected {}", at_ + 1, expected);
  }
}

void Parser::declare() {
  FunctionId function;
  for (std::string_view text : lines_) {
    LineReader line(text);
    if (indent(text) == 0 && line.take("fn")) {
      const std::string name(line.next());
      Function declared;
      declared.name = tables_.name(name);
      function = program_.functions.add(declared);
      functions_[name] = function;
    } else if (indent(text) == 0) {
      function = {};
    } else if (function.has_value() && indent(text) == 2 && !text.empty()) {
      Funclet funclet;
      funclet.function = function;
      const FuncletId id = program_.funclets.add(std::move(funclet));
      funclets_[std::string(line.next())] = id;
      if (!program_.functions[function].entry.has_value()) {
        program_.functions[function].entry = id;
      }
    }
  }
}

void Parser::top_level() {
  LineReader line(lines_[at_]);
  if (line.at_end()) {
    return;
  }
  const std::string_view word = line.next();
  if (word == "pipeline") {
    const NameId name = tables_.name(line.next());
    want(line, "=");
    program_.pipelines.push_back({name, function(line)});
  } else if (word == "val" || word == "tmln") {
    spec(line, word == "val" ? SpecKind::Value : SpecKind::Timeline);
  } else if (word == "kernel") {
    kernel(line);
  } else if (word == "fn") {
    function_body(line);
  } else {
    fail("`pipeline`, `val`, `tmln`, `kernel` or `fn`");
  }
}

auto Parser::number(LineReader& line) -> uint32_t {
  const std::optional<uint64_t> result = line.number();
  if (!result || *result > UINT32_MAX) {
    fail("a number");
    return 0;
  }
  return static_cast<uint32_t>(*result);
}

auto Parser::device(LineReader& line) -> names::Device {
  names::Device result = names::Device::Cpu;
  if (!names::find_device(line.next(), result)) {
    fail("a device");
  }
  return result;
}

auto Parser::type(LineReader& line) -> TypeId {
  const std::optional<TypeId> result = line.type(tables_);
  if (!result) {
    fail("a type");
  }
  return result.value_or(TypeId{0});
}

auto Parser::formula(LineReader& line) -> FormulaId {
  std::optional<Formula> result =
      read_formula(line, program_, tables_, [this](std::string_view name) {
        const auto found = kernels_.find(name);
        return found == kernels_.end() ? KernelId() : found->second;
      });
  if (!result) {
    fail("an array expression");
    return {};
  }
  return program_.formulas.add(std::move(*result));
}

auto Parser::types(LineReader& line) -> std::vector<TypeId> {
  std::vector<TypeId> result;
  want(line, "(");
  while (!failed() && !line.take(")")) {
    if (!result.empty()) {
      want(line, ",");
    }
    result.push_back(type(line));
  }
  return result;
}

auto Parser::node(LineReader& line, const Nodes& nodes) -> NodeId {
  want(line, "$");
  return find(nodes, line.next(), "a node of the specification");
}

auto Parser::node_list(LineReader& line) -> std::vector<NodeId> {
  std::vector<NodeId> result;
  while (!failed() && !line.at_end()) {
    if (!result.empty()) {
      want(line, ",");
    }
    result.push_back(node(line, nodes_));
  }
  return result;
}

void Parser::spec(LineReader& line, SpecKind kind) {
  Spec spec;
  spec.kind = kind;
  spec.name = tables_.name(line.next());
  want(line, "of");
  spec.class_name = tables_.name(line.next());
  want(line, ":");
  nodes_.clear();
  const size_t first = at_ + 1;
  for (size_t i = first; i < lines_.size() && indent(lines_[i]) == 2; ++i) {
    LineReader ahead(lines_[i]);
    if (ahead.take("$")) {
      nodes_.emplace(ahead.next(), NodeId{static_cast<uint32_t>(i - first)});
    }
  }
  while (at_ + 1 < lines_.size() && indent(lines_[at_ + 1]) == 2 && !failed()) {
    ++at_;
    LineReader inner(lines_[at_]);
    if (inner.take("inputs")) {
      spec.inputs = node_list(inner);
    } else if (inner.take("returns")) {
      spec.outputs = node_list(inner);
    } else {
      spec.nodes.add(spec_node(inner));
    }
  }
  const std::string name(program_.text(spec.name));
  const SpecId id = program_.specs.add(std::move(spec));
  (kind == SpecKind::Value ? specs_ : timelines_)[name] = id;
  spec_nodes_[id.index] = nodes_;
}

auto Parser::spec_node(LineReader& line) -> Node {
  static const std::map<std::string_view, NodeKind> kWords = {
      {"input", NodeKind::Input},
      {"dimension", NodeKind::Dimension},
      {"literal", NodeKind::Literal},
      {"constant", NodeKind::Constant},
      {"cast", NodeKind::Cast},
      {"select", NodeKind::Select},
      {"call", NodeKind::Call},
      {"extract", NodeKind::Extract},
      {"array", NodeKind::Array},
      {"index", NodeKind::Index},
      {"formula", NodeKind::Formula},
      {"encode-event", NodeKind::EncodeEvent},
      {"submit-event", NodeKind::SubmitEvent},
      {"sync-event", NodeKind::SyncEvent},
      {"opaque", NodeKind::Opaque}};
  Node node;
  want(line, "$");
  const std::string_view name = line.next();
  if (!name.empty() && (name[0] < '0' || name[0] > '9')) {
    node.name = tables_.name(name);
  }
  want(line, ":");
  node.type = type(line);
  want(line, "=");
  const std::string_view word = line.next();
  if (auto found = kWords.find(word); found != kWords.end()) {
    node.kind = found->second;
  } else {
    if (!find_operator(word, node.op)) {
      fail("an operator or the kind of the node");
    }
    node.kind = types::scheme_of(node.op).arity == 1 ? NodeKind::Unary : NodeKind::Binary;
  }
  if (node.kind == NodeKind::Input || node.kind == NodeKind::Dimension ||
      node.kind == NodeKind::Extract) {
    node.number = number(line);
  }
  if (node.kind == NodeKind::Literal || node.kind == NodeKind::Constant ||
      node.kind == NodeKind::Call) {
    node.text = tables_.name(line.next());
  }
  if (node.kind == NodeKind::Formula) {
    node.formula = formula(line);
  }
  node.children = node_list(line);
  return node;
}

void Parser::kernel(LineReader& line) {
  Kernel kernel;
  const std::string name(line.next());
  kernel.name = tables_.name(name);
  want(line, "of");
  kernel.class_name = tables_.name(line.next());
  want(line, "on");
  kernel.device = device(line);
  kernel.parameters = types(line);
  want(line, "->");
  kernel.results = types(line);
  kernel.draws = line.take("draws");
  kernels_[name] = program_.kernels.add(std::move(kernel));
}

auto parse(std::string_view text) -> Result<Program> {
  return Parser(text).run();
}

}  // namespace tacet::cps
