#include "engine/mpc/machine/bring_and_show.h"

#include "engine/mpc/dispatch/dispatch.h"

namespace tacet::mpc {

using engine::MpcInstruction;
using engine::MpcOpcode;

auto bring_value(Context& context, engine::MpcType type, Rank owner,
                 std::optional<engine::MpcCells> cells) -> Task<Value> {
  if (!type.is_secret()) {
    co_return public_value(type, std::move(*cells));
  }
  const auto n = static_cast<size_t>(engine::n_elements(type));
  const bool is_mine = owner == context.party.rank();
  const Memory& memory = context.party.memory();
  Value value;
  if (type.element == engine::kBool) {
    BitPlanes planes = is_mine ? planes_of(*cells, memory) : BitPlanes();
    value = secret_value(
        co_await context.protocol().share_bits(context.party, owner, std::move(planes), 1, n));
  } else {
    const Ring ring = context.ring_of(type.element);
    RingArray words = is_mine ? words_of(*cells, ring, memory) : RingArray();
    value = secret_value(
        co_await context.protocol().share(context.party, owner, std::move(words), ring, n));
  }
  value.type = {type.visibility, type.element, type.extents};
  co_return value;
}

auto show_value(Context& context, Value value, std::optional<Rank> receiver) -> Task<Value> {
  if (!value.is_secret()) {
    co_return value;
  }
  const MpcInstruction instruction{.op = MpcOpcode::Reveal};
  Operation operation{.instruction = &instruction,
                      .operands = {value},
                      .type = {engine::MpcVisibility::Public, value.element(), value.extents()},
                      .receiver = receiver};
  co_return co_await dispatch(context, std::move(operation));
}

auto value_as(Context& context, Value value, engine::MpcType type) -> Task<Value> {
  if (value.is_secret() == type.is_secret()) {
    co_return value;
  }
  const MpcInstruction instruction{.op = MpcOpcode::Copy};
  Operation operation{
      .instruction = &instruction, .operands = {std::move(value)}, .type = std::move(type)};
  co_return co_await dispatch(context, std::move(operation));
}

}  // namespace tacet::mpc
