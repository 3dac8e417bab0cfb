#include "compiler/he/schedule/least_depth.h"

#include "compiler/he/schedule/cost.h"
#include "compiler/he/schedule/make_circuit.h"

namespace tacet::schedule {

auto least_depth(const array::Program& program) -> std::optional<int64_t> {
  constexpr uint32_t kAnyColumns = 2048;
  Schedule exploded{kAnyColumns, {}};
  for (const array::Statement& statement : program.statements) {
    exploded.statements.emplace_back();
    for (uint32_t i = 0; i < statement.dims.size(); ++i) {
      exploded.statements.back().exploded.push_back(
          {array::DimId{i}, statement.dims[array::DimId{i}].extent, 1});
    }
  }
  Result<circuit::Circuit> circuit = make_circuit(program, exploded);
  return circuit ? std::optional(count(*circuit).depth) : std::nullopt;
}

}  // namespace tacet::schedule
