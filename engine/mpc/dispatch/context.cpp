#include "engine/mpc/dispatch/context.h"

#include <algorithm>

#include "engine/mpc/circuits/integers.h"

namespace tacet::mpc {

using engine::Cell;
using engine::MpcCells;

auto words_of(const MpcCells& cells, Ring ring, const Memory& memory) -> RingArray {
  RingArray words(ring, cells.size(), memory);
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> out = words.edit<T>();
    for (size_t i = 0; i < cells.size(); ++i) {
      // Cells are sign-extended.
      out[i] = static_cast<T>(static_cast<int64_t>(cells[i]));
    }
  });
  return words;
}

auto cells_of(const RingArray& words, engine::ElementType element) -> MpcCells {
  MpcCells cells(words.size());
  with_word(words.ring(), [&]<class T>(std::type_identity<T>) {
    const std::span<const T> from = words.words<T>();
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i] = engine::wrapped(element.kind, static_cast<uint64_t>(from[i]));
    }
  });
  return cells;
}

auto planes_of(const MpcCells& cells, const Memory& memory) -> BitPlanes {
  BitPlanes planes = BitPlanes::zeros(1, cells.size(), memory);
  const std::span<uint64_t> words = planes.edit();
  for (size_t i = 0; i < cells.size(); ++i) {
    words[i / 64] |= (cells[i] & 1) << i % 64;
  }
  return planes;
}

auto cells_of(const BitPlanes& planes) -> MpcCells {
  MpcCells cells(planes.size());
  const std::span<const uint64_t> words = planes.plane(0);
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = words[i / 64] >> i % 64 & 1;
  }
  return cells;
}

auto as_words(const Context& context, const Value& value, Ring ring) -> RingArray {
  return words_of(*value.cells, ring, context.party.memory());
}

auto as_share(const Context& context, const Value& value, Ring ring) -> Share {
  if (value.is_secret()) {
    TACET_CHECK(value.secret->share.has_value(), "numbers are held arithmetically");
    return *value.secret->share;
  }
  return context.protocol().public_share(context.party, as_words(context, value, ring));
}

auto as_bits(const Context& context, const Value& value) -> Bits {
  if (value.is_secret()) {
    TACET_CHECK(value.secret->bits.has_value(), "truth values are held as bits");
    return *value.secret->bits;
  }
  return context.protocol().public_bits(context.party,
                                        planes_of(*value.cells, context.party.memory()));
}

auto repeated(const Context&, const Value& value, size_t n) -> Value {
  if (value.size() == n) {
    return value;
  }
  Value result;
  if (!value.is_secret()) {
    result.cells = std::make_shared<const MpcCells>(n, value.cells->front());
  } else if (value.secret->share) {
    result = secret_value(repeat_each(*value.secret->share, n));
  } else {
    result = secret_value(gather(*value.secret->bits, std::vector<uint32_t>(n, 0)));
  }
  result.type = value.type;
  return result;
}

auto number_of(Context& context, Value condition, Ring ring) -> Task<Share> {
  const std::shared_ptr<Secret> secret = condition.secret;
  std::unique_ptr<Later<Share>>& known = secret->number(ring);
  if (known != nullptr) {
    co_return co_await known->get();
  }
  known = std::make_unique<Later<Share>>();
  Share number = co_await to_number(context.party, *secret->bits, ring);
  TaskState* state = co_await CurrentState{};
  known->set(*state, number);
  co_return number;
}

}  // namespace tacet::mpc
