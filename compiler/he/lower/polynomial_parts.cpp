#include "compiler/he/lower/polynomial_parts.h"

#include <algorithm>

namespace tacet::he_lower {

using approximate::Series;
using Id = SlotRanges::Id;
using Kind = MadeCipher::Kind;

static void add_to(Series& sum, const Series& series, double factor) {
  sum.resize(std::max(sum.size(), series.size()));
  for (size_t k = 0; k < series.size(); ++k) {
    sum[k] += factor * series[k];
  }
}

PolynomialParts::PolynomialParts(const SlotRanges& slots, const std::vector<MadeCipher>& made)
    : slots_(slots), made_(made) {
  Id last = 0;
  for (const MadeCipher& step : made) {
    last = std::max({last, step.made, step.a, step.b});
  }
  first_.resize(size_t{last} + 1, kNone);
  for (uint32_t i = 0; i < made.size(); ++i) {
    uint32_t& first = first_[made[i].made];
    first = first == kNone ? i : first;
  }
  roots_.resize(first_.size());
  for (auto& by_depth : roots_) {
    by_depth.fill(kNone);
  }
}

auto PolynomialParts::maker_of(Id id) const -> const MadeCipher* {
  return id >= first_.size() || first_[id] == kNone ? nullptr : &made_[first_[id]];
}

auto PolynomialParts::part_of(Id result) -> const PolynomialPart* {
  if (slots_.forms(result).empty()) {
    return nullptr;
  }
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

auto PolynomialParts::parts_to(Id result) -> std::vector<const PolynomialPart*> {
  std::vector<const PolynomialPart*> parts;
  for (const PolynomialPart* part = part_of(result); part != nullptr; part = part_of(part->base)) {
    parts.push_back(part);
  }
  return parts;
}

/// Sums of many ciphers share their parts, so each is looked through once.
auto PolynomialParts::root_of(Id id, unsigned depth) -> Id {
  if (depth > kMostCombinations || id >= roots_.size()) {
    return id;
  }
  Id& root = roots_[id][depth];
  root = root == kNone ? found_root(id, depth) : root;
  return root;
}

auto PolynomialParts::found_root(Id id, unsigned depth) -> Id {
  if (const PolynomialPart* multiple = multiple_of_combination(id)) {
    return root_of(multiple->base, depth + 1);
  }
  if (const std::vector<const PolynomialPart*> parts = parts_to(id); !parts.empty()) {
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

auto PolynomialParts::multiple_of_combination(Id id) -> const PolynomialPart* {
  const PolynomialPart* part = part_of(id);
  const bool is_multiple = part != nullptr && approximate::degree_of(part->form) == 1 &&
                           part_of(part->base) == nullptr && combination(part->base) != nullptr;
  return is_multiple ? part : nullptr;
}

auto PolynomialParts::combination(Id id) const -> const MadeCipher* {
  const MadeCipher* maker = maker_of(id);
  const bool is_one = maker != nullptr && maker->kind != Kind::Other && maker->kind != Kind::Same;
  return is_one ? maker : nullptr;
}

auto PolynomialParts::form_of(Id id, Id base) const -> std::optional<Series> {
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
auto PolynomialParts::part_from(Id result, Id base) -> std::optional<PolynomialPart> {
  PolynomialPart part{.base = base, .form = slots_.forms(result).at(base), .slope = {}, .by = {}};
  std::map<Id, Series> by{{result, {1}}};
  while (!by.empty() && work_ <= kMostWork) {
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
    const MadeCipher* maker = maker_of(id);
    if (maker == nullptr) {
      return std::nullopt;
    }
    part.by.emplace_back(id, derivative);
    const MadeCipher& step = *maker;
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

auto PolynomialParts::function_of(Id result, Id root) -> std::optional<RealFunction> {
  RealFunction function;
  std::map<Id, uint32_t> nodes;
  return add_node(result, root, function, nodes) ? std::optional(std::move(function))
                                                 : std::nullopt;
}

/// The value as a function of the root: what it is made of first. False if it is none.
auto PolynomialParts::add_node(Id id, Id root, RealFunction& function,
                               std::map<Id, uint32_t>& nodes) -> bool {
  using Made = RealFunction::Node;
  if (nodes.count(id) != 0) {
    return true;
  }
  Made node;
  if (id == root) {
    node = {.kind = Made::Kind::Operand, .interval = slots_.range(root)};
  } else if (slots_.is_number(id)) {
    node = {.kind = Made::Kind::Number, .number = slots_.range(id).low};
  } else if (const PolynomialPart* part = part_of(id)) {
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

}  // namespace tacet::he_lower
