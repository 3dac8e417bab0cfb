#pragma once

#include <random>
#include <vector>

#include "compiler/run/interpret/interpret.h"

namespace tacet::oracle {

/// Draws values to run something on: small ones, where the cases of a program meet; the ends of
/// the types and what is beside them; and any. The same seed draws the same values.
class Inputs {
 public:
  /// Also the numbers of `landmarks` and those beside them, if there are any.
  explicit Inputs(uint64_t seed, std::vector<int64_t> landmarks = {})
      : random_(seed), landmarks_(std::move(landmarks)) {}

  /// One value for each parameter, inside its bound.
  auto draw(const std::vector<interpret::EntryParameter>& parameters)
      -> std::vector<interpret::Value>;

 private:
  enum class Spread : uint8_t { Small, Edges, All, Landmarks };

  auto element(const interpret::EntryParameter& parameter, Spread spread) -> interpret::Cell;
  auto integer(Spread spread) -> int64_t;

  std::mt19937_64 random_;
  std::vector<int64_t> landmarks_;
};

}  // namespace tacet::oracle
