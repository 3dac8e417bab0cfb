#include "engine/he_distributed/rank_plan.h"

namespace tacet::engine {
namespace {

class RankPlanner {
 public:
  RankPlanner(const Plan& plan, const std::vector<uint32_t>& received)
      : plan_(plan), is_received_(plan.nodes.size()) {
    result_.local.assign(plan.nodes.size(), kNoNode);
    for (const uint32_t node : received) {
      is_received_[node] = true;
    }
  }

  /// With what it needs, its own earlier ones apart. A ciphertext of another rank is before its
  /// first user: unpacked earlier, it would only lie in memory.
  void make(uint32_t node) {
    stack_.push_back(node);
    while (!stack_.empty()) {
      const uint32_t at = stack_.back();
      if (result_.local[at] != kNoNode) {
        stack_.pop_back();
        continue;
      }
      if (is_received_[at]) {
        stack_.pop_back();
        put(at, {.kind = PlanNode::Kind::Received, .count = at});
        continue;
      }
      bool is_ready = true;
      for (const uint32_t operand : plan_.nodes[at].operands) {
        if (operand != kNoNode && result_.local[operand] == kNoNode) {
          stack_.push_back(operand);
          is_ready = false;
        }
      }
      if (is_ready) {
        stack_.pop_back();
        PlanNode made = plan_.nodes[at];
        for (uint32_t& operand : made.operands) {
          operand = operand == kNoNode ? kNoNode : result_.local[operand];
        }
        put(at, made);
      }
    }
  }

  auto finish(const HeProgram& program, bool is_root) && -> RankPlan {
    if (is_root) {
      for (const uint32_t output : plan_.outputs) {
        result_.plan.outputs.push_back(result_.local[output]);
      }
    }
    count_operations(program, result_.plan);
    return std::move(result_);
  }

 private:
  void put(uint32_t node, const PlanNode& made) {
    result_.local[node] = static_cast<uint32_t>(result_.plan.nodes.size());
    result_.plan.nodes.push_back(made);
  }

  const Plan& plan_;
  std::vector<bool> is_received_;
  RankPlan result_;
  std::vector<uint32_t> stack_;
};

}  // namespace

auto rank_plan(const HeProgram& program, const Plan& plan, const PlanShare& share) -> RankPlan {
  RankPlanner planner(plan, share.received);
  for (const uint32_t node : share.nodes) {
    planner.make(node);
  }
  for (const uint32_t node : share.received) {
    planner.make(node);  // what no other node uses: results
  }
  return std::move(planner).finish(program, share.is_root);
}

}  // namespace tacet::engine
