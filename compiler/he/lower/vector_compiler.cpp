#include "compiler/he/lower/vector_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/device/array/intervals.h"
#include "compiler/he/circuit/fold_factors.h"
#include "compiler/he/circuit/optimise.h"
#include "compiler/he/circuit/rotations.h"
#include "compiler/he/diagonals/write_diagonals.h"
#include "compiler/he/lower/choose_layout.h"
#include "compiler/he/lower/expand_functions.h"
#include "compiler/he/lower/key_memory.h"
#include "compiler/he/lower/result_interval.h"
#include "compiler/he/schedule/least_depth.h"
#include "compiler/he/schedule/make_circuit.h"
#include "compiler/he/schedule/text.h"

namespace tacet::he_lower {
namespace {

using array::Interval;

/// Layouts that promise to take so many times as long as the best are not tried.
constexpr double kMostDetour = 2;

/// Programs of two maps that promise to take more microseconds are tried as networks, too.
constexpr double kSlow = 250'000;

constexpr std::string_view kDeclined = "it promises to take too long";

/// How to reduce the multiplicative depth.
constexpr std::string_view kLessDepth =
    "to reduce it, give compared numbers narrower ranges (`in LO..HI`, `--range NAME=LO..HI`), run "
    "fewer iterations (`max`), or use `sort(t)`, `min(t)` or `max(t)` in place of a loop that "
    "compares and moves elements; `--device mpc` has no such limit";

/// Whether results hide numbers of the server.
auto is_hidden(const array::Program& program, const ChoiceOptions& options) -> bool {
  const auto& arrays = program.arrays.values();
  return options.hiding == HideServerInputs::Yes &&
         std::any_of(arrays.begin(), arrays.end(),
                     [](const array::Array& array) { return array.owner == array::Owner::Server; });
}

class Compiler {
 public:
  Compiler(const CompileOptions& options, const KnownBefore& known)
      : options_(options),
        known_result_(known.result),
        modulus_(known.modulus),
        goal_(known.goal),
        networks_(known.networks) {}

  auto run(std::vector<array::Program> programs) -> Compilation {
    programs_ = std::move(programs);
    for (array::Program& program : programs_) {
      program.is_summed_by_client = options_.is_summed_by_client;
    }
    Compiled compiled;
    compiled.program = programs_.front();
    Compilation result;
    if (Status status = continue_from(compiled); !status) {
      result.problem = status.error().message;
      result.is_declined = is_declined_;
    } else {
      result.compiled = std::move(compiled);
    }
    return result;
  }

 private:
  void enter(Stage stage) {
    stop_if_cancelled();
    if (options_.entered) {
      options_.entered(stage);
    }
  }

  auto continue_from(Compiled& compiled) -> Status {
    if (options_.last == Stage::Array) {
      return std::monostate{};
    }
    if (Status status = check_scheme(compiled.program); !status) {
      return status;
    }
    const std::vector<std::string> unbounded = unbounded_inputs(compiled.program, {});
    is_bounded_ = unbounded.empty();
    if (!is_bounded_ && (options_.last == Stage::Program || has_functions(compiled.program))) {
      return Error{
          fmt::format("the range of the elements of `{}` is unknown, and the moduli must "
                      "hold all results",
                      fmt::join(unbounded, "`, `"))};
    }
    if (is_bounded_) {
      Result<Interval> result = known_result_ ? Result<Interval>(*known_result_)
                                : goal_       ? Result<Interval>(real_result_of(compiled.program))
                                              : result_of(programs_);
      if (result) {
        compiled.result = *result;
      } else if (options_.last == Stage::Program) {
        return result.error();
      }
      is_bounded_ = result.has_value();
    }
    const LayoutOptions layout = layout_options(compiled);
    if (Status status = check_depth(layout.rings); !status && !options_.pinned) {
      return status;
    }
    if (try_networks(layout, NetworkSize::Large, compiled)) {
      return is_declined_ ? Status(Error{std::string(kDeclined)}) : Status(std::monostate{});
    }
    if (networks_ != Networks::Tried) {
      const bool is_found =
          networks_ == Networks::AnyLarger && try_networks(layout, NetworkSize::Small, compiled);
      return is_declined_ ? Status(Error{std::string(kDeclined)})
             : is_found   ? Status(std::monostate{})
                          : Status(Error{network_problem_});
    }
    Status status = try_layouts(layout, compiled);
    const bool is_slow = compiled.parts.empty() || time_of(compiled.parts) > kSlow;
    if (!is_declined_ && is_slow && try_networks(layout, NetworkSize::Small, compiled)) {
      return std::monostate{};
    }
    const bool is_enough = options_.last != Stage::Program && has_layout_;
    return is_enough ? Status(std::monostate{}) : status;
  }

  /// Whether any ring has the depth, before layouts are searched for.
  auto check_depth(const std::vector<Ring>& rings) const -> Status {
    double most = 0;
    for (const Ring& ring : rings) {
      most = std::max(most, ring.cost.most_depth);
    }
    std::optional<int64_t> least;
    for (const array::Program& program : programs_) {
      const std::optional<int64_t> depth = schedule::least_depth(program);
      if (!depth || static_cast<double>(*depth) <= most) {
        return std::monostate{};
      }
      least = std::min(least.value_or(*depth), *depth);
    }
    return Error{fmt::format(
        "its multiplicative depth is {}, but the largest ring supports at most {:.0f}{}; {}",
        *least, std::floor(most),
        is_hidden(programs_.front(), options_.choice)
            ? " (hiding the server's inputs takes part of it, which `--unhidden` saves)"
        : options_.choice.n_key_holders > 1 && !is_real(programs_.front())
            ? " (a key of several holders takes part of it)"
        : is_real(programs_.front()) && options_.choice.security != he::Security::Bits128
            ? " (only programs with 128 bits of security are bootstrapped)"
            : "",
        kLessDepth)};
  }

  auto layout_options(const Compiled& compiled) const -> LayoutOptions {
    LayoutOptions layout;
    const bool is_fixed = is_real(compiled.program);
    const std::optional<he::Scheme> scheme =
        is_fixed ? std::optional(he::Scheme::Ckks) : options_.choice.scheme;
    if (options_.costs == CostModel::Published) {
      layout.rings = published_rings(scheme.value_or(he::Scheme::Bfv));
    } else {
      RingRequest request;
      request.scheme = scheme;
      request.scale_bits = likely_scale_bits(compiled.program.fraction_bits);
      request.security = options_.choice.security;
      request.margin = options_.choice.margin;
      request.is_hidden = is_hidden(compiled.program, options_.choice);
      request.n_key_holders = options_.choice.n_key_holders;
      request.link_megabits = options_.choice.link_megabits;
      request.plain_bits = modulus_      ? std::log2(static_cast<double>(*modulus_))
                           : is_bounded_ ? plain_bits(compiled.result)
                                         : request.plain_bits;
      layout.rings = possible_rings(*options_.choice.times, request);
    }
    layout.executor = options_.executor;
    layout.cancellation = options_.cancellation;
    layout.pinned = options_.pinned;
    layout.progress = options_.progress;
    return layout;
  }

  /// Which scheme computes with what: integers are exact in BFV and BGV, reals are CKKS's.
  auto check_scheme(const array::Program& program) const -> Status {
    const std::optional<he::Scheme> scheme = options_.choice.scheme;
    if (!scheme || is_real(program) == (*scheme == he::Scheme::Ckks)) {
      return std::monostate{};
    }
    return Error{
        is_real(program)
            ? fmt::format("it computes with `fxp`, but {} supports only integers; omit "
                          "`--scheme` to use CKKS, the scheme for fixed-point numbers",
                          he::scheme_name(*scheme))
            : "it computes with integers, but CKKS computes with fixed-point numbers; declare "
              "the numbers as `fxp`, or use BFV or BGV"};
  }

  /// Of programs like most.
  static auto likely_scale_bits(unsigned fraction_bits) -> unsigned {
    return std::clamp(fraction_bits + 19, 25U, 45U);
  }

  /// Of fixed-point numbers, as arrays have them.
  auto real_result_of(const array::Program& program) -> Interval {
    const double unit = std::ldexp(1, -int{program.fraction_bits});
    // What decryption gives is rounded to a unit.
    const double off = goal_->noise + goal_->result.approximation + unit / 2;
    const double slack = off + goal_->result.rounding;
    constexpr double kMost = 0x1p62;
    const double low = std::max(std::floor((goal_->result.low - slack) / unit), -kMost);
    const double high = std::min(std::ceil((goal_->result.high + slack) / unit), kMost);
    return Interval{static_cast<int64_t>(low), static_cast<int64_t>(high)};
  }

  /// Of the plain modulus, or of each of several; t is 1 modulo 2N, so at least 16.
  static auto plain_bits(Interval result) -> double {
    const auto size = [](int64_t x) { return std::abs(static_cast<double>(x)); };
    const double bits = std::log2(2 * std::max(size(result.low), size(result.high)) + 1);
    return std::max(16.0, bits / std::ceil(std::max(bits, 1.0) / he::kMaxPlainBits));
  }

  /// Networks of two maps, and larger ones.
  enum class NetworkSize : uint8_t { Small, Large };

  /// Compiles a program that is a network of so many maps, in the smallest ring that can hold it;
  /// whether there is one. Layouts that a search finds for several maps have their dimensions on
  /// axes or exploded, which takes many times as many rotations.
  auto try_networks(const LayoutOptions& layout, NetworkSize size, Compiled& compiled) -> bool {
    if (options_.pinned || !goal_ || options_.last == Stage::Schedule) {
      return false;
    }
    const auto has_size = [&](size_t n_maps) {
      return size == NetworkSize::Small ? n_maps == 2 : n_maps > 2;
    };
    std::map<uint32_t, size_t> rings;
    for (size_t ring = 0; ring < layout.rings.size(); ++ring) {
      rings.try_emplace(layout.rings[ring].cost.n_columns, ring);
    }
    for (const auto& [n_columns, ring] : rings) {
      Result<diagonals::Network> network =
          diagonals::write_by_diagonals(programs_.front(), n_columns);
      if (!network || !has_size(network->n_maps) ||
          !has_depth(schedule::count(network->circuit), n_columns, layout.rings)) {
        continue;
      }
      const circuit::Weights weights =
          weights_with_depth(layout.rings, ring, schedule::count(network->circuit));
      if (compile_network(std::move(*network), weights, compiled)) {
        return true;
      }
    }
    return false;
  }

  /// Whether any of the rings with so many columns has it.
  static auto has_depth(const schedule::Counts& counts, uint32_t n_columns,
                        const std::vector<Ring>& rings) -> bool {
    return std::any_of(rings.begin(), rings.end(), [&](const Ring& ring) {
      return ring.cost.n_columns == n_columns && std::isfinite(time_of(counts, ring.cost));
    });
  }

  auto compile_network(diagonals::Network network, const circuit::Weights& weights,
                       Compiled& compiled) -> bool {
    enter(Stage::Circuit);
    if (network.ends_with_map) {
      network.circuit.statements.back().bound =
          std::max(std::abs(goal_->result.low), std::abs(goal_->result.high)) * (1 + 0x1p-10);
    }
    circuit::Circuit circuit = improved(network.circuit, weights);
    enter(Stage::Program);
    const auto encrypt = [&](const circuit::Circuit& some) {
      return encrypt_real_circuit(some, goal_->noise,
                                  goal_->ranges.empty() ? nullptr : &goal_->ranges, options_.choice,
                                  network.weight_parts);
    };
    Result<std::vector<Encryption>> parts = encrypt(circuit);
    if (!parts) {
      network_problem_ = parts.error().message;
      return false;
    }
    EncryptedCircuit encrypted =
        within_key_bytes({std::move(circuit), std::move(*parts)},
                         static_cast<double>(options_.choice.most_key_bytes), weights, encrypt);
    if (!has_layout_ && options_.is_fast_enough &&
        !options_.is_fast_enough(time_of(encrypted.parts))) {
      is_declined_ = true;
      return true;
    }
    if (compiled.parts.empty() || time_of(encrypted.parts) < time_of(compiled.parts)) {
      compiled.program = programs_.front();
      compiled.search = {};
      set_encrypted(std::move(encrypted), compiled);
    }
    return true;
  }

  void set_encrypted(EncryptedCircuit encrypted, Compiled& compiled) const {
    compiled.circuit = std::move(encrypted.circuit);
    compiled.parts = std::move(encrypted.parts);
    if (goal_) {
      const double unit = std::ldexp(1, -int{compiled.program.fraction_bits});
      compiled.within = goal_->result.approximation + compiled.parts.front().error + unit / 2;
      compiled.error = goal_->result.rounding + compiled.within;
    }
  }

  /// Compiles the best layout, then the best of its program for rings of other dimensions, as long
  /// as they promise not to take much longer than the first did; keeps what takes the least time.
  auto try_layouts(LayoutOptions options, Compiled& compiled) -> Status {
    std::optional<Error> error;
    uint32_t error_columns = 0;
    while (!options.rings.empty()) {
      enter(Stage::Schedule);
      Result<Layout> layout = choose_layout(programs_, options);
      if (!layout) {
        const bool is_known =
            options_.pinned || options_.cancellation.is_cancelled() || is_real(programs_.front());
        error = error      ? error
                : is_known ? layout.error()
                           : Error{fmt::format("{}; {}", layout.error().message, kLessDepth)};
        break;
      }
      const uint32_t n_columns = layout->search.best.schedule.n_columns;
      const double promised = layout->search.best.time;
      if (!has_layout_ && options_.is_fast_enough && !options_.is_fast_enough(promised)) {
        is_declined_ = true;
        return Error{std::string(kDeclined)};
      }
      Status status = try_layout(std::move(*layout), compiled);
      if (!status) {
        // Of fixed-point numbers the largest ring shows best how much is missing.
        const bool is_less_helpful =
            error && is_real(programs_.front()) && n_columns < error_columns;
        error = is_less_helpful ? error : status.error();
        error_columns = std::max(error_columns, n_columns);
      } else if (!is_bounded_) {
        return status;
      } else {
        options.most_time = std::min(options.most_time, kMostDetour * promised);
        programs_ = {compiled.program};
      }
      if (std::erase_if(options.rings,
                        [&](const Ring& ring) { return ring.cost.n_columns == n_columns; }) == 0) {
        break;  // a pinned schedule's own number, whatever was requested
      }
    }
    return compiled.parts.empty() ? Status(*error) : Status(std::monostate{});
  }

  auto try_layout(Layout layout, Compiled& compiled) -> Status {
    if (!std::exchange(has_layout_, true)) {
      set_layout(layout, compiled);  // what there is if nothing can be encrypted
    }
    if (options_.last == Stage::Schedule && !is_bounded_) {
      return std::monostate{};
    }
    Result<circuit::Circuit> circuit = optimised(layout);
    if (!circuit) {
      return circuit.error();
    }
    if (compiled.circuit.statements.empty()) {
      compiled.circuit = *circuit;
    }
    if (!is_bounded_) {
      return std::monostate{};
    }
    enter(Stage::Program);
    const auto encrypt = [&](const circuit::Circuit& some) {
      return goal_      ? encrypt_real_circuit(some, goal_->noise,
                                          goal_->ranges.empty() ? nullptr : &goal_->ranges,
                                               options_.choice)
             : modulus_ ? encrypt_circuit(some, *modulus_, options_.choice)
                        : encrypt_circuit(some, compiled.result, options_.choice);
    };
    Result<std::vector<Encryption>> parts = encrypt(*circuit);
    if (!parts) {
      return parts.error();
    }
    EncryptedCircuit encrypted = within_key_bytes(
        {std::move(*circuit), std::move(*parts)},
        static_cast<double>(options_.choice.most_key_bytes), layout.weights, encrypt);
    const auto time = [&](const std::vector<Encryption>& some) {
      return time_of(some) + sending_time(some, options_.choice.link_megabits);
    };
    if (compiled.parts.empty() || time(encrypted.parts) < time(compiled.parts)) {
      set_layout(layout, compiled);
      set_encrypted(std::move(encrypted), compiled);
    }
    return std::monostate{};
  }

  void set_layout(const Layout& layout, Compiled& compiled) const {
    compiled.program = programs_[layout.program];
    compiled.search = layout.search;
  }

  auto optimised(const Layout& layout) -> Result<circuit::Circuit> {
    enter(Stage::Circuit);
    Result<circuit::Circuit> circuit =
        schedule::make_circuit(programs_[layout.program], layout.search.best.schedule);
    if (!circuit) {
      return circuit;
    }
    return improved(*circuit, layout.weights);
  }

  auto improved(const circuit::Circuit& circuit, const circuit::Weights& weights) const
      -> circuit::Circuit {
    const auto is_cancelled = [this] { return options_.cancellation.is_cancelled(); };
    circuit::OptimiseOptions optimise;
    optimise.weights = weights;
    optimise.is_cancelled = is_cancelled;
    circuit::RotationOptions rotations;
    rotations.weights = weights;
    rotations.is_cancelled = is_cancelled;
    circuit::Circuit best = circuit::optimise(circuit, optimise);
    if (is_real(programs_.front())) {
      best = circuit::fold_factors(best);
    }
    return circuit::plan_rotations(best, rotations);
  }

  const CompileOptions& options_;
  std::vector<array::Program> programs_;
  std::optional<Interval> known_result_;  ///< of programs that functions were expanded in
  std::optional<uint64_t> modulus_;       ///< the only one for these
  bool is_bounded_ = false;               ///< what the result may be is known
  bool has_layout_ = false;
  bool is_declined_ = false;
  std::optional<RealGoal> goal_;  ///< of programs of reals
  Networks networks_;
  std::string network_problem_;  ///< why the last network was not encrypted
};

}  // namespace

auto compile_vectors(std::vector<array::Program> programs, const CompileOptions& options,
                     const KnownBefore& known) -> Compilation {
  return Compiler(options, known).run(std::move(programs));
}

}  // namespace tacet::he_lower
