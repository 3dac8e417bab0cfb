#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/egraph/explain.h"

namespace tacet::egraph {
namespace {

/// Whether `term` is an instance of the pattern; binds its variables, by variable.
auto matches(const Pattern& pattern, Pattern::Place place, const TermBank& terms, TermId term,
             std::vector<TermId>& bound) -> bool {
  const Pattern::Node& node = pattern[place];
  if (node.var.has_value()) {
    TermId& value = bound[node.var.index];
    if (!value.has_value()) {
      value = term;
    }
    return value == term;
  }
  const auto children = terms.children(term);
  if (terms.op(term) != node.op || children.size() != node.n_children) {
    return false;
  }
  for (uint32_t i = 0; i < node.n_children; ++i) {
    if (!matches(pattern, pattern.children(place)[i], terms, children[i], bound)) {
      return false;
    }
  }
  return true;
}

/// A rule with one pattern on each side, which needs no judge.
auto is_plain(const Rewrite& rewrite) -> bool {
  return !rewrite.applier && rewrite.conclusions.size() == 1 &&
         rewrite.query.equations().size() == 1;
}

auto is_instance(const Rewrite& rewrite, const TermBank& terms, TermId left, TermId right) -> bool {
  const Pattern& before = rewrite.query.equations().front().pattern;
  const Pattern& after = rewrite.conclusions.front().pattern;
  std::vector<TermId> bound(rewrite.vars.size());
  return matches(before, before.root(), terms, left, bound) &&
         matches(after, after.root(), terms, right, bound);
}

auto is_justified(const ExplanationStep& step, const TermBank& terms,
                  std::span<const Rewrite> rewrites, const StepJudge& judge) -> bool {
  TermId left = terms.part(step.before, step.path);
  TermId right = terms.part(step.after, step.path);
  if (!left.has_value() || !right.has_value()) {
    return false;
  }
  if (step.reversed) {
    std::swap(left, right);
  }
  if (step.reason.kind == Reason::Kind::Rule) {
    if (step.reason.index >= rewrites.size()) {
      return false;
    }
    const Rewrite& rewrite = rewrites[step.reason.index];
    if (is_plain(rewrite)) {
      return is_instance(rewrite, terms, left, right);
    }
  }
  return step.reason.kind != Reason::Kind::Congruence && judge &&
         judge(terms, step.reason, left, right);
}

/// Whether the terms agree everywhere but at `path`.
auto differ_only_at(const TermBank& terms, TermId a, TermId b, std::span<const uint32_t> path)
    -> bool {
  for (const uint32_t position : path) {
    const auto children_a = terms.children(a);
    const auto children_b = terms.children(b);
    if (terms.op(a) != terms.op(b) || children_a.size() != children_b.size() ||
        position >= children_a.size()) {
      return false;
    }
    for (uint32_t i = 0; i < children_a.size(); ++i) {
      if (i != position && children_a[i] != children_b[i]) {
        return false;
      }
    }
    a = children_a[position];
    b = children_b[position];
  }
  return true;
}

}  // namespace

auto check_explanation(const Explanation& explanation, std::span<const Rewrite> rewrites,
                       const StepJudge& judge) -> std::optional<std::string> {
  TermId now = explanation.first;
  for (size_t i = 0; i < explanation.steps.size(); ++i) {
    const ExplanationStep& step = explanation.steps[i];
    if (step.before != now) {
      return fmt::format("step {} does not start where the previous one ended", i);
    }
    if (!differ_only_at(explanation.terms, step.before, step.after, step.path)) {
      return fmt::format("step {} changes more than the term at its position", i);
    }
    if (!is_justified(step, explanation.terms, rewrites, judge)) {
      return fmt::format("step {} does not follow from its reason", i);
    }
    now = step.after;
  }
  if (now != explanation.last) {
    return "the chain does not end with the last term";
  }
  return std::nullopt;
}

}  // namespace tacet::egraph
