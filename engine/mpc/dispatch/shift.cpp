#include <algorithm>

#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

using engine::MpcOpcode;

/// By one public distance for all elements, or by a distance for each, which is then treated as a
/// secret. `>>` repeats the top bit of signed numbers, `>>>` of all.
auto shift(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const engine::ElementType element = operation.operands[0].element();
  const Ring ring = context.ring_of(element);
  IntegerType type = integer_type_of(element);
  if (op == MpcOpcode::Ashr) {
    type.signedness = Signedness::Signed;
  }
  Share x = as_share(context, repeated(context, operation.operands[0], n), ring);
  const Value& by = operation.operands[1];
  Value result;
  if (!by.is_secret()) {
    const engine::MpcCells& cells = *by.cells;
    const auto is_wrong = [&](engine::Cell cell) { return cell >= type.width; };
    if (std::any_of(cells.begin(), cells.end(), is_wrong)) {
      if (context.fault == engine::MpcRunFault::None) {
        context.fault = engine::MpcRunFault::ShiftOutOfRange;
      }
      result = secret_value(std::move(x));
      result.type.element = element;
      co_return result;
    }
  }
  const bool is_one =
      !by.is_secret() && std::all_of(by.cells->begin(), by.cells->end(),
                                     [&](engine::Cell cell) { return cell == by.cells->front(); });
  if (is_one) {
    const auto distance = static_cast<unsigned>(by.cells->front());
    if (op == MpcOpcode::Shl) {
      result = secret_value(shift_left(x, distance));
    } else if (distance == 0) {
      result = secret_value(std::move(x));
    } else {
      result = secret_value(co_await shift_right(context.party, std::move(x), distance, type));
    }
  } else {
    Share distance = as_share(context, repeated(context, by, n), ring);
    if (op == MpcOpcode::Shl) {
      result = secret_value(
          co_await shift_left_secret(context.party, std::move(x), std::move(distance), type));
    } else {
      result = secret_value(
          co_await shift_right_secret(context.party, std::move(x), std::move(distance), type));
    }
  }
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
