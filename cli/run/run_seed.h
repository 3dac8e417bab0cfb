#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// The key of a run's random numbers: what `--seed` says, or one that is drawn on first use and
/// printed, so that the run can be repeated.
class RunSeed {
 public:
  explicit RunSeed(Invocation& invocation) : invocation_(invocation) {}

  /// Takes the text of `--seed`, which may be empty. False if it is no key, which is reported.
  auto take(const std::string& given) -> bool;
  auto key() -> engine::PublicRandomKey;
  /// The key if there are draws; else nobody needs one.
  auto key_if(bool draws) -> engine::PublicRandomKey {
    return draws ? key() : engine::PublicRandomKey{};
  }
  /// Takes a key that others drew, and prints it.
  void show(const engine::PublicRandomKey& key);
  /// Its digits; empty if nothing was random.
  [[nodiscard]] auto text() const -> std::string;

 private:
  Invocation& invocation_;
  std::optional<engine::PublicRandomKey> key_;
  bool is_used_ = false;
};

}  // namespace tacet::cli
