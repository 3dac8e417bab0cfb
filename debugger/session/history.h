#pragma once

#include <cstdint>
#include <map>

#include "compiler/run/interpret/traced_machine.h"

namespace tacet::debugger {

/// How much of the past is kept.
struct HistoryLimits {
  uint64_t bytes = uint64_t{256} << 20;
  size_t images = 512;
  /// Instructions between two images, unless the state has more cells than that.
  uint64_t interval = uint64_t{1} << 18;
};

/// Images of a machine, from which any earlier time is reached by running again.
///
/// The first one is always kept. Where others exceed the limits, those go first whose neighbours
/// are near each other compared with their age, so that the recent past is dense and the distant
/// one sparse; running through a sparse part again makes it dense.
class History {
 public:
  /// The machine is at its start.
  explicit History(interpret::TracedMachine& machine, HistoryLimits limits = {});

  /// Keeps the machine's present state if the last image before is old enough.
  void note();

  /// Sets the machine to the last image at or before `clock`. Gives its time.
  auto rewind(uint64_t clock) -> uint64_t;
  /// Sets the machine to exactly this time, which it has been at.
  void go_to(uint64_t clock);

  [[nodiscard]] auto n_images() const -> size_t { return images_.size(); }
  [[nodiscard]] auto bytes() const -> uint64_t { return bytes_; }

 private:
  struct Kept {
    interpret::MachineImage image;
    uint64_t bytes = 0;
  };

  void thin(uint64_t now);

  interpret::TracedMachine& machine_;
  HistoryLimits limits_;
  std::map<uint64_t, Kept> images_;  ///< by time
  uint64_t bytes_ = 0;
};

}  // namespace tacet::debugger
