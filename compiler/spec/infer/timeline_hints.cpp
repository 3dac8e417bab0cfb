#include "compiler/spec/infer/timeline_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "compiler/core/diagnostics/code.h"

namespace tacet::infer {

using hir::Function;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;
using syntax::Node;
using syntax::NodeKind;

namespace {

class Hints {
 public:
  Hints(const Function& function, const syntax::Tree& tree, const TimelineQuotients* quotients,
        names::Report& report)
      : function_(function),
        tree_(tree),
        quotients_(quotients),
        report_(report),
        owner_(function.values.size()) {}

  void run() {
    note_owners();
    for (const hir::Block& block : function_.blocks.values()) {
      for (size_t i = 0; i < block.instructions.size(); ++i) {
        if (instruction(block, i).opcode == Opcode::Await) {
          look_behind(block, i);
        }
      }
    }
  }

 private:
  auto instruction(const hir::Block& block, size_t i) const -> const Instruction& {
    return function_.instructions[block.instructions[i]];
  }
  auto node(uint32_t index) const -> Node { return {&tree_, index}; }

  /// What is on a device, and the copies that are read of it, belongs to an encoder.
  void note_owners() {
    for (const hir::Block& block : function_.blocks.values()) {
      for (InstructionId id : block.instructions) {
        const Instruction& instruction = function_.instructions[id];
        std::span<const ValueId> operands = function_.operands_of(instruction);
        const bool encodes =
            instruction.opcode == Opcode::EncodeCopy || instruction.opcode == Opcode::EncodeCall;
        if (encodes || instruction.opcode == Opcode::Copy) {
          for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
            owner_[v] = encodes ? operands[0] : owner_[operands[0].index];
          }
        }
      }
    }
  }

  /// The encoder that was submitted for what is awaited, if that happens in this function.
  auto encoder_of(ValueId future) const -> ValueId {
    const Instruction& submit = function_.definition_of(future);
    return submit.opcode == Opcode::Submit ? function_.operands_of(submit)[0] : ValueId();
  }

  /// Does `instruction` need what `encoder` computed, or what was computed from that?
  auto needs(const Instruction& instruction, ValueId encoder,
             const std::unordered_set<uint32_t>& derived) const -> bool {
    std::span<const ValueId> operands = function_.operands_of(instruction);
    return std::any_of(operands.begin(), operands.end(), [&](ValueId operand) {
      return operand.has_value() &&
             (owner_[operand.index] == encoder || derived.count(operand.index) > 0);
    });
  }

  auto is_step(InstructionId id) const -> bool {
    const Opcode opcode = function_.instructions[id].opcode;
    return opcode == Opcode::Submit || opcode == Opcode::Await || opcode == Opcode::Hole ||
           (quotients_ != nullptr && quotients_->of_instruction[id.index].has_value());
  }

  void look_behind(const hir::Block& block, size_t await) {
    const ValueId encoder = encoder_of(function_.operands_of(instruction(block, await))[0]);
    if (!encoder.has_value()) {
      return;
    }
    std::unordered_set<uint32_t> derived;
    std::optional<size_t> first_use;
    std::optional<size_t> call;
    for (size_t i = await + 1; i < block.instructions.size(); ++i) {
      const Instruction& next = instruction(block, i);
      if (next.opcode == Opcode::EncodeBegin) {
        if (!call) {
          encoding(block, await, i, encoder, derived);
        }
        return;
      }
      if (is_step(block.instructions[i])) {
        return;
      }
      const bool is_use = next.opcode != Opcode::Copy && needs(next, encoder, derived);
      if (is_use) {
        for (uint32_t v = next.results.begin; v < next.results.end; ++v) {
          derived.insert(v);
        }
      }
      if (is_use && !first_use) {
        first_use = i;
        if (call) {
          early(block, await, *call, i);
          return;
        }
      }
      call = next.opcode == Opcode::Call && !call ? std::optional(i) : call;
    }
  }

  /// The encoding that begins at `begin`: could it have begun before the wait?
  void encoding(const hir::Block& block, size_t await, size_t begin, ValueId encoder,
                std::unordered_set<uint32_t>& derived) {
    const ValueId mine = function_.result_of(instruction(block, begin));
    bool is_submitted = false;
    for (size_t i = begin + 1; i < block.instructions.size() && !is_submitted; ++i) {
      const Instruction& next = instruction(block, i);
      std::span<const ValueId> operands = function_.operands_of(next);
      is_submitted = next.opcode == Opcode::Submit && operands[0] == mine;
      if (next.opcode == Opcode::Call || next.opcode == Opcode::Await ||
          next.opcode == Opcode::Hole) {
        return;
      }
      if (needs(next, encoder, derived)) {
        if (next.opcode == Opcode::EncodeCopy || next.opcode == Opcode::EncodeCall) {
          return;
        }
        for (uint32_t v = next.results.begin; v < next.results.end; ++v) {
          derived.insert(v);
        }
      }
    }
    if (!is_submitted) {
      return;  // somewhere else: who knows what it needs
    }
    report_
        .add(DiagnosticCode::T4051, node(instruction(block, await).node).range(),
             "the next encoding does not depend on this wait")
        .label(node(instruction(block, begin).node).range(),
               "if it started first, both could run in parallel")
        .note("a timeline that starts this encoding before waiting lets the two overlap");
  }

  /// A statement, and the block that it is directly in.
  struct Statement {
    Node node;
    Node block;
  };

  auto statement(uint32_t at) const -> Statement {
    Statement result;
    for (uint32_t i = at + 1; i-- > 0 && !result.block;) {
      Node above = node(i);
      if (above.subtree_end() > at) {
        (above.is(NodeKind::Block) ? result.block : result.node) = above;
      }
    }
    return result;
  }

  /// `call` could run between `await` and `use`.
  void early(const hir::Block& block, size_t await, size_t call, size_t use) {
    const Statement waits = statement(instruction(block, await).node);
    const Statement uses = statement(instruction(block, use).node);
    names::Draft draft =
        report_.add(DiagnosticCode::T4052, node(instruction(block, await).node).range(),
                    "this waits earlier than necessary");
    draft.label(node(instruction(block, call).node).range(), "this could run in the meantime")
        .label(node(instruction(block, use).node).range(), "the awaited result is needed here");
    if (!waits.node.is(NodeKind::LetStatement) || !uses.node || waits.node == uses.node ||
        waits.block != uses.block) {
      return;
    }
    for (size_t i = await + 1; i < use; ++i) {
      const Instruction& next = instruction(block, i);
      if (next.opcode == Opcode::Copy && next.node >= waits.node.subtree_end() &&
          owner_[next.results.begin].has_value()) {
        return;  // another name for it, which the wait must stay in front of
      }
    }
    const uint32_t to = uses.node.range().begin;
    draft.fix("move the wait to where its result is needed", Applicability::Unsafe,
              {{line_of(waits.node.range()), {}},
               {{to, to}, std::string(waits.node.text()) + "\n" + indentation(to)}});
  }

  /// The white space in front of `at` on its line.
  auto indentation(uint32_t at) const -> std::string {
    const std::string_view text = tree_.text;
    size_t begin = at;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) {
      --begin;
    }
    return std::string(text.substr(begin, at - begin));
  }

  /// `range` with the line break and the indentation in front of it.
  auto line_of(TextRange range) const -> TextRange {
    const std::string_view text = tree_.text;
    uint32_t begin = range.begin;
    while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) {
      --begin;
    }
    return begin > 0 && text[begin - 1] == '\n' ? TextRange{begin - 1, range.end} : range;
  }

  const Function& function_;
  const syntax::Tree& tree_;
  const TimelineQuotients* quotients_;
  names::Report& report_;
  std::vector<ValueId> owner_;  ///< by value: the encoder that it was computed by, or none
};

}  // namespace

void hint_at_idle_devices(const Function& function, const syntax::Tree& tree,
                          const TimelineQuotients* quotients, names::Report& report) {
  Hints(function, tree, quotients, report).run();
}

}  // namespace tacet::infer
