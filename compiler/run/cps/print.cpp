#include "compiler/run/cps/print.h"

#include <fmt/format.h>

#include <set>

#include "compiler/run/cps/formula_text.h"
#include "compiler/run/interpret/value.h"

namespace tacet::cps {

auto type_text(const Type& type) -> std::string {
  const std::string value = interpret::type_text(type.element, type.shape);
  switch (type.kind) {
    case TypeKind::Value:
      return value;
    case TypeKind::Reference:
      return "&" + value;
    case TypeKind::MutableReference:
      return "&mut " + value;
    case TypeKind::Variable:
      return "var " + value;
    case TypeKind::Remote:
      return "remote " + value;
    case TypeKind::Encoder:
      return "Encoder";
    case TypeKind::Future:
      return "Future";
    case TypeKind::Event:
      return "Event";
    case TypeKind::BufferSpace:
      return "BufferSpace";
  }
  return {};
}

auto funclet_name(const Program& program, FuncletId funclet) -> std::string {
  const FunctionId function = program.funclets[funclet].function;
  const std::string_view name = program.text(program.functions[function].name);
  const uint32_t number = funclet.index - program.functions[function].entry.index;
  return number == 0 ? std::string(name) : fmt::format("{}.{}", name, number);
}

auto value_names(const Program& program, const Funclet& funclet) -> std::vector<std::string> {
  std::vector<std::string> names;
  std::set<uint32_t> used;
  for (uint32_t i = 0; i < funclet.values.size(); ++i) {
    const NameId name = funclet.values[ValueId{i}].name;
    if (!name.has_value()) {
      names.push_back(fmt::format("%{}", i));
    } else if (used.insert(name.index).second) {
      names.push_back(fmt::format("%{}", program.text(name)));
    } else {
      names.push_back(fmt::format("%{}.{}", program.text(name), i));
    }
  }
  return names;
}

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  auto run() -> std::string {
    out_ = "#cps 1\n";
    for (const Pipeline& pipeline : program_.pipelines) {
      line("\npipeline {} = {}", text(pipeline.name),
           text(program_.functions[pipeline.function].name));
    }
    for (const Spec& spec : program_.specs.values()) {
      print_spec(spec);
    }
    for (const Kernel& kernel : program_.kernels.values()) {
      line("\nkernel {} of {} on {}({}) -> ({}){}", text(kernel.name), text(kernel.class_name),
           names::device_text(kernel.device), types(kernel.parameters), types(kernel.results),
           kernel.draws ? " draws" : "");
    }
    for (uint32_t i = 0; i < program_.functions.size(); ++i) {
      print_function({i});
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  auto text(NameId name) const -> std::string_view { return program_.text(name); }
  auto type(TypeId type) const -> std::string { return type_text(program_.types[type]); }
  auto types(const std::vector<TypeId>& list) const -> std::string {
    std::string result;
    for (TypeId type : list) {
      result += (result.empty() ? "" : ", ") + this->type(type);
    }
    return result;
  }

  // Specifications.

  auto name_nodes(const Spec& spec) const -> std::vector<std::string> {
    std::vector<std::string> names;
    std::set<uint32_t> used;
    for (uint32_t i = 0; i < spec.nodes.size(); ++i) {
      const NameId name = spec.nodes[NodeId{i}].name;
      const bool has_own = name.has_value() && used.insert(name.index).second;
      names.push_back(has_own ? fmt::format("${}", text(name)) : fmt::format("${}", i));
    }
    return names;
  }

  static auto node_word(NodeKind kind) -> std::string_view {
    switch (kind) {
      case NodeKind::Input:
        return "input";
      case NodeKind::Dimension:
        return "dimension";
      case NodeKind::Literal:
        return "literal";
      case NodeKind::Constant:
        return "constant";
      case NodeKind::Unary:
      case NodeKind::Binary:
        return "";
      case NodeKind::Cast:
        return "cast";
      case NodeKind::Select:
        return "select";
      case NodeKind::Call:
        return "call";
      case NodeKind::Extract:
        return "extract";
      case NodeKind::Array:
        return "array";
      case NodeKind::Index:
        return "index";
      case NodeKind::Formula:
        return "formula";
      case NodeKind::EncodeEvent:
        return "encode-event";
      case NodeKind::SubmitEvent:
        return "submit-event";
      case NodeKind::SyncEvent:
        return "sync-event";
      case NodeKind::Opaque:
        return "opaque";
    }
    return "";
  }

  void print_spec(const Spec& spec) {
    node_names_ = name_nodes(spec);
    line("\n{} {} of {}:", spec.kind == SpecKind::Value ? "val" : "tmln", text(spec.name),
         text(spec.class_name));
    for (uint32_t i = 0; i < spec.nodes.size(); ++i) {
      const Node& node = spec.nodes[NodeId{i}];
      out_ += fmt::format("  {}: {} = ", node_names_[i], type(node.type));
      const bool is_operator = node.kind == NodeKind::Unary || node.kind == NodeKind::Binary;
      out_ += is_operator ? types::scheme_of(node.op).name : node_word(node.kind);
      if (node.kind == NodeKind::Input || node.kind == NodeKind::Dimension ||
          node.kind == NodeKind::Extract) {
        out_ += fmt::format(" {}", node.number);
      } else if (node.kind == NodeKind::Formula) {
        out_ += " " + print_formula(program_, program_.formulas[node.formula]);
      } else if (node.text.has_value()) {
        out_ += fmt::format(" {}", text(node.text));
      }
      for (size_t k = 0; k < node.children.size(); ++k) {
        out_ += fmt::format("{}{}", k == 0 ? " " : ", ", node_names_[node.children[k].index]);
      }
      out_ += '\n';
    }
    auto list = [&](const std::vector<NodeId>& nodes) {
      std::string result;
      for (NodeId node : nodes) {
        result += (result.empty() ? "" : ", ") + node_names_[node.index];
      }
      return result;
    };
    line("  inputs {}", list(spec.inputs));
    line("  returns {}", list(spec.outputs));
  }

  // Functions.

  void print_function(FunctionId id) {
    const Function& function = program_.functions[id];
    node_names_.clear();
    event_names_.clear();
    out_ += fmt::format("\nfn {}", text(function.name));
    if (function.spec.has_value()) {
      node_names_ = name_nodes(program_.specs[function.spec]);
      out_ += fmt::format(" implements {}", text(program_.specs[function.spec].name));
    }
    if (function.timeline.has_value()) {
      event_names_ = name_nodes(program_.specs[function.timeline]);
      out_ += fmt::format(" timeline {}", text(program_.specs[function.timeline].name));
    }
    if (function.n_dims > 0) {
      out_ += fmt::format(" dimensions {}", function.n_dims);
    }
    out_ += function.draws ? " draws" : "";
    out_ += ":\n";
    for (uint32_t i = function.entry.index;
         i < program_.funclets.size() && program_.funclets[FuncletId{i}].function == id; ++i) {
      print_funclet({i});
    }
  }

  auto quotient(Quotient quotient) const -> std::string {
    return this->quotient(quotient, node_names_);
  }
  static auto quotient(Quotient quotient, const std::vector<std::string>& names) -> std::string {
    switch (quotient.kind) {
      case QuotientKind::None:
        return "none";
      case QuotientKind::Node:
        return quotient.index < names.size() ? names[quotient.index] : "$?";
      case QuotientKind::Input:
        return fmt::format("input {}", quotient.index);
      case QuotientKind::Output:
        return fmt::format("output {}", quotient.index);
    }
    return {};
  }

  static auto flow_text(Flow flow) -> std::string_view {
    switch (flow) {
      case Flow::Usable:
        return "";
      case Flow::Saved:
        return " saved";
      case Flow::Dead:
        return " dead";
      case Flow::Need:
        return " need";
    }
    return "";
  }

  /// What is not `none`, usable in each of the three.
  auto tags(const Tags& tags) const -> std::string {
    std::string result;
    auto add = [&](std::string_view dimension, const Tag& tag,
                   const std::vector<std::string>& names) {
      if (tag == Tag()) {
        return;
      }
      result += fmt::format("{}{} {}{}", result.empty() ? " @ " : ", ", dimension,
                            quotient(tag.quotient, names), flow_text(tag.flow));
    };
    add("val", tags.val, node_names_);
    add("tmln", tags.tmln, event_names_);
    add("sptl", tags.sptl, {});
    return result;
  }

  auto typed(TypeId type, const Tags& tags) const -> std::string {
    return this->type(type) + this->tags(tags);
  }

  void print_funclet(FuncletId id) {
    const Funclet& funclet = program_.funclets[id];
    values_ = value_names(program_, funclet);
    std::string parameters;
    for (uint32_t i = 0; i < funclet.n_parameters; ++i) {
      const Value& value = funclet.values[ValueId{i}];
      parameters +=
          fmt::format("{}{}: {}", i == 0 ? "" : "; ", values_[i], typed(value.type, value.tags));
    }
    std::string results;
    for (const Port& port : funclet.results) {
      results += (results.empty() ? "" : "; ") + typed(port.type, port.tags);
    }
    const bool has_events = program_.functions[funclet.function].timeline.has_value();
    line("  {}({}) -> ({}){}:", funclet_name(program_, id), parameters, results,
         has_events ? fmt::format(" from {} to {}", quotient(funclet.event, event_names_),
                                  quotient(funclet.event_behind, event_names_))
                    : std::string());
    for (const Command& command : funclet.commands) {
      print_command(funclet, command);
    }
    print_tail(funclet);
  }

  auto list(const Funclet& funclet, Slice slice) const -> std::string {
    std::string result;
    for (ValueId value : funclet.operands_of(slice)) {
      result += (result.empty() ? "" : ", ") + values_[value.index];
    }
    return result;
  }

  auto target(const Funclet& funclet, const Target& target) const -> std::string {
    return fmt::format("{}({})", funclet_name(program_, target.funclet),
                       list(funclet, target.arguments));
  }

  static auto reason_text(FailReason reason) -> std::string_view {
    switch (reason) {
      case FailReason::Hole:
        return "hole";
      case FailReason::DanglingReference:
        return "dangling";
      case FailReason::Unsupported:
        return "unsupported";
    }
    return "";
  }

  /// What a command or call is in the timeline.
  auto step(Quotient node) const -> std::string {
    return node.kind == QuotientKind::None ? std::string()
                                           : fmt::format(" step {}", quotient(node, event_names_));
  }

  auto command_word(const Command& command) const -> std::string {
    const Opcode opcode = command.opcode;
    if (opcode == Opcode::Unary || opcode == Opcode::Binary) {
      return std::string(types::scheme_of(command.op).name);
    }
    if (opcode == Opcode::Compute) {
      return fmt::format("compute {}", print_formula(program_, program_.formulas[command.formula]));
    }
    if (opcode == Opcode::EncodeBegin) {
      return fmt::format("encode-begin {}{}", names::device_text(command.device),
                         step(command.node));
    }
    if (opcode == Opcode::Submit || opcode == Opcode::Await) {
      return fmt::format("{}{}", opcode_text(opcode), step(command.node));
    }
    if (opcode == Opcode::EncodeCopy) {
      return command.is_public ? "encode-copy public" : "encode-copy";
    }
    if (opcode == Opcode::Run || opcode == Opcode::EncodeRun) {
      return kernel_word(command);
    }
    if (opcode == Opcode::Fail) {
      return fmt::format(
          "fail {}{}", reason_text(command.reason),
          command.text.has_value() ? fmt::format(" \"{}\"", text(command.text)) : std::string());
    }
    return std::string(opcode_text(opcode));
  }

  auto kernel_word(const Command& command) const -> std::string {
    std::string word = fmt::format("{} {}", opcode_text(command.opcode),
                                   text(program_.kernels[command.kernel].name));
    if (command.n_dims > 0) {
      word += fmt::format(" grid {}", command.n_dims);
    }
    if (program_.kernels[command.kernel].draws) {
      word += fmt::format(" draw {}", command.draw);
    }
    if (command.node.kind != QuotientKind::None) {
      word += fmt::format(" as {}", quotient(command.node));
    }
    return word;
  }

  void print_command(const Funclet& funclet, const Command& command) {
    out_ += "    ";
    for (uint32_t i = command.results.begin; i < command.results.end; ++i) {
      const Value& value = funclet.values[ValueId{i}];
      out_ += fmt::format("{}{}: {}", i == command.results.begin ? "" : "; ", values_[i],
                          typed(value.type, value.tags));
    }
    if (command.results.size() > 0) {
      out_ += " = ";
    }
    out_ += command_word(command);
    if (command.opcode == Opcode::Constant) {
      const Type& type = program_.types[funclet.values[ValueId{command.results.begin}].type];
      for (uint32_t i = command.cells.begin; i < command.cells.end; ++i) {
        out_ += fmt::format("{}{}", i == command.cells.begin ? " " : ", ",
                            interpret::element_text(type.element, funclet.cells[i]));
      }
      if (command.text.has_value()) {
        out_ += fmt::format(" from {}", text(command.text));
      }
    }
    if (command.operands.size() > 0) {
      out_ += " " + list(funclet, command.operands);
    }
    out_ += '\n';
  }

  void print_tail(const Funclet& funclet) {
    const Tail& tail = funclet.tail;
    switch (tail.kind) {
      case TailKind::Return:
        out_ += fmt::format("    return {}", list(funclet, tail.arguments));
        if (tail.arguments.size() == 0) {
          out_.pop_back();
        }
        break;
      case TailKind::Jump:
        out_ += fmt::format("    jump {}", target(funclet, tail.targets[0]));
        break;
      case TailKind::Select:
        out_ += fmt::format("    select {}, {}, {}", values_[tail.condition.index],
                            target(funclet, tail.targets[0]), target(funclet, tail.targets[1]));
        break;
      case TailKind::Call:
        out_ += fmt::format("    call {}({})", text(program_.functions[tail.callee].name),
                            list(funclet, tail.arguments));
        if (program_.functions[tail.callee].draws) {
          out_ += fmt::format(" draw {}", tail.draw);
        }
        if (tail.node.kind != QuotientKind::None) {
          out_ += fmt::format(" as {}", quotient(tail.node));
        }
        out_ += step(tail.step);
        break;
      case TailKind::Yield:
        out_ += fmt::format("    yield {}", target(funclet, tail.targets[0]));
        break;
    }
    if (tail.join.funclet.has_value()) {
      out_ += fmt::format(", join {}", target(funclet, tail.join));
    }
    out_ += '\n';
  }

  const Program& program_;
  std::string out_;
  std::vector<std::string> node_names_;
  std::vector<std::string> event_names_;  ///< of the nodes of the timeline
  std::vector<std::string> values_;
};

}  // namespace

auto print(const Program& program) -> std::string {
  return Printer(program).run();
}

}  // namespace tacet::cps
