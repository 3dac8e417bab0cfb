#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/net/links.h"

/// Parties that somebody on the same machine has started: what both say to each other.
namespace tacet::net {

/// What a party hands over at its end: a result, or why there is none.
struct PartyReport {
  LinkStatus failure{};
  std::string result{};
};

/// The side of the party. Used from one thread.
class Conversation {
 public:
  virtual ~Conversation() = default;
  /// Waits for the next message to the party; nothing if that was all.
  [[nodiscard]] virtual auto hear() -> std::optional<std::string> = 0;
  virtual void say(std::string message) = 0;
};

/// What a party does with its links and what it works on.
using PartyBody = std::function<PartyReport(Links& links, const std::string& work)>;
/// The same for one that gets more messages while it runs.
using TalkingBody =
    std::function<PartyReport(Links& links, const std::string& work, Conversation& host)>;

/// How all parties ended.
struct PartiesOutcome {
  LinkStatus failure{};
  std::vector<std::string> results{};  ///< by rank; of all parties, or of none
};

/// The other side: the starter of the parties. Used from one thread. Destroyed before `end`, it
/// ends the parties by force.
class PartyHost {
 public:
  virtual ~PartyHost() = default;
  [[nodiscard]] virtual auto n_parties() const -> Rank = 0;
  /// Sends without waiting for the party to listen.
  virtual void send_order(Rank party, std::string message) = 0;
  /// Waits for the party's next message. If any party fails or ends, that is what is given, and
  /// the run is over.
  [[nodiscard]] virtual auto hear(Rank party) -> std::variant<std::string, LinkError> = 0;
  /// Ends the messages, and waits until all parties have ended.
  [[nodiscard]] virtual auto end() -> PartiesOutcome = 0;
};

/// Runs `body` for each of `work` on a thread of its own, with links by queues.
[[nodiscard]] auto start_thread_parties(std::vector<std::string> work, TalkingBody body)
    -> std::unique_ptr<PartyHost>;

/// Whose failure explains those of others: of a party that was lost, of one that failed by itself,
/// or else the first that was reported.
class Verdict {
 public:
  enum class ReportedBy : uint8_t { ByTheParty, ByNobody };
  void add(Rank party, const LinkError& failure, ReportedBy reported_by = ReportedBy::ByTheParty);
  [[nodiscard]] auto failure() const -> const LinkStatus& { return failure_; }

 private:
  int weight_ = 0;
  LinkStatus failure_;
};

}  // namespace tacet::net
