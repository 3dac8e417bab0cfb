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
  events_.push({.round = now_ + rounds, .node = id, .is_end = true});
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
  while (!events_.empty() || !asked_.empty()) {
    next_event();
  }
}

void Timetable::count(uint32_t line, Cost cost) {
  Line& of = lines_[line];
  if (cost.rounds > 0 || cost.bytes > 0) {
    of.spans.push_back({now_, now_ + cost.rounds});
    of.bytes += cost.bytes;
    bytes_ += cost.bytes;
  }
  last_ = std::max(last_, now_ + cost.rounds);
}

void Timetable::save(uint32_t line, Cost cost, uint64_t bytes_alone) {
  const uint64_t saved = bytes_alone - std::min(bytes_alone, cost.bytes);
  lines_[line].saved_bytes += saved;
  saved_bytes_ += saved;
}

void Timetable::end_after(Cost cost, NodeId id) {
  if (cost.rounds == 0) {
    ended_.push_back(id);
  } else {
    events_.push({.round = now_ + cost.rounds, .node = id, .is_end = true});
  }
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
    } else {
      count(instruction.line, instruction.number);
      number.ready = now_ + instruction.number.rounds;
    }
  }
  if (number.ready == kNever) {
    number.waiting.push_back(id);
  } else if (number.ready > now_) {
    events_.push({.round = number.ready, .node = id, .is_end = false});
  }
  return number.ready > now_;
}

/// Its operands are there.
void Timetable::start(NodeId id) {
  if (needs_number(id)) {
    return;
  }
  const TimedInstruction& instruction = nodes_[id].instruction;
  if (instruction.at != TimedInstruction::kNone && is_batched(instruction.at)) {
    return join(batches_.of[instruction.at], id);
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
  count(first.line, cost);
  uint64_t bytes_alone = 0;
  for (const NodeId id : nodes) {
    bytes_alone += nodes_[id].instruction.rest.bytes;
    end_after(cost, id);
  }
  save(first.line, cost, bytes_alone);
}

void Timetable::make_numbers(const std::vector<NodeId>& nodes) {
  const TimedInstruction& first = nodes_[nodes.front()].instruction;
  int64_t n = 0;
  for (const NodeId id : nodes) {
    const MpcInstruction& instruction = program_.code[nodes_[id].instruction.at];
    n += engine::n_elements(type(instruction.operands[0]));
  }
  const Cost cost = protocol_.bits_to_arithmetic(1, static_cast<uint64_t>(n), first.number_ring);
  count(first.line, cost);
  uint64_t bytes_alone = 0;
  for (const NodeId id : nodes) {
    bytes_alone += nodes_[id].instruction.number.bytes;
    Number& number = numbers_[nodes_[id].number];
    number.ready = now_ + cost.rounds;
    for (const NodeId waiting : std::exchange(number.waiting, {})) {
      if (cost.rounds == 0) {
        ready_.push_back(waiting);
      } else {
        events_.push({.round = number.ready, .node = waiting, .is_end = false});
      }
    }
  }
  save(first.line, cost, bytes_alone);
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

void Timetable::next_event() {
  if (!asked_.empty() && (events_.empty() || events_.top().round > now_)) {
    const uint32_t batch = asked_.front();
    asked_.pop_front();
    run_batch(batch);
  } else {
    const Event event = events_.top();
    events_.pop();
    now_ = event.round;
    (event.is_end ? ended_ : ready_).push_back(event.node);
  }
  settle();
}

}  // namespace tacet::mpc_model
