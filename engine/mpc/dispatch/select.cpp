#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

namespace {

/// x - y where one or both are secret, or both public.
auto difference(Context& context, const Value& x, const Value& y, Ring ring) -> Value {
  if (!x.is_secret() && !y.is_secret()) {
    Value result;
    engine::MpcCells cells(x.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i] = (*x.cells)[i] - (*y.cells)[i];
    }
    result.cells = std::make_shared<const engine::MpcCells>(std::move(cells));
    return result;
  }
  return secret_value(subtract(as_share(context, x, ring), as_share(context, y, ring)));
}

/// The condition as a number times (x - y), plus y. Public operands make the product local.
auto rselect(Context& context, Value condition, Value x, Value y, Ring ring) -> Task<Value> {
  const Value change = difference(context, x, y, ring);
  Share product;
  if (!condition.is_secret()) {
    product = multiply_public(*change.secret->share, as_words(context, condition, ring));
  } else {
    const size_t n = condition.size();
    Share bit = co_await number_of(context, condition, ring);
    bit = n == x.size() ? bit : repeat_each(bit, x.size());
    if (change.is_secret()) {
      product = co_await multiply(context.party, std::move(bit), *change.secret->share);
    } else {
      product = multiply_public(bit, as_words(context, change, ring));
    }
  }
  co_return secret_value(add(product, as_share(context, y, ring)));
}

auto bselect(Context& context, Value condition, Value x, Value y) -> Task<Value> {
  Bits when = as_bits(context, repeated(context, condition, x.size()));
  Bits left = as_bits(context, x);
  Bits right = as_bits(context, y);
  if (!condition.is_secret()) {
    const Bits change = conjunction_public(
        exclusive_or(left, right),
        planes_of(*repeated(context, condition, x.size()).cells, context.party.memory()));
    co_return secret_value(exclusive_or(change, right));
  }
  co_return secret_value(
      co_await select_bits(context.party, std::move(when), std::move(left), std::move(right)));
}

}  // namespace

auto choose(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("select");
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const engine::ElementType element = operation.operands[1].element();
  const Value condition = operation.operands[0];
  Value x = repeated(context, operation.operands[1], n);
  Value y = repeated(context, operation.operands[2], n);
  Value result;
  if (element == engine::kBool) {
    result = co_await bselect(context, condition, std::move(x), std::move(y));
  } else {
    // A public condition goes with every element, a secret one is repeated as the number it is.
    const Value when = condition.is_secret() ? condition : repeated(context, condition, n);
    result = co_await rselect(context, when, std::move(x), std::move(y), context.ring_of(element));
  }
  result.type.element = element;
  co_return result;
}

auto extremum(Context& context, Operation operation) -> Task<Value> {
  using engine::MpcOpcode;
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const engine::ElementType element = operation.operands[0].element();
  const IntegerType type = integer_type_of(element);
  Share x =
      as_share(context, repeated(context, operation.operands[0], n), context.ring_of(element));
  Value result;
  if (op == MpcOpcode::Abs) {
    if (type.signedness == Signedness::Signed) {
      x = co_await absolute(context.party, std::move(x), type.width);
    }
    result = secret_value(std::move(x));
  } else {
    Share y =
        as_share(context, repeated(context, operation.operands[1], n), context.ring_of(element));
    if (op == MpcOpcode::Min) {
      result = secret_value(co_await minimum(context.party, std::move(x), std::move(y), type));
    } else {
      result = secret_value(co_await maximum(context.party, std::move(x), std::move(y), type));
    }
  }
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
