#include "engine/he_distributed/rank_plan.h"

namespace tacet::engine {
namespace {

class RankPlanner {
 public:
  explicit RankPlanner(const Plan& plan) : plan_(plan) {
    result_.local.assign(plan.nodes.size(), kNoNode);
  }

  void receive(uint32_t node) { put(node, {.kind = PlanNode::Kind::Received, .count = node}); }

  /// With what it needs, ciphertexts of others and its own earlier ones apart.
  void make(uint32_t node) {
    stack_.push_back(node);
    while (!stack_.empty()) {
      const uint32_t at = stack_.back();
      if (result_.local[at] != kNoNode) {
        stack_.pop_back();
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
  RankPlan result_;
  std::vector<uint32_t> stack_;
};

}  // namespace

auto rank_plan(const HeProgram& program, const Plan& plan, const PlanShare& share) -> RankPlan {
  RankPlanner planner(plan);
  for (const uint32_t node : share.received) {
    planner.receive(node);
  }
  for (const uint32_t node : share.nodes) {
    planner.make(node);
  }
  return std::move(planner).finish(program, share.is_root);
}

}  // namespace tacet::engine
