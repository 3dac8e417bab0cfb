#include "engine/mpc/machine/pieces.h"

#include <algorithm>

namespace tacet::mpc {

using engine::ElementType;
using engine::MpcCells;
using engine::MpcType;

namespace {

/// A secret alone keeps no memory of all that it was computed with.
constexpr size_t kFewWords = 64;

/// Numbers or truth values, by what the element is.
template <class Body>
auto of_kind(ElementType element, Body&& body) -> Value {
  Value value = element == engine::kBool ? body(std::type_identity<Bits>{})
                                         : body(std::type_identity<Share>{});
  value.type.element = element;
  return value;
}

template <class Held>
auto held(const Context& context, const Value& value, ElementType element) -> Held {
  if constexpr (std::is_same_v<Held, Bits>) {
    return as_bits(context, value);
  } else {
    return as_share(context, value, context.ring_of(element));
  }
}

template <class Held>
auto zeros(const Context& context, ElementType element, size_t n) -> Held {
  const uint8_t n_parts = context.protocol().n_parts();
  if constexpr (std::is_same_v<Held, Bits>) {
    return zero_bits(n_parts, 1, n, context.party.memory());
  } else {
    return zero_share(n_parts, context.ring_of(element), n, context.party.memory());
  }
}

/// Elements of a value; of public ones only those become shares.
template <class Held>
auto taken(const Context& context, const Piece& piece, ElementType element) -> Held {
  if (piece.from.empty() || (piece.from.size() == 1 && piece.value.size() == 1)) {
    return held<Held>(context, piece.value, element);
  }
  if (piece.value.is_secret()) {
    return gather(held<Held>(context, piece.value, element), piece.from);
  }
  MpcCells cells;
  for (const uint32_t at : piece.from) {
    cells.push_back((*piece.value.cells)[at]);
  }
  return held<Held>(context, public_value({.element = element}, std::move(cells)), element);
}

template <class Held>
auto assembled_of(const Context& context, const std::vector<Piece>& pieces, const MpcType& type)
    -> Held {
  const auto n = static_cast<size_t>(engine::n_elements(type));
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> order(n, kNone);
  std::vector<Held> parts;
  uint32_t at = 0;
  for (const Piece& piece : pieces) {
    parts.push_back(taken<Held>(context, piece, type.element));
    for (size_t k = 0; k < parts.back().size(); ++k) {
      order[piece.from.empty() ? k : piece.to[k]] = at++;
    }
  }
  if (std::find(order.begin(), order.end(), kNone) != order.end()) {
    std::replace(order.begin(), order.end(), kNone, at);
    parts.push_back(zeros<Held>(context, type.element, 1));
    ++at;
  }
  bool is_in_order = at == n;
  for (uint32_t i = 0; is_in_order && i < n; ++i) {
    is_in_order = order[i] == i;
  }
  Held all = parts.size() == 1 ? std::move(parts[0]) : concatenate(parts);
  return is_in_order ? all : gather(all, order);
}

/// Each as often as its operation has elements, one behind the other.
auto joined_cells(const std::vector<Operation>& operations, size_t operand) -> MpcCells {
  MpcCells cells;
  for (const Operation& operation : operations) {
    const MpcCells& of = *operation.operands[operand].cells;
    const auto n = static_cast<size_t>(engine::n_elements(operation.type));
    if (of.size() == n) {
      cells.insert(cells.end(), of.begin(), of.end());
    } else {
      cells.insert(cells.end(), n, of.front());
    }
  }
  return cells;
}

template <class Held>
auto joined_secrets(const Context& context, const std::vector<Operation>& operations,
                    size_t operand) -> Value {
  std::vector<Held> all;
  for (const Operation& operation : operations) {
    const Value& value = operation.operands[operand];
    all.push_back(held<Held>(
        context, repeated(context, value, static_cast<size_t>(engine::n_elements(operation.type))),
        value.element()));
  }
  return secret_value(concatenate(all));
}

auto joined_numbers(const std::vector<Operation>& operations, Ring ring)
    -> std::unique_ptr<Later<Share>> {
  std::vector<Share> all;
  for (const Operation& operation : operations) {
    const Share& number = **operation.operands[0].secret->number(ring);
    const auto n = static_cast<size_t>(engine::n_elements(operation.type));
    all.push_back(number.size() == n ? number : repeat_each(number, n));
  }
  auto numbers = std::make_unique<Later<Share>>();
  TaskState nobody;
  numbers->set(nobody, concatenate(all));
  return numbers;
}

}  // namespace

auto assembled(const Context& context, const std::vector<Piece>& pieces, MpcType type) -> Value {
  Value value = of_kind(type.element, [&]<class Held>(std::type_identity<Held>) {
    return secret_value(assembled_of<Held>(context, pieces, type));
  });
  value.type.extents = std::move(type.extents);
  return value;
}

auto joined(const Context& context, const std::vector<Operation>& operations,
            std::optional<Ring> ring) -> Operation {
  Operation all{.instruction = operations[0].instruction, .type = operations[0].type};
  size_t n = 0;
  for (const Operation& operation : operations) {
    n += static_cast<size_t>(engine::n_elements(operation.type));
  }
  const std::vector<int64_t> extents{static_cast<int64_t>(n)};
  all.type.extents = extents;
  for (size_t i = 0; i < operations[0].operands.size(); ++i) {
    const Value& first = operations[0].operands[i];
    const ElementType element = first.element();
    Value value;
    if (!first.is_secret()) {
      value = public_value({.element = element}, joined_cells(operations, i));
    } else {
      value = of_kind(element, [&]<class Held>(std::type_identity<Held>) {
        return joined_secrets<Held>(context, operations, i);
      });
    }
    if (i == 0 && ring) {
      value.secret->number(*ring) = joined_numbers(operations, *ring);
    }
    value.type.extents = extents;
    all.operands.push_back(std::move(value));
  }
  return all;
}

auto part_of(const Value& all, size_t begin, MpcType type) -> Value {
  const auto n = static_cast<size_t>(engine::n_elements(type));
  Value value;
  if (all.secret->bits) {
    value = secret_value(slice(*all.secret->bits, begin, n));
  } else if (n > kFewWords || n == all.size()) {
    value = secret_value(slice(*all.secret->share, begin, n));
  } else {
    std::vector<uint32_t> places(n);
    for (size_t i = 0; i < n; ++i) {
      places[i] = static_cast<uint32_t>(begin + i);
    }
    value = secret_value(gather(*all.secret->share, places));
  }
  value.type.element = type.element;
  value.type.extents = std::move(type.extents);
  return value;
}

}  // namespace tacet::mpc
