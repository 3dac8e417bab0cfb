// What each instruction does to secrets that are followed.

#include <fmt/format.h>

#include "compiler/front/leakage/secret_flow.h"

namespace tacet::leakage {

using hir::Instruction;
using hir::Opcode;
using hir::PlaceKind;
using hir::ValueId;
using names::ItemKind;
using types::Visibility;

auto SecretFlow::callee_text(const Instruction& instruction) const -> std::string {
  return text_of(around_.items[instruction.item].name);
}

auto SecretFlow::argument(const Instruction& call, uint32_t port) const -> uint32_t {
  const auto signature = around_.signature_of(call.item);
  uint32_t next = 0;
  uint32_t ordinal = 0;
  for (const types::SignatureParameter& parameter : signature->parameters) {
    next += static_cast<uint32_t>(hir::expand(around_.types, parameter.type, 0).size());
    if (port < next) {
      break;
    }
    ++ordinal;
  }
  const syntax::Node node(&around_.tree, call.node);
  for (const syntax::Node child : node.child(syntax::Field::Arguments).children()) {
    if (syntax::is_named(child.kind()) && ordinal-- == 0) {
      return child.index();
    }
  }
  return call.node;
}

/// Its results have no names of their own, or those of what they pass on.
static auto keeps_name(Opcode opcode) -> bool {
  return opcode == Opcode::Load || opcode == Opcode::Parameter || opcode == Opcode::Borrow ||
         opcode == Opcode::Copy;
}

/// Starts something that holds no secrets yet, or stands for nothing.
static auto gives_nothing(Opcode opcode) -> bool {
  return opcode == Opcode::Hole || opcode == Opcode::EncodeBegin || opcode == Opcode::Submit;
}

void SecretFlow::instruction(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Store) {
    store(instruction);
  } else if (opcode == Opcode::Call) {
    call(instruction);
  } else if (opcode == Opcode::EncodeCopy) {
    encode_copy(instruction);
  } else if (opcode == Opcode::EncodeCall) {
    encode_call(instruction);
  } else if (opcode != Opcode::Poke &&  // what may have changed is overwritten behind it
             opcode != Opcode::Await && opcode != Opcode::Annotate) {
    results(instruction, result(instruction));
  }
}

void SecretFlow::results(const Instruction& instruction, StepId cause) {
  if (!cause.has_value()) {
    return;
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = function_.result_of(instruction, i);
    const Name name = function_.values[value].name;
    const bool is_new = name.has_value() && !keeps_name(instruction.opcode);
    set(value, is_new ? step(function_.values[value].node,
                             fmt::format("{} depends on it", text_of(name)), cause)
                      : cause);
  }
}

auto SecretFlow::result(const Instruction& instruction) -> StepId {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Parameter) {
    return parameter(instruction);
  }
  if (opcode == Opcode::Load) {
    return load(instruction);
  }
  if (opcode == Opcode::Borrow) {
    const auto found = held_.find(instruction.place);
    return found == held_.end() ? StepId() : found->second;
  }
  if (opcode == Opcode::Peek) {
    return peek(instruction);
  }
  if (opcode == Opcode::Written) {
    return written(instruction);
  }
  return gives_nothing(opcode) ? StepId() : of_operands(function_.operands_of(instruction));
}

auto SecretFlow::parameter(const Instruction& instruction) -> StepId {
  const hir::Port& port = function_.parameters[instruction.number];
  const types::SignatureParameter& declared = around_.signature.parameters[port.ordinal];
  const std::optional<Level> level = declared_level(around_.types, declared.type, port);
  const std::string name = text_of(function_.values[function_.result_of(instruction)].name);
  switch (source_.kind) {
    case Source::Kind::Port:
      return source_.port == instruction.number ? step(hir::kNoNode, "", {}) : StepId();
    case Source::Kind::Declared:
      if (level != Level::Secret || declared.owner != source_.owner) {
        return {};
      }
      return step(instruction.node,
                  declared.owner.has_value()
                      ? fmt::format("secret here: parameter {} from {}", name,
                                    around_.interner.text(declared.owner))
                      : fmt::format("secret here: parameter {}", name),
                  {});
    case Source::Kind::Decrypted:
      return level == Level::Decrypted
                 ? step(instruction.node, fmt::format("{} is encrypted here", name), {})
                 : StepId();
  }
  return {};
}

/// What a place holds. Reading a field of an awaited future decrypts it.
auto SecretFlow::load(const Instruction& instruction) -> StepId {
  const auto found = held_.find(instruction.place);
  if (found == held_.end() || !found->second.has_value()) {
    return {};
  }
  const bool is_read =
      source_.kind == Source::Kind::Decrypted && instruction.node != hir::kNoNode &&
      around_.tree.nodes[instruction.node].kind == syntax::NodeKind::FieldExpression;
  return is_read ? step(instruction.node, "decrypted here", found->second) : found->second;
}

/// A reference that may mean one of several variables reads any of its type.
auto SecretFlow::peek(const Instruction& instruction) const -> StepId {
  StepId cause = of_operands(function_.operands_of(instruction));
  const types::TypeId type = function_.values[function_.result_of(instruction)].type;
  for (const auto& [place, held] : held_) {
    if (function_.places[place].type == type) {
      cause = shorter(cause, held);
    }
  }
  return cause;
}

void SecretFlow::store(const Instruction& instruction) {
  const ValueId value = function_.operands_of(instruction)[0];
  const hir::Place& place = function_.places[instruction.place];
  const Instruction& from = function_.definition_of(value);
  if (from.opcode == Opcode::Parameter && place.kind == PlaceKind::Referent) {
    ports_of_referents_.emplace(instruction.place, from.number);
  }
  const bool is_encoded = from.opcode == Opcode::EncodeCopy || from.opcode == Opcode::EncodeCall;
  StepId cause = values_[value.index];
  if (cause.has_value()) {
    const bool is_variable = place.kind == PlaceKind::Variable && place.name.has_value();
    cause = is_variable ? step(instruction.node,
                               fmt::format("{} depends on it", text_of(place.name)), cause)
                        : cause;
  } else if (control().has_value() && !is_encoded && hir::is_value(around_.types, place.type)) {
    cause = step(
        instruction.node,
        fmt::format("{} depends on it",
                    place.name.has_value() ? "the value of " + text_of(place.name) : "this value"),
        control());
  }
  if (cause.has_value()) {
    held_[instruction.place] = cause;
  } else {
    held_.erase(instruction.place);
  }
}

// ---- calls ----

void SecretFlow::call(const Instruction& instruction) {
  after_call_.assign(function_.operands_of(instruction).size(), {});
  if (!instruction.item.has_value()) {
    return;
  }
  const auto signature = around_.signature_of(instruction.item);
  if (signature == nullptr) {
    return;
  }
  if (signature->kind == ItemKind::Fn) {
    if (const Summary* callee = around_.summary_of(instruction.item)) {
      call_function(instruction, *callee);
    }
  } else {
    call_extern(instruction, *signature);
  }
  declared_results(instruction, *signature);
}

void SecretFlow::call_function(const Instruction& instruction, const Summary& callee) {
  const auto operands = function_.operands_of(instruction).subspan(instruction.n_dims);
  for (uint32_t port = 0; port < operands.size() && port < callee.parameters.size(); ++port) {
    if (values_[operands[port].index].has_value()) {
      give_to(instruction, port, callee.parameters[port]);
    }
  }
  if (source_.kind == Source::Kind::Decrypted) {
    const StepId own =
        step(instruction.node, fmt::format("decrypted by {}", callee_text(instruction)), StepId());
    for (uint32_t i = 0; i < instruction.results.size() && i < callee.decrypted.results.size();
         ++i) {
      if (callee.decrypted.results[i]) {
        set(function_.result_of(instruction, i), own);
      }
    }
    for (uint32_t i = 0; i < callee.decrypted.referents.size() && i < after_call_.size(); ++i) {
      if (callee.decrypted.referents[i]) {
        after_call_[i] = shorter(after_call_[i], own);
      }
    }
  }
}

/// What becomes of a secret at one port of a call.
void SecretFlow::give_to(const Instruction& instruction, uint32_t port, const Reach& reach) {
  const ValueId given = function_.operands_of(instruction)[instruction.n_dims + port];
  const StepId cause = values_[given.index];
  const std::string callee = callee_text(instruction);
  const StepId back =
      step(instruction.node, fmt::format("the result of {} depends on it", callee), cause);
  for (uint32_t i = 0; i < instruction.results.size() && i < reach.results.size(); ++i) {
    if (reach.results[i]) {
      set(function_.result_of(instruction, i), back);
    }
  }
  for (uint32_t i = 0; i < reach.referents.size() && i < after_call_.size(); ++i) {
    if (reach.referents[i]) {
      after_call_[i] = shorter(after_call_[i], back);
    }
  }
  if (links_[cause].is_reported) {
    return;
  }
  for (const Channel& inner : reach.channels) {
    if (source_.kind == Source::Kind::Decrypted && inner.kind == ChannelKind::Effect) {
      continue;  // after decryption any use is allowed
    }
    const uint32_t node = argument(instruction, port);
    Channel channel = inner;
    channel.level = source_.kind == Source::Kind::Decrypted ? Level::Decrypted : Level::Secret;
    channel.path = path(step(node, fmt::format("passed to {}", callee), cause));
    channel.path.insert(channel.path.end(), inner.path.begin(), inner.path.end());
    add(std::move(channel));
  }
}

void SecretFlow::call_extern(const Instruction& instruction, const types::Signature& callee) {
  const auto operands = function_.operands_of(instruction);
  const StepId given = of_operands(operands);
  const bool may_do_anything = !callee.is_pure && source_.kind != Source::Kind::Decrypted;
  const Name name = around_.items[instruction.item].name;
  if (may_do_anything && given.has_value()) {
    for (uint32_t i = instruction.n_dims; i < operands.size(); ++i) {
      if (const StepId cause = values_[operands[i].index]; cause.has_value()) {
        add(ChannelKind::Effect, name, argument(instruction, i - instruction.n_dims),
            "it is passed to an extern", cause);
      }
    }
  } else if (may_do_anything && control().has_value()) {
    add(ChannelKind::Effect, name, instruction.node, "whether this call runs depends on it",
        control());
  }
  if (given.has_value()) {
    const StepId back =
        step(instruction.node,
             fmt::format("the result of {} depends on it", callee_text(instruction)), given);
    for (uint32_t i = 0; i < instruction.results.size(); ++i) {
      set(function_.result_of(instruction, i), back);
    }
    after_call_.assign(after_call_.size(), back);
  }
}

/// Results that the callee's head declares secret.
void SecretFlow::declared_results(const Instruction& instruction, const types::Signature& callee) {
  uint32_t at = 0;
  for (uint32_t ordinal = 0; ordinal < callee.results.size(); ++ordinal) {
    const types::SignatureResult& result = callee.results[ordinal];
    for (const hir::Port& port : hir::expand(around_.types, result.type, ordinal)) {
      const uint32_t i = at++;
      const std::optional<Level> level = declared_level(around_.types, result.type, port);
      const bool begins = level == Level::Secret && source_.kind == Source::Kind::Declared &&
                          result.owner == source_.owner;
      const bool is_encrypted =
          level == Level::Decrypted && source_.kind == Source::Kind::Decrypted;
      if (i < instruction.results.size() && (begins || is_encrypted)) {
        set(function_.result_of(instruction, i),
            step(instruction.node, fmt::format("{} returns a secret", callee_text(instruction)),
                 StepId()));
      }
    }
  }
}

/// What a variable holds behind a call that was given a reference to it.
auto SecretFlow::written(const Instruction& instruction) -> StepId {
  const StepId before = of_operands(function_.operands_of(instruction));
  const StepId put =
      instruction.number < after_call_.size() ? after_call_[instruction.number] : StepId();
  return shorter(before, put);
}

// ---- devices ----

void SecretFlow::encode_copy(const Instruction& instruction) {
  const auto operands = function_.operands_of(instruction);
  const ValueId encoded = function_.result_of(instruction);
  const Name field = function_.values[encoded].name;
  const StepId cause = values_[operands[1].index];
  if (!conversation_.is_private(operands[0]) || instruction.is_public) {
    if (cause.has_value() && conversation_.is_private(operands[0])) {
      add(ChannelKind::Clear, field, function_.values[operands[1]].node, "it is sent unencrypted",
          cause);
    }
    set(encoded, cause);
    return;
  }
  // From here on nobody sees it. On `mpc` reading it makes it known to all.
  if (source_.kind == Source::Kind::Decrypted &&
      conversation_.device(operands[0]) != names::Device::Mpc) {
    set(encoded, step(instruction.node, fmt::format("{} is encrypted here", text_of(field)), {}));
  }
}

void SecretFlow::encode_call(const Instruction& instruction) {
  const auto operands = function_.operands_of(instruction);
  const bool is_private = conversation_.is_private(operands[0]);
  const auto signature =
      instruction.item.has_value() ? around_.signature_of(instruction.item) : nullptr;
  for (uint32_t i = 1; i <= instruction.n_dims && is_private; ++i) {
    if (const StepId cause = values_[operands[i].index]; cause.has_value()) {
      add(ChannelKind::Grid, around_.items[instruction.item].name,
          child(instruction.node, syntax::Field::Value), "the size of the call depends on it",
          cause);
    }
  }
  const StepId given = is_private ? StepId() : of_operands(operands.subspan(1));
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = function_.result_of(instruction, i);
    const bool is_encrypted =
        is_private && signature != nullptr && i < signature->results.size() &&
        around_.types.visibility(signature->results[i].type) == Visibility::Secret;
    if (given.has_value()) {
      set(value, given);
    } else if (is_encrypted && source_.kind == Source::Kind::Decrypted &&
               conversation_.device(operands[0]) != names::Device::Mpc) {
      set(value, step(function_.values[value].node,
                      fmt::format("{} is computed under encryption",
                                  text_of(function_.values[value].name)),
                      {}));
    }
  }
}

}  // namespace tacet::leakage
