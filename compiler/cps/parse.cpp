#include "compiler/cps/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/cps/formula_text.h"
#include "compiler/cps/line_reader.h"

namespace tacet::cps {

namespace {

/// The first thing that is wrong is kept; what comes after it does not matter.
class Parser {
 public:
  explicit Parser(std::string_view text) : tables_(program_) { split(text); }

  auto run() -> Result<Program> {
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

 private:
  void split(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void fail(std::string_view expected) {
    if (problem_.empty()) {
      problem_ = fmt::format("line {}: expected {}", at_ + 1, expected);
    }
  }
  void want(LineReader& line, std::string_view word) {
    if (!line.take(word)) {
      fail(fmt::format("`{}`", word));
    }
  }
  auto failed() const -> bool { return !problem_.empty(); }

  // What may be named before it stands: functions and their funclets, in the order of the text.

  static auto indent(std::string_view line) -> size_t {
    return std::min(line.find_first_not_of(' '), line.size());
  }

  void declare() {
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

  void top_level() {
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

  // Words.

  auto number(LineReader& line) -> uint32_t {
    const std::optional<uint64_t> result = line.number();
    if (!result || *result > UINT32_MAX) {
      fail("a number");
      return 0;
    }
    return static_cast<uint32_t>(*result);
  }
  template <class Id>
  auto find(const std::map<std::string, Id, std::less<>>& map, std::string_view name,
            std::string_view kind) -> Id {
    auto found = map.find(name);
    if (found == map.end()) {
      fail(fmt::format("{}; `{}` is none", kind, name));
      return {0};
    }
    return found->second;
  }
  auto function(LineReader& line) -> FunctionId {
    return find(functions_, line.next(), "the name of a function");
  }
  auto device(LineReader& line) -> names::Device {
    names::Device result = names::Device::Cpu;
    if (!names::find_device(line.next(), result)) {
      fail("a device");
    }
    return result;
  }

  auto type(LineReader& line) -> TypeId {
    const std::optional<TypeId> result = line.type(tables_);
    if (!result) {
      fail("a type");
    }
    return result.value_or(TypeId{0});
  }

  auto formula(LineReader& line) -> FormulaId {
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

  auto types(LineReader& line) -> std::vector<TypeId> {
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

  // Specifications.

  using Nodes = std::map<std::string, NodeId, std::less<>>;

  auto node(LineReader& line, const Nodes& nodes) -> NodeId {
    want(line, "$");
    return find(nodes, line.next(), "a node of the specification");
  }

  auto node_list(LineReader& line) -> std::vector<NodeId> {
    std::vector<NodeId> result;
    while (!failed() && !line.at_end()) {
      if (!result.empty()) {
        want(line, ",");
      }
      result.push_back(node(line, nodes_));
    }
    return result;
  }

  void spec(LineReader& line, SpecKind kind) {
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

  auto spec_node(LineReader& line) -> Node {
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
        fail("what the node is");
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

  void kernel(LineReader& line) {
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
    kernels_[name] = program_.kernels.add(std::move(kernel));
  }

  // Functions.

  void function_body(LineReader& line) {
    Function& function = program_.functions[this->function(line)];
    nodes_.clear();
    events_.clear();
    if (line.take("implements")) {
      function.spec = find(specs_, line.next(), "a specification that stands in front");
      nodes_ = spec_nodes_[function.spec.index];
    }
    if (line.take("timeline")) {
      function.timeline = find(timelines_, line.next(), "a timeline that stands in front");
      events_ = spec_nodes_[function.timeline.index];
    }
    if (line.take("dimensions")) {
      function.n_dims = number(line);
    }
    want(line, ":");
    if (!function.entry.has_value()) {
      fail("a function with a funclet");
    }
    while (!failed() && at_ + 1 < lines_.size() && indent(lines_[at_ + 1]) == 2) {
      ++at_;
      funclet();
    }
  }

  auto quotient(LineReader& line) -> Quotient { return quotient(line, nodes_); }
  auto quotient(LineReader& line, const Nodes& nodes) -> Quotient {
    if (line.take("none")) {
      return {};
    }
    if (line.take("input")) {
      return {QuotientKind::Input, number(line)};
    }
    if (line.take("output")) {
      return {QuotientKind::Output, number(line)};
    }
    return {QuotientKind::Node, node(line, nodes).index};
  }

  auto step(LineReader& line) -> Quotient {
    return line.take("step") ? quotient(line, events_) : Quotient();
  }

  auto tag(LineReader& line, const Nodes& nodes) -> Tag {
    Tag result;
    result.quotient = quotient(line, nodes);
    if (line.take("saved")) {
      result.flow = Flow::Saved;
    } else if (line.take("dead")) {
      result.flow = Flow::Dead;
    } else if (line.take("need")) {
      result.flow = Flow::Need;
    }
    return result;
  }

  auto tags(LineReader& line) -> Tags {
    Tags result;
    if (!line.take("@")) {
      return result;
    }
    do {
      const std::string_view dimension = line.next();
      if (dimension == "val") {
        result.val = tag(line, nodes_);
      } else if (dimension == "tmln") {
        result.tmln = tag(line, events_);
      } else if (dimension == "sptl") {
        result.sptl = tag(line, {});
      } else {
        fail("`val`, `tmln` or `sptl`");
      }
    } while (!failed() && line.take(","));
    return result;
  }

  /// `%a: i64 @ …`, a value that is new.
  void new_value(LineReader& line) {
    want(line, "%");
    const std::string_view name = line.next();
    Value value;
    if (!name.empty() && (name[0] < '0' || name[0] > '9')) {
      value.name = tables_.name(name.substr(0, name.find('.')));
    }
    want(line, ":");
    value.type = type(line);
    value.tags = tags(line);
    const ValueId id = current().values.add(value);
    if (!values_.emplace(name, id).second) {
      fail(fmt::format("a name that is new; there is a `%{}`", name));
    }
  }

  auto value(LineReader& line) -> ValueId {
    want(line, "%");
    return find(values_, line.next(), "a value");
  }

  auto current() -> Funclet& { return program_.funclets[funclet_]; }

  void funclet() {
    LineReader line(lines_[at_]);
    funclet_ = find(funclets_, line.next(), "a funclet");
    values_.clear();
    want(line, "(");
    while (!failed() && !line.take(")")) {
      if (current().n_parameters > 0) {
        want(line, ";");
      }
      new_value(line);
      ++current().n_parameters;
    }
    want(line, "->");
    want(line, "(");
    while (!failed() && !line.take(")")) {
      if (!current().results.empty()) {
        want(line, ";");
      }
      Port port;
      port.type = type(line);
      port.tags = tags(line);
      current().results.push_back(port);
    }
    if (line.take("from")) {
      current().event = quotient(line, events_);
      want(line, "to");
      current().event_behind = quotient(line, events_);
    }
    want(line, ":");
    bool has_tail = false;
    while (!failed() && at_ + 1 < lines_.size() && indent(lines_[at_ + 1]) == 4) {
      ++at_;
      if (has_tail) {
        fail("nothing behind the end of a funclet");
      }
      has_tail = step();
    }
    if (!has_tail) {
      fail("`return`, `jump`, `select`, `call` or `yield`");
    }
  }

  /// True for the last step.
  auto step() -> bool {
    LineReader line(lines_[at_]);
    if (tail(line)) {
      return true;
    }
    Command command;
    command.results.begin = static_cast<uint32_t>(current().values.size());
    if (line.peek() == "%") {
      do {
        new_value(line);
      } while (!failed() && line.take(";"));
      want(line, "=");
    }
    command.results.end = static_cast<uint32_t>(current().values.size());
    read_command(line, command);
    command.operands = values(line);
    if (!line.at_end()) {
      fail("the end of the line");
    }
    current().commands.push_back(command);
    return false;
  }

  void read_command(LineReader& line, Command& command) {
    const std::string_view word = line.next();
    if (find_operator(word, command.op)) {
      command.opcode = types::scheme_of(command.op).arity == 1 ? Opcode::Unary : Opcode::Binary;
      return;
    }
    static const std::map<std::string_view, Opcode> kWords = {
#define TACET_CPS_OPCODE(Name, text, documentation) {text, Opcode::Name},
#include "compiler/cps/opcodes.def"
    };
    auto found = kWords.find(word);
    if (found == kWords.end() || word.empty()) {
      fail("a command");
      return;
    }
    command.opcode = found->second;
    switch (command.opcode) {
      case Opcode::Constant:
        constant(line, command);
        return;
      case Opcode::Compute:
        command.formula = formula(line);
        return;
      case Opcode::EncodeBegin:
        command.device = device(line);
        command.node = step(line);
        return;
      case Opcode::Submit:
      case Opcode::Await:
        command.node = step(line);
        return;
      case Opcode::EncodeCopy:
        command.is_public = line.take("public");
        return;
      case Opcode::Run:
      case Opcode::EncodeRun:
        command.kernel = find(kernels_, line.next(), "a kernel that stands in front");
        command.n_dims = line.take("grid") ? number(line) : 0;
        command.node = line.take("as") ? quotient(line) : Quotient();
        return;
      case Opcode::Fail:
        reason(line, command);
        return;
      default:
        return;
    }
  }

  void reason(LineReader& line, Command& command) {
    const std::string_view word = line.next();
    if (word == "hole") {
      command.reason = FailReason::Hole;
    } else if (word == "dangling") {
      command.reason = FailReason::DanglingReference;
    } else if (word == "unsupported") {
      command.reason = FailReason::Unsupported;
    } else {
      fail("why");
    }
    if (line.take("\"")) {
      const auto text = line.quoted();
      text ? void(command.text = tables_.name(*text)) : fail("`\"`");
    }
  }

  void constant(LineReader& line, Command& command) {
    if (command.results.size() != 1) {
      fail("one result");
      return;
    }
    const Type type = program_.types[current().values[ValueId{command.results.begin}].type];
    std::vector<uint64_t>& cells = current().cells;
    command.cells.begin = static_cast<uint32_t>(cells.size());
    while (!failed() && !line.at_end() && line.peek() != "from") {
      if (cells.size() > command.cells.begin) {
        want(line, ",");
      }
      cells.push_back(read_element(type.element, line.next()));
    }
    command.cells.end = static_cast<uint32_t>(cells.size());
    if (line.take("from")) {
      command.text = tables_.name(line.next());
    }
  }

  auto values(LineReader& line) -> Slice {
    std::vector<ValueId> list;
    while (!failed() && line.peek() == "%") {
      list.push_back(value(line));
      if (!line.take(",")) {
        break;
      }
    }
    std::vector<ValueId>& operands = current().operands;
    const auto begin = static_cast<uint32_t>(operands.size());
    operands.insert(operands.end(), list.begin(), list.end());
    return {begin, static_cast<uint32_t>(operands.size())};
  }

  auto arguments(LineReader& line) -> Slice {
    want(line, "(");
    const Slice result = values(line);
    want(line, ")");
    return result;
  }

  auto target(LineReader& line) -> Target {
    Target result;
    result.funclet = find(funclets_, line.next(), "a funclet");
    result.arguments = arguments(line);
    return result;
  }

  /// The end of a funclet, if the line is one.
  auto tail(LineReader& line) -> bool {
    Tail tail;
    if (line.take("return")) {
      tail.kind = TailKind::Return;
      tail.arguments = values(line);
    } else if (line.take("jump")) {
      tail.kind = TailKind::Jump;
      tail.targets[0] = target(line);
    } else if (line.take("yield")) {
      tail.kind = TailKind::Yield;
      tail.targets[0] = target(line);
    } else if (line.take("select")) {
      tail.kind = TailKind::Select;
      tail.condition = value(line);
      want(line, ",");
      tail.targets[0] = target(line);
      want(line, ",");
      tail.targets[1] = target(line);
    } else if (line.take("call")) {
      tail.kind = TailKind::Call;
      tail.callee = function(line);
      tail.arguments = arguments(line);
      tail.node = line.take("as") ? quotient(line) : Quotient();
      tail.step = step(line);
    } else {
      return false;
    }
    if (line.take(",")) {
      want(line, "join");
      tail.join = target(line);
    }
    if (!line.at_end()) {
      fail("the end of the line");
    }
    current().tail = tail;
    return true;
  }

  Program program_;
  ProgramTables tables_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  std::string problem_;
  std::map<std::string, FunctionId, std::less<>> functions_;
  std::map<std::string, FuncletId, std::less<>> funclets_;
  std::map<std::string, SpecId, std::less<>> specs_;
  std::map<std::string, KernelId, std::less<>> kernels_;
  std::map<std::string, SpecId, std::less<>> timelines_;
  std::map<uint32_t, Nodes> spec_nodes_;
  Nodes nodes_;   ///< of the value specification
  Nodes events_;  ///< of the timeline
  std::map<std::string, ValueId, std::less<>> values_;
  FuncletId funclet_;
};

}  // namespace

auto parse(std::string_view text) -> Result<Program> {
  return Parser(text).run();
}

}  // namespace tacet::cps
