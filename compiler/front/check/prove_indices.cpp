#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::LocalKind;
using types::MaybeForm;
using types::SizeFacts;
using types::SizeForm;
using types::SizeVerdict;

namespace {

/// Walks the body of a function with size parameters: what loops and conditions say of counters
/// and sizes is known where an index is evaluated.
class IndexProofs {
 public:
  explicit IndexProofs(Checker& checker) : checker_(checker), facts_(facts_of_sizes(checker)) {}

  void walk(Node node) {
    if (node.is(NodeKind::ForStatement)) {
      for_statement(node);
    } else if (node.is(NodeKind::ForExpression)) {
      for_expression(node);
    } else if (node.is(NodeKind::IfExpression)) {
      if_expression(node);
    } else if (node.is(NodeKind::AssignmentStatement)) {
      store(syntax::bare(node.child(Field::Target)));
      walk(node.child(Field::Value));
    } else {
      if (node.is(NodeKind::IndexExpression)) {
        index(node, Use::Read);
      }
      walk_children(node);
    }
  }

 private:
  enum class Use : uint8_t { Read, Store };
  enum class Sign : uint8_t { AsWritten, Negated };

  void walk_children(Node node) {
    for (Node child : node.children()) {
      if (!child.is_leaf()) {
        walk(child);
      }
    }
  }

  /// `a[i][j] = …`: each of the indices must be inside.
  void store(Node target) {
    while (target.is(NodeKind::IndexExpression) || target.is(NodeKind::FieldExpression)) {
      if (target.is(NodeKind::FieldExpression)) {
        target = syntax::bare(target.child(Field::Record));
        continue;
      }
      index(target, Use::Store);
      walk(target.child(Field::Index));
      target = syntax::bare(target.child(Field::Array));
    }
  }

  void for_statement(Node node) {
    for (Node array : node.children(Field::Array)) {
      walk(array);
    }
    walk_if(node.child(Field::Lower));
    walk_if(node.child(Field::Upper));
    const size_t n_facts = facts_.at_least_zero.size();
    const Node step = node.child(Field::Step);
    const std::optional<int64_t> by = step ? evaluate(checker_, step) : std::optional<int64_t>(1);
    if (by && *by > 0 && node.child(Field::Lower)) {
      counter(node.child(Field::Variable), form_of(node.child(Field::Lower)),
              form_of(node.child(Field::Upper)));
    }
    walk_if(node.child(Field::Body));
    leave(n_facts);
  }

  void for_expression(Node node) {
    const size_t n_facts = facts_.at_least_zero.size();
    const std::vector<Node> arrays = arrays_of(checker_.resolved.names, node);
    for (const Node array : arrays) {
      walk(array);
    }
    if (const Node variable = node.child(Field::Variable); variable && arrays.empty()) {
      counter(variable, SizeForm{0}, form_of(node.child(Field::Extent)));
    }
    walk_if(node.child(Field::Body));
    leave(n_facts);
  }

  void if_expression(Node node) {
    const Node condition = node.child(Field::Condition);
    walk_if(condition);
    const size_t n_facts = facts_.at_least_zero.size();
    assume(condition, Sign::AsWritten);
    walk_if(node.child(Field::Consequence));
    leave(n_facts);
    assume(condition, Sign::Negated);
    walk_if(node.child(Field::Alternative));
    leave(n_facts);
  }

  void walk_if(Node node) {
    if (node) {
      walk(node);
    }
  }

  void leave(size_t n_facts) { facts_.at_least_zero.resize(n_facts); }

  /// `lower <= variable < upper`. A counter of which less is known is not reasoned about.
  void counter(Node variable, const MaybeForm& lower, const MaybeForm& upper) {
    const uint32_t local = variable ? local_of(checker_, variable) : names::Local::kNone;
    if (local == names::Local::kNone || !lower || !upper) {
      return;
    }
    const SizeForm self = types::size_local(local);
    const MaybeForm above = types::subtract(self, *lower);
    const MaybeForm below = types::subtract(*upper, self);
    const MaybeForm last = below ? types::subtract(*below, SizeForm{1}) : std::nullopt;
    if (above && last) {
      facts_.at_least_zero.push_back(*above);
      facts_.at_least_zero.push_back(*last);
      known_.push_back(local);
    }
  }

  void assume(Node condition, Sign sign) {
    condition = condition ? syntax::bare(condition) : condition;
    if (!condition.is(NodeKind::BinaryExpression)) {
      return;
    }
    const NodeKind token = condition.child(Field::Operator).kind();
    if (token == NodeKind::AmpAmp && sign == Sign::AsWritten) {
      assume(condition.child(Field::Left), sign);
      assume(condition.child(Field::Right), sign);
      return;
    }
    const MaybeForm left = form_of(condition.child(Field::Left));
    const MaybeForm right = form_of(condition.child(Field::Right));
    if (left && right) {
      compare(token, *left, *right, sign);
    }
  }

  void compare(NodeKind token, const SizeForm& left, const SizeForm& right, Sign sign) {
    const bool is_equality = token == NodeKind::EqualEqual;
    const bool is_less = token == NodeKind::Less || token == NodeKind::LessEqual;
    const bool is_greater = token == NodeKind::Greater || token == NodeKind::GreaterEqual;
    const bool is_strict = token == NodeKind::Less || token == NodeKind::Greater;
    if (is_equality && sign == Sign::AsWritten) {
      add_at_least(left, right, 0);
      add_at_least(right, left, 0);
    } else if (is_less || is_greater) {
      const SizeForm& smaller = is_less ? left : right;
      const SizeForm& larger = is_less ? right : left;
      sign == Sign::AsWritten ? add_at_least(larger, smaller, is_strict ? 1 : 0)
                              : add_at_least(smaller, larger, is_strict ? 0 : 1);
    }
  }

  /// `a >= b + distance`.
  void add_at_least(const SizeForm& a, const SizeForm& b, int64_t distance) {
    const MaybeForm difference = types::subtract(a, b);
    const MaybeForm fact =
        difference ? types::subtract(*difference, SizeForm{distance}) : std::nullopt;
    if (fact) {
      facts_.at_least_zero.push_back(*fact);
    }
  }

  /// A form in sizes and in counters with known ranges.
  auto form_of(Node node) -> MaybeForm {
    return types::evaluate_form(checker_.types, node, [&](Node part) -> MaybeForm {
      const uint32_t local =
          part.is(NodeKind::Identifier) ? local_of(checker_, part) : names::Local::kNone;
      if (local == names::Local::kNone ||
          checker_.resolved.names.locals[local].kind == LocalKind::Size) {
        return size_form(checker_, part);
      }
      const bool is_known = std::find(known_.begin(), known_.end(), local) != known_.end();
      return is_known ? MaybeForm(types::size_local(local)) : std::nullopt;
    });
  }

  /// Reads outside of an array give 0, which sums over windows of `for i: n { … }` rely on: only
  /// those at the counter of a loop are reported.
  void index(Node node, Use use) {
    const Node array = node.child(Field::Array);
    const Node place = node.child(Field::Index);
    const MaybeForm at = place ? form_of(place) : std::nullopt;
    const std::optional<types::ShapeId> shape =
        array ? checker_.inference.outer_shape(checker_.terms[array.index()]) : std::nullopt;
    if (!at || !shape || *shape == types::kScalar) {
      return;
    }
    const int64_t extent = checker_.types.extents(*shape).front();
    const auto is_index = [&](const types::SizeAtom& atom) {
      return atom.kind == types::SizeAtomKind::Local &&
             checker_.resolved.names.locals[static_cast<size_t>(atom.operand)].kind ==
                 LocalKind::Index;
    };
    const bool is_window = std::any_of(at->terms.begin(), at->terms.end(), [&](const auto& term) {
      const std::vector<types::SizeAtom> factors = types::factors_of(checker_.types, term.atom);
      return std::any_of(factors.begin(), factors.end(), is_index);
    });
    if (extent == types::kUnknownExtent || (is_window && use == Use::Read)) {
      return;
    }
    const MaybeForm end = types::subtract(checker_.types.form(extent), *at);
    const MaybeForm rest = end ? types::subtract(*end, SizeForm{1}) : std::nullopt;
    if (rest && is_wrong(place, use, *at, *at, extent)) {
      return;
    }
    if (rest) {
      is_wrong(place, use, *at, *rest, extent);
    }
  }

  auto is_wrong(Node place, Use use, const SizeForm& at, const SizeForm& claim, int64_t extent)
      -> bool {
    const types::SizeProof proof = types::prove_at_least_zero(checker_.types, facts_, claim);
    // A read that is neither is no reason for a warning: it gives 0 if it is outside.
    if (proof.verdict == SizeVerdict::Proven ||
        (proof.verdict == SizeVerdict::Unknown && use == Use::Read)) {
      return false;
    }
    const bool is_refuted = proof.verdict == SizeVerdict::Refuted;
    const bool is_error = is_refuted && use == Use::Store;
    const std::string text = types::extent_text(checker_.types, checker_.interner, extent);
    names::Draft draft = checker_.report.add(
        is_error ? DiagnosticCode::T2040 : DiagnosticCode::T2041, place.range(),
        is_refuted
            ? fmt::format("index {}{} is outside of the array for {}", value_text(at, proof, place),
                          counters_text(proof), sizes_text(proof))
            : fmt::format("cannot prove that the index `{}` is inside of the array", place.text()));
    draft.note(fmt::format("the array has length `{}`", text));
    draft.note(use == Use::Store
                   ? "shorten the loop, guard the assignment with `if`, or constrain the sizes "
                     "with `where`"
                   : "a read outside of an array gives 0");
    return true;
  }

  static auto value_text(const SizeForm& at, const types::SizeProof& proof, Node place)
      -> std::string {
    int64_t value = at.constant;
    for (const types::SizeTerm& term : at.terms) {
      const auto found = std::find_if(proof.counterexample.begin(), proof.counterexample.end(),
                                      [&](const auto& entry) { return entry.first == term.atom; });
      if (found == proof.counterexample.end()) {
        return fmt::format("`{}`", place.text());
      }
      value += term.coefficient * found->second;
    }
    return fmt::format("{}", value);
  }

  auto counters_text(const types::SizeProof& proof) const -> std::string {
    std::string result;
    for (const auto& [atom, value] : proof.counterexample) {
      if (atom.kind == types::SizeAtomKind::Local) {
        const Name name = checker_.resolved.names.locals[static_cast<size_t>(atom.operand)].name;
        result += fmt::format("{}`{} = {}`", result.empty() ? ", at " : ", ",
                              checker_.interner.text(name), value);
      }
    }
    return result.empty() ? "" : result + ",";
  }

  auto sizes_text(const types::SizeProof& proof) const -> std::string {
    const std::string example = types::example_text(checker_.interner, proof);
    return example.empty() ? "all sizes" : example;
  }

  Checker& checker_;
  SizeFacts facts_;
  std::vector<uint32_t> known_;
};

}  // namespace

void prove_indices(Checker& checker) {
  const Node body = names::item_node(checker.tree).child(Field::Body);
  if (checker.kind != BodyKind::Device || checker.signature.sizes.empty() || !body ||
      !checker.report.is_empty() || !checker.tree.errors.empty()) {
    return;
  }
  IndexProofs(checker).walk(body);
}

}  // namespace tacet::check
