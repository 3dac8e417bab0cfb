#include "engine/mpc/runner/party_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include "base/cpu.h"
#include "engine/mpc/runner/hand_over.h"
#include "engine/mpc/runner/party_setup.h"
#include "engine/net/in_process_links.h"
#include "engine/net/loopback.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc {

auto protocol_problem(ProtocolKind kind, Rank n_parties) -> std::string {
  switch (kind) {
    case ProtocolKind::Ref:
      return "";
    case ProtocolKind::Semi2k:
      return n_parties >= 2 ? "" : "protocol `semi2k` requires at least two parties";
    case ProtocolKind::Aby3:
    case ProtocolKind::Aby3Active:
      return n_parties == 3 ? ""
                            : fmt::format("protocol `{}` requires three parties, not {}",
                                          protocol_name(kind), n_parties);
    case ProtocolKind::Rep4:
      return n_parties == 4
                 ? ""
                 : fmt::format("protocol `rep4` requires four parties, not {}", n_parties);
  }
  return "";
}

/// Words that all parties have drawn, none of which decided what they are.
static auto draw_key(Party& party) -> Task<engine::PublicRandomKey> {
  engine::PublicRandomKey key;
  Share drawn = co_await party.protocol().random_share(party, Ring::Z64, key.words.size());
  const RingArray words = co_await open(party, std::move(drawn));
  std::ranges::copy(words.words<uint64_t>(), key.words.begin());
  co_return key;
}

/// The key that the parties were given, or what all of them drew: nothing if they were given
/// different ones. One round if nobody lies; else contributions are compared, and drawn as secrets,
/// as the last one to contribute to a sum would decide it.
static auto agree_on_key(Party& party, std::optional<engine::PublicRandomKey> given)
    -> Task<std::optional<engine::PublicRandomKey>> {
  struct Contribution {
    uint64_t is_given = 0;
    engine::Block words{};
  };
  std::vector<Contribution> all(party.n_parties());
  Contribution& own = all[party.rank()];
  own.is_given = given ? 1 : 0;
  if (given) {
    own.words = given->words;
  } else if (!party.protocol().tolerates_a_liar()) {
    party.random().fill(std::as_writable_bytes(std::span(own.words)));
  }
  std::vector<Receipt> receipts;
  for (Rank distance = 1; distance < party.n_parties(); ++distance) {
    const Rank other = party.other(distance);
    party.send(other, std::as_bytes(std::span(&own, 1)));
    receipts.push_back({other, std::as_writable_bytes(std::span(&all[other], 1))});
  }
  co_await party.receive(std::move(receipts));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(all));
  co_await party.protocol().check_agreement(party, {bytes.begin(), bytes.end()});
  std::optional<engine::PublicRandomKey> named;
  engine::PublicRandomKey drawn;
  for (const Contribution& contribution : all) {
    if (contribution.is_given != 0 && named && named->words != contribution.words) {
      co_return std::nullopt;
    }
    if (contribution.is_given != 0) {
      named = engine::PublicRandomKey{contribution.words};
    }
    for (size_t i = 0; i < drawn.words.size(); ++i) {
      drawn.words[i] ^= contribution.words[i];
    }
  }
  if (!named && party.protocol().tolerates_a_liar()) {
    drawn = co_await draw_key(party);
  }
  co_return named ? *named : drawn;
}

/// Why the party cannot run: empty if it can.
static auto problem_of(const PartyWork& work, const engine::MpcProgram& program,
                       const MachineRun& run, Rank n_parties) -> std::string {
  std::string problem = protocol_problem(work.protocol, n_parties);
  if (problem.empty()) {
    problem = hand_over_problem(program, work.protocol, n_parties);
  }
  return problem.empty() ? machine_problem(program, run, n_parties) : problem;
}

static auto result_of(MachineResult machine, const Party& party, const Protocol& protocol)
    -> PartyResult {
  PartyResult result{.outputs = std::move(machine.outputs),
                     .fault = machine.fault,
                     .instruction = machine.instruction,
                     .n_instructions = machine.n_instructions};
  result.log_slack = protocol.log_slack(party);
  result.rounds = party.traffic().total().rounds;
  result.bytes_sent = party.traffic().total().bytes;
  result.traffic = traffic_of(party.traffic());
  result.operations = std::move(machine.operations);
  result.events = std::move(machine.events);
  return result;
}

static auto run_computing_party(net::Links& all, net::Links& links, const PartyWork& work,
                                const RoundWatch& watch)
    -> std::variant<PartyResult, net::LinkError> {
  const auto fails = [&](std::string reason) {
    links.abort(reason);
    return net::LinkError{links.rank(), std::move(reason)};
  };
  Result<engine::MpcProgram> program = engine::parse_mpc_program(work.program);
  if (!program) {
    return fails("cannot read the program: " + program.error().message);
  }
  MachineRun run{.inputs = work.inputs,
                 .ranks = work.ranks,
                 .truncation = work.truncation,
                 .records_events = work.records_events};
  std::string problem = problem_of(work, *program, run, links.n_parties());
  if (!problem.empty()) {
    return fails(std::move(problem));
  }
  std::optional<HandOverCosts> hand_overs;
  if (!program->hand_overs.empty()) {
    auto handed_over = hand_over(links, *program, work, run.inputs);
    if (net::LinkError* error = std::get_if<net::LinkError>(&handed_over)) {
      return std::move(*error);
    }
    hand_overs = std::get<HandOverCosts>(handed_over);
    problem = problem_of(work, *program, run, links.n_parties());
    if (!problem.empty()) {
      return fails(std::move(problem));
    }
  }
  Result<secure_random::SecureRandom> random = secure_random::SecureRandom::from_system(best_isa());
  if (!random) {
    return fails(random.error().message);
  }
  std::optional<engine::PublicRandomKey> key;
  const std::unique_ptr<Protocol> protocol = make_protocol(work.protocol, work.has_dealer(), all);
  Party party(links, *protocol, std::move(*random));
  auto started = party.run(protocol->start(party));
  if (net::LinkError* error = std::get_if<net::LinkError>(&started)) {
    return std::move(*error);
  }
  if (engine::has_public_draws(*program)) {
    auto agreed = party.run(agree_on_key(party, work.random_key));
    if (net::LinkError* error = std::get_if<net::LinkError>(&agreed)) {
      return std::move(*error);
    }
    key = std::get<0>(agreed);
    if (!key) {
      return fails("the parties were given different seeds");
    }
    run.random_key = *key;
  }
  party.restart_traffic();
  party.watch_rounds(watch);
  const auto start = std::chrono::steady_clock::now();
  auto outcome = party.run(run_program(party, *program, std::move(run)));
  if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
    return std::move(*error);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  PartyResult result = result_of(std::move(std::get<0>(outcome)), party, *protocol);
  result.random_key = key;
  result.hand_overs = hand_overs;
  result.seconds = seconds.count();
  result.messages = messages_sent(links);
  return result;
}

auto run_party(net::Links& links, const PartyWork& work, const RoundWatch& watch)
    -> std::variant<PartyResult, net::LinkError> {
  return compute_or_deal(links, work.has_dealer(), [&](net::Links& computing) {
    return run_computing_party(links, computing, work, watch);
  });
}

/// With that of the dealer, if there is one.
static auto work_of_all(std::vector<PartyWork> work) -> std::vector<PartyWork> {
  if (work.front().has_dealer()) {
    work.push_back({.protocol = work.front().protocol,
                    .program = {},
                    .correlations = CorrelationsKind::Dealer});
  }
  return work;
}

/// Says to the host how many rounds are over, not too often.
static auto watch_for(net::Conversation& host) -> RoundWatch {
  using Clock = std::chrono::steady_clock;
  static constexpr auto kBetween = std::chrono::milliseconds(100);
  return [&host, next = Clock::now() + kBetween](uint64_t n_rounds) mutable {
    if (const Clock::time_point now = Clock::now(); now >= next) {
      next = now + kBetween;
      host.say(fmt::format("{}", n_rounds));
    }
  };
}

auto run_party_process(net::Links& links, const std::string& bytes, net::Conversation& host)
    -> net::PartyReport {
  Result<PartyWork> work = decode_work(bytes);
  if (!work) {
    links.abort(work.error().message);
    return {.failure = net::LinkError{links.rank(), work.error().message}};
  }
  auto outcome = run_party(links, *work, watch_for(host));
  if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
    return {.failure = std::move(*error)};
  }
  return {.result = encode(std::get<0>(outcome))};
}

auto run_on_threads(const std::vector<PartyWork>& of_parties, const RoundWatch& watch,
                    const net::TimeLimits& times) -> LocalOutcome {
  const std::vector<PartyWork> work = work_of_all(of_parties);
  LocalOutcome outcome;
  outcome.results.resize(work.size());
  outcome.links.resize(work.size(), std::vector<net::LinkCounters>(work.size()));
  std::mutex mutex;
  const auto fails = [&](const net::Links& links, const net::LinkError& error) {
    const std::lock_guard lock(mutex);
    if (outcome.failure.empty()) {
      outcome.failure = describe(links, error);
    }
  };
  net::run_on_threads(
      net::make_in_process_links(static_cast<Rank>(work.size()), times), [&](net::Links& links) {
        auto result =
            run_party(links, work[links.rank()], links.rank() == 0 ? watch : RoundWatch());
        if (net::LinkError* error = std::get_if<net::LinkError>(&result)) {
          fails(links, *error);
          return;
        }
        outcome.results[links.rank()] = std::move(std::get<0>(result));
        if (const net::LinkStatus failure = links.finish()) {
          fails(links, *failure);
        }
        for (Rank peer = 0; peer < links.n_parties(); ++peer) {
          outcome.links[links.rank()][peer] =
              peer == links.rank() ? net::LinkCounters() : links.counters(peer);
        }
      });
  outcome.results.resize(of_parties.size());
  return outcome;
}

auto times_of_dealer(net::TimeLimits times) -> net::TimeLimits {
  times.patience = std::chrono::hours(24 * 365);
  return times;
}

auto run_as_processes(const std::vector<PartyWork>& of_parties, std::vector<std::string> command,
                      const net::TimeLimits& times, const RoundWatch& watch) -> LocalOutcome {
  const std::vector<PartyWork> work = work_of_all(of_parties);
  LocalOutcome outcome;
  std::vector<std::string> names;
  net::ChildRun run{.command = std::move(command)};
  if (watch) {
    run.said = [&watch](Rank rank, const std::string& n_rounds) {
      if (rank == 0) {
        watch(std::strtoull(n_rounds.c_str(), nullptr, 10));
      }
    };
  }
  for (size_t i = 0; i < work.size(); ++i) {
    names.push_back(i < of_parties.size() ? fmt::format("party {}", i) : "the dealer");
    run.work.push_back(encode(work[i]));
  }
  Result<std::vector<net::MeetingPlan>> plans = net::plan_loopback_run(names, net::Encryption::Tls);
  if (!plans) {
    outcome.failure = plans.error().message;
    return outcome;
  }
  run.plans = std::move(*plans);
  for (net::MeetingPlan& plan : run.plans) {
    plan.times = plan.rank < of_parties.size() ? times : times_of_dealer(times);
  }
  net::ChildOutcome children = net::run_child_parties(std::move(run));
  if (children.failure) {
    outcome.failure =
        fmt::format("{}: {}", names[children.failure->party], children.failure->reason);
    return outcome;
  }
  for (const std::string& bytes : children.results) {
    Result<PartyResult> result = decode_result(bytes);
    if (!result) {
      outcome.failure = result.error().message;
      return outcome;
    }
    outcome.results.push_back(std::move(*result));
  }
  outcome.results.resize(of_parties.size());
  return outcome;
}

}  // namespace tacet::mpc
