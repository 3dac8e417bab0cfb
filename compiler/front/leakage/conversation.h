#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/front/hir/hir.h"

/// Private to this folder.
namespace tacet::leakage {

/// What a function says to devices that must not see everything (`he`, `mpc`), as they see it:
/// which encoders are begun, what is copied, called, submitted and awaited, and by calls of
/// functions that do so; not the values.
class Conversation {
 public:
  /// Does a coordinator function speak with such devices?
  using Speaks = std::function<bool(names::ItemId)>;
  /// Of an extern or device function.
  using DeviceOf = std::function<names::Device(names::ItemId)>;

  /// `function` must outlive it. O(function).
  Conversation(const hir::Function& function, const Speaks& speaks, const DeviceOf& device_of);

  /// The device of an encoder or future; none where it came from a caller and nothing says it.
  [[nodiscard]] auto device(hir::ValueId handle) const -> std::optional<names::Device>;
  /// Whether what is said over `handle` crosses the boundary. If the device is not known, it does.
  [[nodiscard]] auto is_private(hir::ValueId handle) const -> bool;
  [[nodiscard]] auto is_visible() const -> bool { return is_visible_; }
  /// Do devices see the same on both sides of the branch that ends `block`?
  [[nodiscard]] auto is_same_on_both_sides(hir::BlockId block) const -> bool;

 private:
  void find_devices(const DeviceOf& device_of);
  void find_device_of(hir::ValueId handle, names::Device device);
  void find_stops();
  void find_traces(const Speaks& speaks);
  auto event(const hir::Instruction& instruction, const Speaks& speaks) -> std::optional<uint64_t>;
  auto name_of(hir::ValueId handle) const -> uint64_t;

  const hir::Function& function_;
  std::vector<std::optional<names::Device>> by_place_, by_value_;
  std::vector<hir::BlockId> stops_;  ///< by block: where the paths around it join
  /// By block: what is said from there to its stop, as a hash.
  std::vector<uint64_t> traces_;
  bool is_visible_ = false;
};

}  // namespace tacet::leakage
