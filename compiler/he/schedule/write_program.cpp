#include "compiler/he/schedule/write_program.h"

#include <algorithm>
#include <cmath>

#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/statement_circuit.h"

namespace tacet::schedule {

static auto known_array(const array::Array& array, SharedVector<double> numbers)
    -> engine::HeArray {
  engine::HeArray result;
  result.name = array.name;
  result.extents = array.extents;
  result.owner = array.owner == array::Owner::Client   ? engine::HeOwner::Client
                 : array.owner == array::Owner::Server ? engine::HeOwner::Server
                                                       : engine::HeOwner::Constant;
  result.values = std::move(numbers);
  return result;
}

auto numbers_of(const array::Program& program) -> Numbers {
  Numbers result;
  for (const array::Array& array : program.arrays.values()) {
    const double unit = array::real_of(1, array.fraction_bits);
    std::vector<double> numbers;
    numbers.reserve(array.elements.size());
    for (const int64_t element : array.elements) {
      numbers.push_back(static_cast<double>(element) * unit);
    }
    result.emplace_back(std::move(numbers));
  }
  return result;
}

/// Of reals: the largest that an input may have.
static auto bound_of(const array::Array& array) -> double {
  const array::Interval range = array.range.value_or(array::Interval{});
  const double bound = std::max(std::abs(array::real_of(range.low, array.fraction_bits)),
                                std::abs(array::real_of(range.high, array.fraction_bits)));
  return bound > 0 ? bound : 1;
}

auto write_program(const array::Program& program, const Schedule& schedule)
    -> Result<WrittenProgram> {
  return write_program(program, numbers_of(program), schedule);
}

static auto empty_circuit(const array::Program& program, const Numbers& numbers, uint32_t n_columns)
    -> circuit::Circuit {
  circuit::Circuit circuit;
  circuit.n_rows = is_real(program) ? 1 : 2;
  circuit.n_columns = n_columns;
  for (size_t i = 0; i < program.arrays.size(); ++i) {
    const array::Array& array = program.arrays.values()[i];
    if (array.owner != array::Owner::Computed) {
      circuit.arrays.push_back(known_array(array, numbers[i]));
      if (is_real(program) && is_input(array.owner)) {
        circuit.arrays.back().bound = bound_of(array);
      }
    }
  }
  return circuit;
}

auto empty_circuit(const array::Program& program, uint32_t n_columns) -> circuit::Circuit {
  return empty_circuit(program, numbers_of(program), n_columns);
}

auto write_program(const array::Program& program, const Numbers& numbers, const Schedule& schedule)
    -> Result<WrittenProgram> {
  WrittenProgram result;
  result.circuit = empty_circuit(program, numbers, schedule.n_columns);
  std::vector<uint32_t> statement_of(program.arrays.size(), 0);
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    statement_of[program.statements[i].result.index] = i;
  }
  CircuitWriter writer(result.circuit);
  for (uint32_t i = 0; i < schedule.statements.size(); ++i) {
    Status status = check_statement(program, i, schedule.statements[i], schedule.n_columns);
    if (!status) {
      return status.error();
    }
    Frame frame = make_frame(program, program.statements[i], schedule.statements[i],
                             schedule.n_columns, writer);
    Result<StatementCircuit> written = write_statement(frame, result.left, statement_of, writer);
    if (!written) {
      return written.error();
    }
    written->left.statement = writer.statement(std::move(written->statement));
    if (i + 1 == schedule.statements.size()) {
      written->output.statement = written->left.statement;
      result.circuit.outputs.push_back(std::move(written->output));
    }
    result.left.push_back(std::move(written->left));
  }
  return result;
}

}  // namespace tacet::schedule
