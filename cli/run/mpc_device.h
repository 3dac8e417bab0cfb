#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "cli/run/run_options.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/mpc/runner/party_run.h"
#include "engine/program/coordinator/coordinator.h"
#include "engine/runtime/device.h"
#include "project/manifest.h"

namespace tacet::cli {

/// What a party sent to another one and received from it.
struct MpcLink {
  std::string peer;
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
};

/// What a run by several parties cost.
struct MpcCosts {
  mpc::ProtocolKind protocol = mpc::ProtocolKind::Aby3;
  net::Rank n_parties = 3;
  uint64_t rounds = 0;
  uint64_t bytes_sent = 0;  ///< the most of any party
  uint64_t messages = 0;    ///< the most of any party
  uint64_t n_instructions = 0;
  double seconds = 0;                 ///< of the slowest party, without meeting
  std::optional<double> log_slack{};  ///< the worst of any party
  /// Of parts that were computed encrypted, in addition: the most of any party.
  std::optional<mpc::HandOverCosts> encrypted{};
  /// By instruction, of party 0.
  std::vector<mpc::LabelTraffic> traffic{};
  /// By operation, of party 0.
  std::vector<mpc::OperationTime> operations{};
  /// Of one party among others, all that went over its links, with what precedes the program.
  std::vector<MpcLink> links{};
};

struct MpcDeviceRun {
  std::vector<engine::MpcCells> outputs;
  MpcCosts costs;
};

/// Runs a program by all parties on this machine: processes over TCP with TLS, or threads where the
/// options say so. Public draws are those of `key`. An error names the party, or the line of the
/// source that failed. `line` shows the rounds.
auto run_on_mpc(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
                const RunOptions& options, const engine::PublicRandomKey& key, PhaseLine& line)
    -> Result<MpcDeviceRun>;

/// One party of `tacet.toml` in a run with others that are elsewhere.
struct MpcSeat {
  net::MeetingPlan plan;
  net::Rank rank = 0;
  /// By party of the program: who of `tacet.toml` it is.
  std::vector<net::Rank> ranks{};
  RunProtocol protocol = RunProtocol::Aby3;  ///< of the command line, or of tacet.toml
  bool has_dealer = false;                   ///< the last rank

  [[nodiscard]] auto is_dealer() const -> bool {
    return has_dealer && rank + 1 == plan.parties.size();
  }
};

/// The seat of `options.party` in the workspace around the program. A party of the program that is
/// none of the workspace's is an error. Without its key it can meet nobody.
enum class SeatKey : bool { None, Read };
auto find_seat(const engine::MpcProgram& program, const RunOptions& options,
               SeatKey key = SeatKey::Read) -> Result<MpcSeat>;

/// Parties that all run on this machine, by the names that the program has, else `party 0`. Nothing
/// of the plan but names.
auto seats_here(const engine::MpcProgram& program, const RunOptions& options) -> Result<MpcSeat>;

/// The workspace around the program of a run.
auto workspace_around(const RunOptions& options) -> Result<std::optional<project::Workspace>>;

/// `aby3`, `exact` and the like, as parties compare them.
auto protocol_word(RunProtocol protocol) -> std::string;
auto truncation_word(const RunOptions& options) -> std::string;
auto correlations_word(const MpcSeat& seat) -> std::string;

/// What everybody knows, as text; nothing of a secret.
auto public_inputs_text(const engine::MpcProgram& program,
                        const std::vector<std::optional<engine::MpcCells>>& inputs) -> std::string;

/// A run by all parties on threads of this process, with whatever `inputs` of all.
struct MpcRehearsal {
  MpcCosts costs;
  std::vector<std::vector<net::LinkCounters>> links;  ///< by rank, and by peer; the dealer's, too
  bool is_certain = true;  ///< no values but public ones decide on the costs
  /// The line at which values that are not those of the run ended it, and why; else empty.
  std::string fault{};
};
auto rehearse(const engine::MpcProgram& program, const MpcSeat& seat,
              const std::vector<engine::MpcCells>& inputs, const RunOptions& options,
              PhaseLine& line) -> Result<MpcRehearsal>;

/// The names of the protocols that this build has.
auto protocol_names() -> std::vector<std::string>;

/// Of a party that cannot begin: lets the others know, as far as they are there, with the excuse
/// that `options` has. Takes two seconds at most.
void report_failure_to_others(const RunOptions& options);

/// Does this party need a value for the input?
auto is_given_by(const MpcSeat& seat, const engine::MpcProgram& program, size_t input) -> bool;

struct MpcPartyRun {
  std::vector<std::optional<engine::MpcCells>> outputs;  ///< what this party learns
  MpcCosts costs;
  /// Of public draws, if there are any: what the parties were given or agreed on.
  std::optional<engine::PublicRandomKey> random_key{};
};

/// Meets the others, computes with them, and parts. `inputs` are those of this party, and so is
/// `key`, of public draws, if it was given one. `line` shows the rounds.
auto run_as_party(const engine::MpcProgram& program, MpcSeat seat,
                  std::vector<std::optional<engine::MpcCells>> inputs, const RunOptions& options,
                  const std::optional<engine::PublicRandomKey>& key, PhaseLine& line)
    -> Result<MpcPartyRun>;

/// The parties on this machine as a device of the coordinator machine, for kernels that are run by
/// `programs`, of which some may be none.
auto make_parties_device(const engine::CoordinatorProgram& coordinator,
                         std::vector<std::optional<engine::MpcProgram>> programs,
                         const RunOptions& options, const engine::PublicRandomKey& key)
    -> Result<std::unique_ptr<engine::Device>>;

/// Ends what the device of `make_parties_device` began: what it all cost, or nothing if no kernel
/// was run. An error is also what the device failed with.
auto end_parties(engine::Device& device, const RunOptions& options)
    -> Result<std::optional<MpcCosts>>;

/// The exit codes of processes that are one party: of `run_on_mpc`, and of a device.
auto serve_party_of_run() -> int;
auto serve_party_of_session() -> int;
/// The arguments that make a process one.
inline constexpr std::string_view kPartyOfRun = "--party-of-run";
inline constexpr std::string_view kPartyOfSession = "--party-of-session";

}  // namespace tacet::cli
