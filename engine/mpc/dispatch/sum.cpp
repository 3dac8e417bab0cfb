#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

/// Sizes in front of, along and behind the dimension that is reduced.
struct Axis {
  size_t outer = 1;
  size_t extent = 1;
  size_t inner = 1;
};

auto axis_of(const Operation& operation) -> Axis {
  const std::vector<int64_t>& extents = operation.operands[0].extents();
  const auto at = static_cast<size_t>(operation.number(0));
  Axis axis;
  for (size_t d = 0; d < extents.size(); ++d) {
    size_t& size = d < at ? axis.outer : d == at ? axis.extent : axis.inner;
    size *= static_cast<size_t>(extents[d]);
  }
  return axis;
}

/// The element at (outer, along, inner) for each place of an order of the three.
auto order_of(const Axis& axis, bool is_last) -> std::vector<uint32_t> {
  std::vector<uint32_t> order;
  order.reserve(axis.outer * axis.extent * axis.inner);
  const auto at = [&](size_t o, size_t k, size_t i) {
    return static_cast<uint32_t>((o * axis.extent + k) * axis.inner + i);
  };
  const size_t n = axis.outer * axis.inner;
  for (size_t a = 0; a < (is_last ? n : axis.extent); ++a) {
    for (size_t b = 0; b < (is_last ? axis.extent : n); ++b) {
      const size_t rest = is_last ? a : b;
      order.push_back(at(rest / axis.inner, is_last ? b : a, rest % axis.inner));
    }
  }
  return order;
}

auto joined_sums(Context& context, MpcOpcode op, engine::ElementType element, Value x, Value y)
    -> Task<Value> {
  const engine::MpcInstruction instruction{.op = op};
  const auto n = static_cast<int64_t>(x.size());
  for (Value* value : {&x, &y}) {
    value->type = {engine::MpcVisibility::Secret, element, std::vector<int64_t>{n}};
  }
  Operation operation{.instruction = &instruction,
                      .operands = {std::move(x), std::move(y)},
                      .type = {engine::MpcVisibility::Secret, element, {n}}};
  co_return co_await dispatch(context, std::move(operation));
}

auto part(const Value& x, size_t begin, size_t n) -> Value {
  if (x.secret->bits) {
    std::vector<uint32_t> places(n);
    for (size_t i = 0; i < n; ++i) {
      places[i] = static_cast<uint32_t>(begin + i);
    }
    return secret_value(gather(*x.secret->bits, places));
  }
  return secret_value(slice(*x.secret->share, begin, n));
}

}  // namespace

/// Local. The dimension is brought to the end.
auto sum(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("sum");
  const Axis axis = axis_of(operation);
  Share x = *operation.operands[0].secret->share;
  if (axis.inner > 1) {
    x = gather(x, order_of(axis, true));
  }
  Value result = secret_value(sum_rows(x, axis.extent));
  result.type.element = operation.type.element;
  co_return result;
}

/// Halves with halves: as many levels as the binary logarithm of the extent.
auto reduce_by_tree(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const engine::ElementType element = operation.operands[0].element();
  const Axis axis = axis_of(operation);
  const size_t row = axis.outer * axis.inner;
  Value x = operation.operands[0];
  if (axis.outer > 1) {
    const std::vector<uint32_t> order = order_of(axis, false);
    x = x.secret->bits ? secret_value(gather(*x.secret->bits, order))
                       : secret_value(gather(*x.secret->share, order));
  }
  for (size_t n = axis.extent; n > 1;) {
    const size_t half = n / 2;
    Value front = part(x, 0, half * row);
    Value back = part(x, half * row, half * row);
    const Value rest = n % 2 == 0 ? Value{} : part(x, 2 * half * row, row);
    x = co_await joined_sums(context, engine::joining_operator(op), element, std::move(front),
                             std::move(back));
    if (n % 2 != 0) {
      if (x.secret->bits) {
        const Bits parts[] = {*x.secret->bits, *rest.secret->bits};
        x = secret_value(concatenate(parts));
      } else {
        const Share parts[] = {*x.secret->share, *rest.secret->share};
        x = secret_value(concatenate(parts));
      }
    }
    n = half + n % 2;
  }
  Value result = x.secret->bits ? secret_value(*x.secret->bits) : secret_value(*x.secret->share);
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
