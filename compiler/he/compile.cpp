#include "compiler/he/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/array/intervals.h"
#include "compiler/array/print.h"
#include "compiler/circuit/lower.h"
#include "compiler/circuit/optimise.h"
#include "compiler/circuit/rotations.h"
#include "compiler/schedule/check.h"
#include "compiler/schedule/make_circuit.h"
#include "compiler/schedule/text.h"

namespace tacet::encrypted {
namespace {

using array::Interval;

/// Plain moduli of so many bits are not split into smaller ones.
constexpr unsigned kSmallBits = 20;

/// The item as one vector computation, from stage to stage.
class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options) {}

  auto run(array::Program program) -> Compilation {
    Compiled compiled;
    compiled.program = std::move(program);
    set_ranges(compiled.program);
    if (Status status = continue_from(compiled); !status) {
      return {.compiled = {}, .diagnostics = {}, .problem = status.error().message};
    }
    return {.compiled = std::move(compiled), .diagnostics = {}, .problem = {}};
  }

 private:
  void enter(Stage stage) {
    if (options_.entered) {
      options_.entered(stage);
    }
  }

  void set_ranges(array::Program& program) const {
    for (const auto& [name, range] : options_.ranges) {
      for (uint32_t i = 0; i < program.arrays.size(); ++i) {
        array::Array& array = program.arrays[array::ArrayId{i}];
        if (is_input(array.owner) && array.name == name) {
          array.range = range;
        }
      }
    }
  }

  auto continue_from(Compiled& compiled) -> Status {
    if (options_.last == Stage::Array) {
      return std::monostate{};
    }
    if (options_.last == Stage::Program) {
      const std::vector<std::string> unbounded = unbounded_inputs(compiled.program, {});
      if (!unbounded.empty()) {
        return Error{
            fmt::format("nothing says how large the elements of `{}` are, and moduli must "
                        "hold all results",
                        fmt::join(unbounded, "`, `"))};
      }
      Result<Interval> result = result_of(compiled.program);
      if (!result) {
        return result.error();
      }
      compiled.result = *result;
    }
    std::vector<schedule::RingCost> rings = schedule::default_rings();
    std::string problem;
    while (!rings.empty()) {
      Status status = in_rings(rings, compiled);
      if (status || problem_is_final_) {
        return status;
      }
      problem = status.error().message;
      const uint32_t tried = compiled.search.best.schedule.n_columns;
      std::erase_if(rings, [&](const schedule::RingCost& ring) { return ring.n_columns <= tried; });
    }
    return Error{problem};
  }

  /// What the result may be, or which operation makes it too large for 64 bits.
  static auto result_of(const array::Program& program) -> Result<Interval> {
    std::vector<Interval> inputs;
    for (const array::Array& array : program.arrays.values()) {
      if (is_input(array.owner)) {
        inputs.push_back(*array.range);
      }
    }
    const array::ValueRanges ranges = array::find_ranges(program, inputs);
    const Interval result = ranges.output();
    if (result.low != INT64_MIN && result.high != INT64_MAX) {
      return result;
    }
    const std::optional<array::Growth> growth = array::find_growth(program, ranges);
    return Error{fmt::format(
        "its result may need more than 64 bits{}",
        growth ? fmt::format(": `{}` takes numbers of {}..={} to {}..={}",
                             array::print(program, program.statements[growth->at.statement],
                                          growth->at.expr),
                             growth->operands.low, growth->operands.high, growth->result.low,
                             growth->result.high)
               : std::string())};
  }

  auto searched_in(const std::vector<schedule::RingCost>& rings, const array::Program& program)
      -> Result<schedule::SearchResult> {
    schedule::SearchOptions search;
    search.rings = rings;
    search.executor = options_.executor;
    search.cancellation = options_.cancellation;
    return schedule::search(program, search);
  }

  /// The schedule that the text says, in the first of these rings that has the columns for it.
  auto pinned_in(const std::vector<schedule::RingCost>& rings, const array::Program& program)
      -> Result<schedule::SearchResult> {
    std::string problem = "no ring is large enough";
    for (const schedule::RingCost& ring : rings) {
      Result<schedule::Schedule> pinned = options_.pinned(program, ring.n_columns);
      Status valid = pinned ? schedule::check(program, *pinned) : Status(pinned.error());
      if (valid) {
        schedule::SearchResult result;
        result.best.schedule = std::move(*pinned);
        return result;
      }
      problem = valid.error().message;
    }
    return Error{fmt::format("its `schedule` cannot be obeyed: {}", problem)};
  }

  /// A schedule for the cheapest of these rings, and all that follows.
  auto in_rings(const std::vector<schedule::RingCost>& rings, Compiled& compiled) -> Status {
    enter(Stage::Schedule);
    Result<schedule::SearchResult> found =
        options_.pinned ? pinned_in(rings, compiled.program) : searched_in(rings, compiled.program);
    if (!found) {
      problem_is_final_ = true;
      return found.error();
    }
    compiled.search = std::move(*found);
    if (options_.last == Stage::Schedule) {
      return std::monostate{};
    }
    enter(Stage::Circuit);
    Result<circuit::Circuit> circuit =
        schedule::make_circuit(compiled.program, compiled.search.best.schedule);
    if (!circuit) {
      problem_is_final_ = true;
      return circuit.error();
    }
    const circuit::Weights weights = weights_of(compiled.search.best.schedule.n_columns);
    const auto is_cancelled = [this] { return options_.cancellation.is_cancelled(); };
    circuit::OptimiseOptions optimise;
    optimise.weights = weights;
    optimise.is_cancelled = is_cancelled;
    circuit::RotationOptions rotations;
    rotations.weights = weights;
    rotations.is_cancelled = is_cancelled;
    compiled.circuit = circuit::plan_rotations(circuit::optimise(*circuit, optimise), rotations);
    if (options_.last == Stage::Circuit) {
      return std::monostate{};
    }
    enter(Stage::Program);
    return encrypt(compiled);
  }

  /// What operations take in that ring, with about as many primes as are used there.
  auto weights_of(uint32_t n_columns) const -> circuit::Weights {
    const size_t n = size_t{2} * n_columns;
    const unsigned bits = he::max_modulus_bits(n, options_.choice.security).value_or(0);
    const he::OperationPlace place{.scheme = options_.choice.scheme.value_or(he::Scheme::Bgv),
                                   .ring_dimension = n,
                                   .n_primes = std::max(1U, bits / 45 / 2 + 1),
                                   .n_special = 1};
    const auto time = [&](he::Operation operation) {
      return options_.choice.times->of(operation, place);
    };
    circuit::Weights weights;
    weights.input_ciphertext = time(he::Operation::Encrypt);
    weights.input_plaintext = time(he::Operation::AddPlain);
    weights.output_ciphertext = time(he::Operation::Decrypt);
    weights.rotation = time(he::Operation::Rotate);
    weights.hoisted_rotation = time(he::Operation::RotateHoisted);
    weights.rotation_key = time(he::Operation::Key) / 4;  // made once, used often
    weights.ct_ct_product = time(he::Operation::Multiply);
    weights.ct_pt_product = time(he::Operation::MultiplyPlain) + time(he::Operation::AddPlain);
    weights.relinearisation = time(he::Operation::Relinearise);
    weights.ct_ct_addition = time(he::Operation::Add);
    weights.ct_pt_addition = time(he::Operation::AddPlain);
    weights.negation = time(he::Operation::Add) / 2;
    weights.native_operation = time(he::Operation::Add) / 4;
    // Another prime for everything.
    weights.depth = 4 * weights.rotation;
    return weights;
  }

  /// In one modulus, or in several smaller ones where that is faster or the only way.
  auto encrypt(Compiled& compiled) -> Status {
    constexpr size_t kMostParts = 4;
    const size_t n = size_t{2} * compiled.circuit.n_columns;
    std::string problem;
    double best = 0;
    size_t n_before = 0;
    for (unsigned bits = he::kMaxPlainBits; bits >= kSmallBits; --bits) {
      Result<std::vector<uint64_t>> moduli =
          plain_moduli_for(n, compiled.result.low, compiled.result.high, bits);
      if (!moduli || moduli->size() > kMostParts) {
        problem = problem.empty() && !moduli ? moduli.error().message : problem;
        break;
      }
      if (moduli->size() == n_before) {
        continue;
      }
      n_before = moduli->size();
      Result<std::vector<Encryption>> parts = encryptions(compiled.circuit, *moduli);
      if (!parts) {
        problem = problem.empty() ? parts.error().message : problem;
        continue;
      }
      double time = 0;
      for (const Encryption& part : *parts) {
        time += part.microseconds;
      }
      if (!compiled.parts.empty() && time >= best) {
        break;  // more parts would only cost more
      }
      best = time;
      compiled.parts = std::move(*parts);
      if (moduli->front() >> kSmallBits == 0) {
        break;  // smaller moduli would hardly save noise
      }
    }
    return compiled.parts.empty() ? Status(Error{problem}) : Status(std::monostate{});
  }

  /// The program modulo each of these, all in one scheme.
  auto encryptions(const circuit::Circuit& circuit, const std::vector<uint64_t>& moduli)
      -> Result<std::vector<Encryption>> {
    std::vector<Encryption> parts;
    ChoiceOptions choice = options_.choice;
    for (const uint64_t modulus : moduli) {
      circuit::LowerOptions lower;
      lower.modulus = modulus;
      lower.n_primes = 1;
      Result<engine::HeProgram> program = circuit::lower(circuit, lower);
      if (!program) {
        problem_is_final_ = true;
        return program.error();
      }
      Result<Encryption> part = choose_encryption(*program, modulus, choice);
      if (!part) {
        return part.error();
      }
      choice.scheme = part->scheme;
      parts.push_back(std::move(*part));
    }
    return parts;
  }

  const CompileOptions& options_;
  bool problem_is_final_ = false;  ///< in no other ring it would go away
};

}  // namespace

auto unbounded_inputs(const array::Program& program,
                      const std::vector<std::pair<std::string, Interval>>& ranges)
    -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const array::Array& array : program.arrays.values()) {
    const bool is_given = std::any_of(ranges.begin(), ranges.end(),
                                      [&](const auto& range) { return range.first == array.name; });
    if (is_input(array.owner) && !array.range && !is_given) {
      names.push_back(array.name);
    }
  }
  return names;
}

auto compile(const check::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options) -> Compilation {
  if (options.entered) {
    options.entered(Stage::Array);
  }
  array::Lowering lowering = array::lower(snapshot, item);
  if (!lowering.program) {
    return {.compiled = {}, .diagnostics = std::move(lowering.diagnostics), .problem = {}};
  }
  const names::ItemTree tree = snapshot.tree(item);
  const syntax::Node clause = names::item_node(*tree).child(syntax::Field::Schedule);
  if (!clause || options.pinned) {
    return compile(std::move(*lowering.program), options);
  }
  CompileOptions obeying = options;
  obeying.pinned = [&](const array::Program& program, uint32_t n_columns) {
    return schedule::read_schedule(program, clause, n_columns);
  };
  return compile(std::move(*lowering.program), obeying);
}

auto compile(array::Program program, const CompileOptions& options) -> Compilation {
  return Compiler(options).run(std::move(program));
}

}  // namespace tacet::encrypted
