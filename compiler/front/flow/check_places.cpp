#include "compiler/front/flow/check_places.h"

#include "compiler/front/flow/place_messages.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceId;
using hir::ValueId;
using syntax::Field;
using syntax::Node;

namespace {

/// Goes through a function once, with what places hold. Each place is reported once: further
/// reports would follow from the first error.
class PlaceChecker {
 public:
  PlaceChecker(query::Context& context, const PlaceProblem& problem,
               const hir::BlockFacts<PlaceFact>& facts, names::Report& report,
               names::Report& leftovers)
      : types_(context.service<types::TypeStore>()),
        problem_(problem),
        function_(problem.function()),
        facts_(facts),
        tree_(context.get<names::SyntaxOfItem>(function_.item)),
        messages_(context, problem, facts, report),
        leftovers_(leftovers),
        is_read_(function_.values.size()),
        is_reported_(function_.places.size()) {}

  auto run() -> PlaceMistakes {
    find_reads();
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      check(BlockId{i});
    }
    if (!mistakes_.has_used_up_handles) {  // or two of them were mixed up, most likely
      check_leftovers();
    }
    return mistakes_;
  }

 private:
  /// Marks the values that are read. Copying a field to a join is no read, and neither are tags.
  void find_reads() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const hir::Block& block = function_.blocks[BlockId{i}];
      for (InstructionId id : block.instructions) {
        const Instruction& instruction = function_.instructions[id];
        const bool is_copy =
            instruction.opcode == Opcode::Store && problem_.copied_place(instruction).has_value();
        if (!is_copy && !is_mention(instruction)) {
          read(instruction.operands);
        }
      }
      read(block.terminator.operands);
      if (block.terminator.condition.has_value()) {
        is_read_.insert(block.terminator.condition.index);
      }
    }
  }

  void read(hir::Slice operands) {
    for (uint32_t i = operands.begin; i < operands.end; ++i) {
      if (!problem_.ports().empty_operands.contains(i)) {
        is_read_.insert(function_.operands[i].index);
      }
    }
  }

  /// A reference that may mean one of several variables mentions them all and reads none. What is
  /// broken may have been meant as anything.
  [[nodiscard]] auto is_mention(const Instruction& instruction) const -> bool {
    const bool is_broken =
        instruction.opcode == Opcode::Opaque && problem_.sense() == Sense::Broken;
    return is_broken || instruction.opcode == Opcode::Choose ||
           instruction.opcode == Opcode::Overwritten ||
           (instruction.opcode == Opcode::Opaque && instruction.results.size() == 1 &&
            types_[function_.values[function_.result_of(instruction)].type].kind ==
                types::TypeKind::Reference);
  }

  void check(BlockId block) {
    PlaceFact fact = facts_.at_begin[block.index];
    size_t position = 0;
    for (InstructionId id : function_.blocks[block].instructions) {
      const Instruction& instruction = function_.instructions[id];
      check(instruction, {block, position++, fact});
      problem_.transfer(instruction, fact);
    }
    check(function_.blocks[block].terminator, {block, position, fact});
  }

  void check(const Instruction& instruction, Point point) {
    const Opcode opcode = instruction.opcode;
    if (opcode == Opcode::Load) {
      check_load(instruction, point);
    } else if (opcode == Opcode::Call) {
      check_call(instruction, point);
    } else if (opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall) {
      use_handle(function_.operands_of(instruction)[0], encoder_of(instruction), &instruction,
                 point);
    } else if (opcode == Opcode::Store || opcode == Opcode::Submit || opcode == Opcode::Await) {
      use_handle(function_.operands_of(instruction)[0], instruction.node, &instruction, point);
    }
  }

  void check_load(const Instruction& load, Point point) {
    if (!problem_.is_handle(load.place) && is_read_.contains(load.results.begin) &&
        problem_.is_empty(point.fact, load.place) && is_news(load.place)) {
      messages_.empty_read(load, point);
      mistakes_.has_empty_reads = true;
    }
  }

  void check_call(const Instruction& call, Point point) {
    for (uint32_t i = call.operands.begin; i < call.operands.end; ++i) {
      const ValueId operand = function_.operands[i];
      use_handle(operand, function_.values[operand].node, &call, point);
      if (is_empty_reference(i, point)) {
        messages_.lent_empty(i, call, point);
      }
    }
  }

  void check(const hir::Terminator& terminator, Point point) {
    for (uint32_t i = terminator.operands.begin; i < terminator.operands.end; ++i) {
      const ValueId operand = function_.operands[i];
      use_handle(operand, function_.values[operand].node, nullptr, point);
      if (is_empty_reference(i, point)) {
        messages_.given_back_empty(operand, point);
      }
    }
  }

  /// The name of the encoder in an `encode` statement.
  [[nodiscard]] auto encoder_of(const Instruction& encode) const -> uint32_t {
    if (encode.node == hir::kNoNode) {
      return hir::kNoNode;
    }
    Node encoder = Node(tree_.get(), encode.node).child(Field::Encoder);
    return encoder ? encoder.index() : encode.node;
  }

  /// Does the operand refer to an empty place, where that is unexpected and unreported?
  auto is_empty_reference(uint32_t operand, Point point) -> bool {
    const Instruction& definition = function_.definition_of(function_.operands[operand]);
    const bool is_empty =
        definition.opcode == Opcode::Borrow && !problem_.ports().empty_operands.contains(operand) &&
        problem_.is_empty(point.fact, definition.place) && is_news(definition.place);
    mistakes_.has_empty_reads = mistakes_.has_empty_reads || is_empty;
    return is_empty;
  }

  void use_handle(ValueId value, uint32_t at, const Instruction* by, Point point) {
    const PlaceId place = problem_.place_of_handle(value);
    if (problem_.is_empty(point.fact, place) && is_news(place)) {
      const Opcode use = by == nullptr ? Opcode::Undefined : by->opcode;
      if (messages_.used_up(place, at, use, by, point)) {
        mistakes_.has_used_up_handles = true;
      }
    }
  }

  void check_leftovers() {
    for (PlaceId place : problem_.followed()) {
      if (problem_.is_handle(place) && problem_.is_full(facts_.at_end.back(), place)) {
        messages_.left_over(leftovers_, place, is_used_up_somewhere(place));
      }
    }
  }

  [[nodiscard]] auto is_used_up_somewhere(PlaceId place) const -> bool {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      PlaceFact fact = facts_.at_begin[i];
      for (InstructionId id : function_.blocks[BlockId{i}].instructions) {
        const bool was_full = problem_.is_full(fact, place);
        problem_.transfer(function_.instructions[id], fact);
        if (was_full && !problem_.is_full(fact, place)) {
          return true;
        }
      }
    }
    return false;
  }

  /// True the first time.
  auto is_news(PlaceId place) -> bool {
    const bool is_first = !is_reported_.contains(place.index);
    is_reported_.insert(place.index);
    return is_first;
  }

  const types::TypeStore& types_;
  const PlaceProblem& problem_;
  const hir::Function& function_;
  const hir::BlockFacts<PlaceFact>& facts_;
  names::ItemTree tree_;
  PlaceMessages messages_;
  names::Report& leftovers_;
  BitSet is_read_;
  BitSet is_reported_;
  PlaceMistakes mistakes_;
};

}  // namespace

auto check_places(query::Context& context, const PlaceProblem& problem,
                  const hir::BlockFacts<PlaceFact>& facts, names::Report& report,
                  names::Report& leftovers) -> PlaceMistakes {
  return PlaceChecker(context, problem, facts, report, leftovers).run();
}

}  // namespace tacet::flow
