#pragma once

#include <span>

#include "engine/mpc/dispatch/value.h"
#include "engine/mpc/party.h"
#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// What secret draws are functions of, besides their places (`secret_draws.h`).
struct DrawKeys {
  std::vector<secure_random::AesKey> parts{};  ///< by part of a share
  Rank n_parts_of_secret = 1;                  ///< over all parties

  DrawKeys() = default;
  DrawKeys(const DrawKeys&) = delete;
  auto operator=(const DrawKeys&) -> DrawKeys& = delete;
  DrawKeys(DrawKeys&&) = default;
  auto operator=(DrawKeys&&) -> DrawKeys& = default;
  ~DrawKeys();
};

/// What every operator is dispatched in.
struct Context {
  Party& party;
  Truncation truncation = Truncation::Exact;
  /// What public draws are functions of, up to the call that the program is run by; and that call.
  engine::RngState place{engine::PublicRandomKey()};
  engine::DynamicRngState call{};
  /// There, if the program draws secrets.
  const DrawKeys* draw_keys = nullptr;
  Ring fixed_ring = Ring::Z64;  ///< what fixed point is held in
  /// What went wrong with public values, if anything did: the same for all parties.
  engine::MpcRunFault fault = engine::MpcRunFault::None;

  auto protocol() const -> Protocol& { return party.protocol(); }
  /// The ring that numbers of a type are held in.
  [[nodiscard]] auto ring_of(engine::ElementType element) const -> Ring {
    const unsigned bits = engine::ring_bits_of(element, n_bits(fixed_ring));
    return bits == 32 ? Ring::Z32 : bits == 64 ? Ring::Z64 : Ring::Z128;
  }
};

/// One instruction with what it works on.
struct Operation {
  const engine::MpcInstruction* instruction = nullptr;
  std::vector<Value> operands{};
  engine::MpcType type{};  ///< of the result, as the program says
  /// Who alone learns what is revealed; nothing: all.
  std::optional<Rank> receiver{};

  [[nodiscard]] auto number(size_t i) const -> int64_t { return instruction->numbers[i]; }
};

/// Words of public cells in a ring.
auto words_of(const engine::MpcCells& cells, Ring ring, const Memory& memory) -> RingArray;
auto cells_of(const RingArray& words, engine::ElementType element) -> engine::MpcCells;
auto planes_of(const engine::MpcCells& cells, const Memory& memory) -> BitPlanes;
auto cells_of(const BitPlanes& planes) -> engine::MpcCells;

/// The value as a secret, whichever party knows it. Local.
auto as_share(const Context& context, const Value& value, Ring ring) -> Share;
auto as_bits(const Context& context, const Value& value) -> Bits;
/// Its words in a ring, if it is public.
auto as_words(const Context& context, const Value& value, Ring ring) -> RingArray;

/// With as many elements as `n`: a scalar is repeated.
auto repeated(const Context& context, const Value& value, size_t n) -> Value;

/// A condition as 0 or 1: once for all who ask.
auto number_of(Context& context, Value condition, Ring ring) -> Task<Share>;

}  // namespace tacet::mpc
