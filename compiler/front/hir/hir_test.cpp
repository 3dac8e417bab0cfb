#include <gtest/gtest.h>

#include "compiler/front/hir/build.h"
#include "compiler/front/hir/dominance.h"
#include "compiler/front/hir/function_writer.h"
#include "compiler/front/hir/liveness.h"
#include "compiler/front/hir/order.h"
#include "compiler/front/hir/ssa.h"
#include "compiler/front/hir/verify.h"

namespace tacet::hir {
namespace {

/// A function of nested and chained `if`s over a few places, from random numbers.
class RandomFunction {
 public:
  explicit RandomFunction(uint64_t seed) : state_(seed), writer_(function_) {}

  auto make() -> Function {
    writer_.enter(writer_.new_block());
    for (int i = 0; i < 3; ++i) {
      places_.push_back(writer_.new_place({.kind = PlaceKind::Variable,
                                           .name = {},
                                           .owner = {},
                                           .type = types::TypeStore::kI64,
                                           .node = kNoNode}));
      if (i != 0) {
        writer_.store(places_.back(), literal(), kNoNode);
      }
    }
    body(3);
    std::vector<ValueId> given;
    for (PlaceId place : places_) {
      given.push_back(writer_.load(place, kNoNode));
    }
    writer_.give_back(given, kNoNode);
    sort_blocks(function_);
    return std::move(function_);
  }

 private:
  auto next(uint64_t n) -> uint64_t {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % n;
  }
  auto literal() -> ValueId {
    Instruction instruction;
    instruction.opcode = Opcode::Literal;
    return writer_.value(instruction, {}, types::TypeStore::kI64);
  }
  auto place() -> PlaceId { return places_[next(places_.size())]; }

  void body(int depth) {
    for (uint64_t n = next(4); n > 0; --n) {
      switch (next(depth > 0 ? 4 : 3)) {
        case 0:
          writer_.store(place(), literal(), kNoNode);
          break;
        case 1:
          writer_.store(place(), writer_.load(place(), kNoNode), kNoNode);
          break;
        case 2: {
          Instruction sum;
          sum.opcode = Opcode::Binary;
          const ValueId left = writer_.load(place(), kNoNode);
          const ValueId right = writer_.load(place(), kNoNode);
          const PlaceId to = place();
          writer_.store(to, writer_.value(sum, std::array{left, right}, types::TypeStore::kI64),
                        kNoNode);
          break;
        }
        default: {
          const ValueId condition = writer_.load(place(), kNoNode);
          const BlockId on_true = writer_.new_block();
          const BlockId on_false = writer_.new_block();
          const BlockId join = writer_.new_block();
          writer_.branch(condition, on_true, on_false, join, kNoNode);
          for (BlockId target : {on_true, on_false}) {
            writer_.enter(target);
            body(depth - 1);
            writer_.jump(join);
          }
          writer_.enter(join);
        }
      }
    }
  }

  uint64_t state_;
  Function function_;
  FunctionWriter writer_;
  std::vector<PlaceId> places_;
};

/// Runs a function along one path, the n-th branch going by bit n of `choices`. What comes out is
/// an expression in the literals, as text.
auto run(const Function& function, uint64_t choices) -> std::vector<std::string> {
  std::vector<std::string> values(function.values.size());
  std::vector<std::string> places(function.places.size(), "?");
  BlockId block{0};
  BlockId from;
  for (;;) {
    const Block& data = function.blocks[block];
    std::vector<std::pair<ValueId, std::string>> phis;
    for (InstructionId id : data.instructions) {
      const Instruction& instruction = function.instructions[id];
      std::span<const ValueId> operands = function.operands_of(instruction);
      const uint32_t result = instruction.results.begin;
      if (instruction.opcode == Opcode::Literal) {
        values[result] = std::to_string(id.index);
      } else if (instruction.opcode == Opcode::Binary) {
        values[result] = "(" + values[operands[0].index] + "+" + values[operands[1].index] + ")";
      } else if (instruction.opcode == Opcode::Load) {
        values[result] = places[instruction.place.index];
      } else if (instruction.opcode == Opcode::Store) {
        places[instruction.place.index] = values[operands[0].index];
      } else if (instruction.opcode == Opcode::Undefined) {
        values[result] = "?";
      } else if (instruction.opcode == Opcode::Phi) {
        for (size_t i = 0; i < operands.size(); ++i) {
          if (data.predecessors[i] == from) {
            values[result] = values[operands[i].index];
          }
        }
      } else {
        ADD_FAILURE() << "an instruction that is not made here";
      }
    }
    from = block;
    const Terminator& terminator = data.terminator;
    if (terminator.kind == TerminatorKind::Return) {
      std::vector<std::string> given;
      for (ValueId value : function.operands_of(terminator)) {
        given.push_back(values[value.index]);
      }
      return given;
    }
    block = terminator.targets[0];
    if (terminator.kind == TerminatorKind::Branch) {
      block = terminator.targets[choices & 1U];
      choices >>= 1;
    }
  }
}

TEST(Ssa, ComputesTheSameOnEveryPath) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Function function = RandomFunction(seed).make();
    ASSERT_EQ(verify(function), "") << "seed " << seed;
    const Function ssa = to_ssa(function);
    ASSERT_EQ(verify(ssa), "") << "seed " << seed;
    for (uint64_t choices : {0x0ULL, ~0x0ULL, 0x5555ULL, 0xaaaaULL, seed * 0x9e3779b97f4a7c15ULL}) {
      ASSERT_EQ(run(ssa, choices), run(function, choices))
          << "seed " << seed << ", ways " << choices;
    }
  }
}

/// Is there a path from the entry to `block` that leaves out `without`?
auto is_reached(const Function& function, BlockId block, BlockId without) -> bool {
  std::vector<bool> reached(function.blocks.size(), false);
  reached[0] = without != BlockId{0};
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    for (BlockId next : successors(function.blocks[BlockId{i}].terminator)) {
      reached[next.index] = reached[next.index] || (reached[i] && next != without);
    }
  }
  return reached[block.index];
}

TEST(Dominance, IsOnEveryPath) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Function function = RandomFunction(seed).make();
    const Dominance found = dominance(function);
    for (uint32_t a = 0; a < function.blocks.size(); ++a) {
      for (uint32_t b = 0; b < function.blocks.size(); ++b) {
        const bool passes = a == b || !is_reached(function, {b}, {a});
        ASSERT_EQ(found.dominates({a}, {b}), passes) << "seed " << seed;
      }
    }
  }
}

/// Does some path from the start of `block` load `place` before it stores there?
auto is_read(const Function& function, BlockId block, PlaceId place) -> bool {
  for (InstructionId id : function.blocks[block].instructions) {
    const Instruction& instruction = function.instructions[id];
    if (instruction.place == place && instruction.opcode == Opcode::Load) {
      return true;
    }
    if (instruction.place == place && instruction.opcode == Opcode::Store) {
      return false;
    }
  }
  for (BlockId next : successors(function.blocks[block].terminator)) {
    if (is_read(function, next, place)) {
      return true;
    }
  }
  return false;
}

TEST(Liveness, IsReadOnSomePath) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Function function = RandomFunction(seed).make();
    PlaceLiveness liveness(function);
    for (uint32_t place = 0; place < function.places.size(); ++place) {
      liveness.look_at({place});
      for (uint32_t block = 0; block < function.blocks.size(); ++block) {
        ASSERT_EQ(liveness.is_live({block}), is_read(function, {block}, {place}))
            << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tacet::hir
