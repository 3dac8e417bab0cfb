#include "compiler/he/lower/noise_stages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace tacet::he_lower {
namespace {

using approximate::Series;
using Id = SlotRanges::Id;
using Kind = MadeCipher::Kind;

/// Polynomials of no larger degree are hardly steeper than what they stand for.
constexpr unsigned kMostPlainDegree = 2;

/// No absolute value between -1 and 1 is larger.
auto at_most(const Series& series) -> double {
  double sum = 0;
  for (const double coefficient : series) {
    sum += std::abs(coefficient);
  }
  return sum;
}

/// What errors on the way from a root become in a result.
struct Chain {
  Id root = 0;
  double slope = 0;
  std::map<Id, double> gains;
  double bend = 0;
  std::vector<Continuity> continuity;
};

class Finder {
 public:
  Finder(SlotRanges& slots, const std::vector<MadeCipher>& made, const std::vector<bool>& outputs)
      : slots_(slots), made_(made), outputs_(outputs), parts_(slots, made) {
    for (uint32_t i = 0; i < made.size(); ++i) {
      of_[made[i].made].push_back(i);
    }
  }

  auto run() -> std::vector<NoiseStage> {
    find_results();
    while (!open_.empty() && work() <= PolynomialParts::kMostWork) {
      const Id result = *open_.rbegin();
      open_.erase(result);
      if (std::optional<Chain> chain = chain_of(result)) {
        chains_.emplace(result, std::move(*chain));
      }
    }
    return work() > PolynomialParts::kMostWork ? std::vector<NoiseStage>() : stages();
  }

 private:
  /// What is used by something that is no polynomial of what it is one of.
  void find_results() {
    for (const MadeCipher& step : made_) {
      if (outputs_[step.reg]) {
        open_.insert(step.made);
      }
      if (step.kind == Kind::Same) {
        continue;
      }
      for (const Id operand : {step.a, step.b}) {
        if (step.kind == Kind::Other || !shares_base(operand, step.made)) {
          open_.insert(operand);
        }
      }
    }
  }

  [[nodiscard]] auto shares_base(Id operand, Id made) const -> bool {
    const auto& forms = slots_.forms(made);
    if (forms.count(operand) != 0) {
      return slots_.forms(operand).empty() || has_common(operand, made);
    }
    return has_common(operand, made) || slots_.is_number(operand);
  }

  [[nodiscard]] auto has_common(Id operand, Id made) const -> bool {
    const auto& forms = slots_.forms(made);
    const auto& own = slots_.forms(operand);
    return std::any_of(own.begin(), own.end(),
                       [&](const auto& form) { return forms.count(form.first) != 0; });
  }

  auto chain_of(Id result) -> std::optional<Chain> {
    if (parts_.maker_of(result) == nullptr) {
      return std::nullopt;  // known in plaintext
    }
    Chain chain{
        .root = parts_.root_of(result), .slope = 0, .gains = {}, .bend = 0, .continuity = {}};
    if (chain.root == result || parts_.maker_of(chain.root) == nullptr) {
      return std::nullopt;
    }
    add(result, std::vector<double>(kArcs, 1), chain);
    chain.bend = bend_of(result, chain);
    chain.continuity = continuity_of(result, chain);
    return chain;
  }

  /// Of what may be far steeper somewhere than from end to end.
  auto continuity_of(Id result, const Chain& chain) -> std::vector<Continuity> {
    const std::optional<RealFunction> function = parts_.function_of(result, chain.root);
    if (!function) {
      return {};
    }
    const bool is_wavy = std::any_of(
        function->nodes.begin(), function->nodes.end(), [](const RealFunction::Node& node) {
          return approximate::degree_of(node.series) > kMostPlainDegree;
        });
    return is_wavy
               ? slots_.polynomials().continuity(*function, slots_.range(chain.root), chain.slope)
               : std::vector<Continuity>();
  }

  /// By Markov's inequality: p'' is at most n^2 / h times the largest p' on an interval of
  /// half-width h, for a polynomial of degree n. Unknown, so large, for what is made of several.
  auto bend_of(Id result, const Chain& chain) -> double {
    double degree = 1;
    const std::vector<const PolynomialPart*> parts = parts_.parts_to(result);
    for (const PolynomialPart* part : parts) {
      degree *= approximate::degree_of(part->form);
    }
    if (parts.empty() || parts.back()->base != chain.root) {
      return HUGE_VAL;
    }
    double least = half_width(chain.root);
    for (const auto& [id, gain] : chain.gains) {
      least = gain > 0 ? std::min(least, half_width(id)) : least;
    }
    return degree * degree / least;
  }

  [[nodiscard]] auto half_width(Id id) const -> double {
    return (slots_.range(id).high - slots_.range(id).low) / 2;
  }

  /// Adds what becomes of errors in a value that counts by so much, by arc of the root.
  void add(Id id, const std::vector<double>& counts, Chain& chain) {
    if (slots_.is_number(id)) {
      return;
    }
    if (id == chain.root) {
      chain.slope += *std::max_element(counts.begin(), counts.end());
      return;
    }
    if (const PolynomialPart* multiple = parts_.multiple_of_combination(id)) {
      const double most = *std::max_element(counts.begin(), counts.end());
      for (const auto& [on_the_way, derivative] : multiple->by) {
        chain.gains[on_the_way] += at_most(derivative) * most;
      }
      std::vector<double> scaled = counts;
      for (double& count : scaled) {
        count *= at_most(multiple->slope);
      }
      add(multiple->base, scaled, chain);
      return;
    }
    if (const std::vector<const PolynomialPart*> parts = parts_.parts_to(id); !parts.empty()) {
      add_parts(id, parts, counts, chain);
      return;
    }
    const MadeCipher& step = *parts_.combination(id);
    chain.gains[id] += *std::max_element(counts.begin(), counts.end());
    if (step.kind != Kind::Product) {
      add(step.a, counts, chain);
      add(step.b, counts, chain);
      return;
    }
    add(step.a, times_size(counts, step.b, chain.root), chain);
    add(step.b, times_size(counts, step.a, chain.root), chain);
  }

  [[nodiscard]] auto times_size(std::vector<double> counts, Id id, Id root) -> std::vector<double> {
    const std::optional<Series> form = parts_.form_of(id, root);
    const array::RealInterval range = slots_.range(id);
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    for (size_t arc = 0; arc < kArcs; ++arc) {
      counts[arc] *= form ? std::min(sampled(*form).most(arc), most) : most;
    }
    return counts;
  }

  /// From part to part: where one leads to what the next is flat at, or to what hardly counts, its
  /// errors do not matter.
  void add_parts(Id result, const std::vector<const PolynomialPart*>& parts,
                 const std::vector<double>& counts, Chain& chain) {
    const auto value_of = [&](size_t i) { return i == 0 ? result : parts[i - 1]->base; };
    std::vector<std::vector<double>> counts_at(parts.size());  // by part: by arc of its base
    counts_at.back() = counts;
    for (size_t i = parts.size() - 1; i > 0; --i) {
      counts_at[i - 1] = led_from(sampled(normalised(parts[i]->form, value_of(i))), counts_at[i]);
    }
    std::vector<double> after(kArcs, 1);  // the derivative of the result, by arc of the next part
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) {
        after = led_to(sampled(normalised(parts[i]->form, value_of(i))), after);
      }
      std::vector<double> both = after;
      for (size_t arc = 0; arc < kArcs; ++arc) {
        both[arc] *= counts_at[i][arc];
      }
      for (const auto& [id, derivative] : parts[i]->by) {
        chain.gains[id] += largest(sampled(derivative), both);
      }
      const PolynomialArcs& slope = sampled(parts[i]->slope);
      double most = 0;
      for (size_t arc = 0; arc < kArcs; ++arc) {
        after[arc] *= slope.most(arc);
        most = std::max(most, after[arc] * counts_at[i][arc]);
      }
      if (i + 1 == parts.size()) {
        chain.slope += most;
      } else if (chains_.count(parts[i]->base) == 0) {
        open_.insert(parts[i]->base);
      }
    }
  }

  static auto largest(const PolynomialArcs& derivative, const std::vector<double>& after)
      -> double {
    double most = 0;
    for (size_t arc = 0; arc < kArcs; ++arc) {
      most = std::max(most, derivative.most(arc) * after[arc]);
    }
    return most;
  }

  /// The same polynomials are met in many vectors.
  auto sampled(const Series& series) -> const PolynomialArcs& {
    const auto known = sampled_.find(series);
    if (known != sampled_.end()) {
      return *known->second;
    }
    work_ += static_cast<double>(kArcs * series.size());
    return *sampled_.emplace(series, slots_.polynomials().arcs(series)).first->second;
  }

  /// Of what runs through the interval of a value: from -1 to 1.
  [[nodiscard]] auto normalised(Series series, Id id) const -> Series {
    const array::RealInterval range = slots_.range(id);
    const double half = (range.high - range.low) / 2;
    series.resize(std::max<size_t>(series.size(), 1));
    series[0] -= (range.high + range.low) / 2;
    for (double& coefficient : series) {
      coefficient /= half;
    }
    return series;
  }

  [[nodiscard]] auto work() const -> double { return work_ + parts_.work(); }

  /// Chains whose results are first in the same register are one, with the worst of each.
  auto stages() -> std::vector<NoiseStage> {
    std::map<uint32_t, NoiseStage> stages;
    std::map<uint32_t, std::set<uint32_t>> homes_in;  // by register
    for (const MadeCipher& step : made_) {
      const bool is_result = chains_.count(step.made) != 0;
      homes_in[step.reg].insert(is_result ? home_of(step.made) : kNone);
    }
    for (const auto& [result, chain] : chains_) {
      add_chain(chain, stages[home_of(result)]);
    }
    std::vector<NoiseStage> found;
    for (auto& [home, stage] : stages) {
      for (const auto& [reg, homes] : homes_in) {
        if (homes.size() == 1 && *homes.begin() == home) {
          stage.results.push_back(reg);
        }
      }
      if (!stage.results.empty()) {
        found.push_back(std::move(stage));
      }
    }
    return found;
  }

  void add_chain(const Chain& chain, NoiseStage& stage) {
    stage.bend = std::max(stage.bend, chain.bend);
    if (stage.bases.empty()) {
      stage.continuity = chain.continuity;
    }
    stage.continuity.resize(std::min(stage.continuity.size(), chain.continuity.size()));
    for (size_t i = 0; i < stage.continuity.size(); ++i) {
      stage.continuity[i].join(chain.continuity[i]);
    }
    for (const uint32_t i : of_[chain.root]) {
      double& known = stage.bases[made_[i].reg];
      known = std::max(known, chain.slope);
    }
    // What a statement does several times on the way counts as often.
    std::map<std::pair<uint32_t, uint32_t>, double> by_statement;
    for (const auto& [id, gain] : chain.gains) {
      for (const uint32_t i : of_[id]) {
        by_statement[{made_[i].reg, made_[i].statement}] += gain;
      }
    }
    for (const auto& [key, gain] : by_statement) {
      double& known = stage.gains[key.first];
      known = std::max(known, gain);
    }
  }

  [[nodiscard]] auto home_of(Id id) const -> uint32_t { return parts_.maker_of(id)->reg; }

  static constexpr uint32_t kNone = 0xffffffff;

  SlotRanges& slots_;
  const std::vector<MadeCipher>& made_;
  const std::vector<bool>& outputs_;
  PolynomialParts parts_;
  std::map<Id, std::vector<uint32_t>> of_;  ///< what made it, copies and the like included
  std::set<Id> open_;
  std::map<Id, Chain> chains_;
  std::map<Series, std::shared_ptr<const PolynomialArcs>> sampled_;
  double work_ = 0;
};

}  // namespace

auto find_noise_stages(SlotRanges& slots, const std::vector<MadeCipher>& made,
                       const std::vector<bool>& outputs) -> std::vector<NoiseStage> {
  return Finder(slots, made, outputs).run();
}

}  // namespace tacet::he_lower
