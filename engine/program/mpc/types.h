#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/program/common/element_type.h"

/// The types of the MPC machine: a value is (visibility, dtype, shape).
namespace tacet::engine {

/// Who may see a value. Ordered: a public value is accepted where a secret one is expected.
enum class MpcVisibility : uint8_t { Public, Secret };

/// The stricter of two visibilities: one secret operand makes a secret result.
constexpr auto narrow(MpcVisibility a, MpcVisibility b) -> MpcVisibility {
  return a < b ? b : a;
}

/// A scalar if it has no extents, else an array, outermost dimension first.
struct MpcType {
  MpcVisibility visibility = MpcVisibility::Public;
  ElementType element{};
  std::vector<int64_t> extents{};

  [[nodiscard]] auto is_secret() const -> bool { return visibility == MpcVisibility::Secret; }

  friend auto operator==(const MpcType&, const MpcType&) -> bool = default;
};

/// The number of elements; 1 of a scalar. The extents must be within `MpcLimits`.
auto n_elements(const MpcType& type) -> int64_t;

/// The bits of the ring that the machine holds secret numbers of a type in: 32 for integers of up
/// to 32 bits, else 64; those of fixed point are the program's.
auto ring_bits_of(ElementType element, unsigned of_fixed_point = 64) -> unsigned;

/// `secret i64[4, 2]`.
auto type_text(const MpcType& type) -> std::string;

/// What is known of a type while an instruction is dispatched. Going down, each layer uses a part
/// of it; a kernel's result has as much of it as the kernel knows, and going up, each layer fills
/// in its own part.
struct MpcPartialType {
  std::optional<MpcVisibility> visibility{};
  std::optional<ElementType> element{};
  std::optional<std::vector<int64_t>> extents{};

  [[nodiscard]] auto is_complete() const -> bool { return visibility && element && extents; }
  /// All that is known of it is so of `type`.
  [[nodiscard]] auto agrees_with(const MpcType& type) const -> bool;
};

/// `type(SECRET, $UNKNOWN, [4])`, as traces have it.
auto type_text(const MpcPartialType& type) -> std::string;

}  // namespace tacet::engine
