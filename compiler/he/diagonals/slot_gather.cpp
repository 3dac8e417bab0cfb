#include "compiler/he/diagonals/slot_gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/he/schedule/gather_variables.h"

namespace tacet::diagonals {

using engine::HeAffine;

SlotGather::SlotGather(std::vector<GatherLoop> loops, std::vector<engine::HeDimension> columns)
    : loops_(std::move(loops)), columns_(std::move(columns)) {}

static auto variable_of(size_t variable) -> HeAffine {
  return {.constant = 0, .terms = {{static_cast<uint32_t>(variable), 1}}};
}

auto SlotGather::of_loop(size_t loop) const -> HeAffine {
  return variable_of(loop);
}

auto SlotGather::of_column(size_t column) const -> HeAffine {
  return variable_of(loops_.size() + 1 + column);
}

auto SlotGather::digit(HeAffine value, int64_t divisor, int64_t modulus) -> HeAffine {
  if (divisor == 1 && modulus == 0) {
    return value;
  }
  digits_.push_back({.name = fmt::format("d{}", digits_.size()),
                     .value = std::move(value),
                     .divisor = divisor,
                     .modulus = modulus});
  return variable_of(loops_.size() + columns_.size() + digits_.size());
}

auto SlotGather::indices_of(const HeAffine& number, const std::vector<int64_t>& extents)
    -> std::vector<HeAffine> {
  std::vector<HeAffine> indices(extents.size());
  int64_t stride = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    if (d == 0 || extents[d] > 1) {
      indices[d] = digit(number, stride, d == 0 ? 0 : extents[d]);
    }
    stride *= extents[d];
  }
  return indices;
}

auto SlotGather::value_of(const Affine& affine) const -> HeAffine {
  HeAffine result{.constant = affine.constant, .terms = {}};
  for (const auto& [variable, factor] : affine.factors) {
    schedule::add(result, values_.at(variable), factor);
  }
  return result;
}

void SlotGather::guard(HeAffine value, int64_t low, int64_t high) {
  engine::HeGuard guard{.value = std::move(value), .low = low, .high = high};
  if (std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) {
    guards_.push_back(std::move(guard));
  }
}

/// Leaves out the digits that nothing else needs, and renumbers the others.
static void prune(engine::HeGather& gather, size_t first_digit) {
  std::vector<bool> is_used(gather.digits.size());
  const auto use = [&](const HeAffine& affine) {
    for (const engine::HeTerm& term : affine.terms) {
      if (term.variable >= first_digit) {
        is_used[term.variable - first_digit] = true;
      }
    }
  };
  for (const engine::HeIndex& index : gather.indices) {
    use(index.value);
  }
  for (const engine::HeGuard& guard : gather.guards) {
    use(guard.value);
  }
  for (size_t i = gather.digits.size(); i-- > 0;) {
    if (is_used[i]) {
      use(gather.digits[i].value);
    }
  }
  std::vector<uint32_t> numbers;
  auto next = static_cast<uint32_t>(first_digit);
  for (const bool used : is_used) {
    numbers.push_back(next);
    next += used ? 1 : 0;
  }
  const auto renumber = [&](HeAffine& affine) {
    for (engine::HeTerm& term : affine.terms) {
      term.variable =
          term.variable >= first_digit ? numbers[term.variable - first_digit] : term.variable;
    }
  };
  std::vector<engine::HeDigit> digits;
  for (size_t i = 0; i < gather.digits.size(); ++i) {
    if (is_used[i]) {
      renumber(gather.digits[i].value);
      gather.digits[i].name = fmt::format("d{}", digits.size());
      digits.push_back(std::move(gather.digits[i]));
    }
  }
  gather.digits = std::move(digits);
  for (engine::HeIndex& index : gather.indices) {
    renumber(index.value);
  }
  for (engine::HeGuard& guard : gather.guards) {
    renumber(guard.value);
  }
}

auto SlotGather::read(engine::HeGather gather, std::string name, bool is_cipher,
                      schedule::CircuitWriter& writer) const -> circuit::NodeId {
  gather.columns = columns_;
  gather.is_repeated = true;
  gather.digits = digits_;
  gather.guards = guards_;
  prune(gather, loops_.size() + 1 + columns_.size());
  circuit::Family family{.name = std::move(name),
                         .dimensions = {},
                         .gathers = {std::move(gather)},
                         .is_cipher = is_cipher};
  std::vector<circuit::LoopFormula> indices;
  for (const GatherLoop& loop : loops_) {
    family.dimensions.push_back({loop.name, loop.extent});
    indices.push_back(circuit::loop_formula(loop.id));
  }
  return writer.input(std::move(family), std::move(indices));
}

auto SlotGather::product(const std::vector<Element>& elements, const ArrayNumbers& numbers,
                         const std::string& name, schedule::CircuitWriter& writer) const
    -> circuit::NodeId {
  if (elements.empty()) {
    engine::HeGather one;
    one.number = 1;
    return read(std::move(one), "mask", false, writer);
  }
  circuit::NodeId result;
  for (const Element& element : elements) {
    engine::HeGather gather;
    gather.array = numbers[element.array.index];
    for (const Affine& index : element.indices) {
      gather.indices.push_back({.value = value_of(index)});
    }
    const circuit::NodeId node = read(std::move(gather), name, false, writer);
    result =
        result.has_value() ? writer.operation(circuit::NodeKind::Multiply, result, node) : node;
  }
  return result;
}

auto SlotGather::cipher(uint32_t array, std::vector<HeAffine> indices, std::string name,
                        schedule::CircuitWriter& writer) const -> circuit::NodeId {
  engine::HeGather gather;
  gather.array = array;
  for (HeAffine& index : indices) {
    gather.indices.push_back({.value = std::move(index)});
  }
  return read(std::move(gather), std::move(name), true, writer);
}

}  // namespace tacet::diagonals
