#pragma once

#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/scan_writer.h"

namespace tacet::oblivious {

/// The last scan of a block over one dimension of an array, which later accesses may join: what
/// they do then happens where the scan stands, before the statements behind it.
class OpenScan {
 public:
  /// None: nothing may join.
  OpenScan() = default;
  /// The scan for `access` that stands at `position` of its block.
  OpenScan(const kernel::Kernel& kernel, const Access& access, kernel::StatementId loop,
           kernel::VariableId counter, size_t position);

  [[nodiscard]] auto counter() const -> kernel::VariableId { return counter_; }

  /// May `access`, with `before` in front of the scan, be done by the scan?
  [[nodiscard]] auto may_join(const kernel::Kernel& kernel, const Access& access,
                              const kernel::Block& before) const -> bool;
  /// And may it give elements of `array` the value `value`?
  [[nodiscard]] auto may_write(const kernel::Kernel& kernel, kernel::VariableId array,
                               kernel::ExprId value, const kernel::Block& before) const -> bool;
  /// Adds `part` to the scan's body, and `before` to what precedes it in `block`.
  void join(kernel::Kernel& kernel, kernel::Block& block, const kernel::Block& before,
            kernel::StatementId part);

  /// The variable in which the scan has what `access` means already; none if there is none.
  [[nodiscard]] auto picked(const kernel::Kernel& kernel, const Access& access) const
      -> kernel::VariableId;
  void add_picked(const Access& access, kernel::VariableId picked);
  /// The array's elements are others now.
  void wrote();
  /// `id` follows the scan now.
  void pass_over(const kernel::Kernel& kernel, kernel::StatementId id);

 private:
  struct Picked {
    Access access;
    kernel::VariableId variable;
  };

  [[nodiscard]] auto is_free(const VariableSet& variables) const -> bool;

  kernel::StatementId loop_{};
  kernel::VariableId counter_{};
  kernel::VariableId array_{};  ///< none if nothing may join
  size_t dimension_ = 0;
  size_t position_ = 0;
  bool writes_ = false;
  std::vector<Picked> picked_{};
  VariableSet made_{};            ///< what the scan computes
  VariableSet written_behind_{};  ///< by what follows it
  VariableSet read_behind_{};
};

}  // namespace tacet::oblivious
