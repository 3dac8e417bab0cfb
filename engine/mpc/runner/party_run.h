#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mpc/machine/machine.h"
#include "engine/mpc_model/protocol_kind.h"
#include "engine/net/child_parties.h"

/// One run of an MPC program from a party's side: its input, its output, and their conversion from
/// and to bytes, so that a party may be another process.
namespace tacet::mpc {

/// Whether this build has it, and it works for so many parties; else why not.
auto protocol_problem(ProtocolKind kind, Rank n_parties) -> std::string;

/// What a party works on.
struct PartyWork {
  ProtocolKind protocol = ProtocolKind::Aby3;
  std::string program;                                    ///< as text
  std::vector<std::optional<engine::MpcCells>> inputs{};  ///< by input, what this party knows
  std::vector<Rank> ranks{};                              ///< by party of the program
  Truncation truncation = Truncation::Exact;
  /// What public draws are functions of. Without one at any party, all parties together draw it.
  std::optional<engine::PublicRandomKey> random_key{};
  bool records_events = false;
  CorrelationsKind correlations = CorrelationsKind::Bfv;  ///< of `semi2k`
  unsigned n_threads = 1;                                 ///< of what is computed encrypted

  /// Is there a rank that computes nothing?
  [[nodiscard]] auto has_dealer() const -> bool {
    return protocol == ProtocolKind::Semi2k && correlations == CorrelationsKind::Dealer;
  }
};

/// What was sent under a label, and the labels inside of it behind it.
struct LabelTraffic {
  uint32_t depth = 0;
  std::string name;
  uint64_t rounds = 0;
  uint64_t bytes = 0;
};

/// What preceded the program: the encrypted part of it, under a joint key.
struct HandOverCosts {
  uint64_t rounds = 0;
  uint64_t bytes_sent = 0;
  uint64_t key_bytes_sent = 0;  ///< of these, to make the keys
  double seconds = 0;

  friend auto operator==(const HandOverCosts&, const HandOverCosts&) -> bool = default;
};

/// What it gives back.
struct PartyResult {
  std::vector<std::optional<engine::MpcCells>> outputs{};  ///< by output, what this party may know
  engine::MpcRunFault fault = engine::MpcRunFault::None;
  size_t instruction = 0;
  uint64_t n_instructions = 0;
  uint64_t rounds = 0;
  uint64_t bytes_sent = 0;
  uint64_t messages = 0;
  double seconds = 0;
  /// What public draws were functions of, if the program has any.
  std::optional<engine::PublicRandomKey> random_key{};
  std::optional<double> log_slack{};  ///< `Protocol::log_slack` at the end
  std::vector<LabelTraffic> traffic{};
  std::vector<OperationTime> operations{};
  std::vector<MachineEvent> events{};
  std::optional<HandOverCosts> hand_overs{};  ///< in addition to rounds and bytes of the program
};

auto encode(const PartyWork& work) -> std::string;
auto decode_work(std::string_view bytes) -> Result<PartyWork>;
auto encode(const PartyResult& result) -> std::string;
auto decode_result(std::string_view bytes) -> Result<PartyResult>;

/// Runs the program over `links`, with randomness of the operating system. If there is a dealer,
/// the last rank deals, and has nothing to give back but what it sent. `watch` hears of the rounds
/// of the program.
auto run_party(net::Links& links, const PartyWork& work, const RoundWatch& watch = {})
    -> std::variant<PartyResult, net::LinkError>;

/// The same from bytes to bytes: the body of a party that is a process. It says to its host how
/// many rounds are over, ten times a second at most.
auto run_party_process(net::Links& links, const std::string& work, net::Conversation& host)
    -> net::PartyReport;

/// All parties on threads of this process, over queues: by rank what each got, or what failed. A
/// dealer is one more thread, or process, that `work` does not have.
struct LocalOutcome {
  std::vector<PartyResult> results{};
  std::string failure{};
  /// By rank, the dealer's too, what went to and came from each other: of threads alone.
  std::vector<std::vector<net::LinkCounters>> links{};
};
/// `watch` hears of the rounds of party 0, on a thread of its own.
auto run_on_threads(const std::vector<PartyWork>& work, const RoundWatch& watch = {},
                    const net::TimeLimits& times = {}) -> LocalOutcome;

/// The times of a dealer among parties with `times`: it waits for requests however long these
/// compute; whether they live it sees by their signs of life.
auto times_of_dealer(net::TimeLimits times) -> net::TimeLimits;

/// All parties as processes of this machine over TCP with TLS; `command` is a program that calls
/// `net::serve_as_child` with `run_party_process`.
auto run_as_processes(const std::vector<PartyWork>& work, std::vector<std::string> command,
                      const net::TimeLimits& times = {}, const RoundWatch& watch = {})
    -> LocalOutcome;

}  // namespace tacet::mpc
