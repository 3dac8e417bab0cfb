#include "engine/mpc/device/parties_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/mpc/text.h"

namespace tacet::mpc {

using engine::EncodingId;
using engine::MpcProgram;
using engine::MpcType;
using engine::Outcome;
using engine::RemoteId;

static constexpr Outcome kMisuse{Outcome::Kind::Misuse, 0, engine::kNone};

/// By party of each program, who computes for it: those of one name are one.
static auto ranks_of(const std::vector<MpcProgram>& programs, Rank n_parties)
    -> std::vector<std::vector<Rank>> {
  std::map<std::string, Rank> known;
  std::vector<std::vector<Rank>> ranks;
  for (const MpcProgram& program : programs) {
    ranks.emplace_back();
    for (const std::string& name : program.parties) {
      const auto next = static_cast<Rank>(known.size()) % n_parties;
      ranks.back().push_back(known.try_emplace(name, next).first->second);
    }
  }
  return ranks;
}

PartiesDevice::PartiesDevice(const engine::CoordinatorProgram& program,
                             std::vector<std::optional<MpcProgram>> programs, PartiesPlan plan)
    : program_(program), plan_(std::move(plan)) {
  unsigned fixed_ring_bits = 64;
  for (std::optional<MpcProgram>& own : programs) {
    program_of_kernel_.emplace_back();
    if (own) {
      fixed_ring_bits = std::max(fixed_ring_bits, own->fixed_ring_bits);
      program_of_kernel_.back() = static_cast<uint32_t>(programs_.size());
      programs_.push_back(std::move(*own));
    }
  }
  for (MpcProgram& own : programs_) {
    own.fixed_ring_bits = fixed_ring_bits;  // values go from one to the other
  }
  ranks_ = ranks_of(programs_, plan_.n_parties);
}

auto PartiesDevice::start() -> Status {
  SessionWork work{.protocol = plan_.protocol,
                   .correlations = plan_.correlations,
                   .truncation = plan_.truncation,
                   .random_key = plan_.random_key,
                   .records_events = plan_.records_events};
  for (size_t i = 0; i < programs_.size(); ++i) {
    work.programs.push_back({engine::to_text(programs_[i]), ranks_[i]});
  }
  Result<std::unique_ptr<Session>> session =
      plan_.command.empty()
          ? Session::on_threads(work, plan_.n_parties)
          : Session::as_processes(work, plan_.n_parties, plan_.command, plan_.times);
  if (!session) {
    return session.error();
  }
  session_ = std::move(*session);
  return std::monostate{};
}

auto PartiesDevice::begin() -> EncodingId {
  encodings_.emplace_back();
  return encodings_.size() - 1;
}

auto PartiesDevice::new_remote(EncodingId encoding, size_t n_cells) -> RemoteId {
  remotes_.push_back({.encoding = encoding, .n_cells = n_cells});
  return remotes_.size() - 1;
}

auto PartiesDevice::copy(EncodingId encoding, std::span<const engine::Cell> value,
                         engine::Clearness clearness) -> RemoteId {
  const RemoteId id = new_remote(encoding, value.size());
  remotes_[id].cells.emplace(value.begin(), value.end());
  remotes_[id].is_copied = true;
  remotes_[id].is_clear = clearness == engine::Clearness::InTheClear;
  return id;
}

void PartiesDevice::call(EncodingId encoding, const engine::KernelCall& call,
                         std::span<RemoteId> results) {
  const engine::CoordinatorKernel& kernel = program_.kernels[call.kernel];
  Call encoded{.kernel = call.kernel, .site = call.site, .first_result = remotes_.size()};
  encoded.inputs.assign(call.inputs.begin(), call.inputs.end());
  if (kernel.draws && call.grid.size() >= engine::kRngStateCells) {
    encoded.draws = engine::dynamic_state_of(call.grid.first(engine::kRngStateCells));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = new_remote(encoding, kernel.output_cells[i]);
  }
  if (encoding < encodings_.size()) {
    encodings_[encoding].calls.push_back(std::move(encoded));
  }
}

auto PartiesDevice::submit(EncodingId encoding) -> Outcome {
  if (encoding >= encodings_.size() || encodings_[encoding].state != State::Open) {
    return kMisuse;
  }
  encodings_[encoding].state = State::Submitted;
  to_send_.push_back(encoding);
  return {};
}

auto PartiesDevice::value_for(Remote& remote, const MpcProgram& program, size_t program_index,
                              size_t input, std::vector<SessionStep>& steps)
    -> std::optional<SessionValueId> {
  const engine::MpcInput& wanted = program.inputs[input];
  MpcType type = program.registers[wanted.reg].type;
  if (remote.n_cells != static_cast<size_t>(engine::n_elements(type))) {
    return std::nullopt;
  }
  if (!remote.is_copied) {
    if (remote.values.empty()) {
      return std::nullopt;
    }
    if (remote.values.front().first.is_secret() && !type.is_secret()) {
      failure_ = fmt::format(
          "the public parameter `{}` of a kernel is passed the secret result of another kernel; "
          "declare it `secret`, or `reveal` the result in the kernel that computes it",
          program.registers[wanted.reg].name);
      return std::nullopt;
    }
    return remote.values.front().second;
  }
  if (remote.is_clear) {
    type.visibility = engine::MpcVisibility::Public;
  }
  for (const auto& [as, value] : remote.values) {
    if (as == type) {
      return value;
    }
  }
  const SessionValueId value = n_values_++;
  remote.values.emplace_back(type, value);
  steps.emplace_back(
      BringStep{.value = value,
                .type = type,
                .owner = wanted.owner.has_value() ? ranks_[program_index][wanted.owner.index] : 0,
                .cells = remote.cells});
  return value;
}

auto PartiesDevice::add_steps(const Call& call, std::vector<SessionStep>& steps) -> bool {
  const uint32_t index = *program_of_kernel_[call.kernel];
  const MpcProgram& program = programs_[index];
  if (call.inputs.size() != program.inputs.size()) {
    return false;
  }
  RunStep run{.program = index, .call = call.draws};
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i] >= remotes_.size()) {
      return false;
    }
    const std::optional<SessionValueId> value =
        value_for(remotes_[call.inputs[i]], program, index, i, steps);
    if (!value) {
      return false;
    }
    run.inputs.push_back(*value);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const SessionValueId value = n_values_++;
    run.outputs.push_back(value);
    remotes_[call.first_result + i].values.emplace_back(
        program.registers[program.outputs[i].reg].type, value);
  }
  steps.emplace_back(std::move(run));
  return true;
}

auto PartiesDevice::fail(std::string why, uint32_t site) -> Outcome {
  failure_ = std::move(why);
  return {Outcome::Kind::FailedKernel, 1, site};
}

auto PartiesDevice::take(std::vector<SessionStep> steps) -> std::optional<SessionReply> {
  if (!session_) {
    if (Status started = start(); !started) {
      failure_ = started.error().message;
      return std::nullopt;
    }
  }
  Result<SessionReply> reply = session_->take(std::move(steps));
  if (!reply) {
    failure_ = reply.error().message;
    session_.reset();
    return std::nullopt;
  }
  return std::move(*reply);
}

auto PartiesDevice::await(EncodingId encoding) -> Outcome {
  if (encoding >= encodings_.size() || encodings_[encoding].state != State::Submitted) {
    return kMisuse;
  }
  encodings_[encoding].state = State::Awaited;
  std::vector<SessionStep> steps;
  std::vector<const Call*> calls;  // by step
  for (const EncodingId submitted : std::exchange(to_send_, {})) {
    for (const Call& call : encodings_[submitted].calls) {
      if (!program_of_kernel_[call.kernel]) {
        return {Outcome::Kind::MissingKernel, 0, call.site};
      }
      if (!add_steps(call, steps)) {
        return failure_.empty() ? Outcome{Outcome::Kind::Misuse, 0, call.site}
                                : Outcome{Outcome::Kind::FailedKernel, 1, call.site};
      }
      calls.resize(steps.size(), &call);
    }
  }
  if (steps.empty()) {
    return {};
  }
  const std::optional<SessionReply> reply = take(std::move(steps));
  if (!reply) {
    return {Outcome::Kind::FailedKernel, 1, calls.front()->site};
  }
  if (reply->fault != engine::MpcRunFault::None) {
    const Call& call = *calls[reply->step];
    const MpcProgram& program = programs_[*program_of_kernel_[call.kernel]];
    return fail(fmt::format("{} on line {}", engine::fault_text(reply->fault),
                            program.code[reply->instruction].line),
                call.site);
  }
  return {};
}

auto PartiesDevice::fetch(RemoteId id, std::span<engine::Cell> value) -> Outcome {
  if (id >= remotes_.size() || remotes_[id].n_cells != value.size() ||
      encodings_[remotes_[id].encoding].state != State::Awaited) {
    return kMisuse;
  }
  Remote& remote = remotes_[id];
  if (!remote.cells) {
    std::optional<SessionReply> reply = take({ShowStep{remote.values.front().second}});
    if (!reply || !reply->shown.front()) {
      return {Outcome::Kind::FailedKernel, 1, engine::kNone};
    }
    remote.cells = std::move(reply->shown.front());
  }
  std::copy(remote.cells->begin(), remote.cells->end(), value.begin());
  return {};
}

auto PartiesDevice::end() -> Result<std::optional<Finished>> {
  if (!session_) {
    return std::optional<Finished>();
  }
  Result<std::vector<PartyResult>> results = std::exchange(session_, nullptr)->end();
  if (!results) {
    return results.error();
  }
  return std::optional(Finished{std::move(programs_), std::move(*results)});
}

}  // namespace tacet::mpc
