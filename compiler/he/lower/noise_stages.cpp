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

/// Multiplications of coefficients.
constexpr double kMostFinderWork = 4e8;
/// Sums and products of results that are looked through.
constexpr unsigned kMostCombinations = 8;
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

void add_to(Series& sum, const Series& series, double factor) {
  sum.resize(std::max(sum.size(), series.size()));
  for (size_t k = 0; k < series.size(); ++k) {
    sum[k] += factor * series[k];
  }
}

/// One result as a polynomial of one value, and its derivatives by what leads to it, likewise.
struct Part {
  Id base = 0;
  Series form;  ///< of the result
  Series slope;
  std::vector<std::pair<Id, Series>> by;
};

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
      : slots_(slots), made_(made), outputs_(outputs) {
    for (uint32_t i = 0; i < made.size(); ++i) {
      of_[made[i].made].push_back(i);
      first_.try_emplace(made[i].made, i);
    }
  }

  auto run() -> std::vector<NoiseStage> {
    find_results();
    while (!open_.empty() && work_ <= kMostFinderWork) {
      const Id result = *open_.rbegin();
      open_.erase(result);
      if (std::optional<Chain> chain = chain_of(result)) {
        chains_.emplace(result, std::move(*chain));
      }
    }
    return work_ > kMostFinderWork ? std::vector<NoiseStage>() : stages();
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

  /// By the polynomial of the largest degree, which reaches back farthest; null if there is none.
  auto part_of(Id result) -> const Part* {
    const auto [known, is_new] = parts_.try_emplace(result);
    if (is_new) {
      std::vector<std::pair<unsigned, Id>> bases;
      for (const auto& [base, series] : slots_.forms(result)) {
        bases.emplace_back(approximate::degree_of(series), base);
      }
      std::sort(bases.rbegin(), bases.rend());
      for (const auto& [degree, base] : bases) {
        if (known->second = part_from(result, base); known->second) {
          break;
        }
      }
    }
    return known->second ? &*known->second : nullptr;
  }

  /// From the result back to the first value: the parts, none of what is no polynomial.
  auto parts_to(Id result) -> std::vector<const Part*> {
    std::vector<const Part*> parts;
    for (const Part* part = part_of(result); part != nullptr; part = part_of(part->base)) {
      parts.push_back(part);
    }
    return parts;
  }

  /// The one value that all of it is made of, by parts and by sums and products of such: itself if
  /// there is none.
  auto root_of(Id id, unsigned depth = 0) -> Id {
    if (depth > kMostCombinations) {
      return id;
    }
    if (const Part* multiple = multiple_of_combination(id)) {
      return root_of(multiple->base, depth + 1);
    }
    if (const std::vector<const Part*> parts = parts_to(id); !parts.empty()) {
      return parts.back()->base;
    }
    const MadeCipher* step = combination(id);
    if (step == nullptr) {
      return id;
    }
    const Id a = slots_.is_number(step->a) ? step->b : step->a;
    const Id b = slots_.is_number(step->b) ? step->a : step->b;
    const Id root = root_of(a, depth + 1);
    return root == root_of(b, depth + 1) ? root : id;
  }

  /// A number times a value that is no polynomial, and a number more.
  auto multiple_of_combination(Id id) -> const Part* {
    const Part* part = part_of(id);
    const bool is_multiple = part != nullptr && approximate::degree_of(part->form) == 1 &&
                             part_of(part->base) == nullptr && combination(part->base) != nullptr;
    return is_multiple ? part : nullptr;
  }

  [[nodiscard]] auto combination(Id id) const -> const MadeCipher* {
    const auto first = first_.find(id);
    const bool is_one = first != first_.end() && made_[first->second].kind != Kind::Other &&
                        made_[first->second].kind != Kind::Same;
    return is_one ? &made_[first->second] : nullptr;
  }

  auto chain_of(Id result) -> std::optional<Chain> {
    if (first_.count(result) == 0) {
      return std::nullopt;  // known in plaintext
    }
    Chain chain{.root = root_of(result), .slope = 0, .gains = {}, .bend = 0, .continuity = {}};
    if (chain.root == result || first_.count(chain.root) == 0) {
      return std::nullopt;
    }
    add(result, std::vector<double>(kArcs, 1), chain);
    chain.bend = bend_of(result, chain);
    chain.continuity = continuity_of(result, chain);
    return chain;
  }

  /// Of what may be far steeper somewhere than from end to end.
  auto continuity_of(Id result, const Chain& chain) -> std::vector<Continuity> {
    RealFunction function;
    std::map<Id, uint32_t> nodes;
    if (!add_node(result, chain.root, function, nodes)) {
      return {};
    }
    const bool is_wavy = std::any_of(
        function.nodes.begin(), function.nodes.end(), [](const RealFunction::Node& node) {
          return approximate::degree_of(node.series) > kMostPlainDegree;
        });
    return is_wavy
               ? slots_.polynomials().continuity(function, slots_.range(chain.root), chain.slope)
               : std::vector<Continuity>();
  }

  /// The value as a function of the root: what it is made of first. False if it is none.
  auto add_node(Id id, Id root, RealFunction& function, std::map<Id, uint32_t>& nodes) -> bool {
    using Made = RealFunction::Node;
    if (nodes.count(id) != 0) {
      return true;
    }
    Made node;
    if (id == root) {
      node = {.kind = Made::Kind::Operand, .interval = slots_.range(root)};
    } else if (slots_.is_number(id)) {
      node = {.kind = Made::Kind::Number, .number = slots_.range(id).low};
    } else if (const Part* part = part_of(id)) {
      if (!add_node(part->base, root, function, nodes)) {
        return false;
      }
      node = {.kind = Made::Kind::Polynomial,
              .a = nodes.at(part->base),
              .series = part->form,
              .interval = slots_.range(part->base)};
    } else {
      const MadeCipher* step = combination(id);
      if (step == nullptr || !add_node(step->a, root, function, nodes) ||
          !add_node(step->b, root, function, nodes)) {
        return false;
      }
      node = {.kind = step->kind == Kind::Product      ? Made::Kind::Product
                      : step->kind == Kind::Difference ? Made::Kind::Difference
                                                       : Made::Kind::Sum,
              .a = nodes.at(step->a),
              .b = nodes.at(step->b)};
    }
    nodes.emplace(id, static_cast<uint32_t>(function.nodes.size()));
    function.nodes.push_back(std::move(node));
    return true;
  }

  /// By Markov's inequality: p'' is at most n^2 / h times the largest p' on an interval of
  /// half-width h, for a polynomial of degree n. Unknown, so large, for what is made of several.
  auto bend_of(Id result, const Chain& chain) -> double {
    double degree = 1;
    const std::vector<const Part*> parts = parts_to(result);
    for (const Part* part : parts) {
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
    if (const Part* multiple = multiple_of_combination(id)) {
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
    if (const std::vector<const Part*> parts = parts_to(id); !parts.empty()) {
      add_parts(id, parts, counts, chain);
      return;
    }
    const MadeCipher& step = *combination(id);
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
    const std::optional<Series> form = form_of(id, root);
    const array::RealInterval range = slots_.range(id);
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    for (size_t arc = 0; arc < kArcs; ++arc) {
      counts[arc] *= form ? std::min(sampled(*form).most(arc), most) : most;
    }
    return counts;
  }

  /// From part to part: where one leads to what the next is flat at, or to what hardly counts, its
  /// errors do not matter.
  void add_parts(Id result, const std::vector<const Part*>& parts,
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

  [[nodiscard]] auto form_of(Id id, Id base) const -> std::optional<Series> {
    if (id == base) {
      return slots_.form_of_itself(id);
    }
    if (slots_.is_number(id)) {
      return Series{slots_.range(id).low};
    }
    const auto found = slots_.forms(id).find(base);
    return found == slots_.forms(id).end() ? std::nullopt : std::optional(found->second);
  }

  /// Backwards: the derivative of the result by each value that it is made of. Operands are
  /// numbered before what is made of them.
  auto part_from(Id result, Id base) -> std::optional<Part> {
    Part part{.base = base, .form = slots_.forms(result).at(base), .slope = {}, .by = {}};
    std::map<Id, Series> by{{result, {1}}};
    while (!by.empty() && work_ <= kMostFinderWork) {
      const auto last = std::prev(by.end());
      const Id id = last->first;
      const Series derivative = std::move(last->second);
      by.erase(last);
      if (id == base) {
        part.slope = derivative;
        continue;
      }
      if (slots_.is_number(id)) {
        continue;
      }
      const auto first = first_.find(id);
      if (first == first_.end()) {
        return std::nullopt;
      }
      part.by.emplace_back(id, derivative);
      const MadeCipher& step = made_[first->second];
      const std::optional<Series> a = form_of(step.a, base);
      const std::optional<Series> b = form_of(step.b, base);
      if (step.kind == Kind::Other || step.kind == Kind::Same || !a || !b) {
        return std::nullopt;
      }
      if (step.kind == Kind::Product) {
        work_ += static_cast<double>(derivative.size() * (a->size() + b->size()));
        add_to(by[step.a], SlotRanges::product_of(derivative, *b), 1);
        add_to(by[step.b], SlotRanges::product_of(derivative, *a), 1);
      } else {
        add_to(by[step.a], derivative, 1);
        add_to(by[step.b], derivative, step.kind == Kind::Sum ? 1 : -1);
      }
    }
    return part;
  }

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

  [[nodiscard]] auto home_of(Id id) const -> uint32_t { return made_[first_.at(id)].reg; }

  static constexpr uint32_t kNone = 0xffffffff;

  SlotRanges& slots_;
  const std::vector<MadeCipher>& made_;
  const std::vector<bool>& outputs_;
  std::map<Id, std::vector<uint32_t>> of_;  ///< what made it, copies and the like included
  std::map<Id, uint32_t> first_;            ///< what made it first
  std::set<Id> open_;
  std::map<Id, std::optional<Part>> parts_;
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
