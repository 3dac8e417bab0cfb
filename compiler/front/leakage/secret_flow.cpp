#include "compiler/front/leakage/secret_flow.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::leakage {

using hir::BlockId;
using hir::Instruction;
using hir::Opcode;
using hir::PlaceKind;
using hir::TerminatorKind;
using hir::ValueId;
using types::TypeKind;

/// More in one function are reported once these are fixed.
static constexpr size_t kMaxChannels = 32;

auto declared_level(const types::TypeStore& types, types::TypeId whole, const hir::Port& port)
    -> std::optional<Level> {
  if (types.visibility(port.type) != types::Visibility::Secret ||
      !hir::is_value(types, port.type)) {
    return std::nullopt;
  }
  const TypeKind kind = types[whole].kind;
  return kind == TypeKind::Encoder || kind == TypeKind::Future ? Level::Decrypted : Level::Secret;
}

SecretFlow::SecretFlow(const Surroundings& around, const Conversation& conversation, Source source)
    : around_(around),
      function_(around.function),
      conversation_(conversation),
      source_(source),
      values_(function_.values.size()),
      at_begin_(function_.blocks.size()),
      results_(function_.results.size()),
      referents_(function_.parameters.size()) {}

void SecretFlow::run() {
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    block(BlockId{i});
  }
}

auto SecretFlow::reach() const -> Reach {
  Reach reach;
  for (const StepId result : results_) {
    reach.results.push_back(result.has_value());
  }
  for (const StepId referent : referents_) {
    reach.referents.push_back(referent.has_value());
  }
  reach.channels = channels_;
  return reach;
}

// ---- steps ----

auto SecretFlow::step(uint32_t node, std::string text, StepId from) -> StepId {
  Link link;
  link.step.item = function_.item;
  link.step.text = std::move(text);
  if (node != hir::kNoNode) {
    const syntax::NodeData& data = around_.tree.nodes[node];
    link.step.place = {data.begin, data.end};
  } else {
    link.step.text.clear();
  }
  link.from = from;
  if (from.has_value()) {
    link.length = links_[from].length + 1;
    link.is_reported = links_[from].is_reported;
  }
  return links_.add(std::move(link));
}

auto SecretFlow::shorter(StepId a, StepId b) const -> StepId {
  if (!a.has_value() || !b.has_value()) {
    return a.has_value() ? a : b;
  }
  return links_[b].length < links_[a].length ? b : a;
}

auto SecretFlow::of_operands(std::span<const ValueId> operands) const -> StepId {
  StepId cause;
  for (const ValueId operand : operands) {
    cause = operand.has_value() ? shorter(cause, values_[operand.index]) : cause;
  }
  return cause;
}

auto SecretFlow::text_of(Name name) const -> std::string {
  return name.has_value() ? fmt::format("`{}`", around_.interner.text(name)) : "this value";
}

auto SecretFlow::child(uint32_t node, syntax::Field field) const -> uint32_t {
  if (node == hir::kNoNode) {
    return node;
  }
  const syntax::Node found = syntax::Node(&around_.tree, node).child(field);
  return found ? found.index() : node;
}

auto SecretFlow::path(StepId cause) const -> std::vector<Step> {
  std::vector<Step> steps;
  for (StepId at = cause; at.has_value(); at = links_[at].from) {
    if (!links_[at].step.text.empty()) {
      steps.push_back(links_[at].step);
    }
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

/// One path to each place: the shortest, so that recursion terminates.
void SecretFlow::add(Channel channel) {
  const auto known = std::find_if(channels_.begin(), channels_.end(), [&](const Channel& other) {
    return other.kind == channel.kind && other.path.back() == channel.path.back();
  });
  if (known != channels_.end()) {
    if (channel.path.size() < known->path.size()) {
      *known = std::move(channel);
    }
  } else if (channels_.size() < kMaxChannels) {
    channels_.push_back(std::move(channel));
  }
}

void SecretFlow::add(ChannelKind kind, Name subject, uint32_t node, std::string text,
                     StepId cause) {
  if (!links_[cause].is_reported) {
    const Level level = source_.kind == Source::Kind::Decrypted ? Level::Decrypted : Level::Secret;
    add({kind, level, subject, path(step(node, std::move(text), cause))});
  }
}

// ---- control ----

void SecretFlow::block(BlockId id) {
  std::erase_if(marks_, [&](const Mark& mark) { return mark.join <= id; });
  held_ = std::move(at_begin_[id.index]);
  at_begin_[id.index].clear();
  const hir::Block& block = function_.blocks[id];
  for (const hir::InstructionId at : block.instructions) {
    instruction(function_.instructions[at]);
  }
  leave(block, id);
}

void SecretFlow::leave(const hir::Block& block, BlockId id) {
  const hir::Terminator& end = block.terminator;
  switch (end.kind) {
    case TerminatorKind::Branch: {
      pass_on(end.targets[0]);
      pass_on(end.targets[1]);
      const StepId cause = values_[end.condition.index];
      if (!cause.has_value()) {
        return;
      }
      const uint32_t node = child(end.node, syntax::Field::Condition);
      const StepId decides = step(node, "the branch taken depends on it", cause);
      if (!conversation_.is_same_on_both_sides(id)) {
        add(ChannelKind::Steered, {}, node, "the commands sent to a device depend on it", cause);
        links_[decides].is_reported = true;
      }
      marks_.push_back({end.join, decides});
      return;
    }
    case TerminatorKind::Jump:
      pass_on(end.targets[0]);
      return;
    case TerminatorKind::Return:
      give_back(end);
      return;
    case TerminatorKind::None:
      return;
  }
}

void SecretFlow::pass_on(BlockId to) {
  for (const auto& [place, cause] : held_) {
    StepId& there = at_begin_[to.index][place];
    there = shorter(there, cause);
  }
}

/// Is what stands at a port there for everybody to read? A field of a future is still encrypted.
auto SecretFlow::is_in_result_type(types::TypeId whole, const hir::Port& port) const -> bool {
  const TypeKind kind = around_.types[whole].kind;
  return kind != TypeKind::Encoder && kind != TypeKind::Future &&
         hir::is_value(around_.types, port.type) &&
         around_.types.visibility(port.type) == types::Visibility::Public;
}

void SecretFlow::give_back(const hir::Terminator& end) {
  const auto operands = function_.operands_of(end);
  for (size_t i = 0; i < operands.size() && i < results_.size(); ++i) {
    const StepId cause = shorter(values_[operands[i].index], control());
    results_[i] = cause;
    const hir::Port& port = function_.results[i];
    const types::SignatureResult& declared = around_.signature.results[port.ordinal];
    const bool is_owners = source_.owner.has_value() && declared.owner == source_.owner;
    if (cause.has_value() && source_.kind == Source::Kind::Declared && !is_owners &&
        is_in_result_type(declared.type, port)) {
      const bool is_only = around_.signature.results.size() == 1;
      add(ChannelKind::Result, declared.name,
          is_only ? end.node : function_.values[operands[i]].node, "it is returned", cause);
    }
  }
  for (const auto& [place, port] : ports_of_referents_) {
    const auto found = held_.find(place);
    referents_[port] = found == held_.end() ? StepId() : found->second;
  }
}

}  // namespace tacet::leakage
