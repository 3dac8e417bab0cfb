#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/mpc/bits.h"
#include "engine/mpc/dispatch/later.h"
#include "engine/mpc/share.h"
#include "engine/program/mpc/clear.h"

/// Values of the machine: (visibility, dtype, shape) and what a party holds of them.
namespace tacet::mpc {

/// What a party holds of a secret. Truth values are bits, all else is arithmetic; the number that a
/// truth value is, is computed when it is first needed and kept.
struct Secret {
  std::optional<Share> share{};
  std::optional<Bits> bits{};
  /// Of bits, modulo 2^32, 2^64, 2^128; null if nobody asked.
  std::array<std::unique_ptr<Later<Share>>, 3> numbers{};

  auto number(Ring ring) -> std::unique_ptr<Later<Share>>& {
    return numbers[static_cast<size_t>(ring)];
  }
};

/// Copies share their contents. The type is partial while the value passes up through the layers of
/// dispatch.
struct Value {
  engine::MpcPartialType type{};
  std::shared_ptr<const engine::MpcCells> cells{};  ///< of a public value
  std::shared_ptr<Secret> secret{};                 ///< of a secret

  [[nodiscard]] auto is_secret() const -> bool { return secret != nullptr; }
  [[nodiscard]] auto element() const -> engine::ElementType { return *type.element; }
  [[nodiscard]] auto extents() const -> const std::vector<int64_t>& { return *type.extents; }
  [[nodiscard]] auto is_bool() const -> bool {
    return type.element && type.element->kind == engine::ElementKind::Bool;
  }
  [[nodiscard]] auto is_fixed() const -> bool {
    return type.element && type.element->kind == engine::ElementKind::Fxp;
  }
  [[nodiscard]] auto size() const -> size_t;
};

/// What a kernel gives: the visibility is all that it knows.
auto secret_value(Share share) -> Value;
auto secret_value(Bits bits) -> Value;
auto public_value(engine::MpcType type, engine::MpcCells cells) -> Value;

}  // namespace tacet::mpc
