#pragma once

#include <cstdint>
#include <vector>

#include "engine/mpc_model/cost.h"

/// The checks of products of `aby3-active`: when there are some, and what they take, as
/// engine/mpc/aby3_active/check.cpp goes.
namespace tacet::mpc_model {

/// Products that were recorded and that no check has taken.
class UncheckedProducts {
 public:
  void add(const Recorded& recorded);

  /// Whether they are so many that they are checked before anything is opened.
  [[nodiscard]] auto are_many() const -> bool;
  /// How often something was ever recorded.
  [[nodiscard]] auto n_recorded() const -> uint64_t { return n_recorded_; }

  /// Takes out all, which are checked in some runs in sequence: rounds and bytes of them.
  auto check() -> Cost;

 private:
  auto check_some() -> Cost;

  std::vector<Recorded> dots_;
  std::vector<Recorded> matrices_;
  std::vector<Recorded> conjunctions_;
  uint64_t n_words_ = 0;
  uint64_t n_recorded_ = 0;
};

}  // namespace tacet::mpc_model
