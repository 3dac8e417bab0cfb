#include "engine/he_runtime/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/he/noise.h"
#include "engine/he_runtime/evaluation_run.h"
#include "engine/he_runtime/plan.h"
#include "engine/program/he/contributions.h"
#include "engine/program/he/validate.h"

namespace tacet::engine {

/// Whether these are the ciphertexts that the program begins with; who sent them may be anybody.
static auto check_inputs(const HeProgram& program, const std::vector<double>& scales,
                         const std::vector<he::Ciphertext>& inputs) -> Status {
  constexpr double kTolerance = 0x1p-20;
  const std::vector<HeElement> elements = input_elements(program);
  if (inputs.size() != elements.size()) {
    return Error{fmt::format("the program takes {} ciphertexts, but got {}", elements.size(),
                             inputs.size())};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const HeRegister& reg = program.registers[elements[i].reg];
    const size_t n_primes = reg.n_primes == 0 ? program.n_primes : reg.n_primes;
    if (inputs[i].parts.size() != 2 || inputs[i].n_primes() != n_primes) {
      return Error{fmt::format("ciphertext {} for `{}` should have degree 1 and {} primes", i,
                               reg.name, n_primes)};
    }
    if (inputs[i].metadata.correction != 1) {
      return Error{fmt::format("ciphertext {} for `{}` should have the factor 1, not {}", i,
                               reg.name, inputs[i].metadata.correction)};
    }
    const double scale = scales[n_primes - 1];
    if (!program.is_integer() && std::abs(inputs[i].metadata.scale - scale) > kTolerance * scale) {
      return Error{fmt::format("ciphertext {} for `{}` should have the scale 2^{:.3f}", i, reg.name,
                               std::log2(scale))};
    }
  }
  return std::monostate{};
}

/// What the noise of inputs is at most, whatever their sender says; of what has no seed, as
/// encryption under the public key leaves it; under a joint key, of sums of such.
static void set_bounds(const HeProgram& program, const he::Context& context,
                       std::vector<he::Ciphertext>& inputs) {
  const std::vector<HeElement> elements = input_elements(program);
  for (size_t i = 0; i < inputs.size(); ++i) {
    he::Ciphertext& input = inputs[i];
    he::CiphertextMetadata& metadata = input.metadata;
    if (!program.is_integer()) {
      metadata.magnitude = gather_bound(program, program.registers[elements[i].reg]);
    }
    metadata.bound =
        context.parameters().n_key_holders() > 1
            ? context.bounds().fresh_sum(
                  contributing_arrays(program, program.registers[elements[i].reg]).size())
            : he::fresh_bound(context, input.seed.has_value(), metadata.scale, metadata.magnitude);
  }
}

struct HeServer::State {
  State(HeProgram the_program, he::ContextRef the_context, Plan the_plan)
      : program(std::move(the_program)),
        facts(facts_of(program)),
        context(std::move(the_context)),
        codec(*context),
        scales(scales_of(program, *context)),
        plan(std::move(the_plan)) {
    if (facts.has_server_inputs && program.is_integer()) {
      masks = ResultMasks::make(program, *context);
    }
  }

  HeProgram program;
  HeFacts facts;
  he::ContextRef context;
  SlotCodec codec;
  std::vector<double> scales;
  Plan plan;
  std::vector<PreparedNode> prepared;
  std::optional<Result<ResultMasks>> masks;      ///< if results are to hide something
  std::optional<he::Bootstrapper> bootstrapper;  ///< if anything is bootstrapped
};

HeServer::HeServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HeServer::HeServer(HeServer&&) noexcept = default;
auto HeServer::operator=(HeServer&&) noexcept -> HeServer& = default;
HeServer::~HeServer() = default;

auto HeServer::program() const -> const HeProgram& {
  return state_->program;
}

auto HeServer::facts() const -> const HeFacts& {
  return state_->facts;
}

auto HeServer::preparation() const -> const HeStatistics& {
  return state_->plan.statistics;
}

/// Whether a program fits the context, and its numbers are there.
static auto check_program(const HeProgram& program, const he::Context& context,
                          const HeValues& values) -> Status {
  if (Status status = validate(program); !status) {
    return status;
  }
  if (Status status = check_fits(program, context); !status) {
    return status;
  }
  return check_values(program, HeOwner::Server, values);
}

auto HeServer::make(HeProgram program, he::ContextRef context, const HeValues& values,
                    const HeProgress& progress, uint64_t most_bytes, HeEvaluations evaluations)
    -> Result<HeServer> {
  if (Status status = check_program(program, *context, values); !status) {
    return status.error();
  }
  Plan plan = make_plan(program);
  return make_state(
      std::make_unique<State>(std::move(program), std::move(context), std::move(plan)), values,
      progress, most_bytes, evaluations);
}

auto HeServer::make_share(HeProgram program, he::ContextRef context, const HeValues& values,
                          Plan share, const HeProgress& progress, uint64_t most_bytes)
    -> Result<HeServer> {
  if (Status status = check_program(program, *context, values); !status) {
    return status.error();
  }
  return make_state(
      std::make_unique<State>(std::move(program), std::move(context), std::move(share)), values,
      progress, most_bytes, HeEvaluations::Many);
}

auto HeServer::make_state(std::unique_ptr<State> state, const HeValues& values,
                          const HeProgress& progress, uint64_t most_bytes,
                          HeEvaluations evaluations) -> Result<HeServer> {
  HeStatistics& statistics = state->plan.statistics;
  const HeTimer timer(statistics.encode_seconds);
  Result<std::vector<PreparedNode>> prepared =
      prepare(state->program, state->plan, *state->context, state->codec, values, most_bytes,
              evaluations, progress);
  if (!prepared) {
    return prepared.error();
  }
  state->prepared = std::move(*prepared);
  const bool has_bootstraps =
      std::any_of(state->plan.nodes.begin(), state->plan.nodes.end(), [](const PlanNode& node) {
        return node.kind == PlanNode::Kind::Cipher && node.opcode == HeOpcode::Bootstrap;
      });
  if (has_bootstraps) {
    const he::BootstrappingShape shape = he::bootstrapping_shape(state->context->n());
    Result<he::Bootstrapper> made = he::Bootstrapper::make(
        *state->context, {.shape = shape,
                          .n_result_primes = state->program.n_primes,
                          .operand_scale = state->scales[shape.n_operand_primes() - 1],
                          .result_scale = state->scales.back(),
                          .bounds = {state->facts.bootstrapped_bounds.begin(),
                                     state->facts.bootstrapped_bounds.end()}});
    if (!made) {
      return made.error();
    }
    state->bootstrapper = std::move(*made);
  }
  return HeServer(std::move(state));
}

auto HeServer::check_hiding(const HeEvaluationKeys& keys) const -> Status {
  if (!state_->facts.has_server_inputs) {
    return std::monostate{};
  }
  if (!state_->program.is_integer()) {
    return Error{
        "results of reals reveal the server's inputs: the noise that hides them would drown the "
        "results"};
  }
  if (keys.encryption.parameters != state_->context->parameters().digest()) {
    return Error{"the program needs a public key to hide the server's inputs in its results"};
  }
  return std::monostate{};
}

auto HeServer::hide(std::vector<he::Ciphertext> results, const HeEvaluationKeys& keys,
                    he::SecureRandom& random, HeStatistics& statistics) const
    -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_hiding(keys); !status) {
    return status.error();
  }
  if (!state_->masks) {
    return results;
  }
  const Result<ResultMasks>& masks = *state_->masks;
  return masks ? hide_results(masks.value(), *state_->context, std::move(results), keys.encryption,
                              random, statistics.hiding)
               : Result<std::vector<he::Ciphertext>>(masks.error());
}

auto HeServer::answer(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                      he::SecureRandom& random, HeStatistics& statistics,
                      const HeProgress& progress) const -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_hiding(keys); !status) {
    return status.error();
  }
  Result<std::vector<he::Ciphertext>> results =
      evaluate(std::move(inputs), keys, statistics, progress);
  return results ? hide(std::move(*results), keys, random, statistics) : results;
}

auto HeServer::check_request(const std::vector<he::Ciphertext>& inputs,
                             const HeEvaluationKeys& keys) const -> Status {
  const Status status = check_inputs(state_->program, state_->scales, inputs);
  return status ? check_keys(state_->facts, *state_->context, keys) : status;
}

auto HeServer::evaluate(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                        HeStatistics& statistics, const HeProgress& progress) const
    -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_request(inputs, keys); !status) {
    return status.error();
  }
  return run(std::move(inputs), keys, nullptr, statistics, progress);
}

auto HeServer::evaluate_share(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                              CiphertextExchange& exchange, HeStatistics& statistics,
                              const HeProgress& progress) const
    -> Result<std::vector<he::Ciphertext>> {
  return run(std::move(inputs), keys, &exchange, statistics, progress);
}

auto HeServer::run(std::vector<he::Ciphertext> inputs, const HeEvaluationKeys& keys,
                   CiphertextExchange* exchange, HeStatistics& statistics,
                   const HeProgress& progress) const -> Result<std::vector<he::Ciphertext>> {
  set_bounds(state_->program, *state_->context, inputs);
  ring::RowPool& pool = *state_->context->pool();
  pool.restart_peak();
  const EvaluationSetup setup{
      .plan = state_->plan,
      .prepared = state_->prepared,
      .context = *state_->context,
      .codec = state_->codec,
      .scales = state_->scales,
      .keys = keys,
      .bootstrapper = state_->bootstrapper ? &*state_->bootstrapper : nullptr,
      .progress = progress,
      .exchange = exchange};
  Result<std::vector<he::Ciphertext>> outputs = [&] {
    const HeTimer timer(statistics.compute_seconds);
    return run_plan(setup, std::move(inputs));
  }();
  statistics.peak_bytes = std::max(statistics.peak_bytes, 8 * pool.peak_words_in_use());
  return outputs;
}

}  // namespace tacet::engine
