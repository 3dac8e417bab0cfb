#include <chrono>
#include <unordered_map>

#include "base/check.h"
#include "base/cpu.h"
#include "engine/mpc/dispatch/secret_draws.h"
#include "engine/mpc/machine/bring_and_show.h"
#include "engine/mpc/runner/party_setup.h"
#include "engine/mpc/runner/session.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc {

namespace {

using Clock = std::chrono::steady_clock;

/// One party of a session, from its first message to its last.
class SessionParty {
 public:
  SessionParty(Party& party, net::Links& links, const SessionWork& work)
      : party_(party), links_(links), work_(work) {}

  /// Why the programs cannot be run; empty if they can.
  auto read_programs() -> std::string;
  auto serve(net::Conversation& host) -> PartyOutcome;

 private:
  struct Held {
    PendingValue value = std::make_shared<Later<Value>>();
    std::optional<Rank> receiver{};
  };

  auto make_keys() -> Task<>;
  auto take(std::vector<SessionStep> steps) -> Task<SessionReply>;
  auto bring(BringStep step) -> Task<>;
  auto run(RunStep step, uint32_t number, SessionReply& reply) -> Task<>;
  auto show(ShowStep step, std::optional<engine::MpcCells>& shown) -> Task<>;
  auto held(SessionValueId id) -> Held& {
    const auto found = values_.find(id);
    TACET_CHECK(found != values_.end(), "a host names a value that there is none of");
    return found->second;
  }

  Party& party_;
  net::Links& links_;
  const SessionWork& work_;
  std::vector<engine::MpcProgram> programs_;
  std::optional<DrawKeys> draw_keys_;
  std::unordered_map<SessionValueId, Held> values_;
  PartyResult result_;
  bool is_over_ = false;
  Clock::time_point start_ = Clock::now();
};

auto SessionParty::read_programs() -> std::string {
  std::string problem = protocol_problem(work_.protocol, party_.n_parties());
  for (const SessionProgram& given : work_.programs) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(given.text);
    if (!program) {
      return "cannot read a program: " + program.error().message;
    }
    programs_.push_back(std::move(*program));
    MachineRun run{.ranks = given.ranks};
    run.given.resize(programs_.back().inputs.size());
    run.results.resize(programs_.back().outputs.size());
    if (problem.empty()) {
      problem = machine_problem(programs_.back(), run, party_.n_parties());
    }
  }
  return problem;
}

auto SessionParty::make_keys() -> Task<> {
  draw_keys_.emplace(co_await make_draw_keys(party_));
  co_return kDone;
}

auto SessionParty::bring(BringStep step) -> Task<> {
  const Party::Scope scope = party_.scope("input");
  Context context{.party = party_};
  context.fixed_ring =
      !programs_.empty() && programs_.front().fixed_ring_bits == 128 ? Ring::Z128 : Ring::Z64;
  const PendingValue pending = held(step.value).value;
  Value value = co_await bring_value(context, step.type, step.owner, std::move(step.cells));
  TaskState* state = co_await CurrentState{};
  pending->set(*state, std::move(value));
  co_return kDone;
}

auto SessionParty::run(RunStep step, uint32_t number, SessionReply& reply) -> Task<> {
  MachineRun run{.ranks = work_.programs[step.program].ranks,
                 .truncation = work_.truncation,
                 .random_key = work_.random_key,
                 .records_events = work_.records_events,
                 .call = step.call,
                 .draw_keys = draw_keys_ ? &*draw_keys_ : nullptr,
                 .is_over = &is_over_,
                 .start = start_};
  for (const SessionValueId id : step.inputs) {
    run.given.push_back(held(id).value);
  }
  for (const SessionValueId id : step.outputs) {
    run.results.push_back(held(id).value);
  }
  MachineResult machine = co_await run_program(party_, programs_[step.program], std::move(run));
  result_.n_instructions += machine.n_instructions;
  add_operations(machine.operations, result_.operations);
  for (MachineEvent& event : machine.events) {
    event.program = step.program;
    result_.events.push_back(event);
  }
  if (machine.fault != engine::MpcRunFault::None) {
    is_over_ = true;
    if (reply.fault == engine::MpcRunFault::None || number < reply.step) {
      reply.fault = machine.fault;
      reply.step = number;
      reply.instruction = machine.instruction;
    }
  }
  co_return kDone;
}

auto SessionParty::show(ShowStep step, std::optional<engine::MpcCells>& shown) -> Task<> {
  const Party::Scope scope = party_.scope("output");
  Context context{.party = party_};
  const Held value = held(step.value);
  const Value found = co_await value.value->get();
  const Value open = co_await show_value(context, found, value.receiver);
  if (!value.receiver || *value.receiver == party_.rank()) {
    shown = *open.cells;
  }
  co_return kDone;
}

auto SessionParty::take(std::vector<SessionStep> steps) -> Task<SessionReply> {
  SessionReply reply;
  std::vector<Task<>> tasks;
  size_t n_shown = 0;
  for (const SessionStep& step : steps) {
    n_shown += std::holds_alternative<ShowStep>(step) ? 1 : 0;
  }
  reply.shown.resize(n_shown);
  n_shown = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (auto* bring_step = std::get_if<BringStep>(&steps[i])) {
      values_.try_emplace(bring_step->value);
      tasks.push_back(bring(std::move(*bring_step)));
    } else if (auto* run_step = std::get_if<RunStep>(&steps[i])) {
      const SessionProgram& program = work_.programs[run_step->program];
      const std::vector<engine::MpcOutput>& outputs = programs_[run_step->program].outputs;
      for (size_t k = 0; k < outputs.size(); ++k) {
        Held& held = values_[run_step->outputs[k]];
        if (outputs[k].receiver.has_value()) {
          held.receiver = program.ranks[outputs[k].receiver.index];
        }
      }
      tasks.push_back(run(std::move(*run_step), i, reply));
    } else {
      tasks.push_back(show(std::get<ShowStep>(steps[i]), reply.shown[n_shown++]));
    }
  }
  co_await all(std::move(tasks));
  co_return reply;
}

auto SessionParty::serve(net::Conversation& host) -> PartyOutcome {
  if (std::any_of(programs_.begin(), programs_.end(), engine::has_secret_draws)) {
    auto made = party_.run(make_keys());
    if (net::LinkError* error = std::get_if<net::LinkError>(&made)) {
      return std::move(*error);
    }
  }
  party_.restart_traffic();
  while (std::optional<std::string> message = host.hear()) {
    Result<std::vector<SessionStep>> steps = decode_steps(*message);
    if (!steps) {
      links_.abort(steps.error().message);
      return net::LinkError{links_.rank(), steps.error().message};
    }
    const Clock::time_point begin = Clock::now();
    auto taken = party_.run(take(std::move(*steps)));
    if (net::LinkError* error = std::get_if<net::LinkError>(&taken)) {
      return std::move(*error);
    }
    result_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    host.say(encode(std::get<0>(taken)));
  }
  result_.rounds = party_.traffic().total().rounds;
  result_.bytes_sent = party_.traffic().total().bytes;
  result_.traffic = traffic_of(party_.traffic());
  result_.messages = messages_sent(links_);
  result_.log_slack = party_.protocol().log_slack(party_);
  return std::move(result_);
}

auto compute(net::Links& all, net::Links& links, const SessionWork& work, net::Conversation& host)
    -> PartyOutcome {
  const auto fails = [&](std::string reason) {
    links.abort(reason);
    return net::LinkError{links.rank(), std::move(reason)};
  };
  Result<secure_random::SecureRandom> random = secure_random::SecureRandom::from_system(best_isa());
  if (!random) {
    return fails(random.error().message);
  }
  const std::unique_ptr<Protocol> protocol = make_protocol(work.protocol, work.has_dealer(), all);
  Party party(links, *protocol, std::move(*random));
  SessionParty session(party, links, work);
  if (std::string problem = session.read_programs(); !problem.empty()) {
    return fails(std::move(problem));
  }
  auto started = party.run(protocol->start(party));
  if (net::LinkError* error = std::get_if<net::LinkError>(&started)) {
    return std::move(*error);
  }
  return session.serve(host);
}

}  // namespace

auto run_session_party(net::Links& links, const std::string& bytes, net::Conversation& host)
    -> net::PartyReport {
  Result<SessionWork> work = decode_session_work(bytes);
  if (!work) {
    links.abort(work.error().message);
    return {.failure = net::LinkError{links.rank(), work.error().message}};
  }
  PartyOutcome outcome = compute_or_deal(
      links, work->has_dealer(), [&](net::Links& own) { return compute(links, own, *work, host); });
  if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
    return {.failure = std::move(*error)};
  }
  return {.result = encode(std::get<0>(outcome))};
}

}  // namespace tacet::mpc
