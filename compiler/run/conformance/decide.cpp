#include "compiler/run/conformance/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/run/conformance/random_points.h"

namespace tacet::conformance {

using interpret::EntryParameter;
using interpret::EntryResult;
using interpret::Executable;

auto limits_while_typing() -> DecideOptions {
  DecideOptions options;
  options.symbolic = {
      .max_steps = 20'000, .max_terms = 8'000, .max_depth = 24, .max_cells = 1 << 16};
  options.max_form_work = 40'000;
  options.saturation = {.max_terms = 40, .max_nodes = 1'000, .max_rounds = 6};
  options.runs.n_runs = 16;
  options.n_runs_of_small = 250;
  options.runs.max_steps = 4'000;
  options.max_inputs = 64;
  options.max_input_cells = 2'000;
  return options;
}

auto limits_for_deep_checks() -> DecideOptions {
  DecideOptions options;
  options.symbolic = {.max_steps = 20'000'000, .max_terms = 2'000'000, .max_depth = 100};
  options.max_form_work = 20'000'000;
  options.saturation = {.max_terms = 400, .max_nodes = 20'000, .max_rounds = 15};
  return options;
}

namespace {

class Decider {
  static constexpr size_t kSmall = 1000;  ///< terms

 public:
  Decider(const Executable& model, const Executable& other, const std::vector<uint32_t>& inputs,
          const DecideOptions& options)
      : model_(model), other_(other), inputs_(inputs), options_(options) {}

  auto run(uint64_t seed) -> Verdict {
    add_inputs();
    if (facts_.size() > options_.max_input_cells) {
      Verdict verdict;
      verdict.why = "it is too large";
      return verdict;
    }
    Verdict verdict = by_terms();
    if (verdict.outcome != Outcome::NotDecided) {
      return verdict;
    }
    oracle::RunOptions runs = options_.runs;
    runs.landmarks = constants();
    if (is_small_) {
      runs.n_runs = std::max(runs.n_runs, options_.n_runs_of_small);
    }
    const oracle::Comparison compared = compare(model_, other_, inputs_, seed, runs);
    verdict.n_runs = compared.n_done + compared.n_failed;
    if (compared.counterexample) {
      verdict.outcome = Outcome::Different;
      verdict.counterexample = compared.counterexample;
      return verdict;
    }
    if (verdict.n_runs == 0 && compared.n_untold > 0) {
      verdict.why = compared.why_untold;
      return verdict;
    }
    try_all_inputs(verdict);
    return verdict;
  }

 private:
  /// What both compare and count with.
  auto constants() const -> std::vector<int64_t> {
    constexpr size_t kMost = 64;
    std::set<int64_t> found;
    for (const Executable* executable : {&model_, &other_}) {
      for (const interpret::Instruction& at : executable->program.instructions) {
        if (at.opcode == interpret::Opcode::Const && found.size() < kMost) {
          found.insert(
              static_cast<int64_t>(uint64_t{at.operands[1]} | uint64_t{at.operands[2]} << 32));
        }
      }
    }
    return {found.begin(), found.end()};
  }

  /// The first three methods, on terms.
  auto by_terms() -> Verdict {
    Verdict verdict;
    std::vector<TermId> for_model;
    for (const uint32_t input : inputs_) {
      for_model.insert(for_model.end(), cells_[input].begin(), cells_[input].end());
    }
    std::vector<TermId> for_other;
    for (const std::vector<TermId>& cells : cells_) {
      for_other.insert(for_other.end(), cells.begin(), cells.end());
    }
    const SymbolicResult first = run_symbolically(model_, for_model, terms_, options_.symbolic);
    const SymbolicResult second = run_symbolically(other_, for_other, terms_, options_.symbolic);
    if (!first.problem.empty() || !second.problem.empty()) {
      verdict.why = first.problem.empty() ? second.problem : first.problem;
      return verdict;
    }
    is_small_ = terms_.size() <= kSmall;
    TermPairs pairs;
    std::vector<ElementType> types;
    gather(first, second, pairs, types);
    verdict.why = "their formulas differ, but their results agree on all inputs tried";
    if (pairs.empty() || have_equal_forms(pairs, types)) {
      verdict.outcome = Outcome::Proved;
      verdict.how = "their normal forms are equal";
    } else if (are_equal_by_saturation(terms_, pairs, options_.saturation)) {
      verdict.outcome = Outcome::Proved;
      verdict.how = "the axioms of rings and orders rewrite one to the other";
    } else if (const std::optional<double> log_error = agree_at_random_points(terms_, pairs)) {
      verdict.outcome = Outcome::Probable;
      verdict.log2_error = *log_error;
    }
    return verdict;
  }

  void add_inputs() {
    for (const EntryParameter& parameter : other_.parameters) {
      cells_.emplace_back();
      if (facts_.size() + interpret::n_elements(parameter.shape) > options_.max_input_cells) {
        facts_.resize(options_.max_input_cells + 1);
        return;
      }
      const bool is_bit = parameter.type.kind == ElementKind::Bool ||
                          (parameter.bound && parameter.bound->lower >= 0 &&
                           parameter.bound->upper <= 2 && is_integer(parameter.type.kind));
      for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
        cells_.back().push_back(terms_.input(facts_.size(), parameter.type));
        facts_.push_back({.type = parameter.type, .is_bit = is_bit});
      }
    }
  }

  /// What must be equal and is not seen to be; last, whether the runs fail.
  void gather(const SymbolicResult& first, const SymbolicResult& second, TermPairs& pairs,
              std::vector<ElementType>& types) {
    const auto add = [&](TermId a, TermId b, ElementType type) {
      if (a != b) {
        pairs.emplace_back(a, b);
        types.push_back(type);
      }
    };
    size_t at = 0;
    for (const EntryResult& result : model_.results) {
      for (uint64_t i = 0; i < interpret::n_elements(result.shape); ++i, ++at) {
        add(first.results[at], second.results[at], result.type);
      }
    }
    add(first.fault, second.fault, engine::kBool);
  }

  auto have_equal_forms(TermPairs& pairs, std::vector<ElementType>& types) -> bool {
    NormalForms forms(terms_, facts_, options_.max_form_work);
    TermPairs left;
    std::vector<ElementType> left_types;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const std::optional<FormId> a = forms.of(pairs[i].first, types[i]);
      const std::optional<FormId> b = a ? forms.of(pairs[i].second, types[i]) : std::nullopt;
      if (!a || !b || *a != *b) {
        left.push_back(pairs[i]);
        left_types.push_back(types[i]);
      }
    }
    pairs = std::move(left);
    types = std::move(left_types);
    return pairs.empty();
  }

  /// How many values each cell may have; nothing if too many.
  static auto n_values(const EntryParameter& parameter) -> std::optional<uint64_t> {
    if (parameter.bound) {
      return types::n_numbers(*parameter.bound);
    }
    const bool is_small = parameter.type.kind == ElementKind::Bool ||
                          (is_integer(parameter.type.kind) && bit_width(parameter.type.kind) <= 16);
    return is_small ? std::optional(uint64_t{1} << bit_width(parameter.type.kind)) : std::nullopt;
  }

  static auto value_at(const EntryParameter& parameter, uint64_t number) -> Cell {
    const int64_t lowest = parameter.bound ? static_cast<int64_t>(parameter.bound->lower)
                           : parameter.type.kind == ElementKind::Bool
                               ? 0
                               : engine::min_integer(parameter.type.kind);
    const uint64_t value = static_cast<uint64_t>(lowest) + number;
    return is_float(parameter.type.kind) ? cast(engine::kI64, parameter.type, value) : value;
  }

  void try_all_inputs(Verdict& verdict) const {
    uint64_t n = 1;
    for (const EntryParameter& parameter : other_.parameters) {
      const std::optional<uint64_t> each = n_values(parameter);
      for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
        n = each && n <= options_.max_inputs ? n * *each : options_.max_inputs + 1;
      }
    }
    if (n > options_.max_inputs) {
      return;
    }
    for (uint64_t number = 0; number < n; ++number) {
      std::vector<interpret::Value> values;
      uint64_t rest = number;
      for (const EntryParameter& parameter : other_.parameters) {
        interpret::Value value{parameter.type, parameter.shape, {}};
        for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
          value.cells.push_back(value_at(parameter, rest % *n_values(parameter)));
          rest /= *n_values(parameter);
        }
        values.push_back(std::move(value));
      }
      std::vector<interpret::Value> for_model;
      for (const uint32_t input : inputs_) {
        for_model.push_back(values[input]);
      }
      const oracle::Outcome first = outcome_of(model_, for_model, options_.runs);
      const oracle::Outcome second = outcome_of(other_, values, options_.runs);
      const bool are_reported =
          first.end <= oracle::End::Failed && second.end <= oracle::End::Failed;
      const bool are_equal = first.end == second.end &&
                             (first.end == oracle::End::Failed || first.text == second.text);
      if (!are_reported || !are_equal) {
        if (are_reported) {
          verdict.outcome = Outcome::Different;
          verdict.counterexample = {std::move(values), first, second};
        }
        return;
      }
    }
    verdict.outcome = Outcome::Proved;
    verdict.how = fmt::format("they agree on all {} inputs", n);
  }

  const Executable& model_;
  const Executable& other_;
  const std::vector<uint32_t>& inputs_;
  const DecideOptions& options_;
  Terms terms_;
  std::vector<std::vector<TermId>> cells_;  ///< of each input of `other`
  std::vector<InputFacts> facts_;           ///< by cell of the inputs
  bool is_small_ = false;
};

}  // namespace

auto decide(const Executable& model, const Executable& other, const std::vector<uint32_t>& inputs,
            uint64_t seed, const DecideOptions& options) -> Verdict {
  return Decider(model, other, inputs, options).run(seed);
}

}  // namespace tacet::conformance
