#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/mpc/runner/party_run.h"

/// A run of the parties in which a host has them compute one program after another on values that
/// they keep: what is not shown stays shares. One set of links, of keys, and of counters.
namespace tacet::mpc {

/// A program that will be run, any number of times.
struct SessionProgram {
  std::string text{};
  std::vector<Rank> ranks{};  ///< by party of the program
};

/// What a party knows from the beginning; the same for all but the dealer, who ignores it.
struct SessionWork {
  ProtocolKind protocol = ProtocolKind::Aby3;
  CorrelationsKind correlations = CorrelationsKind::Bfv;
  Truncation truncation = Truncation::Exact;
  /// All of which hold fixed point in the same ring.
  std::vector<SessionProgram> programs{};
  engine::PublicRandomKey random_key{};
  bool records_events = false;

  [[nodiscard]] auto has_dealer() const -> bool {
    return protocol == ProtocolKind::Semi2k && correlations == CorrelationsKind::Dealer;
  }
};

/// The number by which host and parties know a value. Each is given once.
using SessionValueId = uint64_t;

/// A value gets there: secret ones from their owner, in shares.
struct BringStep {
  SessionValueId value = 0;
  engine::MpcType type{};
  Rank owner = 0;
  /// Parties that must not know it have none.
  std::optional<engine::MpcCells> cells{};
};

/// A program is run on values, to values that nobody is shown. Inputs may be public where the
/// program has secret ones.
struct RunStep {
  uint32_t program = 0;
  std::vector<SessionValueId> inputs{};
  std::vector<SessionValueId> outputs{};
  engine::DynamicRngState call{};  ///< what draws are made behind
};

/// A value is shown: to all, or, if it is a result that belongs to a party, to that one.
struct ShowStep {
  SessionValueId value = 0;
};

using SessionStep = std::variant<BringStep, RunStep, ShowStep>;

/// What became of steps that were taken together.
struct SessionReply {
  engine::MpcRunFault fault = engine::MpcRunFault::None;
  uint32_t step = 0;       ///< the first one that failed
  size_t instruction = 0;  ///< of its program
  /// By `ShowStep`, where a party may know it.
  std::vector<std::optional<engine::MpcCells>> shown{};
};

auto encode(const SessionWork& work) -> std::string;
auto decode_session_work(std::string_view bytes) -> Result<SessionWork>;
auto encode(const std::vector<SessionStep>& steps) -> std::string;
auto decode_steps(std::string_view bytes) -> Result<std::vector<SessionStep>>;
auto encode(const SessionReply& reply) -> std::string;
auto decode_reply(std::string_view bytes) -> Result<SessionReply>;

/// A party: takes steps as long as it gets any. Those of one message are taken side by side, each
/// as soon as the values are there that it is about, so that they share rounds. The result has no
/// outputs, but the counters of everything.
auto run_session_party(net::Links& links, const std::string& work, net::Conversation& host)
    -> net::PartyReport;

/// The host's side. Used from one thread. One that is destroyed before its end stops the parties.
class Session {
 public:
  /// Parties on threads of this process, over queues.
  static auto on_threads(const SessionWork& work, Rank n_parties)
      -> Result<std::unique_ptr<Session>>;
  /// Parties as processes of this machine; `command` is a program that calls `net::serve_as_child`
  /// with `run_session_party`.
  static auto as_processes(const SessionWork& work, Rank n_parties,
                           std::vector<std::string> command, const net::TimeLimits& times = {})
      -> Result<std::unique_ptr<Session>>;

  /// Has all parties take the steps; each gets only the values that it may know. An error names the
  /// party that failed, and the session is over.
  auto take(std::vector<SessionStep> steps) -> Result<SessionReply>;
  /// Ends the parties; what each of them counted.
  auto end() -> Result<std::vector<PartyResult>>;

 private:
  Session(std::unique_ptr<net::PartyHost> host, std::vector<std::string> names, Rank n_parties)
      : host_(std::move(host)), names_(std::move(names)), n_parties_(n_parties) {}
  auto error_of(const net::LinkError& failure) const -> Error;

  std::unique_ptr<net::PartyHost> host_;
  std::vector<std::string> names_;  ///< with the dealer's
  Rank n_parties_;                  ///< that compute
};

}  // namespace tacet::mpc
