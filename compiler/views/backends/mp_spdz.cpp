#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/code_writer.h"
#include "compiler/views/backends/mp_spdz_support.h"
#include "compiler/views/backends/names.h"
#include "compiler/views/backends/party_targets.h"
#include "compiler/views/backends/support.h"

namespace tacet::backends {

using engine::ElementKind;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using engine::MpcType;

namespace {

const std::set<std::string>& python_words() {
  static const std::set<std::string> words = {
      "False",       "None",          "True",         "and",       "as",         "assert",
      "async",       "await",         "break",        "class",     "continue",   "def",
      "del",         "elif",          "else",         "except",    "finally",    "for",
      "from",        "global",        "if",           "import",    "in",         "is",
      "lambda",      "nonlocal",      "not",          "or",        "pass",       "raise",
      "return",      "try",           "while",        "with",      "yield",      "program",
      "sint",        "cint",          "regint",       "sfix",      "wrapped",    "is_secret",
      "negative",    "less_publicly", "exclusive_or", "less",      "same",       "divided",
      "one_of",      "each",          "add",          "sub",       "mul",        "neg",
      "div",         "mod",           "lt",           "gt",        "leq",        "geq",
      "eq",          "neq",           "land",         "lor",       "not_",       "select",
      "minimum",     "maximum",       "absolute",     "truth",     "secret",     "revealed",
      "tree",        "reduced",       "sum_",         "product",   "reduce_min", "reduce_max",
      "reduce_and",  "reduce_or",     "reduce_xor",   "dot",       "matmul",     "places",
      "view",        "pick",          "place",        "place_add", "sort",       "nested",
      "show",        "show_to",       "int",          "range",     "len",        "list",
      "max",         "min",           "abs",          "zip",       "isinstance", "print_ln",
      "print_ln_to", "public_input"};
  return words;
}

/// Prints a program, or says what has no counterpart.
class PartyPrinter {
 public:
  PartyPrinter(const MpcProgram& program, std::string source)
      : program_(program), source_(std::move(source)), writer_(4), names_(python_words()) {}

  auto print() -> Result<std::string> {
    for (const engine::MpcRegister& reg : program_.registers.values()) {
      register_names_.push_back(names_.unique(reg.name));
      const ElementKind kind = reg.type.element.kind;
      if (kind != ElementKind::I64 && kind != ElementKind::Bool) {
        return Error{fmt::format(
            "code for MP-SPDZ computes on `i64` and `bool`, not on `{}`; `tacet run --device mpc` "
            "runs the function",
            engine::element_type_name(reg.type.element))};
      }
    }
    find_static();
    print_inputs();
    for (const MpcInstruction& instruction : program_.code) {
      print_instruction(instruction);
    }
    print_outputs();
    return problem_.empty() ? Result<std::string>(writer_.take()) : Error{problem_};
  }

 private:
  auto type_of_register(MpcRegisterId id) const -> const MpcType& {
    return program_.registers[id].type;
  }
  auto name(MpcRegisterId id) const -> const std::string& { return register_names_[id.index]; }
  static auto list_text(const std::vector<int64_t>& numbers) -> std::string {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
  }
  auto extents(MpcRegisterId id) const -> std::string {
    return list_text(type_of_register(id).extents);
  }

  void fail(const MpcInstruction& instruction, const std::string& what) {
    if (problem_.empty()) {
      problem_ =
          fmt::format("line {}: {} in code for MP-SPDZ; `tacet run --device mpc` runs the function",
                      instruction.line, what);
    }
  }

  /// What is known when the code is compiled: places and bounds must be.
  void find_static() {
    is_static_.assign(register_names_.size(), true);
    for (const engine::MpcInput& input : program_.inputs) {
      is_static_[input.reg.index] = false;
    }
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const MpcInstruction& instruction : program_.code) {
        if (engine::is_control(instruction.op) && instruction.op != MpcOpcode::For) {
          continue;
        }
        bool is_known = instruction.op != MpcOpcode::Reveal;
        for (const MpcRegisterId operand : instruction.operands) {
          is_known = is_known && is_static_[operand.index];
        }
        const size_t result = instruction.result.index;
        if (!is_known && is_static_[result]) {
          is_static_[result] = false;
          is_new = true;
        }
      }
    }
  }

  void print_inputs() {
    for (const engine::MpcInput& input : program_.inputs) {
      const auto n = engine::n_elements(type_of_register(input.reg));
      const bool is_secret = type_of_register(input.reg).is_secret();
      const size_t party = input.owner.has_value() ? input.owner.index : 0;
      writer_.line(is_secret ? fmt::format("{} = [sint.get_input_from({}) for _ in range({})]",
                                           name(input.reg), party, n)
                             : fmt::format("{} = [regint(public_input()) for _ in range({})]",
                                           name(input.reg), n));
    }
    writer_.line();
  }

  void print_outputs() {
    writer_.line();
    for (const engine::MpcOutput& output : program_.outputs) {
      writer_.line(output.receiver.has_value()
                       ? fmt::format("show_to({}, '{}', {}, {})", output.receiver.index,
                                     output.name, name(output.reg), extents(output.reg))
                       : fmt::format("show('{}', {}, {})", output.name, name(output.reg),
                                     extents(output.reg)));
    }
  }

  /// The line of the source that an instruction is from, once.
  void print_line_of(const MpcInstruction& instruction) {
    if (instruction.line == 0 || instruction.line == last_line_) {
      return;
    }
    last_line_ = instruction.line;
    size_t at = 0;
    for (uint32_t line = 1; line < instruction.line && at != std::string::npos; ++line) {
      at = source_.find('\n', at);
      at += at == std::string::npos ? 0 : 1;
    }
    std::string text;
    if (at < source_.size()) {
      text = source_.substr(at, source_.find('\n', at) - at);
      text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    }
    writer_.line(fmt::format("# line {}{}{}", instruction.line, text.empty() ? "" : ": ", text));
  }

  void print_instruction(const MpcInstruction& instruction) {
    if (engine::is_control(instruction.op)) {
      print_control(instruction);
      return;
    }
    print_line_of(instruction);
    const std::string value = value_text(instruction);
    writer_.line(fmt::format("{} = {}", name(instruction.result), value));
  }

  void print_control(const MpcInstruction& instruction) {
    if (instruction.op == MpcOpcode::End) {
      writer_.close("");
      return;
    }
    for (const MpcRegisterId operand : instruction.operands) {
      if (!is_static_[operand.index]) {
        fail(instruction, "bounds and branches by numbers that are not known at compile time");
      }
    }
    if (instruction.op == MpcOpcode::For) {
      const auto bound = [&](size_t i) {
        return fmt::format("{}[0]", name(instruction.operands[i]));
      };
      const std::string step =
          instruction.numbers.at(0) != 0 ? fmt::format(", {}", bound(2)) : std::string();
      print_line_of(instruction);
      writer_.open(fmt::format("for {} in ([i] for i in range({}, {}{})):",
                               name(instruction.result), bound(0), bound(1), step));
    } else if (instruction.op == MpcOpcode::If) {
      print_line_of(instruction);
      writer_.open(fmt::format("if {}[0]:", name(instruction.operands[0])));
      writer_.line("pass");
    } else if (instruction.op == MpcOpcode::Else) {
      writer_.close("else:");
      writer_.open("    pass");
    } else {
      fail(instruction, fmt::format("no `{}`", engine::mnemonic_of(instruction.op)));
    }
  }

  /// A function of the operands, and of texts behind them.
  auto call(const MpcInstruction& instruction, std::string_view function,
            const std::vector<std::string>& more = {}) const -> std::string {
    std::vector<std::string> arguments;
    for (const MpcRegisterId operand : instruction.operands) {
      arguments.push_back(name(operand));
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fmt::format("{}({})", function, fmt::join(arguments, ", "));
  }

  auto reduction(const MpcInstruction& instruction, std::string_view function) const
      -> std::string {
    return call(instruction, function,
                {extents(instruction.operands[0]), fmt::to_string(instruction.numbers.at(0))});
  }

  auto movement(const MpcInstruction& instruction, std::string_view function) -> std::string {
    if (!is_static_[instruction.operands.at(1).index]) {
      fail(instruction, "places that are not known at compile time");
    }
    return call(instruction, function);
  }

  auto constant_text(const MpcInstruction& instruction) const -> std::string {
    return instruction.numbers.size() == 1
               ? fmt::format("[{}] * {}", instruction.numbers[0],
                             engine::n_elements(type_of_register(instruction.result)))
               : list_text(instruction.numbers);
  }

  auto iota_text(const MpcInstruction& instruction) const -> std::string {
    const size_t n_dimensions = type_of_register(instruction.result).extents.size();
    const std::vector<int64_t> strides(
        instruction.numbers.begin() + 1,
        instruction.numbers.begin() + 1 + static_cast<ptrdiff_t>(n_dimensions));
    std::string text = fmt::format("places({}, {}, {})", extents(instruction.result),
                                   instruction.numbers[0], list_text(strides));
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      text = fmt::format("add({}, mul({}, [{}]))", text, name(instruction.operands[i]),
                         instruction.numbers[1 + n_dimensions + i]);
    }
    return text;
  }

  auto division(const MpcInstruction& instruction, std::string_view function) -> std::string {
    for (const MpcRegisterId operand : instruction.operands) {
      if (type_of_register(operand).is_secret()) {
        fail(instruction, "no quotients of secrets");
      }
    }
    return call(instruction, function);
  }

  auto value_text(const MpcInstruction& instruction) -> std::string {
    const auto& operands = instruction.operands;
    switch (instruction.op) {
      case MpcOpcode::Constant:
        return constant_text(instruction);
      case MpcOpcode::Iota:
        return iota_text(instruction);
      case MpcOpcode::Copy:
        return type_of_register(instruction.result).is_secret() &&
                       !type_of_register(operands[0]).is_secret()
                   ? call(instruction, "secret")
                   : call(instruction, "list");
      case MpcOpcode::Cast:
        return type_of_register(instruction.result).element.kind == ElementKind::Bool
                   ? call(instruction, "truth")
                   : call(instruction, "list");
      case MpcOpcode::Add:
      case MpcOpcode::Sub:
      case MpcOpcode::Mul:
      case MpcOpcode::Lt:
      case MpcOpcode::Leq:
      case MpcOpcode::Gt:
      case MpcOpcode::Geq:
      case MpcOpcode::Eq:
      case MpcOpcode::Neq:
      case MpcOpcode::Land:
      case MpcOpcode::Lor:
      case MpcOpcode::Neg:
      case MpcOpcode::Select:
        return call(instruction, engine::mnemonic_of(instruction.op));
      case MpcOpcode::Not:
        return call(instruction, "not_");
      case MpcOpcode::Div:
      case MpcOpcode::Mod:
        return division(instruction, engine::mnemonic_of(instruction.op));
      case MpcOpcode::Min:
        return call(instruction, "minimum");
      case MpcOpcode::Max:
        return call(instruction, "maximum");
      case MpcOpcode::Abs:
        return call(instruction, "absolute");
      case MpcOpcode::Sum:
        return reduction(instruction, "sum_");
      case MpcOpcode::Product:
      case MpcOpcode::ReduceMin:
      case MpcOpcode::ReduceMax:
      case MpcOpcode::ReduceAnd:
      case MpcOpcode::ReduceOr:
      case MpcOpcode::ReduceXor:
        return reduction(instruction, engine::mnemonic_of(instruction.op));
      case MpcOpcode::Dot:
        return call(instruction, "dot",
                    {fmt::to_string(type_of_register(operands[0]).extents.back())});
      case MpcOpcode::Matmul: {
        const auto& left = type_of_register(operands[0]).extents;
        return call(instruction, "matmul",
                    {fmt::to_string(left.at(0)), fmt::to_string(left.at(1)),
                     fmt::to_string(type_of_register(operands[1]).extents.at(1))});
      }
      case MpcOpcode::View:
        return call(instruction, "view",
                    {extents(instruction.result), fmt::to_string(instruction.numbers[0]),
                     list_text({instruction.numbers.begin() + 1, instruction.numbers.end()})});
      case MpcOpcode::Pick:
      case MpcOpcode::Place:
      case MpcOpcode::PlaceAdd:
        return movement(instruction, engine::mnemonic_of(instruction.op));
      case MpcOpcode::Concat: {
        std::vector<std::string> all;
        for (const MpcRegisterId operand : operands) {
          all.push_back(name(operand));
        }
        return fmt::to_string(fmt::join(all, " + "));
      }
      case MpcOpcode::Sort:
        if (type_of_register(operands[0]).extents.size() != 1) {
          fail(instruction, "sorting of rows");
        }
        return call(instruction, "sort");
      case MpcOpcode::Reveal:
        if (instruction.party.has_value()) {
          fail(instruction, "numbers that are revealed to one party before the end");
        }
        return call(instruction, "revealed");
      case MpcOpcode::And:
      case MpcOpcode::Or:
      case MpcOpcode::Xor:
      case MpcOpcode::Shl:
      case MpcOpcode::Shr:
      case MpcOpcode::Ashr:
      case MpcOpcode::Invert:
      case MpcOpcode::MulWide:
      case MpcOpcode::DivWide:
      case MpcOpcode::Wrap:
      case MpcOpcode::Reciprocal:
      case MpcOpcode::Sqrt:
      case MpcOpcode::Rsqrt:
      case MpcOpcode::Exp:
      case MpcOpcode::Log:
      case MpcOpcode::Sigmoid:
      case MpcOpcode::Tanh:
      case MpcOpcode::Erf:
      case MpcOpcode::Sin:
      case MpcOpcode::Cos:
      case MpcOpcode::GatherSecret:
      case MpcOpcode::ScatterSecret:
      case MpcOpcode::Shuffle:
      case MpcOpcode::SortBy:
      case MpcOpcode::TopK:
      case MpcOpcode::Permute:
      case MpcOpcode::Draw:
      case MpcOpcode::DrawSecret:
      case MpcOpcode::For:
      case MpcOpcode::Loop:
      case MpcOpcode::If:
      case MpcOpcode::Else:
      case MpcOpcode::End:
      case MpcOpcode::Break:
      case MpcOpcode::Continue:
      case MpcOpcode::Stop:
        break;
    }
    fail(instruction, fmt::format("no `{}`", engine::mnemonic_of(instruction.op)));
    return {};
  }

  const MpcProgram& program_;
  std::string source_;
  CodeWriter writer_;
  Names names_;
  std::vector<std::string> register_names_;
  std::vector<bool> is_static_;
  std::string problem_;
  uint32_t last_line_ = 0;
};

auto parties_text(const MpcProgram& program) -> std::string {
  std::string text;
  for (size_t i = 0; i < program.parties.size(); ++i) {
    text += fmt::format("# Party {} is `{}`", i, program.parties[i]);
    std::vector<std::string> inputs;
    for (const engine::MpcInput& input : program.inputs) {
      if (type_text(program.registers[input.reg].type).starts_with("secret") &&
          (input.owner.has_value() ? input.owner.index : 0) == i) {
        inputs.push_back(program.registers[input.reg].name);
      }
    }
    text += inputs.empty() ? ".\n" : fmt::format(", whose input is {}.\n", fmt::join(inputs, ", "));
  }
  return text;
}

}  // namespace

auto emit_mp_spdz(const MpcProgram& program, const std::string& name, const Origin& origin)
    -> Result<Emission> {
  Result<std::string> code = PartyPrinter(program, origin.source).print();
  if (!code) {
    return code.error();
  }
  const std::string text = fmt::format(
      "# `{0}` of {1} among parties, by MP-SPDZ: compile with `-R 64`.\n"
      "# Written by `tacet emit --to`; it can be changed like any other source.\n{2}{3}\n{4}",
      name, origin.file, parties_text(program), mp_spdz_operations(), *code);
  const std::string readme = fmt::format(
      "# `{0}` with MP-SPDZ\n\nCopy `{0}.mpc` to `Programs/Source` of MP-SPDZ. Party i writes the "
      "elements of its inputs, in\norder, to `Player-Data/Input-P<i>-0`. Then\n\n"
      "    ./compile.py -R 64 {0}\n    Scripts/ring.sh {0}\n\n"
      "prints a line of JSON for each result. `Scripts/ring.sh` is for three parties without "
      "collusion; other\nprotocols modulo 2^64 will do.\n",
      name);
  return Emission{{name + ".mpc", text}, {"README.md", readme}};
}

}  // namespace tacet::backends
