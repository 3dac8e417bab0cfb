#include "engine/mpc/testing/attacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/cpu.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::mpc {

namespace {

using Message = std::vector<std::byte>;

/// The liar's links.
class AlteredLinks final : public net::Links {
 public:
  AlteredLinks(net::Links& links, const Attack& attack)
      : links_(links), attack_(attack), random_(attack.seed) {}

  auto rank() const -> Rank override { return links_.rank(); }
  auto n_parties() const -> Rank override { return links_.n_parties(); }
  auto name(Rank party) const -> std::string override { return links_.name(party); }
  auto flush() -> net::LinkStatus override { return links_.flush(); }
  auto receive(Rank from, std::span<std::byte> into) -> net::LinkStatus override {
    return links_.receive(from, into);
  }
  auto finish() -> net::LinkStatus override { return links_.finish(); }
  void abort(std::string reason) override { links_.abort(std::move(reason)); }
  auto counters(Rank peer) const -> net::LinkCounters override { return links_.counters(peer); }

  void send(Rank to, std::span<const std::byte> bytes) override {
    Message message(bytes.begin(), bytes.end());
    const bool is_chosen = n_messages_++ == attack_.position;
    const size_t begin = n_bytes_;
    n_bytes_ += message.size();
    switch (attack_.alteration) {
      case Alteration::None:
        return pass_on(to, message);
      case Alteration::Byte:
        if (attack_.position >= begin && attack_.position < n_bytes_) {
          message[attack_.position - begin] ^= std::byte{attack_.mask};
        }
        return pass_on(to, message);
      case Alteration::Often:
        for (std::byte& byte : message) {
          byte ^= random_() % attack_.position == 0 ? any_byte() : std::byte{0};
        }
        return pass_on(to, message);
      case Alteration::Message:
        if (is_chosen) {
          std::ranges::generate(message, [&] { return any_byte(); });
        }
        return pass_on(to, message);
      case Alteration::Drop:
        return is_chosen ? void() : pass_on(to, message);
      case Alteration::Repeat:
        pass_on(to, message);
        return is_chosen ? pass_on(to, message) : void();
      case Alteration::Replay:
      case Alteration::Misdirect:
        send_another(to, message, is_chosen);
        return;
      case Alteration::Swap:
        send_later(to, std::move(message), is_chosen);
        return;
    }
  }

  [[nodiscard]] auto n_bytes() const -> size_t { return n_bytes_; }
  [[nodiscard]] auto n_messages() const -> size_t { return n_messages_; }

 private:
  auto any_byte() -> std::byte { return static_cast<std::byte>(random_()); }
  void pass_on(Rank to, const Message& message) { links_.send(to, message); }

  void send_another(Rank to, const Message& message, bool is_chosen) {
    if (is_chosen) {
      for (auto it = sent_.rbegin(); it != sent_.rend(); ++it) {
        const bool is_same_party = it->first == to;
        if (it->second.size() == message.size() &&
            is_same_party == (attack_.alteration == Alteration::Replay)) {
          return pass_on(to, it->second);
        }
      }
    }
    sent_.emplace_back(to, message);
    pass_on(to, message);
  }

  void send_later(Rank to, Message message, bool is_chosen) {
    if (is_chosen) {
      delayed_.emplace(to, std::move(message));
      return;
    }
    pass_on(to, message);
    if (delayed_ && delayed_->first == to) {
      pass_on(to, delayed_->second);
      delayed_.reset();
    }
  }

  net::Links& links_;
  const Attack& attack_;
  std::mt19937_64 random_;
  size_t n_bytes_ = 0;
  size_t n_messages_ = 0;
  std::vector<std::pair<Rank, Message>> sent_;
  std::optional<std::pair<Rank, Message>> delayed_;
};

auto name_of(Alteration alteration) -> std::string_view {
  switch (alteration) {
    case Alteration::None:
      return "nothing";
    case Alteration::Byte:
      return "byte";
    case Alteration::Message:
      return "random message";
    case Alteration::Drop:
      return "dropped message";
    case Alteration::Repeat:
      return "repeated message";
    case Alteration::Replay:
      return "replayed message";
    case Alteration::Swap:
      return "swapped message";
    case Alteration::Misdirect:
      return "misdirected message";
    case Alteration::Often:
      return "random bytes, one in";
  }
  return "";
}

auto fate_of(net::Links& links, std::string_view name, const AttackedProgram& program, bool is_liar)
    -> Fate {
  const std::unique_ptr<Protocol> protocol = make_test_protocol(name);
  const auto seed = secure_random::TestSeed::of(1000 + links.rank());
  Party party(links, *protocol, secure_random::seeded_random(seed, best_isa()));
  if (is_liar) {
    party.never_accuse();
  }
  const auto body = [&]() -> Task<RingArray> {
    co_await protocol->start(party);
    co_return co_await program.run(party);
  };
  Fate fate;
  auto outcome = party.run(body());
  fate.lie = party.lie();
  if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
    fate.failure = std::move(*error);
    return fate;
  }
  fate.result = std::move(std::get<0>(outcome));
  fate.failure = links.finish();
  return fate;
}

}  // namespace

auto describe(const Attack& attack) -> std::string {
  return fmt::format("party {}: {} {}, mask {}, seed {}", attack.liar, name_of(attack.alteration),
                     attack.position, attack.mask, attack.seed);
}

auto run_attacked(std::string_view protocol, Rank n_parties, const AttackedProgram& program,
                  const Attack& attack, std::chrono::milliseconds patience) -> AttackOutcome {
  AttackOutcome outcome;
  outcome.fates.resize(n_parties);
  net::run_on_threads(net::make_in_process_links(n_parties, {.patience = patience}),
                      [&](net::Links& links) {
                        if (links.rank() != attack.liar) {
                          outcome.fates[links.rank()] = fate_of(links, protocol, program, false);
                          return;
                        }
                        AlteredLinks altered(links, attack);
                        outcome.fates[links.rank()] = fate_of(altered, protocol, program, true);
                        outcome.n_bytes = altered.n_bytes();
                        outcome.n_messages = altered.n_messages();
                      });
  return outcome;
}

auto problem_of(const AttackOutcome& outcome, const AttackedProgram& program, const Attack& attack)
    -> std::string {
  for (Rank rank = 0; rank < outcome.fates.size(); ++rank) {
    const Fate& fate = outcome.fates[rank];
    if (rank == attack.liar) {
      continue;
    }
    if (fate.result && !program.is_right(*fate.result)) {
      return fmt::format("party {} has a wrong result", rank);
    }
    if (!fate.result && !fate.failure) {
      return fmt::format("party {} has neither a result nor an error", rank);
    }
    const bool is_complete = attack.alteration == Alteration::None ||
                             attack.alteration == Alteration::Byte ||
                             attack.alteration == Alteration::Message;
    if (is_complete && fate.failure && !fate.failure->reason.starts_with("the check of")) {
      return fmt::format("party {}: {}", rank, fate.failure->reason);
    }
    if (attack.alteration == Alteration::None && fate.failure) {
      return fmt::format("party {} ends a run without a lie: {}", rank, fate.failure->reason);
    }
  }
  return "";
}

}  // namespace tacet::mpc
