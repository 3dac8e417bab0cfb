#include "tests/he_program/random_he_program.h"

#include <algorithm>

#include "engine/program/he/facts.h"
#include "engine/program/he/states.h"
#include "engine/program/he/validate.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

/// Proposes declarations and statements, and keeps what makes a valid program.
class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomHeOptions& options)
      : random_(random), options_(options) {
    program_.n_rows = options.scale_bits == 0 ? 2 : 1;
    program_.n_columns = options.n_columns;
    program_.modulus = options.scale_bits == 0 ? options.modulus : 0;
    program_.scale_bits = options.scale_bits;
    program_.n_primes = options.n_primes;
  }

  auto run() -> HeProgram {
    declare_arrays();
    declare_registers();
    // A program needs an output to be valid: the first register's first slot, until the end is
    // known.
    program_.outputs.push_back(
        whole_output(0, std::vector<int64_t>(program_.registers[0].dimensions.size())));
    for (int i = 0; i < 8; ++i) {
      keep({encoding()});
    }
    for (size_t i = 0; i < options_.n_statements;) {
      i += keep(proposed_statements()) ? 1 : 0;
    }
    add_outputs();
    return std::move(program_);
  }

 private:
  auto below(int64_t n) -> int64_t {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }
  auto between(int64_t low, int64_t high) -> int64_t { return low + below(high - low + 1); }
  auto chance(int percent) -> bool { return below(100) < percent; }
  /// A whole number up to `most`, or a real number up to 2.
  auto number(int64_t most) -> double {
    const auto whole = static_cast<double>(between(-most, most));
    return program_.is_integer() ? whole : 2 * whole / static_cast<double>(most);
  }

  void declare_arrays() {
    for (const HeOwner owner : {HeOwner::Client, HeOwner::Server, HeOwner::Constant}) {
      for (int64_t i = 0; i < 2; ++i) {
        HeArray array;
        array.name = "a" + std::to_string(program_.arrays.size());
        array.owner = owner;
        for (int64_t d = between(0, 2); d > 0; --d) {
          array.extents.push_back(between(1, 9));
        }
        if (owner == HeOwner::Constant) {
          std::vector<double> values;
          for (size_t k = 0; k < n_elements(array.extents); ++k) {
            values.push_back(number(40000));
          }
          array.values = SharedVector(std::move(values));
        } else if (!program_.is_integer() && chance(50)) {
          array.bound = static_cast<double>(between(1, 6)) / 2;
        }
        program_.arrays.push_back(std::move(array));
      }
    }
    HeTable table{.name = "steps", .values = {}, .line = {}};
    for (int64_t i = 0; i < 4; ++i) {
      table.values.push_back(between(-9, 9));
    }
    program_.tables.push_back(std::move(table));
  }

  void declare_registers() {
    for (const HeKind kind : {HeKind::Cipher, HeKind::Native, HeKind::Cipher, HeKind::Plain,
                              HeKind::Native, HeKind::Plain, HeKind::Cipher, HeKind::Native}) {
      HeRegister reg;
      reg.name = "r" + std::to_string(program_.registers.size());
      reg.kind = kind;
      for (int64_t d = between(0, 2); d > 0; --d) {
        reg.dimensions.push_back({.name = "e" + std::to_string(d), .extent = between(1, 3)});
      }
      const size_t n = program_.registers.size();
      const bool is_gathered = kind != HeKind::Plain && (n < 3 || chance(50));
      for (int64_t i = is_gathered ? between(1, 2) : 0; i > 0; --i) {
        reg.gathers.push_back(gather(reg));
      }
      if (is_gathered && kind == HeKind::Cipher && chance(25)) {
        reg.n_primes = static_cast<uint32_t>(between(2, options_.n_primes));
      }
      program_.registers.push_back(std::move(reg));
    }
  }

  auto affine(size_t n_variables, int64_t range) -> HeAffine {
    HeAffine result{.constant = between(-range, range), .terms = {}};
    for (uint32_t v = 0; v < n_variables; ++v) {
      const int64_t factor = between(-2, 2);
      if (factor != 0 && chance(60)) {
        result.terms.push_back({.variable = v, .factor = factor});
      }
    }
    return result;
  }

  auto gather(const HeRegister& reg) -> HeGather {
    HeGather result;
    if (chance(15)) {
      result.number = number(5);
    } else {
      const int64_t owner = reg.kind == HeKind::Cipher ? 0 : 2;
      result.array = static_cast<uint32_t>(chance(30) ? 4 + below(2) : owner + below(2));
    }
    result.row = "row";
    for (int64_t d = between(0, 3); d > 0; --d) {
      result.columns.push_back({.name = "k" + std::to_string(d), .extent = int64_t{1} << below(4)});
    }
    if (chance(30) && !result.columns.empty()) {
      result.columns[0].extent = between(1, 7);
    }
    while (n_elements(result.columns) > options_.n_columns) {
      result.columns.pop_back();
    }
    const size_t n = n_elements(result.columns);
    result.is_repeated = (n & (n - 1)) == 0 && chance(60);
    size_t n_variables = reg.dimensions.size() + 1 + result.columns.size();
    for (int64_t d = chance(30) ? between(1, 3) : 0; d > 0; --d) {
      result.digits.push_back({.name = "d" + std::to_string(d),
                               .value = affine(n_variables++, 3),
                               .divisor = between(1, 5),
                               .modulus = chance(60) ? between(1, 6) : 0});
    }
    if (result.array != kNoArray) {
      for (size_t d = 0; d < program_.arrays[result.array].extents.size(); ++d) {
        result.indices.push_back(
            {.value = affine(n_variables, 3), .modulus = chance(25) ? between(1, 9) : 0});
      }
    }
    if (chance(25)) {
      const int64_t low = between(-4, 4);
      result.guards.push_back(
          {.value = affine(n_variables, 3), .low = low, .high = low + between(1, 6)});
    }
    result.outside = chance(70) ? 0 : number(3);
    return result;
  }

  auto access(uint32_t reg, size_t n_loops) -> HeAccess {
    HeAccess result{.reg = reg, .indices = {}};
    for (const HeDimension& dimension : program_.registers[reg].dimensions) {
      HeAffine index;
      if (n_loops > 0 && chance(60)) {
        index.terms.push_back(
            {.variable = static_cast<uint32_t>(below(static_cast<int64_t>(n_loops))), .factor = 1});
      } else {
        index.constant = below(dimension.extent);
      }
      result.indices.push_back(std::move(index));
    }
    return result;
  }

  auto any_register() -> uint32_t {
    return static_cast<uint32_t>(below(static_cast<int64_t>(program_.registers.size())));
  }

  auto any_register(HeKind kind) -> uint32_t {
    uint32_t reg = any_register();
    while (program_.registers[reg].kind != kind) {
      reg = any_register();
    }
    return reg;
  }

  auto instruction(size_t n_loops) -> HeStatement {
    static constexpr HeOpcode kOpcodes[] = {
        HeOpcode::Add,    HeOpcode::Add,    HeOpcode::Sub,     HeOpcode::Mul,
        HeOpcode::Mul,    HeOpcode::Negate, HeOpcode::Swap,    HeOpcode::Rotate,
        HeOpcode::Rotate, HeOpcode::Drop,   HeOpcode::Copy,    HeOpcode::Relinearise,
        HeOpcode::Encode, HeOpcode::Drop,   HeOpcode::Truncate};
    HeStatement result;
    result.opcode = kOpcodes[below(std::size(kOpcodes))];
    result.result = access(any_register(), n_loops);
    for (size_t i = 0; i < he_n_operands(result.opcode); ++i) {
      result.operands.push_back(access(any_register(), n_loops));
    }
    if (result.opcode == HeOpcode::Rotate && chance(40)) {
      result.table = 0;
      result.steps.constant = below(4);
    } else if (result.opcode == HeOpcode::Rotate) {
      result.steps = affine(n_loops, 8);
    }
    if (result.opcode == HeOpcode::Drop || result.opcode == HeOpcode::Truncate) {
      result.count = chance(20) ? 2 : 1;
    }
    return result;
  }

  /// Without these first, hardly any instruction would find a plain operand.
  auto encoding() -> HeStatement {
    HeStatement result;
    result.opcode = HeOpcode::Encode;
    result.result = access(any_register(HeKind::Plain), 0);
    result.operands.push_back(access(any_register(HeKind::Native), 0));
    return result;
  }

  auto proposed_statements() -> std::vector<HeStatement> {
    const auto n_loops = static_cast<size_t>(chance(40) ? between(1, 2) : 0);
    std::vector<HeStatement> result;
    for (size_t i = 0; i < n_loops; ++i) {
      HeStatement loop;
      loop.opcode = HeOpcode::For;
      loop.variable = "i" + std::to_string(i);
      loop.low = chance(70) ? 0 : 1;
      loop.high = loop.low + between(1, 2);
      result.push_back(std::move(loop));
    }
    result.push_back(instruction(n_loops));
    for (size_t i = 0; i < n_loops; ++i) {
      result.push_back({.opcode = HeOpcode::End});
    }
    return result;
  }

  /// Whether the program is good with these at its end. A product is relinearised half the time.
  auto keep(const std::vector<HeStatement>& statements) -> bool {
    const size_t n = program_.body.size();
    program_.body.insert(program_.body.end(), statements.begin(), statements.end());
    if (validate(program_) && facts_of(program_).depth <= options_.max_depth) {
      return true;
    }
    program_.body.resize(n);
    return false;
  }

  auto whole_output(uint32_t reg, const std::vector<int64_t>& indices) -> HeOutput {
    HeOutput output;
    output.name = "o" + std::to_string(program_.outputs.size());
    output.extents = {program_.n_rows, program_.n_columns};
    output.dimensions = {{.name = "r", .extent = program_.n_rows},
                         {.name = "c", .extent = program_.n_columns}};
    const HeAffine row{.constant = 0, .terms = {{.variable = 0, .factor = 1}}};
    const HeAffine column{.constant = 0, .terms = {{.variable = 1, .factor = 1}}};
    output.target = {row, column};
    output.source.reg = reg;
    for (const int64_t index : indices) {
      output.source.indices.push_back({.constant = index, .terms = {}});
    }
    output.row = row;
    output.column = column;
    return output;
  }

  /// Sums of slots of the same: of a half of the columns and the other, in all rows.
  auto summed_output(const HeOutput& whole) -> HeOutput {
    HeOutput output = whole;
    const int64_t half = program_.n_columns / 2;
    output.name = "s" + whole.name.substr(1);
    output.extents = {half};
    output.dimensions = {{.name = "r", .extent = program_.n_rows},
                         {.name = "h", .extent = 2},
                         {.name = "c", .extent = half}};
    output.target = {{.constant = 0, .terms = {{.variable = 2, .factor = 1}}}};
    output.column = {.constant = 0,
                     .terms = {{.variable = 1, .factor = half}, {.variable = 2, .factor = 1}}};
    return output;
  }

  void add_outputs() {
    program_.outputs.clear();
    HeStates states(program_);
    HeWalk walk(program_);
    while (walk.next()) {
      (void)states.apply(walk.instruction(), walk.variables());
    }
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      if (program_.registers[reg].kind != HeKind::Cipher) {
        continue;
      }
      HeCounter counter(program_.registers[reg].dimensions);
      do {
        HeOutput output = whole_output(reg, counter.values());
        const Result<HeState> state = states.readable(output.source, {});
        if (state && (program_.is_integer() || state.value().scale <= state.value().n_primes)) {
          const bool is_summed = options_.has_sums && program_.outputs.size() % 3 == 2;
          program_.outputs.push_back(is_summed ? summed_output(output) : std::move(output));
        }
      } while (counter.next());
    }
  }

  std::mt19937_64& random_;
  const RandomHeOptions& options_;
  HeProgram program_;
};

}  // namespace

auto random_he_program(std::mt19937_64& random, const RandomHeOptions& options) -> HeProgram {
  HeProgram program;
  while (program.outputs.empty()) {
    program = Generator(random, options).run();
  }
  return program;
}

auto random_he_values(std::mt19937_64& random, const HeProgram& program) -> HeValues {
  const auto half = static_cast<int64_t>(program.modulus / 2);
  std::uniform_int_distribution<int64_t> whole(-half, half);
  std::uniform_real_distribution<double> real(-1, 1);
  HeValues values;
  for (const HeArray& array : program.arrays) {
    if (array.owner != HeOwner::Constant) {
      auto& numbers = values[array.name];
      for (size_t i = 0; i < n_elements(array.extents); ++i) {
        numbers.push_back(program.is_integer() ? static_cast<double>(whole(random))
                                               : array.bound * real(random));
      }
    }
  }
  return values;
}

}  // namespace tacet::engine
