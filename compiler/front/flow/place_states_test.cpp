#include "compiler/front/flow/place_states.h"

#include <gtest/gtest.h>

#include "compiler/front/hir/function_writer.h"
#include "compiler/front/hir/order.h"
#include "compiler/front/hir/verify.h"

namespace tacet::flow {
namespace {

using hir::Block;
using hir::BlockId;
using hir::Function;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;
using hir::ValueId;
using types::TypeStore;

constexpr size_t kMaxBranches = 8;

/// A function over a few variables, fields and encoders, from random numbers.
class RandomFunction {
 public:
  explicit RandomFunction(uint64_t seed) : state_(seed), writer_(function_) {}

  auto make() -> Function {
    writer_.enter(writer_.new_block());
    for (PlaceKind kind : {PlaceKind::Variable, PlaceKind::Variable, PlaceKind::Field,
                           PlaceKind::Field, PlaceKind::Field}) {
      values_.push_back(new_place(kind, TypeStore::kI64));
    }
    for (int i = 0; i < 2; ++i) {
      encoders_.push_back(new_place(PlaceKind::Merged, TypeStore::kEncoder));
      futures_.push_back(new_place(PlaceKind::Merged, TypeStore::kFuture));
    }
    body(4);
    writer_.give_back(std::array{writer_.load(values_[0], hir::kNoNode)}, hir::kNoNode);
    hir::sort_blocks(function_);
    return std::move(function_);
  }

 private:
  auto next(uint64_t n) -> uint64_t {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % n;
  }
  auto new_place(PlaceKind kind, types::TypeId type) -> PlaceId {
    return writer_.new_place(
        {.kind = kind, .name = {}, .owner = {}, .type = type, .node = hir::kNoNode});
  }
  auto one_of(const std::vector<PlaceId>& places) -> PlaceId { return places[next(places.size())]; }
  auto make(Opcode opcode) -> Instruction {
    Instruction instruction;
    instruction.opcode = opcode;
    return instruction;
  }
  void copy(const std::vector<PlaceId>& places) {
    const ValueId value = writer_.load(one_of(places), hir::kNoNode);
    writer_.store(one_of(places), value, hir::kNoNode);
  }

  void body(int depth) {
    for (uint64_t n = next(6); n > 0; --n) {
      switch (next(depth > 0 && n_branches_ < kMaxBranches ? 9 : 8)) {
        case 0:
          writer_.store(one_of(values_), writer_.value(make(Opcode::Literal), {}, TypeStore::kI64),
                        hir::kNoNode);
          break;
        case 1:
        case 2:
          copy(values_);
          break;
        case 3:
          copy(next(2) == 0 ? encoders_ : futures_);
          break;
        case 4:
          writer_.store(one_of(encoders_),
                        writer_.value(make(Opcode::EncodeBegin), {}, TypeStore::kEncoder),
                        hir::kNoNode);
          break;
        case 5: {
          const ValueId encoder = writer_.load(one_of(encoders_), hir::kNoNode);
          writer_.store(
              one_of(futures_),
              writer_.value(make(Opcode::Submit), std::array{encoder}, TypeStore::kFuture),
              hir::kNoNode);
          break;
        }
        case 6:
          writer_.add(make(Opcode::Await), std::array{writer_.load(one_of(futures_), hir::kNoNode)},
                      {});
          break;
        case 7:
          if (next(8) == 0) {
            writer_.add(make(Opcode::Hole), {}, {});
          } else if (next(8) == 0) {
            Instruction hole = make(Opcode::Hole);
            hole.is_expression = true;
            writer_.value(hole, {}, TypeStore::kI64);
          }
          break;
        default:
          branches(depth);
      }
    }
  }

  void branches(int depth) {
    ++n_branches_;
    const ValueId condition = writer_.value(make(Opcode::Literal), {}, TypeStore::kBool);
    const BlockId on_true = writer_.new_block();
    const BlockId on_false = writer_.new_block();
    const BlockId join = writer_.new_block();
    writer_.branch(condition, on_true, on_false, join, hir::kNoNode);
    for (BlockId target : {on_true, on_false}) {
      writer_.enter(target);
      body(depth - 1);
      writer_.jump(join);
    }
    writer_.enter(join);
  }

  uint64_t state_;
  size_t n_branches_ = 0;
  Function function_;
  hir::FunctionWriter writer_;
  std::vector<PlaceId> values_;
  std::vector<PlaceId> encoders_;
  std::vector<PlaceId> futures_;
};

/// What a place really holds: a hole makes it whatever one likes.
enum class Content : uint8_t { Empty, Full, Anything };

/// Runs a function along one path, and collects what places hold at the start of blocks.
class Execution {
 public:
  Execution(const Function& function, std::vector<PlaceFact>& at_begin)
      : function_(function), at_begin_(at_begin), contents_(function.places.size()) {}

  void run(uint64_t branches) {
    BlockId block{0};
    for (;;) {
      note(block);
      for (InstructionId id : function_.blocks[block].instructions) {
        step(function_.instructions[id]);
      }
      const hir::Terminator& terminator = function_.blocks[block].terminator;
      if (terminator.kind == hir::TerminatorKind::Return) {
        return;
      }
      block = terminator.targets[0];
      if (terminator.kind == hir::TerminatorKind::Branch) {
        block = terminator.targets[branches & 1U];
        branches >>= 1;
      }
    }
  }

 private:
  void note(BlockId block) {
    for (uint32_t place = 0; place < contents_.size(); ++place) {
      if (contents_[place] == Content::Empty) {
        at_begin_[block.index].empty.insert(place);
      } else if (contents_[place] == Content::Full) {
        at_begin_[block.index].full.insert(place);
      }
    }
  }

  void step(const Instruction& instruction) {
    const auto loaded_from = [&](size_t operand) {
      const Instruction& load =
          function_.definition_of(function_.operands_of(instruction)[operand]);
      return load.opcode == Opcode::Load ? load.place : PlaceId{};
    };
    if (instruction.opcode == Opcode::Store) {
      const PlaceId from = loaded_from(0);
      Content& to = contents_[instruction.place.index];
      const hir::Place& place = function_.places[instruction.place];
      if (place.type != TypeStore::kI64 && from.has_value()) {
        contents_[from.index] = Content::Empty;
        to = Content::Full;
      } else if (from.has_value() && place.kind == PlaceKind::Field &&
                 function_.places[from].kind == PlaceKind::Field) {
        to = contents_[from.index];
      } else {
        to = Content::Full;
      }
    } else if (instruction.opcode == Opcode::Submit || instruction.opcode == Opcode::Await) {
      contents_[loaded_from(0).index] = Content::Empty;
    } else if (instruction.opcode == Opcode::Hole) {
      for (uint32_t i = 0; i < contents_.size(); ++i) {
        const types::TypeId type = function_.places[hir::PlaceId{i}].type;
        const bool is_handle = type == TypeStore::kEncoder || type == TypeStore::kFuture;
        if (!instruction.is_expression || is_handle) {
          contents_[i] = Content::Anything;
        }
      }
    }
  }

  const Function& function_;
  std::vector<PlaceFact>& at_begin_;
  std::vector<Content> contents_;
};

TEST(PlaceStates, AreThoseOfSomePath) {
  const TypeStore types;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Function function = RandomFunction(seed).make();
    ASSERT_EQ(hir::verify(function), "") << "seed " << seed;
    const size_t n = function.places.size();
    std::vector<PlaceFact> met(function.blocks.size(), PlaceFact{SharedBitSet(n), SharedBitSet(n)});
    for (uint64_t branches = 0; branches < uint64_t{1} << kMaxBranches; ++branches) {
      Execution(function, met).run(branches);
    }
    const hir::BlockFacts<PlaceFact> found =
        hir::solve(function, PlaceProblem(function, types, PortFacts(function), Followed::All));
    for (uint32_t block = 0; block < function.blocks.size(); ++block) {
      ASSERT_EQ(found.at_begin[block].empty, met[block].empty) << "seed " << seed;
      ASSERT_EQ(found.at_begin[block].full, met[block].full) << "seed " << seed;
    }
  }
}

/// Following only the suspects misses no place that is empty where it is loaded.
TEST(PlaceStates, OfSuspectsAreThoseOfAll) {
  const TypeStore types;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Function function = RandomFunction(seed).make();
    const PlaceProblem few(function, types, PortFacts(function), Followed::Suspects);
    const PlaceProblem all(function, types, PortFacts(function), Followed::All);
    const hir::BlockFacts<PlaceFact> few_facts = hir::solve(function, few);
    const hir::BlockFacts<PlaceFact> all_facts = hir::solve(function, all);
    for (uint32_t block = 0; block < function.blocks.size(); ++block) {
      PlaceFact in_few = few_facts.at_begin[block];
      PlaceFact in_all = all_facts.at_begin[block];
      for (InstructionId id : function.blocks[BlockId{block}].instructions) {
        const Instruction& instruction = function.instructions[id];
        if (instruction.opcode == Opcode::Load) {
          ASSERT_EQ(few.is_empty(in_few, instruction.place),
                    all.is_empty(in_all, instruction.place))
              << "seed " << seed;
        }
        few.transfer(instruction, in_few);
        all.transfer(instruction, in_all);
      }
    }
  }
}

}  // namespace
}  // namespace tacet::flow
