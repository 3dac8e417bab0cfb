#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/run/interpret/debug_info.h"
#include "compiler/run/interpret/machine.h"

namespace tacet::interpret {

/// The inputs that a cell depends on, a bit for each of 32: in the lower half those whose contents
/// it carries, in the upper half those that it has through `reveal` alone.
using OriginSet = uint64_t;
inline constexpr uint32_t kMostOrigins = 32;

/// The state of a machine at one time. Images share what did not change between them.
class MachineImage {
 public:
  MachineImage();
  ~MachineImage();
  MachineImage(MachineImage&&) noexcept;
  auto operator=(MachineImage&&) noexcept -> MachineImage&;
  MachineImage(const MachineImage&) = delete;
  auto operator=(const MachineImage&) -> MachineImage& = delete;

  [[nodiscard]] auto clock() const -> uint64_t;
  /// What would be free without this image.
  [[nodiscard]] auto own_bytes() const -> uint64_t;
  /// Equal in all that the rest of the run depends on.
  [[nodiscard]] auto is_same_state(const MachineImage& other) const -> bool;

 private:
  friend class TracedMachine;
  struct State;
  std::unique_ptr<State> state_;
};

/// A frame of the stack.
struct TracedFrame {
  uint32_t function = 0;
  uint32_t instruction = 0;  ///< the next one, or the call that waits
  uint64_t base = 0;         ///< its first slot, as a cell of the stack
  bool is_argument = false;  ///< it computes an argument by need, for the frames behind it
};

/// Why a traced run paused.
enum class TracedStop : uint8_t {
  Mark,          ///< in front of a `mark` that was to stop it
  Clock,         ///< at the time that was given
  Left,          ///< behind the call of a frame that returned
  SecretBranch,  ///< in front of a jump whose condition is secret
  Noted,         ///< a loop was stopped at its `max`
  Ended,
  Failed,
};

/// How far to run; the first of these pauses it.
struct TracedUntil {
  uint64_t clock = ~uint64_t{0};
  /// By mark: whether it pauses. Empty: none does.
  std::span<const uint8_t> marks{};
  /// Pauses at marks of frames no deeper than this, and there of no higher level.
  uint32_t depth = 0;
  uint32_t level = 0;
  /// Pauses when a frame of this depth returns to another one of the program; 0: never.
  uint32_t left_depth = 0;
  /// Inputs that are secret, if jumps that depend on one pause.
  OriginSet secrets = 0;
  bool at_notes = false;
};

/// A machine for debuggers: counts time in instructions, pauses anywhere, and can be set back to
/// any image of itself. Follows which inputs each cell depends on. Functions of the host are called
/// once; when time runs again, what they returned is.
class TracedMachine {
 public:
  /// `origins`, if not empty, has a set for each argument cell. All must outlive the machine.
  TracedMachine(const Program& program, const DebugInfo& debug, std::span<const Cell> arguments,
                std::span<const OriginSet> origins, MachineOptions options);
  ~TracedMachine();
  TracedMachine(const TracedMachine&) = delete;
  auto operator=(const TracedMachine&) -> TracedMachine& = delete;

  /// Executes at least one instruction unless the run has ended.
  auto run(const TracedUntil& until) -> TracedStop;

  [[nodiscard]] auto clock() const -> uint64_t;
  [[nodiscard]] auto is_ended() const -> bool;
  [[nodiscard]] auto is_failed() const -> bool;
  /// The results, once ended, and which inputs they depend on.
  [[nodiscard]] auto results() const -> std::span<const Cell>;
  [[nodiscard]] auto result_origins() const -> std::span<const OriginSet>;
  /// Why it failed, with the callers.
  [[nodiscard]] auto failure() const -> Failure;
  /// The inputs that the operands of the failing instruction depend on.
  [[nodiscard]] auto failure_origins() const -> OriginSet;
  [[nodiscard]] auto notes() const -> const std::vector<uint32_t>&;

  /// The next instruction.
  [[nodiscard]] auto instruction() const -> uint32_t;
  /// The mark that is the next instruction, or `kNowhere`.
  [[nodiscard]] auto mark() const -> uint32_t;
  /// Calls and values by need that are being computed.
  [[nodiscard]] auto depth() const -> uint32_t;
  /// How often a mark was passed.
  [[nodiscard]] auto visits(uint32_t mark) const -> uint64_t;
  /// At most `most` frames behind the first `skipped`, innermost first, without the host's own.
  /// `n_frames` is how many there are.
  [[nodiscard]] auto frames(uint64_t skipped, uint64_t most, uint64_t& n_frames) const
      -> std::vector<TracedFrame>;
  [[nodiscard]] auto cell(uint64_t at) const -> Cell;
  [[nodiscard]] auto origin(uint64_t at) const -> OriginSet;
  /// Whether the stack has this cell.
  [[nodiscard]] auto has_cell(uint64_t at) const -> bool;
  /// How many cells are in use.
  [[nodiscard]] auto used_cells() const -> uint64_t;

  /// The state now. Shares with `before`, which may be null.
  [[nodiscard]] auto image(const MachineImage* before) const -> MachineImage;
  void restore(const MachineImage& image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacet::interpret
