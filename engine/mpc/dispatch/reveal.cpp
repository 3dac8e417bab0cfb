#include "engine/mpc/dispatch/dispatch.h"

namespace tacet::mpc {

/// Shows the bits of the type and no others. Parties that are not shown it get zeros.
auto reveal(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("reveal");
  const Value x = operation.operands[0];
  const engine::ElementType element = x.element();
  Protocol& protocol = context.protocol();
  engine::MpcCells cells;
  if (x.is_bool()) {
    const BitPlanes planes =
        co_await protocol.open_bits(context.party, *x.secret->bits, operation.receiver);
    cells = cells_of(planes);
  } else {
    const RingArray words = co_await protocol.open(
        context.party, *x.secret->share, engine::bit_width(element.kind), operation.receiver);
    cells = cells_of(words, element);
  }
  cells.resize(x.size());
  co_return public_value({engine::MpcVisibility::Public, element, x.extents()}, std::move(cells));
}

}  // namespace tacet::mpc
