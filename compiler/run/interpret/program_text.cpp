#include <fmt/format.h>

#include <array>
#include <charconv>

#include "compiler/run/interpret/program.h"

namespace tacet::interpret {

namespace {

enum class OperandKind : uint8_t { None, Slot, Number, Target, Callee, Wide };

/// What `opcodes.def` says of an opcode.
struct OpcodeShape {
  std::string_view mnemonic;
  bool is_typed = false;
  std::array<OperandKind, 5> operands{};
};

template <class... Operands>
constexpr auto shape(std::string_view mnemonic, bool is_typed, Operands... operands)
    -> OpcodeShape {
  return {mnemonic, is_typed, {operands...}};
}

auto shapes() -> const std::vector<OpcodeShape>& {
  using enum OperandKind;
  static const std::vector<OpcodeShape> kShapes = {
#define TACET_OPCODE(Name, mnemonic, is_typed, ...) shape(mnemonic, is_typed, __VA_ARGS__),
#include "compiler/run/interpret/opcodes.def"
  };
  return kShapes;
}

auto operand_text(OperandKind kind, const Instruction& instruction, size_t at) -> std::string {
  uint32_t operand = instruction.operands[at];
  switch (kind) {
    case OperandKind::Slot:
      return fmt::format("%{}", operand);
    case OperandKind::Target:
      return fmt::format("@{}", operand);
    case OperandKind::Callee:
      return fmt::format("#{}", operand);
    case OperandKind::Wide:
      return fmt::format("{}", static_cast<int64_t>(uint64_t{operand} |
                                                    uint64_t{instruction.operands[at + 1]} << 32));
    case OperandKind::Number:
    case OperandKind::None:
      return fmt::format("{}", operand);
  }
  return {};
}

auto instruction_text(const Instruction& instruction) -> std::string {
  const OpcodeShape& shape = shapes()[static_cast<size_t>(instruction.opcode)];
  std::string text(shape.mnemonic);
  if (shape.is_typed) {
    text += '.' + element_type_name(instruction.type);
  }
  for (size_t i = 0; i < shape.operands.size() && shape.operands[i] != OperandKind::None; ++i) {
    text += (i == 0 ? " " : ", ") + operand_text(shape.operands[i], instruction, i);
  }
  return text;
}

auto function_header(const Function& function) -> std::string {
  return fmt::format("function {}({}) -> {} slots {} outgoing {} memories {}+{}\n", function.name,
                     function.n_parameter_cells, function.n_result_cells, function.n_slots,
                     function.n_outgoing_cells, function.first_memory, function.n_memories);
}

/// Reads a program line by line.
class Reader {
 public:
  Reader(Program& program, std::string& problem) : program_(program), problem_(problem) {}

  auto read(std::string_view text) -> bool {
    uint32_t line_number = 0;
    while (!text.empty()) {
      size_t end = text.find('\n');
      line_ = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_number;
      skip_spaces();
      if (!line_.empty() && !read_line()) {
        problem_ = fmt::format("line {}: {}", line_number, problem_);
        return false;
      }
    }
    close_function();
    return true;
  }

 private:
  void skip_spaces() { line_.remove_prefix(std::min(line_.find_first_not_of(" ,"), line_.size())); }

  auto word() -> std::string_view {
    skip_spaces();
    std::string_view result = line_.substr(0, line_.find_first_of(" ,("));
    line_.remove_prefix(result.size());
    return result;
  }

  auto accept(std::string_view text) -> bool {
    skip_spaces();
    if (!line_.starts_with(text)) {
      return false;
    }
    line_.remove_prefix(text.size());
    return true;
  }

  template <class Number>
  auto number(Number& value) -> bool {
    skip_spaces();
    auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (error != std::errc()) {
      problem_ = "a number is missing";
      return false;
    }
    line_.remove_prefix(static_cast<size_t>(end - line_.data()));
    return true;
  }

  auto expect(std::string_view text) -> bool {
    if (!accept(text)) {
      problem_ = fmt::format("`{}` is missing", text);
      return false;
    }
    return true;
  }

  void close_function() {
    if (!program_.functions.empty()) {
      program_.functions.back().end = static_cast<uint32_t>(program_.instructions.size());
    }
  }

  auto read_line() -> bool {
    if (accept("function ")) {
      return read_function();
    }
    if (accept("extern ")) {
      return read_extern();
    }
    if (accept("draw_place ")) {
      return read_draw_place();
    }
    if (accept("function_place ")) {
      return read_function_place();
    }
    if (accept("message ")) {
      program_.messages.emplace_back(line_);
      return true;
    }
    return read_instruction();
  }

  auto read_function() -> bool {
    close_function();
    Function function;
    function.name = word();
    function.entry = static_cast<uint32_t>(program_.instructions.size());
    bool ok = expect("(") && number(function.n_parameter_cells) && expect(")") && expect("->") &&
              number(function.n_result_cells) && expect("slots") && number(function.n_slots) &&
              expect("outgoing") && number(function.n_outgoing_cells) && expect("memories") &&
              number(function.first_memory) && expect("+") && number(function.n_memories);
    program_.functions.push_back(std::move(function));
    return ok;
  }

  auto read_extern() -> bool {
    ExternFunction function;
    function.name = word();
    if (!expect("(") || !number(function.n_input_cells) || !expect(")") || !expect("->")) {
      return false;
    }
    for (skip_spaces(); !line_.empty(); skip_spaces()) {
      ElementType type;
      if (!find_element_type(word(), type)) {
        problem_ = "unknown type";
        return false;
      }
      function.outputs.push_back(type);
    }
    program_.externs.push_back(std::move(function));
    return true;
  }

  auto read_draw_place() -> bool {
    DrawPlace place;
    const std::optional<engine::DrawFunction> function = engine::find_draw_function(word());
    if (!function) {
      problem_ = "unknown function";
      return false;
    }
    place.function = *function;
    if (!number(place.extent)) {
      return false;
    }
    for (const char bit : word()) {
      place.bits.push_back(bit == '1');
    }
    program_.draws.push_back(std::move(place));
    return true;
  }

  auto read_function_place() -> bool {
    const std::optional<engine::Function> function = engine::find_function(word());
    if (!function) {
      problem_ = "unknown function";
      return false;
    }
    FunctionPlace place{*function};
    program_.applied.push_back(place);
    FunctionPlace& added = program_.applied.back();
    return number(added.n_first) && number(added.n_second) && number(added.n_result);
  }

  auto read_instruction() -> bool {
    size_t colon = line_.find(':');
    if (colon != std::string_view::npos) {
      line_.remove_prefix(colon + 1);
    }
    std::string_view mnemonic = word();
    size_t dot = mnemonic.find('.');
    const std::vector<OpcodeShape>& all = shapes();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].mnemonic != mnemonic.substr(0, dot)) {
        continue;
      }
      Instruction instruction{static_cast<Opcode>(i), {}, {}};
      if (all[i].is_typed && (dot == std::string_view::npos ||
                              !find_element_type(mnemonic.substr(dot + 1), instruction.type))) {
        problem_ = fmt::format("`{}` needs a type", all[i].mnemonic);
        return false;
      }
      if (!all[i].is_typed) {
        instruction.type = {};
      }
      if (!read_operands(all[i], instruction)) {
        return false;
      }
      program_.instructions.push_back(instruction);
      return true;
    }
    problem_ = fmt::format("unknown instruction `{}`", mnemonic);
    return false;
  }

  auto read_operands(const OpcodeShape& shape, Instruction& instruction) -> bool {
    for (size_t i = 0; i < shape.operands.size() && shape.operands[i] != OperandKind::None; ++i) {
      if (shape.operands[i] == OperandKind::Wide) {
        int64_t wide = 0;
        if (!number(wide)) {
          return false;
        }
        instruction.operands[i] = static_cast<uint32_t>(static_cast<uint64_t>(wide));
        instruction.operands[i + 1] = static_cast<uint32_t>(static_cast<uint64_t>(wide) >> 32);
        return true;
      }
      constexpr std::array<std::string_view, 5> kMarks = {"", "%", "", "@", "#"};
      if (!expect(kMarks[static_cast<size_t>(shape.operands[i])]) ||
          !number(instruction.operands[i])) {
        return false;
      }
    }
    return true;
  }

  Program& program_;
  std::string& problem_;
  std::string_view line_;
};

}  // namespace

auto program_text(const Program& program) -> std::string {
  std::string text;
  for (const ExternFunction& function : program.externs) {
    text += fmt::format("extern {}({}) ->", function.name, function.n_input_cells);
    for (size_t i = 0; i < function.outputs.size(); ++i) {
      text += (i == 0 ? " " : ", ") + element_type_name(function.outputs[i]);
    }
    text += '\n';
  }
  for (const DrawPlace& place : program.draws) {
    text += fmt::format("draw_place {} {} {}\n", engine::draw_function_name(place.function),
                        place.extent, engine::bit_string_text(place.bits));
  }
  for (const FunctionPlace& place : program.applied) {
    text += fmt::format("function_place {} {} {} {}\n", engine::function_name(place.function),
                        place.n_first, place.n_second, place.n_result);
  }
  for (const std::string& message : program.messages) {
    text += fmt::format("message {}\n", message);
  }
  for (const Function& function : program.functions) {
    text += function_header(function);
    for (uint32_t i = function.entry; i < function.end; ++i) {
      text += fmt::format("  {}: {}\n", i, instruction_text(program.instructions[i]));
    }
  }
  return text;
}

auto parse_program(std::string_view text, Program& program, std::string& problem) -> bool {
  program = {};
  return Reader(program, problem).read(text);
}

}  // namespace tacet::interpret
