#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/secure_random/secure_random.h"

/// Generators that give the same secrets in every run, so that tests can be repeated. This header
/// is not installed, tools/layers.toml lets tests and benchmarks alone include it, and a program
/// that does not call it does not contain it: no setting of a finished program can turn it on.
namespace tacet::secure_random {

/// All the entropy that a seeded generator ever gets.
struct TestSeed {
  std::array<std::byte, 48> entropy{};

  /// The seed of a small number.
  static auto of(uint64_t number) -> TestSeed;
};

/// A generator whose output is a function of `seed`. It is never seeded anew.
auto seeded_random(const TestSeed& seed, Isa isa) -> SecureRandom;

}  // namespace tacet::secure_random
