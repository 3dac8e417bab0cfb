#include "compiler/front/flow/place_states.h"

#include <utility>

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;
using hir::ValueId;
using types::TypeKind;

PlaceProblem::PlaceProblem(const hir::Function& function, const types::TypeStore& types,
                           PortFacts ports, Followed followed, Sense sense)
    : function_(function),
      types_(types),
      sense_(sense),
      ports_(std::move(ports)),
      number_of_place_(function.places.size(), kNotFollowed) {
  if (followed == Followed::Suspects) {
    find_suspects();
    return;
  }
  for (uint32_t i = 0; i < function.places.size(); ++i) {
    follow({i});
  }
}

void PlaceProblem::follow(PlaceId place) {
  if (number_of_place_[place.index] == kNotFollowed) {
    number_of_place_[place.index] = static_cast<uint32_t>(followed_.size());
    followed_.push_back(place);
  }
}

auto PlaceProblem::is_handle_type(types::TypeId type) const -> bool {
  const TypeKind kind = types_[type].kind;
  return kind == TypeKind::Encoder || kind == TypeKind::Future;
}

/// A place is above suspicion if the entry or its own block stores to it before each read. What
/// blocks and `if`s yield is stored on every path.
void PlaceProblem::find_suspects() {
  constexpr uint32_t kNever = 0xffffffff;
  std::vector<uint32_t> stored_in(function_.places.size(), kNever);
  for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
    for (InstructionId id : function_.blocks[BlockId{block}].instructions) {
      const Instruction& instruction = function_.instructions[id];
      if (!instruction.place.has_value()) {
        continue;
      }
      uint32_t& stored = stored_in[instruction.place.index];
      if (instruction.opcode == Opcode::Store) {
        if (is_suspect_store(instruction)) {
          follow(instruction.place);
        }
        if (stored != 0) {
          stored = block;
        }
      } else if (hir::looks_at_place(instruction.opcode) && stored != 0 && stored != block &&
                 (function_.places[instruction.place].kind != PlaceKind::Merged ||
                  is_handle(instruction.place))) {
        follow(instruction.place);
      }
    }
  }
}

auto PlaceProblem::is_suspect_store(const Instruction& store) const -> bool {
  const ValueId stored = function_.operands_of(store)[0];
  return is_handle(store.place) || ports_.empty_values.contains(stored.index) ||
         is_followed(copied_place(store));
}

auto PlaceProblem::place_of_handle(ValueId value) const -> PlaceId {
  if (!is_handle(value)) {
    return {};
  }
  const Instruction& definition = function_.definition_of(value);
  return definition.opcode == Opcode::Load ? definition.place : PlaceId{};
}

auto PlaceProblem::copied_place(const Instruction& store) const -> PlaceId {
  const auto is_passing = [&](PlaceId place) {
    const PlaceKind kind = function_.places[place].kind;
    return kind == PlaceKind::Field || kind == PlaceKind::Merged;
  };
  const Instruction& definition = function_.definition_of(function_.operands_of(store)[0]);
  const bool is_copy =
      definition.opcode == Opcode::Load && is_passing(definition.place) && is_passing(store.place);
  return is_copy ? definition.place : PlaceId{};
}

auto PlaceProblem::boundary() const -> Fact {
  return {SharedBitSet(followed_.size(), true), SharedBitSet(followed_.size())};
}

auto PlaceProblem::start() const -> Fact {
  return {SharedBitSet(followed_.size()), SharedBitSet(followed_.size())};
}

void PlaceProblem::meet(Fact& into, const Fact& other) const {
  into.empty.unite(other.empty);
  into.full.unite(other.full);
}

void PlaceProblem::fill(PlaceId place, Fact& fact) const {
  if (is_followed(place)) {
    fact.empty.erase(number_of_place_[place.index]);
    fact.full.insert(number_of_place_[place.index]);
  }
}

void PlaceProblem::empty(PlaceId place, Fact& fact) const {
  if (is_followed(place)) {
    fact.empty.insert(number_of_place_[place.index]);
    fact.full.erase(number_of_place_[place.index]);
  }
}

/// Handles among `operands` are somebody else's from now on.
void PlaceProblem::take(std::span<const ValueId> operands, Fact& fact) const {
  for (ValueId operand : operands) {
    empty(place_of_handle(operand), fact);
  }
}

/// Whatever fills a hole may store to every place, and use every handle up. An expression stores
/// nothing, unless a reference is wanted, which may be to what a call then fills.
auto PlaceProblem::is_unclear(const Instruction& instruction, PlaceId place) const -> bool {
  if (instruction.opcode == Opcode::Opaque) {
    return sense_ == Sense::Broken;
  }
  return instruction.opcode == Opcode::Hole &&
         (!instruction.is_expression || is_handle(place) ||
          types_[function_.values[function_.result_of(instruction)].type].kind ==
              TypeKind::Reference);
}

void PlaceProblem::transfer(const Instruction& instruction, Fact& fact) const {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Store) {
    store(instruction, fact);
  } else if (opcode == Opcode::Submit || opcode == Opcode::Await || opcode == Opcode::Call) {
    take(function_.operands_of(instruction), fact);
  } else if (opcode == Opcode::Hole || opcode == Opcode::Opaque) {
    for (PlaceId place : followed_) {
      if (is_unclear(instruction, place)) {
        fact.empty.erase(number_of_place_[place.index]);
        fact.full.erase(number_of_place_[place.index]);
      }
    }
  }
}

void PlaceProblem::store(const Instruction& store, Fact& fact) const {
  const ValueId stored = function_.operands_of(store)[0];
  if (ports_.unfilled_values.contains(stored.index)) {
    return;
  }
  if (ports_.empty_values.contains(stored.index)) {
    empty(store.place, fact);
    return;
  }
  const PlaceId from = copied_place(store);
  if (!is_followed(from)) {
    fill(store.place, fact);
  } else if (is_handle(from)) {
    empty(from, fact);
    fill(store.place, fact);
  } else if (is_followed(store.place)) {
    const bool may_be_empty = is_empty(fact, from);
    const bool may_be_full = is_full(fact, from);
    fill(store.place, fact);
    if (may_be_empty) {
      fact.empty.insert(number_of_place_[store.place.index]);
    }
    if (!may_be_full) {
      fact.full.erase(number_of_place_[store.place.index]);
    }
  }
}

void PlaceProblem::transfer(const hir::Terminator& terminator, Fact& fact) const {
  take(function_.operands_of(terminator), fact);
}

void PlaceProblem::transfer(BlockId block, Fact& fact) const {
  for (InstructionId id : function_.blocks[block].instructions) {
    transfer(function_.instructions[id], fact);
  }
  transfer(function_.blocks[block].terminator, fact);
}

}  // namespace tacet::flow
