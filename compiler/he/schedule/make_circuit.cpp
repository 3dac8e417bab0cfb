#include "compiler/he/schedule/make_circuit.h"

#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/write_program.h"

namespace tacet::schedule {

auto make_circuit(const array::Program& program, const Schedule& schedule)
    -> Result<circuit::Circuit> {
  if (Status status = check(program, schedule); !status) {
    return status.error();
  }
  Result<WrittenProgram> written = write_program(program, schedule);
  if (!written) {
    return written.error();
  }
  return std::move(written->circuit);
}

}  // namespace tacet::schedule
