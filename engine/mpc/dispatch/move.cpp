#include <algorithm>

#include "base/check.h"
#include "engine/mpc/dispatch/dispatch.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc {

using engine::Cell;
using engine::MpcCells;

namespace {

/// The elements at places; place n, behind the last element, is 0.
auto gathered(Context& context, const Value& x, const std::vector<uint32_t>& places,
              bool needs_zero) -> Value {
  const uint8_t n_parts = context.protocol().n_parts();
  const Memory& memory = context.party.memory();
  if (x.secret->bits) {
    Bits all = *x.secret->bits;
    if (needs_zero) {
      const Bits parts[] = {all, zero_bits(n_parts, 1, 1, memory)};
      all = concatenate(parts);
    }
    return secret_value(gather(all, places));
  }
  Share all = *x.secret->share;
  if (needs_zero) {
    const Share parts[] = {all, zero_share(n_parts, all.ring(), 1, memory)};
    all = concatenate(parts);
  }
  return secret_value(gather(all, places));
}

auto picked(Context& context, const Operation& operation) -> Value {
  const size_t n = operation.operands[0].size();
  std::vector<uint32_t> places;
  for (const Cell cell : *operation.operands[1].cells) {
    places.push_back(static_cast<uint32_t>(std::min<Cell>(cell, n)));
  }
  return gathered(context, operation.operands[0], places, true);
}

/// One behind the other, as secrets of one kind.
auto joined(Context& context, const std::vector<Value>& values) -> Value {
  const engine::ElementType element = values.front().element();
  if (element == engine::kBool) {
    std::vector<Bits> bits;
    for (const Value& value : values) {
      bits.push_back(as_bits(context, value));
    }
    return secret_value(concatenate(bits));
  }
  std::vector<Share> shares;
  for (const Value& value : values) {
    shares.push_back(as_share(context, value, context.ring_of(element)));
  }
  return secret_value(concatenate(shares));
}

/// Of the array and the values behind it each place takes one.
auto placed(Context& context, const Operation& operation) -> Value {
  const size_t n = operation.operands[0].size();
  const MpcCells& places = *operation.operands[1].cells;
  std::vector<uint32_t> from(n);
  for (size_t i = 0; i < n; ++i) {
    from[i] = static_cast<uint32_t>(i);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < n) {
      from[places[i]] = static_cast<uint32_t>(n + i);
    } else if (places[i] != ~Cell{0} && context.fault == engine::MpcRunFault::None) {
      context.fault = engine::MpcRunFault::PlaceOutside;
    }
  }
  return gathered(context, joined(context, {operation.operands[0], operation.operands[2]}), from,
                  false);
}

/// Sums at each place: linear, so each party does it with its parts.
auto added_at(Context& context, const Operation& operation) -> Value {
  const Ring ring = context.ring_of(operation.type.element);
  const MpcCells& places = *operation.operands[1].cells;
  const size_t n = operation.operands[0].size();
  for (const Cell place : places) {
    if (place >= n && place != ~Cell{0} && context.fault == engine::MpcRunFault::None) {
      context.fault = engine::MpcRunFault::PlaceOutside;
    }
  }
  const Share x = as_share(context, operation.operands[0], ring);
  const Share values = as_share(context, operation.operands[2], ring);
  return secret_value(map_parts(x, values, [&](const RingArray& array, const RingArray& given) {
    RingArray sums = array;
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      const std::span<T> out = sums.edit<T>();
      const std::span<const T> in = given.words<T>();
      for (size_t i = 0; i < places.size(); ++i) {
        if (places[i] < n) {
          out[places[i]] = static_cast<T>(out[places[i]] + in[i]);
        }
      }
    });
    return sums;
  }));
}

}  // namespace

/// Everybody knows the places: nothing is sent.
auto move(Context& context, Operation operation) -> Value {
  const engine::ElementType element = operation.operands[0].element();
  Value result;
  switch (engine::movement_kind_of(operation.instruction->op)) {
    case engine::MpcMovementKind::View:
      result = gathered(context, operation.operands[0],
                        engine::places_of_view(*operation.instruction, operation.type), false);
      break;
    case engine::MpcMovementKind::Pick:
      result = picked(context, operation);
      break;
    case engine::MpcMovementKind::Place:
      result = placed(context, operation);
      break;
    case engine::MpcMovementKind::PlaceAdd:
      result = added_at(context, operation);
      break;
    case engine::MpcMovementKind::Concat:
      result = joined(context, operation.operands);
      break;
    case engine::MpcMovementKind::None:
      TACET_CHECK(false, "not an instruction of movement");
  }
  result.type.element = element;
  return result;
}

}  // namespace tacet::mpc
