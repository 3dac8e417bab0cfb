#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

/// All four are `less`, of operands in one order or the other, or its complement. Fixed point is
/// compared as the integers that it is held as.
auto compare(Context& context, Operation operation) -> Task<Value> {
  using engine::MpcOpcode;
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const engine::ElementType element = operation.operands[0].element();
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const bool swaps = op == MpcOpcode::Gt || op == MpcOpcode::Leq;
  const bool negates = op == MpcOpcode::Leq || op == MpcOpcode::Geq;
  Share left = as_share(context, repeated(context, operation.operands[swaps ? 1 : 0], n),
                        context.ring_of(element));
  Share right = as_share(context, repeated(context, operation.operands[swaps ? 0 : 1], n),
                         context.ring_of(element));
  Bits result =
      co_await less(context.party, std::move(left), std::move(right), integer_type_of(element));
  if (negates) {
    result = context.protocol().complement(context.party, result);
  }
  Value value = secret_value(std::move(result));
  value.type.element = engine::kBool;
  co_return value;
}

auto test_equal(Context& context, Operation operation) -> Task<Value> {
  const bool negates = operation.instruction->op == engine::MpcOpcode::Neq;
  const Party::Scope scope = context.party.scope(negates ? "neq" : "eq");
  const engine::ElementType element = operation.operands[0].element();
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const Value x = repeated(context, operation.operands[0], n);
  const Value y = repeated(context, operation.operands[1], n);
  const Protocol& protocol = context.protocol();
  Bits result;
  if (x.is_bool()) {
    result =
        protocol.complement(context.party, exclusive_or(as_bits(context, x), as_bits(context, y)));
  } else {
    Share left = as_share(context, x, context.ring_of(element));
    Share right = as_share(context, y, context.ring_of(element));
    result = co_await equal(context.party, std::move(left), std::move(right),
                            engine::bit_width(element.kind));
  }
  if (negates) {
    result = protocol.complement(context.party, result);
  }
  Value value = secret_value(std::move(result));
  value.type.element = engine::kBool;
  co_return value;
}

}  // namespace tacet::mpc
