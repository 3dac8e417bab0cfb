#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mpc/runner/session.h"
#include "engine/program/coordinator/coordinator.h"
#include "engine/runtime/device.h"

/// The parties as a device of the coordinator machine.
namespace tacet::mpc {

/// Settings shared by all runs of kernels in a session.
struct PartiesPlan {
  ProtocolKind protocol = ProtocolKind::Aby3;
  CorrelationsKind correlations = CorrelationsKind::Bfv;
  Truncation truncation = Truncation::Exact;
  Rank n_parties = 3;
  engine::PublicRandomKey random_key{};
  bool records_events = false;
  /// A program that calls `net::serve_as_child` with `run_session_party`; without one, parties are
  /// threads.
  std::vector<std::string> command{};
  net::TimeLimits times{};  ///< of processes
};

/// Runs what a coordinator encodes by parties on this machine: all calls in one session, which
/// begins with the first of them. A value that was copied is shared when a kernel first needs it,
/// by the owner that the kernel says; what kernels give stays shares, also for kernels of later
/// encodings, and is shown when it is fetched, to nobody else than its receiver.
///
/// Encodings that were submitted and not awaited wait for each other: the first `await` sends all
/// of them, and the parties run them side by side, in the rounds of the longest chain of calls.
/// Failures are therefore reported by an `await`.
class PartiesDevice final : public engine::Device {
 public:
  /// `programs` by kernel of `program`: nothing for what parties do not run. Owners and receivers
  /// that have the same name are the same party in all of them.
  PartiesDevice(const engine::CoordinatorProgram& program,
                std::vector<std::optional<engine::MpcProgram>> programs, PartiesPlan plan);

  auto begin() -> engine::EncodingId override;
  auto copy(engine::EncodingId encoding, std::span<const engine::Cell> value,
            engine::Clearness clearness) -> engine::RemoteId override;
  void call(engine::EncodingId encoding, const engine::KernelCall& call,
            std::span<engine::RemoteId> results) override;
  auto submit(engine::EncodingId encoding) -> engine::Outcome override;
  auto await(engine::EncodingId encoding) -> engine::Outcome override;
  auto fetch(engine::RemoteId remote, std::span<engine::Cell> value) -> engine::Outcome override;

  /// Why an outcome was a failure: a party's, or the line of the source where the computation
  /// failed.
  [[nodiscard]] auto failure() const -> const std::string& { return failure_; }

  [[nodiscard]] auto protocol() const -> ProtocolKind { return plan_.protocol; }

  struct Finished {
    std::vector<engine::MpcProgram> programs{};  ///< as they were run; events say which
    std::vector<PartyResult> results{};          ///< by party: what was counted
  };
  /// Ends the session; nothing if it never began. Nothing may be asked of the device any more.
  auto end() -> Result<std::optional<Finished>>;

 private:
  enum class State : uint8_t { Open, Submitted, Awaited };

  struct Call {
    uint32_t kernel = 0;
    uint32_t site = 0;
    engine::DynamicRngState draws{};
    std::vector<engine::RemoteId> inputs{};
    engine::RemoteId first_result = 0;
  };
  struct Encoding {
    State state = State::Open;
    std::vector<Call> calls{};
  };
  struct Remote {
    engine::EncodingId encoding = 0;
    size_t n_cells = 0;
    /// Of one that was copied, or already shown.
    std::optional<engine::MpcCells> cells{};
    bool is_copied = false;
    bool is_clear = false;
    /// What the parties know it by. One that was copied may be there as several types.
    std::vector<std::pair<engine::MpcType, SessionValueId>> values{};
  };

  auto new_remote(engine::EncodingId encoding, size_t n_cells) -> engine::RemoteId;
  auto start() -> Status;
  /// Adds the steps of a call. False if it makes no sense.
  auto add_steps(const Call& call, std::vector<SessionStep>& steps) -> bool;
  /// The number of an input's value, and the step that brings it if it is not there.
  auto value_for(Remote& remote, const engine::MpcProgram& program, size_t program_index,
                 size_t input, std::vector<SessionStep>& steps) -> std::optional<SessionValueId>;
  auto take(std::vector<SessionStep> steps) -> std::optional<SessionReply>;
  auto fail(std::string why, uint32_t site) -> engine::Outcome;

  const engine::CoordinatorProgram& program_;
  PartiesPlan plan_;
  std::vector<std::optional<uint32_t>> program_of_kernel_;
  std::vector<engine::MpcProgram> programs_;
  std::vector<std::vector<Rank>> ranks_;  ///< by program and party of it
  std::vector<Encoding> encodings_;
  std::vector<Remote> remotes_;
  std::vector<engine::EncodingId> to_send_;
  std::unique_ptr<Session> session_;
  SessionValueId n_values_ = 0;
  std::string failure_;
};

}  // namespace tacet::mpc
