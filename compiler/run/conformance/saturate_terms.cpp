#include "compiler/run/conformance/saturate_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/core/egraph/saturate.h"

namespace tacet::conformance {

using egraph::ClassId;
using egraph::EGraph;
using egraph::Rewrite;

namespace {

class Saturation {
 public:
  Saturation(const Terms& terms, const SaturationLimits& limits)
      : terms_(terms), limits_(limits), classes_(terms.size()) {}

  auto run(const TermPairs& pairs) -> bool {
    if (!add(pairs)) {
      return false;
    }
    add_rules();
    egraph::SaturationOptions options;
    options.max_nodes = limits_.max_nodes;
    options.max_iterations = limits_.max_rounds;
    options.is_done = [&](const EGraph& graph) { return are_equal(graph, pairs); };
    graph_.rebuild();
    saturate(graph_, rules_, options);
    return are_equal(graph_, pairs);
  }

 private:
  auto are_equal(const EGraph& graph, const TermPairs& pairs) const -> bool {
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return graph.are_equal(classes_[pair.first.index], classes_[pair.second.index]);
    });
  }

  /// All that the pairs are made of; false if that is too much.
  auto add(const TermPairs& pairs) -> bool {
    std::vector<bool> is_needed(terms_.size());
    for (const auto& [a, b] : pairs) {
      is_needed[a.index] = is_needed[b.index] = true;
    }
    for (uint32_t i = static_cast<uint32_t>(terms_.size()); i-- > 0;) {
      const Term& term = terms_[TermId{i}];
      for (const TermId operand : {term.a, term.b, term.c}) {
        if (is_needed[i] && operand.has_value()) {
          is_needed[operand.index] = true;
        }
      }
    }
    if (static_cast<size_t>(std::count(is_needed.begin(), is_needed.end(), true)) >
        limits_.max_terms) {
      return false;
    }
    for (uint32_t i = 0; i < terms_.size(); ++i) {
      if (is_needed[i]) {
        classes_[i] = class_of(terms_[TermId{i}]);
      }
    }
    return true;
  }

  auto class_of(const Term& term) -> ClassId {
    const auto of = [&](TermId id) { return classes_[id.index]; };
    const std::string type = element_type_name(term.type);
    switch (term.kind) {
      case TermKind::Number:
      case TermKind::Control:
        return graph_.add(ops_.parse_op(fmt::format("{}", term.number)), {});
      case TermKind::Input:
        return graph_.add(ops_.parse_op(fmt::format("in{}", term.number)), {});
      case TermKind::Select:
        return graph_.add(ops_.parse_op("select"), {of(term.a), of(term.b), of(term.c)});
      case TermKind::Not:
        return graph_.add(ops_.parse_op("not"), {of(term.a)});
      case TermKind::Address:
        return graph_.add(ops_.parse_op(fmt::format("address.{}", term.number)),
                          {of(term.a), of(term.b)});
      case TermKind::Cast:
        return graph_.add(
            ops_.parse_op(fmt::format("cast.{}.{}", element_type_name(term.from), type)),
            {of(term.a)});
      case TermKind::Negate:
      case TermKind::Complement:
        types_.insert(type);
        return graph_.add(
            ops_.parse_op((term.kind == TermKind::Negate ? "neg." : "complement.") + type),
            {of(term.a)});
      case TermKind::Binary:
        if (is_integer(term.type.kind)) {
          types_.insert(type);
        }
        return graph_.add(ops_.parse_op(std::string(word_of(term.operation)) + "." + type),
                          {of(term.a), of(term.b)});
    }
    return {};
  }

  static auto word_of(BinaryOperation operation) -> std::string_view {
    constexpr std::string_view kWords[] = {
#define TACET_BINARY(Name, mnemonic) mnemonic,
#include "engine/program/common/binary_operations.def"
    };
    return kWords[static_cast<size_t>(operation)];
  }

  void rule(const std::string& left, const std::string& right) {
    rules_.push_back(egraph::make_rewrite(left, left, right, ops_));
  }
  void both_directions(const std::string& left, const std::string& right) {
    rule(left, right);
    rule(right, left);
  }

  /// `@` in a rule stands for the type.
  void for_type(const std::string& type, const std::string& left, const std::string& right,
                bool is_bidirectional = false) {
    const auto typed = [&](std::string text) {
      for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
        text.replace(at, 1, type);
      }
      return text;
    };
    rule(typed(left), typed(right));
    if (is_bidirectional) {
      rule(typed(right), typed(left));
    }
  }

  void add_rules() {
    for (const std::string& type : types_) {
      add_rules_of_rings(type);
      add_rules_of_orders(type);
      add_rules_of_bits(type);
    }
    add_rules_of_bits("bool");
    rule("(not (not ?a))", "?a");
    rule("(select ?c ?a ?a)", "?a");
    rule("(select (not ?c) ?a ?b)", "(select ?c ?b ?a)");
    rule("(select ?c ?a (select ?c ?b ?d))", "(select ?c ?a ?d)");
    rule("(select ?c (select ?c ?a ?b) ?d)", "(select ?c ?a ?d)");
    both_directions("(select ?c (select ?d ?a ?b) ?b)", "(select (and.bool ?c ?d) ?a ?b)");
    both_directions("(not (and.bool ?a ?b))", "(or.bool (not ?a) (not ?b))");
    both_directions("(not (or.bool ?a ?b))", "(and.bool (not ?a) (not ?b))");
  }

  void add_rules_of_rings(const std::string& type) {
    for_type(type, "(add.@ ?a ?b)", "(add.@ ?b ?a)");
    for_type(type, "(mul.@ ?a ?b)", "(mul.@ ?b ?a)");
    for_type(type, "(add.@ ?a (add.@ ?b ?c))", "(add.@ (add.@ ?a ?b) ?c)", true);
    for_type(type, "(mul.@ ?a (mul.@ ?b ?c))", "(mul.@ (mul.@ ?a ?b) ?c)", true);
    for_type(type, "(mul.@ ?a (add.@ ?b ?c))", "(add.@ (mul.@ ?a ?b) (mul.@ ?a ?c))", true);
    for_type(type, "(sub.@ ?a ?b)", "(add.@ ?a (neg.@ ?b))", true);
    for_type(type, "(add.@ ?a (neg.@ ?a))", "0");
    for_type(type, "(add.@ ?a 0)", "?a");
    for_type(type, "(mul.@ ?a 1)", "?a");
    for_type(type, "(mul.@ ?a 0)", "0");
    for_type(type, "(neg.@ (neg.@ ?a))", "?a");
    for_type(type, "(mul.@ (neg.@ ?a) ?b)", "(neg.@ (mul.@ ?a ?b))", true);
    for_type(type, "(add.@ (neg.@ ?a) (neg.@ ?b))", "(neg.@ (add.@ ?a ?b))", true);
    for_type(type, "(add.@ ?a ?a)", "(mul.@ ?a 2)", true);
  }

  void add_rules_of_orders(const std::string& type) {
    for_type(type, "(gt.@ ?a ?b)", "(lt.@ ?b ?a)");
    for_type(type, "(le.@ ?a ?b)", "(not (lt.@ ?b ?a))");
    for_type(type, "(ge.@ ?a ?b)", "(not (lt.@ ?a ?b))");
    for_type(type, "(ne.@ ?a ?b)", "(not (eq.@ ?a ?b))");
    for_type(type, "(eq.@ ?a ?b)", "(eq.@ ?b ?a)");
    // The lesser one of two, and the greater one.
    for_type(type, "(select (lt.@ ?a ?b) ?a ?b)", "(select (lt.@ ?b ?a) ?b ?a)");
    for_type(type, "(select (lt.@ ?a ?b) ?b ?a)", "(select (lt.@ ?b ?a) ?a ?b)");
    for_type(type, "(select (eq.@ ?a ?b) ?a ?b)", "?b");
    for_type(type, "(select (eq.@ ?a ?b) ?b ?a)", "?a");
    for_type(type, "(lt.@ ?a ?a)", "0");
    // The least one of three.
    const std::string least =
        "(select (lt.@ ?a (select (lt.@ ?b ?c) ?b ?c)) ?a (select (lt.@ ?b ?c) ?b ?c))";
    const std::string other =
        "(select (lt.@ (select (lt.@ ?a ?b) ?a ?b) ?c) (select (lt.@ ?a ?b) ?a ?b) ?c)";
    for_type(type, least, other, true);
    const std::string greatest =
        "(select (lt.@ ?a (select (lt.@ ?b ?c) ?c ?b)) (select (lt.@ ?b ?c) ?c ?b) ?a)";
    const std::string another =
        "(select (lt.@ (select (lt.@ ?a ?b) ?b ?a) ?c) ?c (select (lt.@ ?a ?b) ?b ?a))";
    for_type(type, greatest, another, true);
  }

  void add_rules_of_bits(const std::string& type) {
    for (const std::string op : {"and", "or", "xor"}) {
      for_type(type, fmt::format("({}.@ ?a ?b)", op), fmt::format("({}.@ ?b ?a)", op));
      for_type(type, fmt::format("({0}.@ ?a ({0}.@ ?b ?c))", op),
               fmt::format("({0}.@ ({0}.@ ?a ?b) ?c)", op), true);
    }
    for_type(type, "(and.@ ?a ?a)", "?a");
    for_type(type, "(or.@ ?a ?a)", "?a");
    for_type(type, "(xor.@ ?a ?a)", "0");
    for_type(type, "(xor.@ ?a 0)", "?a");
    for_type(type, "(and.@ ?a (or.@ ?a ?b))", "?a");
    for_type(type, "(or.@ ?a (and.@ ?a ?b))", "?a");
    for_type(type, "(and.@ ?a (or.@ ?b ?c))", "(or.@ (and.@ ?a ?b) (and.@ ?a ?c))", true);
  }

  const Terms& terms_;
  const SaturationLimits& limits_;
  egraph::WordOps ops_;
  EGraph graph_;
  std::vector<ClassId> classes_;  ///< by term
  std::set<std::string> types_;   ///< of integers
  std::vector<Rewrite> rules_;
};

}  // namespace

auto are_equal_by_saturation(const Terms& terms, const TermPairs& pairs,
                             const SaturationLimits& limits) -> bool {
  return Saturation(terms, limits).run(pairs);
}

}  // namespace tacet::conformance
