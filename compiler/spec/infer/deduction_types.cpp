#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/deduction.h"

// Nodes and what implements them have one type; visibility and references apart.

namespace tacet::infer {

static auto plain(types::TypeStore& types, types::TypeId type) -> types::TypeId {
  if (types[type].kind == types::TypeKind::Reference) {
    type = types[type].element;
  }
  return types.with_visibility(type, types::Visibility::Public);
}

static auto fit(types::TypeStore& types, types::TypeId has, types::TypeId wants) -> bool {
  has = plain(types, has);
  wants = plain(types, wants);
  return has == wants || has == types::TypeStore::kError || wants == types::TypeStore::kError;
}

/// Parameters and results of other types than the specification's. Then the body says nothing.
void check_head(Deduction& deduction) {
  auto& types = deduction.context.service<types::TypeStore>();
  auto look = [&](const std::vector<hir::Port>& ports, const std::vector<PortQuotient>& quotients,
                  const std::vector<SpecNodeId>& nodes) {
    for (size_t i = 0; i < ports.size() && i < quotients.size(); ++i) {
      const PortQuotient& quotient = quotients[i];
      if (quotient.kind != PortQuotient::Kind::Ordinal || quotient.number >= nodes.size() ||
          fit(types, ports[i].type, deduction.spec.nodes[nodes[quotient.number]].type)) {
        continue;
      }
      Problem problem;
      problem.kind = Problem::Kind::OtherType;
      problem.type = ports[i].type;
      problem.wanted = nodes[quotient.number];
      problem.node = quotient.node;
      deduction.result.problems.push_back(std::move(problem));
    }
  };
  look(deduction.interface.parameters, deduction.interface.parameter_quotients,
       deduction.spec.inputs);
  look(deduction.interface.results, deduction.interface.result_quotients, deduction.spec.outputs);
}

void check_types(Deduction& deduction) {
  auto& types = deduction.context.service<types::TypeStore>();
  for (uint32_t i = 0; i < deduction.operands.size(); ++i) {
    const Operand& data = deduction.operands[OperandId{i}];
    if (!data.node.has_value() || !data.value.has_value()) {
      continue;
    }
    const types::TypeId has = deduction.function.values[data.value].type;
    if (fit(types, has, deduction.spec.nodes[data.node].type)) {
      continue;
    }
    Problem problem;
    problem.kind = Problem::Kind::OtherType;
    problem.type = has;
    problem.wanted = data.node;
    problem.node = deduction.function.values[data.value].node;
    deduction.result.problems.push_back(std::move(problem));
    return;  // what is computed from it differs too
  }
}

}  // namespace tacet::infer
