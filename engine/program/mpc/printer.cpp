#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "engine/program/mpc/families.h"
#include "engine/program/mpc/text.h"

namespace tacet::engine {
namespace {

/// Prints programs, and instructions of programs that are not valid.
class Printer {
 public:
  explicit Printer(const MpcProgram& program)
      : program_(program), is_written_(program.registers.size(), 0) {}

  auto program() -> std::string;
  void instruction(const MpcInstruction& instruction);
  void hand_over(const MpcHandOver& hand_over);
  auto take() -> std::string { return std::move(text_); }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  [[nodiscard]] auto name(MpcRegisterId id) const -> std::string {
    return id.index < program_.registers.size() ? program_.registers[id].name : "?";
  }
  [[nodiscard]] auto party(MpcPartyId id) const -> std::string {
    return id.index < program_.parties.size() ? program_.parties[id.index] : "?";
  }
  /// With its type, where it stands for the first time.
  void defined(MpcRegisterId id);
  void operands(const MpcInstruction& instruction);

  const MpcProgram& program_;
  std::vector<uint8_t> is_written_;
  std::string text_;
};

void Printer::defined(MpcRegisterId id) {
  put("{}", name(id));
  if (id.index < is_written_.size() && is_written_[id.index] == 0) {
    is_written_[id.index] = 1;
    put(": {}", type_text(program_.registers[id].type));
  }
}

void Printer::operands(const MpcInstruction& instruction) {
  std::vector<std::string> names;
  for (const MpcRegisterId id : instruction.operands) {
    names.push_back(name(id));
  }
  put("{}{}", names.empty() ? "" : " ", fmt::join(names, ", "));
}

void Printer::instruction(const MpcInstruction& instruction) {
  switch (control_kind_of(instruction.op)) {
    case MpcControlKind::For: {
      put("for ");
      defined(instruction.result);
      put(" =");
      const auto at = [&](size_t i) {
        return i < instruction.operands.size() ? name(instruction.operands[i]) : "?";
      };
      put(" {}, {}", at(0), at(1));
      size_t next = 2;
      if (!instruction.numbers.empty() && instruction.numbers[0] != 0) {
        put(" step {}", at(next++));
      }
      if (instruction.numbers.size() > 1 && instruction.numbers[1] != 0) {
        put(" max {}", at(next));
      }
      put(" {{");
      break;
    }
    case MpcControlKind::Else:
      put("}} else {{");
      break;
    case MpcControlKind::If:
    case MpcControlKind::Loop:
      put("{}", mnemonic_of(instruction.op));
      operands(instruction);
      put(" {{");
      break;
    case MpcControlKind::None:
    case MpcControlKind::End:
    case MpcControlKind::Break:
    case MpcControlKind::Continue:
    case MpcControlKind::Stop:
      if (instruction.result.has_value()) {
        defined(instruction.result);
        put(" = ");
      }
      put("{}", mnemonic_of(instruction.op));
      operands(instruction);
      if (!instruction.numbers.empty()) {
        put(" [{}]", fmt::join(instruction.numbers, ", "));
      }
      if (instruction.party.has_value()) {
        put(" to {}", party(instruction.party));
      }
  }
  if (instruction.line != 0) {
    put(" @{}", instruction.line);
  }
}

auto Printer::program() -> std::string {
  put("mpc_program 1\n");
  if (program_.fixed_ring_bits != 64) {
    put("ring {}\n", program_.fixed_ring_bits);
  }
  for (const std::string& party : program_.parties) {
    put("party {}\n", party);
  }
  for (const MpcInput& input : program_.inputs) {
    put("input ");
    defined(input.reg);
    if (input.owner.has_value()) {
      put(" from {}", party(input.owner));
    }
    put("\n");
  }
  put("\n");
  size_t depth = 0;
  for (const MpcInstruction& instruction : program_.code) {
    const MpcOpcode op = instruction.op;
    if ((op == MpcOpcode::End || op == MpcOpcode::Else) && depth > 0) {
      --depth;
    }
    put("{:{}}", "", 2 * depth);
    this->instruction(instruction);
    put("\n");
    if (op == MpcOpcode::For || op == MpcOpcode::Loop || op == MpcOpcode::If ||
        op == MpcOpcode::Else) {
      ++depth;
    }
  }
  put("\n");
  for (const MpcOutput& output : program_.outputs) {
    put("output {} = {}", output.name, name(output.reg));
    if (output.receiver.has_value()) {
      put(" to {}", party(output.receiver));
    }
    put("\n");
  }
  for (const MpcHandOver& each : program_.hand_overs) {
    hand_over(each);
  }
  return take();
}

/// `hand_over NAME`, a line for each argument and result, and the bundle behind bars.
void Printer::hand_over(const MpcHandOver& hand_over) {
  put("\nhand_over {}\n", hand_over.name);
  for (const MpcHandOver::Argument& argument : hand_over.arguments) {
    put("argument {} {}\n", argument.array, argument.input);
  }
  for (const MpcHandOver::Result& result : hand_over.results) {
    put("result {} {}\n", result.output, fmt::join(result.shares, " "));
  }
  std::string_view rest = hand_over.bundle;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    put("|{}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

auto to_text(const MpcProgram& program) -> std::string {
  return Printer(program).program();
}

auto instruction_text(const MpcProgram& program, size_t at) -> std::string {
  if (at >= program.code.size()) {
    return "?";
  }
  Printer printer(program);
  printer.instruction(program.code[at]);
  return printer.take();
}

}  // namespace tacet::engine
