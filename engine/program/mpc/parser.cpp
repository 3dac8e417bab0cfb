#include <charconv>
#include <unordered_map>

#include "engine/program/he/reader.h"
#include "engine/program/mpc/parse_hand_overs.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"

namespace tacet::engine {
namespace {

constexpr std::string_view kProgramWord = "mpc_program";

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text) {
    for (uint8_t op = 0; op < static_cast<uint8_t>(MpcOpcode::For); ++op) {
      opcodes_.emplace(mnemonic_of(static_cast<MpcOpcode>(op)), static_cast<MpcOpcode>(op));
    }
  }

  auto run(std::vector<MpcHandOver> hand_overs) -> Result<MpcProgram>;

 private:
  void statement();
  void input();
  void output();
  /// With what follows `name`: a type, if it is new.
  void assignment(std::string name, HeLine line);
  void for_loop();
  void control(MpcOpcode op);
  void add(MpcInstruction instruction, HeLine line);
  /// `@12`
  void source_line(MpcInstruction& instruction);
  auto new_register(std::string name) -> MpcRegisterId;
  auto defined(std::string name) -> MpcRegisterId;
  auto used() -> MpcRegisterId;
  auto type() -> MpcType;
  auto element_type() -> ElementType;
  auto party() -> MpcPartyId;
  void ring();
  /// Any number of 64 bits with a sign.
  auto number() -> int64_t;

  HeReader reader_;
  MpcProgram program_;
  std::vector<uint32_t> lines_;  ///< of the text, by instruction
  std::unordered_map<std::string, MpcRegisterId> names_;
  std::unordered_map<std::string_view, MpcOpcode> opcodes_;
  size_t n_numbers_ = 0;
};

auto Parser::element_type() -> ElementType {
  std::string name(reader_.at().text);
  if (!reader_.is_word()) {
    reader_.expected("a type");
    return {};
  }
  reader_.take();
  if (name == "fxp" && reader_.accept("<")) {
    name += "<" + std::to_string(reader_.natural<uint8_t>()) + ">";
    reader_.want(">");
  }
  ElementType element;
  if (!find_element_type(name, element)) {
    reader_.fail(fmt::format("`{}` is not a numeric type", name));
  }
  return element;
}

auto Parser::type() -> MpcType {
  MpcType type;
  if (reader_.accept("secret")) {
    type.visibility = MpcVisibility::Secret;
  } else if (!reader_.accept("public")) {
    reader_.expected("`public` or `secret`");
  }
  type.element = element_type();
  if (reader_.accept("[")) {
    type.extents = reader_.list("]", [&] { return reader_.integer(); });
  }
  return type;
}

auto Parser::number() -> int64_t {
  const bool is_negative = reader_.accept("-");
  const std::string_view text = reader_.at().text;
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  const uint64_t most = (~uint64_t{0} >> 1) + (is_negative ? 1 : 0);
  if (error != std::errc() || end != text.data() + text.size() || magnitude > most) {
    reader_.expected("an integer");
    return 0;
  }
  reader_.take();
  return static_cast<int64_t>(is_negative ? ~magnitude + 1 : magnitude);
}

auto Parser::new_register(std::string name) -> MpcRegisterId {
  MpcType type = this->type();
  const MpcRegisterId id = program_.registers.add({name, std::move(type)});
  names_.emplace(std::move(name), id);
  return id;
}

auto Parser::defined(std::string name) -> MpcRegisterId {
  const auto found = names_.find(name);
  if (reader_.accept(":")) {
    if (found != names_.end()) {
      reader_.fail(fmt::format("register `{}` already exists", name));
      return {};
    }
    return new_register(std::move(name));
  }
  if (found == names_.end()) {
    reader_.fail(fmt::format("new register `{}` has no type", name));
    return {};
  }
  return found->second;
}

auto Parser::used() -> MpcRegisterId {
  const std::string name = reader_.word();
  const auto found = names_.find(name);
  if (found == names_.end()) {
    reader_.fail(fmt::format("unknown register `{}`", name));
    return {};
  }
  return found->second;
}

auto Parser::party() -> MpcPartyId {
  const std::string name = reader_.word();
  for (size_t i = 0; i < program_.parties.size(); ++i) {
    if (program_.parties[i] == name) {
      return {static_cast<uint32_t>(i)};
    }
  }
  reader_.fail(fmt::format("unknown party `{}`", name));
  return {};
}

void Parser::source_line(MpcInstruction& instruction) {
  if (reader_.accept("@")) {
    instruction.line = reader_.natural<uint32_t>();
  }
}

void Parser::add(MpcInstruction instruction, HeLine line) {
  source_line(instruction);
  n_numbers_ += instruction.numbers.size();
  if (program_.code.size() >= MpcLimits::kInstructions || n_numbers_ > MpcLimits::kNumbers) {
    reader_.fail(line, "the program is too long");
    return;
  }
  program_.code.push_back(std::move(instruction));
  lines_.push_back(line.number);
}

void Parser::input() {
  const std::string name = reader_.word();
  if (names_.contains(name)) {
    reader_.fail(fmt::format("register `{}` already exists", name));
    return;
  }
  reader_.want(":");
  MpcInput input{new_register(name)};
  if (reader_.accept("from")) {
    input.owner = party();
  }
  program_.inputs.push_back(input);
}

void Parser::output() {
  MpcOutput output;
  output.name = reader_.word();
  reader_.want("=");
  output.reg = used();
  if (reader_.accept("to")) {
    output.receiver = party();
  }
  program_.outputs.push_back(std::move(output));
}

void Parser::for_loop() {
  const HeLine line = reader_.line();
  MpcInstruction loop{.op = MpcOpcode::For, .numbers = {0, 0}};
  loop.result = defined(reader_.word());
  reader_.want("=");
  loop.operands.push_back(used());
  reader_.want(",");
  loop.operands.push_back(used());
  for (size_t i = 0; i < 2; ++i) {
    if (reader_.accept(i == 0 ? "step" : "max")) {
      loop.numbers[i] = 1;
      loop.operands.push_back(used());
    }
  }
  reader_.want("{");
  add(std::move(loop), line);
}

void Parser::assignment(std::string name, HeLine line) {
  MpcInstruction instruction;
  instruction.result = defined(std::move(name));
  reader_.want("=");
  const auto found = opcodes_.find(reader_.at().text);
  if (found == opcodes_.end()) {
    reader_.expected("an instruction");
    return;
  }
  reader_.take();
  instruction.op = found->second;
  const int n_operands = n_operands_of(instruction.op);
  for (int i = 0; i < n_operands; ++i) {
    if (i > 0) {
      reader_.want(",");
    }
    instruction.operands.push_back(used());
  }
  if (n_operands < 0 && reader_.at().text != "[") {
    do {
      instruction.operands.push_back(used());
    } while (reader_.accept(","));
  }
  if (reader_.accept("[")) {
    instruction.numbers = reader_.list("]", [&] { return number(); });
  }
  if (reader_.accept("to")) {
    instruction.party = party();
  }
  add(std::move(instruction), line);
}

void Parser::control(MpcOpcode op) {
  const HeLine line = reader_.line();
  MpcInstruction instruction{.op = op};
  if (op == MpcOpcode::If) {
    instruction.operands.push_back(used());
  }
  if (op == MpcOpcode::If || op == MpcOpcode::Loop || op == MpcOpcode::Else) {
    reader_.want("{");
  }
  add(std::move(instruction), line);
}

/// `ring 128`: of fixed point.
void Parser::ring() {
  const int64_t bits = reader_.integer();
  if (bits == 64 || bits == 128) {
    program_.fixed_ring_bits = static_cast<unsigned>(bits);
  } else {
    reader_.fail("fixed point needs a ring of 64 or 128 bits");
  }
}

void Parser::statement() {
  const HeLine line = reader_.line();
  if (reader_.accept("}")) {
    control(reader_.accept("else") ? MpcOpcode::Else : MpcOpcode::End);
    return;
  }
  if (reader_.is_next(":") || reader_.is_next("=")) {
    assignment(reader_.word(), line);
  } else if (reader_.accept("party")) {
    program_.parties.push_back(reader_.word());
  } else if (reader_.accept("ring")) {
    ring();
  } else if (reader_.accept("input")) {
    input();
  } else if (reader_.accept("output")) {
    output();
  } else if (reader_.accept("for")) {
    for_loop();
  } else if (reader_.accept("if")) {
    control(MpcOpcode::If);
  } else if (reader_.accept("loop")) {
    control(MpcOpcode::Loop);
  } else if (reader_.accept("break")) {
    control(MpcOpcode::Break);
  } else if (reader_.accept("continue")) {
    control(MpcOpcode::Continue);
  } else if (reader_.accept("stop")) {
    control(MpcOpcode::Stop);
  } else {
    reader_.expected("a statement");
  }
}

auto Parser::run(std::vector<MpcHandOver> hand_overs) -> Result<MpcProgram> {
  program_.hand_overs = std::move(hand_overs);
  reader_.want(kProgramWord);
  if (reader_.integer() != 1) {
    reader_.fail("unsupported version; expected version 1");
  }
  while (!reader_.is_done()) {
    statement();
  }
  if (!reader_.problem().empty()) {
    return Error{reader_.problem()};
  }
  if (std::optional<MpcFault> fault = find_fault(program_)) {
    return Error{fault->instruction < lines_.size()
                     ? fmt::format("line {}: {}", lines_[fault->instruction], fault->message)
                     : fault->message};
  }
  return std::move(program_);
}

}  // namespace

auto parse_mpc_program(std::string_view text) -> Result<MpcProgram> {
  const size_t end = begin_of_hand_overs(text);
  Result<std::vector<MpcHandOver>> hand_overs = parse_hand_overs(text.substr(end));
  return hand_overs ? Parser(text.substr(0, end)).run(std::move(*hand_overs))
                    : Result<MpcProgram>(hand_overs.error());
}

auto is_mpc_program(std::string_view text) -> bool {
  for (;;) {
    const size_t at = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(at);
    if (text.substr(0, 2) != "//") {
      return text.substr(0, kProgramWord.size()) == kProgramWord;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

}  // namespace tacet::engine
