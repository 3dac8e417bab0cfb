#include <fmt/format.h>

#include <algorithm>

#include "engine/program/he/reader.h"
#include "engine/program/he/text.h"
#include "engine/program/he/validate.h"

namespace tacet::engine {
namespace {

auto find_opcode(std::string_view mnemonic) -> std::optional<HeOpcode> {
  for (int i = 0; i < static_cast<int>(HeOpcode::For); ++i) {
    if (he_mnemonic(static_cast<HeOpcode>(i)) == mnemonic) {
      return static_cast<HeOpcode>(i);
    }
  }
  return std::nullopt;
}

template <class Items>
auto find_by_name(const Items& items, std::string_view name) -> std::optional<uint32_t> {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end()) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(found - items.begin());
}

/// Reads a program by recursive descent.
class Parser : private HeReader {
 public:
  explicit Parser(std::string_view text) : HeReader(text) {}

  auto run() -> Result<HeProgram>;

 private:
  void header();
  auto declaration() -> bool;
  void input();
  void constant();
  void table();
  void reg(HeKind kind);
  auto gather(const HeRegister& reg) -> HeGather;
  auto digit(const HeNames& names) -> HeDigit;
  void gather_ending(HeGather& gather, const HeNames& names);
  auto access(const HeNames& names) -> HeAccess;
  void statement();
  void loop();
  void instruction();
  void extra(HeStatement& statement);
  void output();

  HeProgram program_;
  HeNames loops_;
};

void Parser::header() {
  want("he_program");
  if (const HeLine start = line(); !is_done()) {
    const auto version = natural<uint32_t>();
    if (version != 1) {
      fail(start, fmt::format("unsupported version {} of homomorphic programs; expected version 1",
                              version));
    }
  }
  want("slots");
  program_.n_rows = natural<uint32_t>();
  want("x");
  program_.n_columns = natural<uint32_t>();
  if (accept("reals")) {
    program_.scale_bits = natural<uint32_t>();
  } else {
    want("modulus");
    program_.modulus = natural<uint64_t>();
    if (program_.modulus == 0) {
      fail("the modulus is 0; use `reals` for programs without a modulus");
    }
  }
  want("primes");
  program_.n_primes = natural<uint32_t>();
}

auto Parser::declaration() -> bool {
  if (accept("input")) {
    input();
  } else if (accept("constant")) {
    constant();
  } else if (accept("table")) {
    table();
  } else if (accept("cipher")) {
    reg(HeKind::Cipher);
  } else if (accept("plain")) {
    reg(HeKind::Plain);
  } else if (accept("native")) {
    reg(HeKind::Native);
  } else {
    return false;
  }
  return true;
}

void Parser::input() {
  HeArray array;
  array.line = line();
  array.name = word();
  array.extents = extents();
  want("from");
  if (accept("server")) {
    array.owner = HeOwner::Server;
  } else if (!accept("client")) {
    expected("`client` or `server`");
  }
  if (accept("within")) {
    array.bound = real();
  }
  program_.arrays.push_back(std::move(array));
}

void Parser::constant() {
  HeArray array;
  array.line = line();
  array.owner = HeOwner::Constant;
  array.name = word();
  array.extents = extents();
  want("=");
  std::vector<double> values;
  do {
    values.push_back(real());
  } while (is_number());
  array.values = SharedVector(std::move(values));
  program_.arrays.push_back(std::move(array));
}

void Parser::table() {
  HeTable table;
  table.line = line();
  table.name = name();
  want("[");
  const int64_t n = integer();
  want("]");
  want("=");
  do {
    table.values.push_back(integer());
  } while (is_number());
  if (n != static_cast<int64_t>(table.values.size())) {
    fail(table.line, fmt::format("the table `{}` should have {} numbers, but has {}", table.name, n,
                                 table.values.size()));
  }
  program_.tables.push_back(std::move(table));
}

void Parser::reg(HeKind kind) {
  HeRegister reg;
  reg.line = line();
  reg.kind = kind;
  reg.name = name();
  if (accept("[")) {
    reg.dimensions = dimensions("]");
  }
  if (accept("primes")) {
    reg.n_primes = natural<uint32_t>();
    if (reg.n_primes == 0) {
      fail("a ciphertext needs at least one prime");
    }
  }
  if (accept("within")) {
    reg.bound = real();
  }
  if (accept("error")) {
    reg.error = real();
  }
  if (accept("=")) {
    do {
      reg.gathers.push_back(gather(reg));
    } while (accept("+"));
  }
  program_.registers.push_back(std::move(reg));
}

auto Parser::gather(const HeRegister& reg) -> HeGather {
  HeGather gather;
  const size_t begin = position();
  // The indices use names that are declared behind them: the array is read again after those.
  while (!is_done() && !is("over")) {
    take();
  }
  want("over");
  want("(");
  if (is_word() && is_next("|")) {
    gather.row = name();
    want("|");
  }
  gather.columns = dimensions(")");
  HeNames names;
  for (const HeDimension& dimension : reg.dimensions) {
    names.push_back(dimension.name);
  }
  names.push_back(gather.row);
  for (const HeDimension& dimension : gather.columns) {
    names.push_back(dimension.name);
  }
  gather.is_repeated = accept("repeat");
  if (accept("let")) {
    do {
      gather.digits.push_back(digit(names));
      names.push_back(gather.digits.back().name);
    } while (accept(","));
  }
  const size_t end = position();
  go_back(begin);
  if (is_word()) {
    const auto array = find_by_name(program_.arrays, at().text);
    if (!array) {
      expected("an array or a number");
      return gather;
    }
    take();
    gather.array = *array;
    if (accept("[")) {
      gather.indices = list("]", [&] { return index(names); });
    }
  } else {
    gather.number = real();
  }
  want("over");
  go_back(end);
  gather_ending(gather, names);
  return gather;
}

auto Parser::digit(const HeNames& names) -> HeDigit {
  HeDigit result{.name = name(), .value = {}};
  want("=");
  want("(");
  result.value = affine(names);
  want(")");
  want("div");
  result.divisor = integer();
  if (result.divisor <= 0) {
    fail("the divisor of a digit must be positive");
  }
  if (accept("mod")) {
    result.modulus = integer();
    if (result.modulus <= 0) {
      fail("the modulus of a remainder must be positive");
    }
  }
  return result;
}

void Parser::gather_ending(HeGather& gather, const HeNames& names) {
  if (accept("where")) {
    do {
      HeGuard guard{.value = affine(names)};
      want("in");
      guard.low = integer();
      want("..");
      guard.high = integer();
      gather.guards.push_back(std::move(guard));
    } while (accept(","));
  }
  if (accept("else")) {
    if (accept("any")) {
      gather.outside.reset();
    } else {
      gather.outside = real();
    }
  }
}

auto Parser::access(const HeNames& names) -> HeAccess {
  HeAccess result;
  const auto reg = find_by_name(program_.registers, at().text);
  if (!is_word() || !reg) {
    expected("a register");
    return result;
  }
  take();
  result.reg = *reg;
  if (accept("[")) {
    result.indices = list("]", [&] { return affine(names); });
  }
  return result;
}

void Parser::statement() {
  if (accept("for")) {
    loop();
  } else if (is("}")) {
    if (loops_.empty()) {
      fail("`}` without a loop");
      return;
    }
    loops_.pop_back();
    program_.body.push_back({.opcode = HeOpcode::End, .line = line()});
    take();
  } else {
    instruction();
  }
}

void Parser::loop() {
  HeStatement statement{.opcode = HeOpcode::For, .line = line()};
  statement.variable = name();
  want(":");
  statement.high = integer();
  if (accept("..")) {
    statement.low = statement.high;
    statement.high = integer();
  }
  want("{");
  loops_.push_back(statement.variable);
  program_.body.push_back(std::move(statement));
}

void Parser::instruction() {
  HeStatement statement{.line = line()};
  statement.result = access(loops_);
  want("=");
  const auto opcode = find_opcode(at().text);
  if (!opcode) {
    expected("an operation");
    return;
  }
  take();
  statement.opcode = *opcode;
  for (size_t i = 0; i < he_n_operands(*opcode); ++i) {
    if (i > 0) {
      want(",");
    }
    statement.operands.push_back(access(loops_));
  }
  extra(statement);
  program_.body.push_back(std::move(statement));
}

void Parser::extra(HeStatement& statement) {
  if (statement.opcode == HeOpcode::Rotate) {
    want(",");
    const auto table = find_by_name(program_.tables, at().text);
    if (is_word() && table) {
      take();
      statement.table = *table;
      want("[");
      statement.steps = affine(loops_);
      want("]");
    } else {
      statement.steps = affine(loops_);
    }
  } else if (statement.opcode == HeOpcode::Drop || statement.opcode == HeOpcode::Truncate) {
    statement.count = accept(",") ? natural<uint32_t>() : 1;
  }
}

void Parser::output() {
  HeOutput output;
  output.line = line();
  output.name = name();
  output.extents = extents();
  want("over");
  want("(");
  output.dimensions = dimensions(")");
  HeNames names;
  for (const HeDimension& dimension : output.dimensions) {
    names.push_back(dimension.name);
  }
  want("[");
  output.target = list("]", [&] { return affine(names); });
  want("=");
  output.source = access(names);
  want("at");
  output.row = affine(names);
  want(",");
  output.column = affine(names);
  program_.outputs.push_back(std::move(output));
}

auto Parser::run() -> Result<HeProgram> {
  header();
  while (!is_done() && declaration()) {
  }
  while (!is_done() && !is("output")) {
    statement();
  }
  if (!loops_.empty()) {
    expected("`}`");
  }
  while (!is_done()) {
    want("output");
    output();
  }
  if (!problem().empty()) {
    return Error{problem()};
  }
  if (Status status = validate(program_); !status) {
    return status.error();
  }
  return std::move(program_);
}

}  // namespace

auto is_he_word(std::string_view name) -> bool {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

auto is_he_name(std::string_view name) -> bool {
  static constexpr std::string_view kReserved[] = {
      "input",  "constant", "table", "cipher", "plain",  "native", "for",
      "output", "over",     "from",  "primes", "where",  "repeat", "else",
      "any",    "mod",      "in",    "at",     "within", "error"};
  return is_he_word(name) &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

auto parse_he_program(std::string_view text) -> Result<HeProgram> {
  return Parser(text).run();
}

}  // namespace tacet::engine
