#pragma once

#include <random>
#include <vector>

#include "compiler/interpret/interpret.h"

namespace tacet::oracle {

/// Draws values to run something on: small ones, where the cases of a program meet; the ends of
/// the types and what is beside them; and any. The same seed draws the same values.
class Inputs {
 public:
  explicit Inputs(uint64_t seed) : random_(seed) {}

  /// One value for each parameter, inside its bound.
  auto draw(const std::vector<interpret::EntryParameter>& parameters)
      -> std::vector<interpret::Value>;

 private:
  enum class Spread : uint8_t { Small, Edges, All };

  auto element(const interpret::EntryParameter& parameter, Spread spread) -> interpret::Cell;
  auto integer(Spread spread) -> int64_t;

  std::mt19937_64 random_;
};

}  // namespace tacet::oracle
