#include "engine/he_runtime/prepared.h"

#include <algorithm>
#include <atomic>

#include "engine/he/evaluation.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/task_graph.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

class Preparation {
 public:
  Preparation(const HeProgram& program, const Plan& plan, const he::Context& context,
              const SlotCodec& codec, const HeValues& values, uint64_t most_bytes,
              HeEvaluations evaluations, const HeProgress& progress)
      : program_(program),
        plan_(plan),
        context_(context),
        codec_(codec),
        values_(values),
        progress_(progress),
        arithmetic_(program),
        scales_(scales_of(program, context)),
        prepared_(plan.nodes.size()),
        n_users_(plan.nodes.size()) {
    choose_streamed(most_bytes, evaluations);
    for (const PlanNode& node : plan.nodes) {
      for (const uint32_t operand : node.operands) {
        if (operand != kNoNode) {
          ++n_users_[operand];
        }
      }
    }
  }

  auto run() -> Result<std::vector<PreparedNode>> {
    TaskGraph graph;
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      graph.add_task();
      n_steps_ += is_clear(plan_.nodes[i]) && is_wanted_[i] ? 1 : 0;
      for (const uint32_t operand : plan_.nodes[i].operands) {
        if (operand != kNoNode && is_clear(plan_.nodes[i])) {
          graph.add_wait(i, operand);
        }
      }
    }
    Status status = run_tasks(context_.executor(), context_.n_threads(), graph,
                              [this](uint32_t node) { return make_and_report(node); });
    if (!status) {
      return status.error();
    }
    return std::move(prepared_);
  }

 private:
  auto make_and_report(uint32_t at) -> Status {
    Status made = make(at);
    if (made) {
      release_operands(at);
    }
    if (made && progress_ && is_clear(plan_.nodes[at]) && is_wanted_[at]) {
      progress_(n_done_.fetch_add(1, std::memory_order_relaxed) + 1, n_steps_);
    }
    return made;
  }

  /// What ciphertexts meet, or streamed factors need, keeps a user.
  void release_operands(uint32_t at) {
    if (!is_clear(plan_.nodes[at]) || !is_wanted_[at]) {
      return;
    }
    for (const uint32_t operand : plan_.nodes[at].operands) {
      if (operand != kNoNode && n_users_[operand].fetch_sub(1, std::memory_order_acq_rel) == 1) {
        prepared_[operand] = {};
      }
    }
  }

  /// Factors that are used often are made before others.
  void choose_streamed(uint64_t most_bytes, HeEvaluations evaluations) {
    const std::vector<PlanNode>& nodes = plan_.nodes;
    std::vector<size_t> n_uses(nodes.size());
    for (const PlanNode& node : nodes) {
      for (const uint32_t operand : node.operands) {
        if (operand != kNoNode) {
          ++n_uses[operand];
        }
      }
    }
    std::vector<uint32_t> factors;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == PlanNode::Kind::Factor) {
        factors.push_back(i);
      }
    }
    std::stable_sort(factors.begin(), factors.end(),
                     [&](uint32_t a, uint32_t b) { return n_uses[a] > n_uses[b]; });
    is_wanted_.assign(nodes.size(), true);
    is_rounded_.assign(nodes.size(), false);
    uint64_t n_bytes = 0;
    for (const uint32_t factor : factors) {
      n_bytes += sizeof(uint64_t) * program_.ring_dimension() * nodes[factor].n_primes;
      if (n_bytes > most_bytes || (evaluations == HeEvaluations::One && n_uses[factor] == 1)) {
        prepared_[factor].is_streamed = true;
        is_wanted_[factor] = false;
        // Reals are encoded for one factor each.
        const uint32_t encoding = nodes[factor].operands[0];
        is_rounded_[encoding] = !program_.is_integer() && n_uses[encoding] == 1;
      }
    }
  }

  auto make(uint32_t at) -> Status {
    const PlanNode& node = plan_.nodes[at];
    if (!is_wanted_[at]) {
      return std::monostate{};
    }
    switch (node.kind) {
      case PlanNode::Kind::Gather:
        prepared_[at].slots = gathered(node.element);
        prepared_[at].bound = gather_bound(program_, program_.registers[node.element.reg]);
        break;
      case PlanNode::Kind::Clear: {
        const PreparedNode& a = prepared_[node.operands[0]];
        const PreparedNode* b =
            node.operands[1] == kNoNode ? nullptr : &prepared_[node.operands[1]];
        prepared_[at].slots =
            arithmetic_.apply(node.opcode, a.slots, b == nullptr ? nullptr : &b->slots, node.steps);
        prepared_[at].bound = bound_after(node.opcode, a.bound, b == nullptr ? 0 : b->bound);
        break;
      }
      case PlanNode::Kind::Encode: {
        const PreparedNode& clear = prepared_[node.operands[0]];
        if (is_rounded_[at]) {
          return round(clear, at);
        }
        Result<he::Plaintext> plaintext =
            codec_.encode(clear.slots, program_.is_integer() ? 1 : scales_[node.n_primes - 1],
                          node.n_primes, clear.bound);
        if (!plaintext) {
          return plaintext.error();
        }
        prepared_[at].plaintext = std::move(*plaintext);
        break;
      }
      case PlanNode::Kind::Factor: {
        Result<he::PlainFactor> factor =
            he::prepare_factor(context_, prepared_[node.operands[0]].plaintext, node.n_primes);
        if (!factor) {
          return factor.error();
        }
        prepared_[at].factor = std::move(*factor);
        break;
      }
      case PlanNode::Kind::Input:
      case PlanNode::Kind::Received:
      case PlanNode::Kind::Cipher:
      case PlanNode::Kind::Hoist:
        break;
    }
    return std::monostate{};
  }

  auto round(const PreparedNode& clear, uint32_t at) -> Status {
    Result<he::RoundedMessage> rounded =
        codec_.round(clear.slots, scales_[plan_.nodes[at].n_primes - 1], clear.bound);
    if (!rounded) {
      return rounded.error();
    }
    prepared_[at].rounded = std::move(*rounded);
    return std::monostate{};
  }

  auto gathered(HeElement element) const -> HeSlots {
    const HeRegister& reg = program_.registers[element.reg];
    std::vector<int64_t> coordinates(reg.dimensions.size());
    size_t rest = element.at;
    for (size_t d = coordinates.size(); d-- > 0;) {
      const auto extent = static_cast<size_t>(reg.dimensions[d].extent);
      coordinates[d] = static_cast<int64_t>(rest % extent);
      rest /= extent;
    }
    return gather_slots(program_, reg, coordinates, values_);
  }

  const HeProgram& program_;
  const Plan& plan_;
  const he::Context& context_;
  const SlotCodec& codec_;
  const HeValues& values_;
  const HeProgress& progress_;
  HeArithmetic arithmetic_;
  std::vector<double> scales_;
  std::vector<PreparedNode> prepared_;
  std::vector<std::atomic<uint32_t>> n_users_;  ///< by node: those that are left
  std::vector<bool> is_wanted_;                 ///< by node: made now
  std::vector<bool> is_rounded_;                ///< by encoding: kept without primes
  size_t n_steps_ = 0;
  std::atomic<size_t> n_done_{0};
};

}  // namespace

auto make_factor(const he::Context& context, const SlotCodec& codec, const PreparedNode& encoding,
                 uint32_t n_encoded, uint32_t n_primes) -> Result<he::PlainFactor> {
  if (encoding.rounded.coefficients.empty()) {
    return he::prepare_factor(context, encoding.plaintext, n_primes);
  }
  const Result<he::Plaintext> plaintext = codec.with_primes(encoding.rounded, n_encoded);
  return plaintext ? he::prepare_factor(context, plaintext.value(), n_primes)
                   : Result<he::PlainFactor>(plaintext.error());
}

auto prepare(const HeProgram& program, const Plan& plan, const he::Context& context,
             const SlotCodec& codec, const HeValues& values, uint64_t most_bytes,
             HeEvaluations evaluations, const HeProgress& progress)
    -> Result<std::vector<PreparedNode>> {
  return Preparation(program, plan, context, codec, values, most_bytes, evaluations, progress)
      .run();
}

}  // namespace tacet::engine
