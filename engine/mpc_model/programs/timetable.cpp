#include "engine/mpc_model/programs/timetable.h"

#include <algorithm>

namespace tacet::mpc_model {

using engine::MpcBatches;
using engine::MpcInstruction;
using engine::MpcRegisterId;
using engine::MpcType;

auto Timetable::new_value() -> ValueId {
  const auto id = static_cast<ValueId>(given_.size());
  given_.emplace_back();
  return id;
}

auto Timetable::known() -> ValueId {
  const ValueId value = new_value();
  given_[value].ready = now_;
  return value;
}

auto Timetable::input(uint64_t rounds) -> ValueId {
  const ValueId value = new_value();
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back({.result = value});
  ++n_in_flight_;
  at(now_ + rounds, id, EventKind::End);
  last_ = std::max(last_, now_ + rounds);
  return value;
}

auto Timetable::begin(const TimedInstruction& instruction, std::span<const ValueId> operands)
    -> ValueId {
  const ValueId result = new_value();
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{.instruction = instruction, .result = result};
  for (const ValueId operand : operands) {
    if (!is_there(operand)) {
      given_[operand].waiting.push_back(id);
      ++node.n_missing;
    }
  }
  nodes_.push_back(node);
  ++n_in_flight_;
  if (node.n_missing == 0) {
    ready_.push_back(id);
    settle();
  }
  return result;
}

void Timetable::wait_for(ValueId value) {
  while (!is_there(value)) {
    next_event();
  }
}

void Timetable::wait_for_room() {
  while (n_in_flight_ >= engine::kMostMpcInFlight) {
    next_event();
  }
}

void Timetable::finish() {
  while (!events_.empty() || !asked_.empty() || !outputs_.empty() || !asking_for_check_.empty()) {
    next_event();
  }
}

void Timetable::at(uint64_t round, uint32_t id, EventKind kind) {
  events_.push({.round = round, .id = id, .kind = kind, .order = n_events_++});
}

void Timetable::count(uint32_t line, const Cost& cost) {
  Line& of = lines_[line];
  if (cost.rounds > 0 || cost.bytes > 0) {
    of.spans.push_back({now_, now_ + cost.rounds});
    of.bytes += cost.bytes;
    bytes_ += cost.bytes;
  }
  last_ = std::max(last_, now_ + cost.rounds);
}

void Timetable::save(uint32_t line, const Cost& cost, uint64_t bytes_alone) {
  const uint64_t saved = bytes_alone - std::min(bytes_alone, cost.bytes);
  lines_[line].saved_bytes += saved;
  saved_bytes_ += saved;
}

void Timetable::end_after(const Cost& cost, NodeId id) {
  if (cost.rounds == 0) {
    ended_.push_back(id);
  } else {
    at(now_ + cost.rounds, id, EventKind::End);
  }
}

/// Begins what records products; its bytes without checks are counted.
void Timetable::record(const Cost& cost, RecordingRun run) {
  run.record = cost.record;
  run.begin = now_;
  run.first = now_;
  run.rounds = cost.rounds;
  if (run.line) {
    lines_[*run.line].bytes += cost.bytes;
  }
  bytes_ += cost.bytes;
  runs_.push_back(std::move(run));
  ++n_runs_;
  go_on(static_cast<uint32_t>(runs_.size() - 1));
}

void Timetable::go_on(uint32_t id) {
  RecordingRun& run = runs_[id];
  const size_t n = run.record == nullptr ? 0 : run.record->size();
  bool asks = false;
  while (run.next < n && run.begin + (*run.record)[run.next].round <= now_) {
    const Recorded& recorded = (*run.record)[run.next++];
    products_.add(recorded);
    if (recorded.kind == Recorded::Kind::Opening) {
      asks = true;
    } else if (recorded.is_followed_by_check && products_.are_many()) {
      asks = true;
      has_early_checks_ = has_early_checks_ || n_runs_ > 1;
    }
  }
  if (asks) {
    run.waits_from = now_;
    run.n_wanted = products_.n_recorded();
    return await_check(id);
  }
  const uint64_t next = run.next < n ? (*run.record)[run.next].round : run.rounds;
  if (run.begin + next > now_) {
    return at(run.begin + next, id, EventKind::Continuation);
  }
  end_run(id);
}

void Timetable::end_run(uint32_t id) {
  RecordingRun& run = runs_[id];
  if (run.line) {
    lines_[*run.line].spans.push_back({run.first, now_});
  }
  last_ = std::max(last_, now_);
  ended_.insert(ended_.end(), run.nodes.begin(), run.nodes.end());
  for (const NumberKey& key : run.numbers) {
    number_is_there(numbers_[key]);
  }
  run.record.reset();
  --n_runs_;
}

/// One check at a time, which begins when nothing else can happen in its round.
void Timetable::await_check(uint32_t id) {
  RecordingRun& run = runs_[id];
  if (n_checked_ >= run.n_wanted) {
    run.begin += now_ - run.waits_from;
    go_on(id);
  } else {
    (checking_ ? waiting_for_check_ : asking_for_check_).push_back(id);
  }
}

void Timetable::begin_check() {
  const uint32_t id = asking_for_check_.front();
  asking_for_check_.pop_front();
  const RecordingRun& run = runs_[id];
  if (checking_ || n_checked_ >= run.n_wanted) {
    return await_check(id);
  }
  checking_ = id;
  n_being_checked_ = products_.n_recorded();
  const Cost cost = products_.check();
  has_checks_ = true;
  bytes_ += cost.bytes;
  if (run.line) {
    lines_[*run.line].bytes += cost.bytes;
    lines_[*run.line].has_checks = true;
  }
  at(now_ + cost.rounds, id, EventKind::EndOfCheck);
}

void Timetable::end_check() {
  n_checked_ = n_being_checked_;
  const uint32_t id = *checking_;
  checking_.reset();
  await_check(id);
  for (const uint32_t waiting : std::exchange(waiting_for_check_, {})) {
    await_check(waiting);
  }
}

void Timetable::number_is_there(Number& number) {
  number.ready = now_;
  ready_.insert(ready_.end(), number.waiting.begin(), number.waiting.end());
  number.waiting.clear();
}

/// For the end of this round.
void Timetable::join(uint32_t batch, NodeId id) {
  if (together_[batch].empty()) {
    asked_.push_back(batch);
  }
  together_[batch].push_back(id);
}

/// The numbers that it uses: those of all, unless it would be the first to make them and may not
/// run.
auto Timetable::number_of(NodeId id) -> Number& {
  Node& node = nodes_[id];
  const TimedInstruction& instruction = node.instruction;
  node.number = {*instruction.number_of, instruction.number_ring};
  if (!instruction.is_certain && !numbers_.contains(node.number)) {
    constexpr uint64_t kOfNodes = uint64_t{1} << 32;
    node.number.first = kOfNodes + id;
  }
  return numbers_[node.number];
}

/// Does it wait for the numbers of its truth values?
auto Timetable::needs_number(NodeId id) -> bool {
  const TimedInstruction& instruction = nodes_[id].instruction;
  if (!instruction.number_of || std::exchange(nodes_[id].has_number, true)) {
    return false;
  }
  Number& number = number_of(id);
  if (number.ready == kNever && number.waiting.empty()) {
    const uint32_t batch = batches_.numbers_of[instruction.at];
    if (batch != MpcBatches::kNone) {
      join(batch, id);
    } else if (instruction.number.record != nullptr) {
      number.waiting.push_back(id);
      record(instruction.number, {.line = instruction.line, .numbers = {nodes_[id].number}});
      return true;
    } else {
      count(instruction.line, instruction.number);
      number.ready = now_ + instruction.number.rounds;
    }
  }
  if (number.ready == kNever) {
    number.waiting.push_back(id);
  } else if (number.ready > now_) {
    at(number.ready, id, EventKind::NumberIsThere);
  }
  return number.ready > now_;
}

/// Its operands are there.
void Timetable::start(NodeId id) {
  if (needs_number(id)) {
    return;
  }
  const TimedInstruction& instruction = nodes_[id].instruction;
  if (instruction.is_output) {
    outputs_.push_back(id);
    return;
  }
  if (instruction.at != TimedInstruction::kNone && is_batched(instruction.at)) {
    return join(batches_.of[instruction.at], id);
  }
  if (instruction.rest.record != nullptr) {
    return record(instruction.rest, {.line = instruction.line, .nodes = {id}});
  }
  count(instruction.line, instruction.rest);
  end_after(instruction.rest, id);
}

void Timetable::run_batch(uint32_t batch) {
  const std::vector<NodeId> nodes = std::exchange(together_[batch], {});
  if (batches_.numbers_of[nodes_[nodes.front()].instruction.at] == batch) {
    make_numbers(nodes);
  } else {
    compute_batch(nodes);
  }
}

/// One operation on a row of the elements of all.
void Timetable::compute_batch(const std::vector<NodeId>& nodes) {
  const TimedInstruction& first = nodes_[nodes.front()].instruction;
  const MpcInstruction& instruction = program_.code[first.at];
  Cost cost = first.rest;
  if (nodes.size() > 1) {
    int64_t n = 0;
    for (const NodeId id : nodes) {
      n += engine::n_elements(type(program_.code[nodes_[id].instruction.at].result));
    }
    const auto row_of = [&](MpcRegisterId id) {
      return MpcType{type(id).visibility, type(id).element, {n}};
    };
    std::vector<MpcType> types;
    for (const MpcRegisterId id : instruction.operands) {
      types.push_back(row_of(id));
    }
    std::vector<Operand> operands;
    for (const MpcType& each : types) {
      operands.push_back({.type = &each});
    }
    cost = cost_of(protocol_, instruction, operands, row_of(instruction.result),
                   program_.fixed_ring_bits)
               .rest;
  }
  const uint32_t line = first.line;
  uint64_t bytes_alone = 0;
  for (const NodeId id : nodes) {
    bytes_alone += nodes_[id].instruction.rest.bytes;
  }
  save(line, cost, bytes_alone);
  if (cost.record != nullptr) {
    return record(cost, {.line = line, .nodes = nodes});
  }
  count(line, cost);
  for (const NodeId id : nodes) {
    end_after(cost, id);
  }
}

void Timetable::make_numbers(const std::vector<NodeId>& nodes) {
  const TimedInstruction& first = nodes_[nodes.front()].instruction;
  int64_t n = 0;
  for (const NodeId id : nodes) {
    const MpcInstruction& instruction = program_.code[nodes_[id].instruction.at];
    n += engine::n_elements(type(instruction.operands[0]));
  }
  const Cost cost = protocol_.bits_to_arithmetic(1, static_cast<uint64_t>(n), first.number_ring);
  uint64_t bytes_alone = 0;
  std::vector<NumberKey> keys;
  for (const NodeId id : nodes) {
    bytes_alone += nodes_[id].instruction.number.bytes;
    keys.push_back(nodes_[id].number);
  }
  save(first.line, cost, bytes_alone);
  if (cost.record != nullptr) {
    return record(cost, {.line = first.line, .numbers = std::move(keys)});
  }
  count(first.line, cost);
  for (const NumberKey& key : keys) {
    Number& number = numbers_[key];
    number.ready = now_ + cost.rounds;
    for (const NodeId waiting : std::exchange(number.waiting, {})) {
      if (cost.rounds == 0) {
        ready_.push_back(waiting);
      } else {
        at(number.ready, waiting, EventKind::NumberIsThere);
      }
    }
  }
}

/// It has ended.
void Timetable::complete(NodeId id) {
  Given& given = given_[nodes_[id].result];
  given.ready = now_;
  --n_in_flight_;
  for (const NodeId waiting : std::exchange(given.waiting, {})) {
    if (--nodes_[waiting].n_missing == 0) {
      ready_.push_back(waiting);
    }
  }
}

/// Everything that can happen without another round, but for batches.
void Timetable::settle() {
  while (!ended_.empty() || !ready_.empty()) {
    if (!ended_.empty()) {
      const NodeId id = ended_.front();
      ended_.pop_front();
      complete(id);
    } else {
      const NodeId id = ready_.front();
      ready_.pop_front();
      start(id);
    }
  }
}

void Timetable::handle(const Event& event) {
  now_ = event.round;
  switch (event.kind) {
    case EventKind::NumberIsThere:
      ready_.push_back(event.id);
      break;
    case EventKind::End:
      ended_.push_back(event.id);
      break;
    case EventKind::Continuation:
      go_on(event.id);
      break;
    case EventKind::EndOfCheck:
      end_check();
      break;
  }
}

void Timetable::next_event() {
  const bool is_round_over = events_.empty() || events_.top().round > now_;
  if (is_round_over && !outputs_.empty()) {
    const NodeId id = outputs_.front();
    outputs_.pop_front();
    record(nodes_[id].instruction.rest, {.nodes = {id}});
  } else if (is_round_over && !asking_for_check_.empty()) {
    begin_check();
  } else if (is_round_over && !asked_.empty()) {
    const uint32_t batch = asked_.front();
    asked_.pop_front();
    run_batch(batch);
  } else {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  settle();
}

}  // namespace tacet::mpc_model
