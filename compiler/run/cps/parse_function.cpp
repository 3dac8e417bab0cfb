#include <map>
#include <string>

#include "compiler/run/cps/parser.h"

// Functions, their funclets and commands.

namespace tacet::cps {

void Parser::function_body(LineReader& line) {
  Function& function = program_.functions[this->function(line)];
  nodes_.clear();
  events_.clear();
  if (line.take("implements")) {
    function.spec = find(specs_, line.next(), "a specification defined above");
    nodes_ = spec_nodes_[function.spec.index];
  }
  if (line.take("timeline")) {
    function.timeline = find(timelines_, line.next(), "a timeline defined above");
    events_ = spec_nodes_[function.timeline.index];
  }
  if (line.take("dimensions")) {
    function.n_dims = number(line);
  }
  function.draws = line.take("draws");
  want(line, ":");
  if (!function.entry.has_value()) {
    fail("a function with at least one funclet");
  }
  while (!failed() && at_ + 1 < lines_.size() && indent(lines_[at_ + 1]) == 2) {
    ++at_;
    funclet();
  }
}

auto Parser::quotient(LineReader& line, const Nodes& nodes) -> Quotient {
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

auto Parser::step(LineReader& line) -> Quotient {
  return line.take("step") ? quotient(line, events_) : Quotient();
}

auto Parser::tag(LineReader& line, const Nodes& nodes) -> Tag {
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

auto Parser::tags(LineReader& line) -> Tags {
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

void Parser::new_value(LineReader& line) {
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
    fail(fmt::format("a new name; `%{}` is already defined", name));
  }
}

auto Parser::value(LineReader& line) -> ValueId {
  want(line, "%");
  return find(values_, line.next(), "a value");
}

void Parser::funclet() {
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
      fail("nothing after the end of a funclet");
    }
    has_tail = last_step();
  }
  if (!has_tail) {
    fail("`return`, `jump`, `select`, `call` or `yield`");
  }
}

auto Parser::last_step() -> bool {
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

void Parser::read_command(LineReader& line, Command& command) {
  const std::string_view word = line.next();
  if (find_operator(word, command.op)) {
    command.opcode = types::scheme_of(command.op).arity == 1 ? Opcode::Unary : Opcode::Binary;
    return;
  }
  static const std::map<std::string_view, Opcode> kWords = {
#define TACET_CPS_OPCODE(Name, text, documentation) {text, Opcode::Name},
#include "compiler/run/cps/opcodes.def"
  };
  auto found = kWords.find(word);
  if (found == kWords.end() || word.empty()) {
    fail("a command");
    return;
  }
  command.opcode = found->second;
  const Opcode opcode = command.opcode;
  if (opcode == Opcode::Constant) {
    constant(line, command);
  } else if (opcode == Opcode::Compute) {
    command.formula = formula(line);
  } else if (opcode == Opcode::EncodeBegin) {
    command.device = device(line);
    command.node = step(line);
  } else if (opcode == Opcode::Submit || opcode == Opcode::Await) {
    command.node = step(line);
  } else if (opcode == Opcode::EncodeCopy) {
    command.is_public = line.take("public");
  } else if (opcode == Opcode::Run || opcode == Opcode::EncodeRun) {
    command.kernel = find(kernels_, line.next(), "a kernel defined above");
    command.n_dims = line.take("grid") ? number(line) : 0;
    command.draw = line.take("draw") ? number(line) : 0;
    command.node = line.take("as") ? quotient(line) : Quotient();
  } else if (opcode == Opcode::Fail) {
    reason(line, command);
  }
}

void Parser::reason(LineReader& line, Command& command) {
  const std::string_view word = line.next();
  if (word == "hole") {
    command.reason = FailReason::Hole;
  } else if (word == "dangling") {
    command.reason = FailReason::DanglingReference;
  } else if (word == "unsupported") {
    command.reason = FailReason::Unsupported;
  } else {
    fail("`hole`, `dangling` or `unsupported`");
  }
  if (line.take("\"")) {
    const auto text = line.quoted();
    text ? void(command.text = tables_.name(*text)) : fail("`\"`");
  }
}

void Parser::constant(LineReader& line, Command& command) {
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

auto Parser::values(LineReader& line) -> Slice {
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

auto Parser::arguments(LineReader& line) -> Slice {
  want(line, "(");
  const Slice result = values(line);
  want(line, ")");
  return result;
}

auto Parser::target(LineReader& line) -> Target {
  Target result;
  result.funclet = find(funclets_, line.next(), "a funclet");
  result.arguments = arguments(line);
  return result;
}

auto Parser::tail(LineReader& line) -> bool {
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
    tail.draw = line.take("draw") ? number(line) : 0;
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

}  // namespace tacet::cps
