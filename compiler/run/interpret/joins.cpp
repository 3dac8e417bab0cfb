#include "compiler/run/interpret/joins.h"

#include <algorithm>

namespace tacet::interpret {

namespace {

/// Postdominators by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
/// Algorithm", 2001) on the reversed graph, whose root is the exit. Instructions are counted from
/// the function's entry; the exit is number `n`.
class Postdominators {
 public:
  Postdominators(const Program& program, const Function& function)
      : program_(program), function_(function), n_(function.end - function.entry) {}

  auto compute() -> std::vector<uint32_t> {
    number();
    parents_.assign(n_ + 1, kNowhere);
    parents_[n_] = n_;
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        is_changed |= *at != n_ && update(*at);
      }
    }
    return parents_;
  }

 private:
  auto successors(uint32_t at) const -> std::vector<uint32_t> {
    const Instruction& instruction = program_.instructions[function_.entry + at];
    switch (instruction.opcode) {
      case Opcode::Jump:
      case Opcode::Loop:
        return {instruction.operands[0] - function_.entry};
      case Opcode::JumpIf:
      case Opcode::JumpUnless:
        return {instruction.operands[1] - function_.entry, at + 1};
      case Opcode::TailCall:
      case Opcode::Return:
      case Opcode::Fail:
      case Opcode::Done:
      case Opcode::Settle:
        return {n_};
#define TACET_BINARY(Name, mnemonic) case Opcode::Name:
#include "engine/program/common/binary_operations.def"
      case Opcode::Const:
      case Opcode::Negate:
      case Opcode::Not:
      case Opcode::Complement:
      case Opcode::Cast:
      case Opcode::Move:
      case Opcode::Zero:
      case Opcode::Repeat:
      case Opcode::Sum:
      case Opcode::Product:
      case Opcode::Apply:
      case Opcode::Rotate:
      case Opcode::Index:
      case Opcode::CheckIndex:
      case Opcode::Fetch:
      case Opcode::Put:
      case Opcode::Reference:
      case Opcode::Load:
      case Opcode::Store:
      case Opcode::CheckLeast:
      case Opcode::CheckMost:
      case Opcode::CheckNorm:
      case Opcode::CheckReference:
      case Opcode::SplitRng:
      case Opcode::Draw:
      case Opcode::Force:
      case Opcode::Suspend:
      case Opcode::Need:
      case Opcode::Pass:
      case Opcode::Take:
      case Opcode::Call:
      case Opcode::CallExtern:
      case Opcode::Note:
      case Opcode::Mark:
      case Opcode::Reveal:
        break;
    }
    return {at + 1};
  }

  /// Post-order of the reversed graph, from the exit.
  void number() {
    std::vector<std::vector<uint32_t>> predecessors(n_ + 1);
    for (uint32_t i = 0; i < n_; ++i) {
      for (const uint32_t next : successors(i)) {
        predecessors[std::min(next, n_)].push_back(i);
      }
    }
    numbers_.assign(n_ + 1, kNowhere);
    std::vector<bool> seen(n_ + 1);
    std::vector<std::pair<uint32_t, size_t>> work{{n_, 0}};
    seen[n_] = true;
    while (!work.empty()) {
      auto& [at, next] = work.back();
      if (next < predecessors[at].size()) {
        const uint32_t before = predecessors[at][next++];
        if (!seen[before]) {
          seen[before] = true;
          work.emplace_back(before, 0);
        }
        continue;
      }
      numbers_[at] = static_cast<uint32_t>(order_.size());
      order_.push_back(at);
      work.pop_back();
    }
  }

  auto update(uint32_t at) -> bool {
    uint32_t parent = kNowhere;
    for (uint32_t next : successors(at)) {
      next = std::min(next, n_);
      if (parents_[next] != kNowhere) {
        parent = parent == kNowhere ? next : meet(parent, next);
      }
    }
    const bool is_changed = parents_[at] != parent;
    parents_[at] = parent;
    return is_changed;
  }

  auto meet(uint32_t a, uint32_t b) const -> uint32_t {
    while (a != b) {
      uint32_t& lower = numbers_[a] < numbers_[b] ? a : b;
      lower = parents_[lower];
    }
    return a;
  }

  const Program& program_;
  const Function& function_;
  uint32_t n_;
  std::vector<uint32_t> order_, numbers_, parents_;
};

}  // namespace

auto Joins::of(const Function& function, uint32_t at) -> uint32_t {
  auto found = functions_.find(function.entry);
  if (found == functions_.end()) {
    std::vector<uint32_t> joins = Postdominators(program_, function).compute();
    const uint32_t n = function.end - function.entry;
    for (uint32_t& join : joins) {
      join = join < n ? join + function.entry : kNowhere;
    }
    found = functions_.emplace(function.entry, std::move(joins)).first;
  }
  return found->second[at - function.entry];
}

}  // namespace tacet::interpret
