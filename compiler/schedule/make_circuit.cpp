#include "compiler/schedule/make_circuit.h"

#include "compiler/schedule/check.h"
#include "compiler/schedule/statement_circuit.h"

namespace tacet::schedule {

static auto input_array(const array::Array& array) -> engine::HeArray {
  engine::HeArray result;
  result.name = array.name;
  result.extents = array.extents;
  result.owner =
      array.owner == array::Owner::Client ? engine::HeOwner::Client : engine::HeOwner::Server;
  return result;
}

auto make_circuit(const array::Program& program, const Schedule& schedule)
    -> Result<circuit::Circuit> {
  if (Status status = check(program, schedule); !status) {
    return status.error();
  }
  circuit::Circuit circuit;
  circuit.n_columns = schedule.n_columns;
  for (const array::Array& array : program.arrays.values()) {
    if (array.owner != array::Owner::Computed) {
      circuit.arrays.push_back(input_array(array));
    }
  }
  std::vector<uint32_t> statement_of(program.arrays.size(), 0);
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    statement_of[program.statements[i].result.index] = i;
  }
  CircuitWriter writer(circuit);
  std::vector<Left> left;
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    Frame frame = make_frame(program, program.statements[i], schedule.statements[i],
                             schedule.n_columns, writer);
    Result<StatementCircuit> written = write_statement(frame, left, statement_of, writer);
    if (!written) {
      return written.error();
    }
    circuit.statements.push_back(written->statement);
    left.push_back(std::move(written->left));
    if (i + 1 == program.statements.size()) {
      written->output.statement = i;
      circuit.outputs.push_back(std::move(written->output));
    }
  }
  return circuit;
}

}  // namespace tacet::schedule
