#include "engine/he_runtime/evaluation_run.h"

#include <atomic>
#include <cmath>
#include <ctime>

#include "engine/he/evaluation.h"
#include "engine/he_runtime/task_graph.h"

namespace tacet::engine {
namespace {

using he::Ciphertext;

/// A ciphertext that lives until all who need it have had it.
struct Cell {
  he::HoistedCiphertext value;
  std::atomic<uint32_t> n_uses{0};
};

class EvaluationRun {
 public:
  EvaluationRun(const EvaluationSetup& setup, std::vector<Ciphertext> inputs)
      : setup_(setup), inputs_(std::move(inputs)), cells_(setup.plan.nodes.size()) {
    for (const PlanNode& node : nodes()) {
      n_operations_ += is_operation(node) ? 1 : 0;
      for_each_cipher(node, [&](uint32_t operand) { ++cells_[operand].n_uses; });
    }
    for (const uint32_t output : setup.plan.outputs) {
      ++cells_[output].n_uses;
    }
    for (uint32_t i = 0; i < nodes().size(); ++i) {
      cells_[i].n_uses += is_sent(i) ? 1 : 0;
    }
  }

  auto run() -> Result<std::vector<Ciphertext>> {
    TaskGraph graph;
    for (uint32_t i = 0; i < nodes().size(); ++i) {
      graph.add_task();
      for_each_cipher(nodes()[i], [&](uint32_t operand) { graph.add_wait(i, operand); });
    }
    const Status status =
        setup_.exchange == nullptr
            ? run_tasks(setup_.context.executor(), setup_.context.n_threads(), graph,
                        [this](uint32_t node) { return make_and_report(node); })
            : run_share(graph);
    if (!status) {
      return status.error();
    }
    std::vector<Ciphertext> outputs;
    for (const uint32_t output : setup_.plan.outputs) {
      outputs.push_back(taken(output));
      release(output);
    }
    return outputs;
  }

 private:
  /// The same, with ciphertexts of other machines.
  auto run_share(const TaskGraph& graph) -> Status {
    std::vector<bool> is_awaited;
    for (const PlanNode& node : nodes()) {
      is_awaited.push_back(node.kind == PlanNode::Kind::Received);
    }
    AwaitedTasks awaited;
    setup_.exchange->start([&](uint32_t node) { awaited.arrive(node); },
                           [&](Error error) { awaited.fail(std::move(error)); });
    struct Stop {
      CiphertextExchange& exchange;
      ~Stop() { exchange.stop(); }
    };
    const Stop stop{*setup_.exchange};  // before what the calls refer to ends
    return run_awaiting_tasks(setup_.context.executor(), setup_.context.n_threads(), graph,
                              is_awaited, awaited,
                              [this](uint32_t node) { return make_and_send(node); });
  }

  auto make_and_send(uint32_t at) -> Status {
    const double begin = thread_seconds();
    Status made = make_and_report(at);
    if (made && is_sent(at)) {
      made = setup_.exchange->send(at, cells_[at].value.ciphertext);
      release(at);
    }
    setup_.exchange->worked(thread_seconds() - begin);
    return made;
  }

  static auto thread_seconds() -> double {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  auto is_sent(uint32_t node) const -> bool {
    return setup_.exchange != nullptr && setup_.exchange->is_sent(node);
  }

  auto nodes() const -> const std::vector<PlanNode>& { return setup_.plan.nodes; }
  auto context() const -> const he::Context& { return setup_.context; }

  /// Calls `body` for each operand that is a ciphertext.
  template <class Body>
  void for_each_cipher(const PlanNode& node, const Body& body) {
    for (const uint32_t operand : node.operands) {
      if (operand != kNoNode && !is_clear(nodes()[operand]) && !is_clear(node)) {
        body(operand);
      }
    }
  }

  /// To be changed: the ciphertext itself if it has no other users left, or a copy. Users that have
  /// been counted down have read it.
  auto taken(uint32_t node) -> Ciphertext {
    Cell& cell = cells_[node];
    if (cell.n_uses.load(std::memory_order_acquire) == 1) {
      return std::move(cell.value.ciphertext);
    }
    return cell.value.ciphertext;
  }

  void release(uint32_t node) {
    Cell& cell = cells_[node];
    if (cell.n_uses.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      cell.value = {};
    }
  }

  static auto is_operation(const PlanNode& node) -> bool {
    return !is_clear(node) && node.kind != PlanNode::Kind::Input &&
           node.kind != PlanNode::Kind::Received;
  }

  auto make_and_report(uint32_t at) -> Status {
    Status made = make(at);
    if (made && setup_.progress && is_operation(nodes()[at])) {
      setup_.progress(n_done_.fetch_add(1, std::memory_order_relaxed) + 1, n_operations_);
    }
    return made;
  }

  auto make(uint32_t at) -> Status {
    const PlanNode& node = nodes()[at];
    if (is_clear(node)) {
      return std::monostate{};
    }
    if (node.kind == PlanNode::Kind::Input) {
      cells_[at].value.ciphertext = std::move(inputs_[node.count]);
      return std::monostate{};
    }
    if (node.kind == PlanNode::Kind::Received) {
      Result<Ciphertext> received = setup_.exchange->take(at);
      if (!received) {
        return received.error();
      }
      cells_[at].value.ciphertext = std::move(*received);
      return std::monostate{};
    }
    if (node.kind == PlanNode::Kind::Hoist) {
      Result<he::HoistedCiphertext> hoisted = he::hoist(context(), taken(node.operands[0]));
      release(node.operands[0]);
      if (!hoisted) {
        return hoisted.error();
      }
      cells_[at].value = std::move(*hoisted);
      return std::monostate{};
    }
    Result<Ciphertext> result =
        node.operation == HeOperationKind::CipherPlain ? with_plain(node) : with_ciphers(node);
    for_each_cipher(node, [&](uint32_t operand) { release(operand); });
    if (!result) {
      return result.error();
    }
    if (node.bound != 0) {
      result->metadata.magnitude = std::min(result->metadata.magnitude, node.bound);
    }
    if (node.error != 0) {
      he::CiphertextMetadata& metadata = result->metadata;
      metadata.noise = std::min(metadata.noise, std::log2(node.error * metadata.scale));
    }
    cells_[at].value.ciphertext = std::move(*result);
    return std::monostate{};
  }

  auto with_ciphers(const PlanNode& node) -> Result<Ciphertext> {
    const auto second = [&]() -> const Ciphertext& {
      return cells_[node.operands[1]].value.ciphertext;
    };
    const uint32_t first = node.operands[0];
    switch (node.opcode) {
      case HeOpcode::Add:
        return he::add(context(), taken(first), second());
      case HeOpcode::Sub:
        return he::subtract(context(), taken(first), second());
      case HeOpcode::Mul:
        return he::multiply(context(), cells_[first].value.ciphertext, second());
      case HeOpcode::Negate:
        return he::negate(context(), taken(first));
      case HeOpcode::Rotate:
        return automorphism(first, he::galois_element_of(context(), node.steps));
      case HeOpcode::Swap:
        return automorphism(first, he::galois_element_of_swap(context()));
      case HeOpcode::Relinearise:
        return he::relinearise(context(), taken(first), setup_.keys.relinearisation);
      case HeOpcode::Drop: {
        Ciphertext operand = taken(first);
        const size_t n_primes = operand.n_primes() - node.count;
        return he::drop_to(context(), std::move(operand), n_primes);
      }
      case HeOpcode::Truncate: {
        Ciphertext operand = taken(first);
        const size_t n_primes = operand.n_primes() - node.count;
        const double scale = std::pow(setup_.scales[n_primes - 1], node.scale);
        return he::rescale_to(context(), std::move(operand), n_primes, scale);
      }
      case HeOpcode::Bootstrap:
        return setup_.bootstrapper->bootstrap(taken(first), node.bound, setup_.keys.bootstrapping,
                                              setup_.keys.relinearisation, setup_.keys.rotations);
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        break;
    }
    return Error{"a plan has no such operation"};
  }

  auto automorphism(uint32_t operand, uint64_t galois_element) -> Result<Ciphertext> {
    const he::RotationKeys& keys = setup_.keys.rotations;
    const he::HoistedCiphertext& value = cells_[operand].value;
    return value.digits.empty()
               ? he::apply_automorphism(context(), value.ciphertext, galois_element, keys)
               : he::apply_automorphism(context(), value, galois_element, keys);
  }

  auto with_plain(const PlanNode& node) -> Result<Ciphertext> {
    const bool is_plain_first = is_clear(nodes()[node.operands[0]]);
    const PreparedNode& plain = setup_.prepared[node.operands[is_plain_first ? 0 : 1]];
    Ciphertext cipher = taken(node.operands[is_plain_first ? 1 : 0]);
    if (node.opcode == HeOpcode::Mul && plain.is_streamed) {
      const PlanNode& factor = nodes()[node.operands[is_plain_first ? 0 : 1]];
      const PlanNode& encoding = nodes()[factor.operands[0]];
      const Result<he::PlainFactor> made =
          make_factor(context(), setup_.codec, setup_.prepared[factor.operands[0]],
                      encoding.n_primes, factor.n_primes);
      return made ? he::multiply_plain(context(), std::move(cipher), made.value())
                  : Result<Ciphertext>(made.error());
    }
    if (node.opcode == HeOpcode::Mul) {
      return he::multiply_plain(context(), std::move(cipher), plain.factor);
    }
    if (context().scheme() != he::Scheme::Ckks) {
      return sum(node, is_plain_first, std::move(cipher), plain.plaintext);
    }
    const Result<he::Plaintext> encoded =
        setup_.codec.encode(plain.slots, cipher.metadata.scale, cipher.n_primes(), plain.bound);
    return encoded ? sum(node, is_plain_first, std::move(cipher), encoded.value())
                   : Result<Ciphertext>(encoded.error());
  }

  auto sum(const PlanNode& node, bool is_plain_first, Ciphertext cipher, const he::Plaintext& plain)
      -> Result<Ciphertext> {
    if (node.opcode == HeOpcode::Add) {
      return he::add_plain(context(), std::move(cipher), plain);
    }
    Result<Ciphertext> difference = he::subtract_plain(context(), std::move(cipher), plain);
    return difference && is_plain_first ? he::negate(context(), std::move(*difference))
                                        : std::move(difference);
  }

  const EvaluationSetup& setup_;
  std::vector<Ciphertext> inputs_;
  std::vector<Cell> cells_;
  size_t n_operations_ = 0;
  std::atomic<size_t> n_done_{0};
};

}  // namespace

auto run_plan(const EvaluationSetup& setup, std::vector<Ciphertext> inputs)
    -> Result<std::vector<Ciphertext>> {
  return EvaluationRun(setup, std::move(inputs)).run();
}

}  // namespace tacet::engine
