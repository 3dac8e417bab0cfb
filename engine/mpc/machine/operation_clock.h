#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/mpc/machine/machine.h"

namespace tacet::mpc {

/// Counts the instructions of each operation, and the time in which any of them is running. Private
/// to this folder.
class OperationClock {
 public:
  /// One that takes no time.
  void count(engine::MpcOpcode operation) { ++entries_[static_cast<size_t>(operation)].n_runs; }
  void begin(engine::MpcOpcode operation, double now, uint64_t n = 1) {
    Entry& entry = entries_[static_cast<size_t>(operation)];
    entry.n_runs += n;
    if (entry.n_running++ == 0) {
      entry.since = now;
    }
  }
  void end(engine::MpcOpcode operation, double now) {
    Entry& entry = entries_[static_cast<size_t>(operation)];
    if (--entry.n_running == 0) {
      entry.seconds += now - entry.since;
    }
  }
  [[nodiscard]] auto times() const -> std::vector<OperationTime> {
    std::vector<OperationTime> times;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (const Entry& entry = entries_[i]; entry.n_runs > 0) {
        times.push_back({std::string(engine::mnemonic_of(static_cast<engine::MpcOpcode>(i))),
                         entry.n_runs, entry.seconds});
      }
    }
    std::sort(times.begin(), times.end(),
              [](const auto& a, const auto& b) { return a.operation < b.operation; });
    return times;
  }

 private:
  struct Entry {
    uint64_t n_runs = 0;
    uint64_t n_running = 0;
    double seconds = 0;
    double since = 0;
  };
  std::array<Entry, 256> entries_{};
};

}  // namespace tacet::mpc
