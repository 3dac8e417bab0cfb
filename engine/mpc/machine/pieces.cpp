#include "engine/mpc/machine/pieces.h"

namespace tacet::mpc {

using engine::ElementType;
using engine::MpcCells;
using engine::MpcType;

namespace {

/// A secret alone keeps no memory of all that it was computed with.
constexpr size_t kFewWords = 64;

auto cell_of(const SlotElements& from) -> engine::Cell {
  return from.value == nullptr ? from.number
                               : (*from.value->cells)[from.first == Slot::kWhole ? 0 : from.first];
}

auto index_of(const SlotElements& from) -> size_t {
  return from.first == Slot::kWhole ? 0 : from.first;
}

auto is_secret(const SlotElements& from) -> bool {
  return from.value != nullptr && from.value->is_secret();
}

/// Writes words of one part of the sources' shares, of which consecutive ones are often of one
/// value.
template <class T>
void write_words(std::span<const ElementSource> sources, size_t part, std::span<T> out) {
  const Value* last = nullptr;
  std::span<const T> words;
  for (const ElementSource& source : sources) {
    if (!is_secret(source.from)) {
      continue;
    }
    if (source.from.value != last) {
      last = source.from.value;
      words = last->secret->share->parts[part].words<T>();
    }
    out[source.to] = words[index_of(source.from)];
  }
}

void write_bits(std::span<const ElementSource> sources, size_t part, std::span<uint64_t> out) {
  const Value* last = nullptr;
  std::span<const uint64_t> words;
  for (const ElementSource& source : sources) {
    if (!is_secret(source.from)) {
      continue;
    }
    if (source.from.value != last) {
      last = source.from.value;
      words = last->secret->bits->parts[part].words();
    }
    const size_t index = index_of(source.from);
    const uint64_t bit = words[index / 64] >> index % 64 & 1;
    uint64_t& word = out[source.to / 64];
    word = (word & ~(uint64_t{1} << source.to % 64)) | bit << source.to % 64;
  }
}

auto assembled_share(const Context& context, const Value* base,
                     std::span<const ElementSource> sources, const MpcType& type) -> Share {
  const Ring ring = context.ring_of(type.element);
  const auto n = static_cast<size_t>(engine::n_elements(type));
  Share share = base != nullptr
                    ? as_share(context, *base, ring)
                    : zero_share(context.protocol().n_parts(), ring, n, context.party.memory());
  for (size_t part = 0; part < share.n_parts; ++part) {
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      write_words<T>(sources, part, share.parts[part].edit<T>());
    });
  }
  return share;
}

auto assembled_bits(const Context& context, const Value* base,
                    std::span<const ElementSource> sources, const MpcType& type) -> Bits {
  const auto n = static_cast<size_t>(engine::n_elements(type));
  Bits bits = base != nullptr
                  ? as_bits(context, *base)
                  : zero_bits(context.protocol().n_parts(), 1, n, context.party.memory());
  for (size_t part = 0; part < bits.n_parts; ++part) {
    write_bits(sources, part, bits.parts[part].edit());
  }
  return bits;
}

/// With sources that are public instead of what was there.
auto with_public(const Context& context, Value value, std::span<const ElementSource> sources,
                 const MpcType& type) -> Value {
  std::vector<engine::Cell> cells;
  std::vector<ElementSource> known;
  for (const ElementSource& source : sources) {
    if (!is_secret(source.from)) {
      known.push_back({.to = source.to, .from = {.first = static_cast<uint32_t>(cells.size())}});
      cells.push_back(cell_of(source.from));
    }
  }
  if (known.empty()) {
    return value;
  }
  const Value all = public_value({.element = type.element}, std::move(cells));
  const Value hidden = type.element == engine::kBool
                           ? secret_value(as_bits(context, all))
                           : secret_value(as_share(context, all, context.ring_of(type.element)));
  for (ElementSource& source : known) {
    source.from.value = &hidden;
  }
  return assembled(context, &value, known, type);
}

/// Where the elements of an operand of all parts are in the row.
auto sources_of(std::span<const RowPart> parts, size_t operand) -> std::vector<ElementSource> {
  std::vector<ElementSource> sources;
  sources.reserve(parts.size());
  uint32_t to = 0;
  for (const RowPart& part : parts) {
    SlotElements from = elements_of(*part.operands[operand]);
    const bool is_one = from.size() == 1;
    for (size_t k = 0; k < part.n; ++k) {
      if (!is_one) {
        from.first = static_cast<uint32_t>(k);
      }
      sources.push_back({.to = to++, .from = from});
    }
  }
  return sources;
}

/// The numbers of all parts' truth values.
auto joined_numbers(const Context& context, std::span<const RowPart> parts, size_t n, Ring ring)
    -> std::unique_ptr<Later<Share>> {
  Share all = zero_share(context.protocol().n_parts(), ring, n, context.party.memory());
  for (size_t i = 0; i < all.n_parts; ++i) {
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      const std::span<T> out = all.parts[i].template edit<T>();
      size_t to = 0;
      for (const RowPart& part : parts) {
        const Share& number = **part.operands[0]->truth_as_number(ring);
        const std::span<const T> words = number.parts[i].template words<T>();
        for (size_t k = 0; k < part.n; ++k) {
          out[to++] = words[words.size() == 1 ? 0 : k];
        }
      }
    });
  }
  auto numbers = std::make_unique<Later<Share>>();
  TaskState nobody;
  numbers->set(nobody, std::move(all));
  return numbers;
}

}  // namespace

auto assembled(const Context& context, const Value* base, std::span<const ElementSource> sources,
               MpcType type) -> Value {
  Value value = type.element == engine::kBool
                    ? secret_value(assembled_bits(context, base, sources, type))
                    : secret_value(assembled_share(context, base, sources, type));
  value.type.element = type.element;
  value = with_public(context, std::move(value), sources, type);
  value.type.extents = std::move(type.extents);
  return value;
}

auto joined(const Context& context, const engine::MpcInstruction& instruction,
            const engine::MpcProgram& program, std::span<const RowPart> parts,
            std::optional<Ring> ring) -> Operation {
  size_t n = 0;
  for (const RowPart& part : parts) {
    n += part.n;
  }
  const auto row_of = [&](engine::MpcRegisterId id) {
    const MpcType& type = program.registers[id].type;
    return MpcType{type.visibility, type.element, {static_cast<int64_t>(n)}};
  };
  Operation all{.instruction = &instruction, .type = row_of(instruction.result)};
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const MpcType type = row_of(instruction.operands[i]);
    const std::vector<ElementSource> sources = sources_of(parts, i);
    if (type.is_secret()) {
      all.operands.push_back(assembled(context, nullptr, sources, type));
    } else {
      MpcCells cells;
      for (const ElementSource& source : sources) {
        cells.push_back(cell_of(source.from));
      }
      all.operands.push_back(public_value(type, std::move(cells)));
    }
  }
  if (ring) {
    all.operands[0].secret->number(*ring) = joined_numbers(context, parts, n, *ring);
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
