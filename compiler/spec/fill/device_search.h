#pragma once

#include "compiler/spec/fill/search.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::fill {

/// The same as `search`, for a hole in a device function: what is written computes the
/// specification together with something for the other holes, as `Checks::verify` says, and reveals
/// nothing. Of bodies that are made from the specification it may be undecided.
auto search_device(Trial& trial, const std::string& text, const Surroundings& around,
                   const Limits& limits) -> Found;

/// Names what a function calls and reveals, so that nothing that is filled in shows more than what
/// was written.
class Reveals {
 public:
  /// Of the function as it is written, holes included.
  Reveals(const program::FrontendSnapshot& snapshot, names::ItemId function);

  /// Whether it reveals intermediate values as it is written.
  [[nodiscard]] auto has_any() const -> bool { return reveals_; }
  /// Whether the function, filled, reveals intermediate values that it did not, or calls a function
  /// that does and that it did not call.
  [[nodiscard]] auto has_more(const program::FrontendSnapshot& snapshot) const -> bool;

 private:
  names::ItemId function_;
  bool is_device_ = false;
  bool reveals_ = false;
  std::vector<names::ItemId> callees_;
};

}  // namespace tacet::fill
