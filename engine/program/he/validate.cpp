#include "engine/program/he/validate.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "engine/program/he/flow.h"
#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

/// The names of variables by their numbers.
using Names = std::vector<std::string>;

void add_names(const std::vector<HeDimension>& dimensions, Names& names) {
  for (const HeDimension& dimension : dimensions) {
    names.push_back(dimension.name);
  }
}

/// Checks everything in order and keeps the first problem.
class Validator {
 public:
  explicit Validator(const HeProgram& program) : program_(program) {}

  auto run() -> Status;

 private:
  [[nodiscard]] auto is_good() const -> bool { return problem_.empty(); }
  /// A problem at the present place.
  void fail(std::string_view what);
  void want(bool is_so, std::string_view what);

  void header();
  void name(const std::string& name);
  void arrays();
  void tables();
  void registers();
  void gather(const HeRegister& reg, const HeGather& gather);
  void affine(const HeAffine& affine, const Names& names);
  /// Wants no more than `most` of something.
  void at_most(size_t most, size_t n, std::string_view what);
  /// The number of elements; wants at most `most` of them.
  template <class Extents>
  auto elements(const Extents& extents, size_t most, std::string_view what = "elements") -> size_t;
  void number(double number);
  void access(const HeAccess& access, const Names& names);
  void variables(const Names& names);
  void body();
  void loop(const HeStatement& loop);
  void instruction(const HeStatement& instruction);
  void kinds(const HeStatement& instruction);
  void outputs();

  const HeProgram& program_;
  std::set<std::string> names_;
  Names loops_;
  std::vector<size_t> repetitions_;
  size_t n_instructions_ = 0;
  /// The present declaration or statement.
  HeLine line_;
  std::string where_;
  bool is_statement_ = false;
  size_t at_ = 0;
  std::string problem_;
};

void Validator::fail(std::string_view what) {
  if (is_good()) {
    const std::string place =
        is_statement_ ? fmt::format("`{}`", statement_text(program_, at_)) : where_;
    problem_ = line_.number == 0 ? fmt::format("{}: {}", place, what)
                                 : fmt::format("line {}: {}: {}", line_.number, place, what);
  }
}

void Validator::want(bool is_so, std::string_view what) {
  if (!is_so) {
    fail(what);
  }
}

void Validator::at_most(size_t most, size_t n, std::string_view what) {
  if (n > most) {
    fail(fmt::format("more than {} {}", most, what));
  }
}

void Validator::header() {
  line_ = {};
  where_ = "header";
  want(program_.n_rows == (program_.is_integer() ? 2U : 1U),
       "integers need two rows of slots, reals one");
  const uint64_t n = program_.n_columns;
  want(n > 0 && n <= HeLimits::kColumns && (n & (n - 1)) == 0,
       "the number of columns must be a power of two up to 65536");
  want(program_.modulus == 0 || (program_.modulus > 1 && program_.modulus < uint64_t{1} << 50),
       "the modulus must be between 2 and 2^50");
  want(program_.is_integer() || (program_.scale_bits > 0 && program_.scale_bits < 50),
       "the scale must have between 1 and 49 bits");
  want(program_.n_primes > 0 && program_.n_primes <= HeLimits::kPrimes,
       "the number of primes must be between 1 and 64");
}

void Validator::name(const std::string& name) {
  want(is_he_name(name), "invalid or reserved name");
  want(names_.insert(name).second, "name already in use");
}

auto is_small(int64_t number) -> bool {
  return number >= -HeLimits::kNumber && number <= HeLimits::kNumber;
}

auto extent_of(int64_t extent) -> int64_t {
  return extent;
}

auto extent_of(const HeDimension& dimension) -> int64_t {
  return dimension.extent;
}

template <class Extents>
auto Validator::elements(const Extents& extents, size_t most, std::string_view what) -> size_t {
  at_most(HeLimits::kDimensions, extents.size(), "dimensions");
  size_t n = 1;
  for (const auto& item : extents) {
    const int64_t extent = extent_of(item);
    want(extent > 0 && extent <= HeLimits::kNumber, "an extent must be between 1 and 2^31");
    n = is_good() ? n * static_cast<size_t>(extent) : 0;
    at_most(most, n, what);
  }
  return n;
}

void Validator::number(double number) {
  want(std::isfinite(number), "a number is not finite");
  want(!program_.is_integer() || (std::floor(number) == number && std::abs(number) <= 0x1p53),
       "slots hold integers, but a number is fractional or too large");
}

void Validator::arrays() {
  for (const HeArray& array : program_.arrays) {
    line_ = array.line;
    where_ = fmt::format("array `{}`", array.name);
    want(is_he_word(array.name), "invalid name");
    want(names_.insert(array.name).second, "name already in use");
    const size_t n = elements(array.extents, HeLimits::kArrayElements);
    const bool is_constant = array.owner == HeOwner::Constant;
    if (is_good() && array.values.size() != (is_constant ? n : 0)) {
      fail(fmt::format("got {} numbers for {} elements", array.values.size(), n));
    }
    for (const double value : array.values) {
      number(value);
    }
    want(std::isfinite(array.bound) && array.bound > 0, "the bound must be positive");
    want(array.bound == 1 || (!is_constant && !program_.is_integer()),
         "only inputs of reals can have a bound");
  }
}

void Validator::tables() {
  for (const HeTable& table : program_.tables) {
    line_ = table.line;
    where_ = fmt::format("table `{}`", table.name);
    name(table.name);
    want(!table.values.empty(), "the table is empty");
    for (const int64_t value : table.values) {
      want(is_small(value), "a number is too large");
    }
  }
}

void Validator::registers() {
  size_t n_total = 0;
  for (const HeRegister& reg : program_.registers) {
    line_ = reg.line;
    where_ = fmt::format("{} `{}`", he_kind_name(reg.kind), reg.name);
    name(reg.name);
    n_total += elements(reg.dimensions, HeLimits::kRegisterElements);
    at_most(HeLimits::kRegisterElements, n_total, "elements of all registers");
    at_most(HeLimits::kRegisterSlots, n_total * program_.n_slots(), "slots of all registers");
    want(reg.n_primes <= program_.n_primes, "more primes than the program has");
    want(reg.n_primes == 0 || (reg.kind == HeKind::Cipher && !reg.gathers.empty()),
         "only gathered ciphers can declare a number of primes");
    want((reg.bound == 0 && reg.error == 0) ||
             (reg.kind == HeKind::Cipher && !program_.is_integer()),
         "only ciphers of reals can have a bound");
    want(std::isfinite(reg.bound) && reg.bound >= 0 && std::isfinite(reg.error) && reg.error >= 0,
         "the bound must be positive");
    want(reg.kind != HeKind::Plain || reg.gathers.empty(),
         "only native vectors and ciphers can be gathered; use `encode` for plain vectors");
    for (const HeGather& item : reg.gathers) {
      gather(reg, item);
    }
  }
}

void Validator::gather(const HeRegister& reg, const HeGather& gather) {
  Names names;
  add_names(reg.dimensions, names);
  names.push_back(gather.row);
  add_names(gather.columns, names);
  for (const HeDigit& digit : gather.digits) {
    affine(digit.value, names);
    want(digit.divisor > 0 && digit.divisor <= HeLimits::kNumber, "invalid divisor of a digit");
    want(digit.modulus >= 0 && digit.modulus <= HeLimits::kNumber, "invalid modulus of a digit");
    want(!digit.name.empty(), "a digit has no name");
    names.push_back(digit.name);
  }
  variables(names);
  if (gather.array == kNoArray) {
    number(gather.number);
    want(gather.indices.empty(), "a scalar has no indices");
  } else {
    want(gather.array < program_.arrays.size(), "unknown array");
    if (!is_good()) {
      return;
    }
    const HeArray& array = program_.arrays[gather.array];
    if (gather.indices.size() != array.extents.size()) {
      fail(fmt::format("`{}` has {} dimensions, but got {} indices", array.name,
                       array.extents.size(), gather.indices.size()));
    }
    if (array.owner == HeOwner::Client && reg.kind == HeKind::Native) {
      fail(fmt::format("`{}` belongs to the client, so only ciphers can hold it", array.name));
    }
    if (array.owner == HeOwner::Server && reg.kind == HeKind::Cipher) {
      fail(fmt::format("`{}` belongs to the server, which does not encrypt", array.name));
    }
  }
  const size_t n = elements(gather.columns, program_.n_columns, "columns of a row of slots");
  want(!is_good() || !gather.is_repeated || program_.n_columns % n == 0,
       "the number of repeated columns must be a power of two");
  for (const HeIndex& index : gather.indices) {
    affine(index.value, names);
    want(index.modulus >= 0 && index.modulus <= HeLimits::kNumber, "invalid modulus of an index");
  }
  for (const HeGuard& guard : gather.guards) {
    affine(guard.value, names);
    want(guard.low < guard.high, "empty range of a condition");
  }
  number(gather.outside.value_or(0));
}

void Validator::variables(const Names& names) {
  std::set<std::string> seen;
  for (const std::string& variable : names) {
    want(variable.empty() || is_he_name(variable), "invalid name of a variable");
    want(variable.empty() || seen.insert(variable).second, "duplicate name of a variable");
  }
}

void Validator::affine(const HeAffine& affine, const Names& names) {
  want(is_small(affine.constant), "a number in an expression is too large");
  int64_t last = -1;
  for (const HeTerm& term : affine.terms) {
    want(term.variable < names.size() && !names[term.variable].empty(), "unknown variable");
    want(int64_t{term.variable} > last && term.factor != 0, "terms of an expression out of order");
    want(is_small(term.factor) && is_small(1024 * term.factor),
         "a factor in an expression is too large");
    last = term.variable;
  }
}

void Validator::access(const HeAccess& access, const Names& names) {
  want(access.reg < program_.registers.size(), "unknown register");
  if (!is_good()) {
    return;
  }
  const HeRegister& reg = program_.registers[access.reg];
  if (access.indices.size() != reg.dimensions.size()) {
    fail(fmt::format("`{}` has {} dimensions, but got {} indices", reg.name, reg.dimensions.size(),
                     access.indices.size()));
  }
  for (const HeAffine& index : access.indices) {
    affine(index, names);
  }
}

void Validator::body() {
  for (size_t i = 0; i < program_.body.size() && is_good(); ++i) {
    const HeStatement& statement = program_.body[i];
    line_ = statement.line;
    is_statement_ = true;
    at_ = i;
    if (statement.opcode == HeOpcode::For) {
      loop(statement);
    } else if (statement.opcode == HeOpcode::End) {
      want(!loops_.empty(), "end of a loop without a start");
      if (is_good()) {
        names_.erase(loops_.back());
        loops_.pop_back();
        repetitions_.pop_back();
      }
    } else {
      instruction(statement);
      if (is_good()) {
        kinds(statement);
      }
    }
  }
  is_statement_ = false;
  where_ = "body";
  want(loops_.empty(), "unterminated loop");
}

void Validator::loop(const HeStatement& loop) {
  name(loop.variable);
  at_most(HeLimits::kLoops, loops_.size() + 1, "nested loops");
  want(is_small(loop.low) && is_small(loop.high), "loop bound too large");
  want(loop.low < loop.high, "the loop has no iterations");
  const size_t outer = repetitions_.empty() ? 1 : repetitions_.back();
  const size_t n = outer * static_cast<size_t>(is_good() ? loop.high - loop.low : 1);
  at_most(HeLimits::kInstructions, n, "iterations");
  // Its end is a step too, so that loops around nothing count.
  n_instructions_ += n;
  at_most(HeLimits::kInstructions, n_instructions_, "instructions after unrolling");
  loops_.push_back(loop.variable);
  repetitions_.push_back(n);
}

void Validator::instruction(const HeStatement& instruction) {
  want(instruction.opcode < HeOpcode::For, "unknown operation");
  if (!is_good()) {
    return;
  }
  n_instructions_ += repetitions_.empty() ? 1 : repetitions_.back();
  at_most(HeLimits::kInstructions, n_instructions_, "instructions after unrolling");
  want(instruction.operands.size() == he_n_operands(instruction.opcode),
       "wrong number of operands");
  access(instruction.result, loops_);
  for (const HeAccess& operand : instruction.operands) {
    access(operand, loops_);
  }
  affine(instruction.steps, loops_);
  want(instruction.table == kNoTable || instruction.table < program_.tables.size(),
       "unknown table");
  const bool has_count =
      instruction.opcode == HeOpcode::Drop || instruction.opcode == HeOpcode::Truncate;
  want(instruction.count > 0 && (has_count || instruction.count == 1),
       "invalid number of primes to drop");
}

void Validator::kinds(const HeStatement& instruction) {
  const auto kind_of = [&](const HeAccess& access) { return program_.registers[access.reg].kind; };
  const HeKind result = kind_of(instruction.result);
  const HeKind first = kind_of(instruction.operands[0]);
  const HeKind last = kind_of(instruction.operands.back());
  HeKind wanted = first;
  if (instruction.opcode == HeOpcode::Encode) {
    want(first == HeKind::Native, "only native vectors can be encoded");
    wanted = HeKind::Plain;
  } else if (instruction.opcode == HeOpcode::Relinearise || instruction.opcode == HeOpcode::Drop ||
             instruction.opcode == HeOpcode::Truncate ||
             instruction.opcode == HeOpcode::Bootstrap) {
    want(first == HeKind::Cipher, "this operation requires a cipher");
  } else if (first != last) {
    want(first != HeKind::Native && last != HeKind::Native,
         "a native vector must be encoded before use with other operands");
    wanted = HeKind::Cipher;
  }
  want(instruction.opcode != HeOpcode::Swap || program_.n_rows == 2,
       "cannot swap rows: there is only one row of slots");
  want(instruction.opcode != HeOpcode::Truncate || !program_.is_integer(),
       "primes of integers cannot be removed without dividing; drop them");
  if (instruction.opcode == HeOpcode::Bootstrap) {
    want(!program_.is_integer(), "only reals can be bootstrapped");
    want(program_.registers[instruction.result.reg].bound > 0,
         "the result of bootstrapping needs a bound");
  }
  if (is_good() && result != wanted) {
    fail(fmt::format("the result is {}, but `{}` is {}", he_kind_name(wanted),
                     program_.registers[instruction.result.reg].name, he_kind_name(result)));
  }
}

void Validator::outputs() {
  want(!program_.outputs.empty(), "the program has no output");
  size_t n_total = 0;
  for (const HeOutput& output : program_.outputs) {
    line_ = output.line;
    where_ = fmt::format("output `{}`", output.name);
    name(output.name);
    elements(output.extents, HeLimits::kArrayElements);
    n_total += elements(output.dimensions, HeLimits::kOutputElements);
    at_most(HeLimits::kOutputElements, n_total, "elements of all outputs");
    want(output.target.size() == output.extents.size(), "wrong number of indices of the result");
    Names names;
    add_names(output.dimensions, names);
    variables(names);
    for (const HeAffine& index : output.target) {
      affine(index, names);
    }
    access(output.source, names);
    affine(output.row, names);
    affine(output.column, names);
    want(!is_good() || program_.registers[output.source.reg].kind == HeKind::Cipher,
         "results must be ciphers");
  }
}

auto Validator::run() -> Status {
  header();
  if (is_good()) {
    arrays();
    tables();
    registers();
    body();
  }
  if (is_good()) {
    line_ = {};
    where_ = "program";
    outputs();
  }
  return is_good() ? check_flow(program_) : Status(Error{problem_});
}

}  // namespace

auto validate(const HeProgram& program) -> Status {
  return Validator(program).run();
}

}  // namespace tacet::engine
