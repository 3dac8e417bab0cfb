#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "compiler/core/egraph/saturate.h"

/// The maths suite: simplification, differentiation and integration by rewriting, with constants
/// folded by an analysis. The rewrites are those that the egg library measures itself with.
namespace tacet::egraph::maths {

/// A function, a variable or a number, as it is written.
class MathsOps final : public OpSpelling {
 public:
  auto parse_op(std::string_view word) -> OpId override {
    double value = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && rest == end ? constant(value) : id(std::string(word), {});
  }
  [[nodiscard]] auto print_op(OpId op) const -> std::string override { return words_[op]; }

  auto constant(double value) -> OpId { return id(fmt::format("{}", value + 0.0), value); }
  [[nodiscard]] auto value(OpId op) const -> std::optional<double> { return values_[op.index]; }

 private:
  auto id(const std::string& word, std::optional<double> value) -> OpId {
    const OpId op = words_.id(word);
    if (op.index == values_.size()) {
      values_.push_back(value);
    }
    return op;
  }

  OpTable<std::string> words_;
  std::vector<std::optional<double>> values_;
};

/// The constant that a class is equal to.
class ConstantFold {
 public:
  using Fact = std::optional<double>;

  explicit ConstantFold(MathsOps& ops)
      : ops_(&ops),
        add_(ops.parse_op("+")),
        sub_(ops.parse_op("-")),
        mul_(ops.parse_op("*")),
        div_(ops.parse_op("/")) {}

  auto make(const EGraph& graph, const ENode& node, const ClassFacts<ConstantFold>& facts) const
      -> Fact {
    if (node.n_children == 0) {
      return ops_->value(node.op);
    }
    if (node.n_children != 2) {
      return {};
    }
    const Fact a = facts.of(graph, graph.children(node)[0]);
    const Fact b = facts.of(graph, graph.children(node)[1]);
    if (!a || !b) {
      return {};
    }
    if (node.op == add_) {
      return *a + *b;
    }
    if (node.op == sub_) {
      return *a - *b;
    }
    if (node.op == mul_) {
      return *a * *b;
    }
    return node.op == div_ && *b != 0 ? Fact(*a / *b) : Fact();
  }

  static auto merge(Fact& into, const Fact& from) -> DidMerge {
    const DidMerge did{.changed_into = !into && from, .changed_from = into && !from};
    if (!into) {
      into = from;
    }
    return did;
  }

  void modify(EGraph& graph, ClassId id, const Fact& fact) const {
    if (fact) {
      const OpId constant = ops_->constant(*fact);
      graph.merge(id, graph.add(constant, {}), Reason::fact(0));
      graph.prune_to(id, constant);
    }
  }

 private:
  MathsOps* ops_;
  OpId add_;
  OpId sub_;
  OpId mul_;
  OpId div_;
};

/// The suite: operators, rewrites, and graphs to run them on.
class Suite {
 public:
  Suite() { add_rewrites(); }

  auto make_graph(Explanations explanations = Explanations::Off) -> EGraph {
    EGraph graph(explanations);
    key_ = graph.attach(ConstantFold(ops));
    return graph;
  }

  MathsOps ops;
  std::vector<Rewrite> rewrites;

 private:
  auto not_zero(const char* name) -> std::function<Condition(const VarTable&)> {
    return [this, name](const VarTable& vars) {
      return [this, var = vars.find(name)](const EGraph& graph, Match match) {
        const auto& fact = graph.fact(key_, match[var.index]);
        return !fact || *fact != 0;
      };
    };
  }
  auto constant(const char* name) -> std::function<Condition(const VarTable&)> {
    return [this, name](const VarTable& vars) {
      return [this, var = vars.find(name)](const EGraph& graph, Match match) {
        return graph.fact(key_, match[var.index]).has_value();
      };
    };
  }
  auto symbol(const char* name) -> std::function<Condition(const VarTable&)> {
    return [this, name](const VarTable& vars) {
      return [this, var = vars.find(name)](const EGraph& graph, Match match) {
        return has_symbol(graph, match[var.index]);
      };
    };
  }
  auto constant_or_other_symbol(const char* name, const char* other)
      -> std::function<Condition(const VarTable&)> {
    return [this, name, other](const VarTable& vars) {
      return [this, a = vars.find(name), b = vars.find(other)](const EGraph& graph, Match match) {
        const ClassId id = match[a.index];
        return !graph.are_equal(id, match[b.index]) &&
               (graph.fact(key_, id) || has_symbol(graph, id));
      };
    };
  }
  auto has_symbol(const EGraph& graph, ClassId id) const -> bool {
    const auto nodes = graph.nodes(id);
    return std::any_of(nodes.begin(), nodes.end(), [&](const ENode& node) {
      return node.n_children == 0 && !ops.value(node.op);
    });
  }

  void rule(const char* name, const char* left, const char* right,
            const std::vector<std::function<Condition(const VarTable&)>>& conditions = {}) {
    rewrites.push_back(make_rewrite(name, left, right, ops));
    for (const auto& condition : conditions) {
      rewrites.back().conditions.push_back(condition(rewrites.back().vars));
    }
  }

  void add_rewrites() {
    rule("comm-add", "(+ ?a ?b)", "(+ ?b ?a)");
    rule("comm-mul", "(* ?a ?b)", "(* ?b ?a)");
    rule("assoc-add", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)");
    rule("assoc-mul", "(* ?a (* ?b ?c))", "(* (* ?a ?b) ?c)");
    rule("sub-canon", "(- ?a ?b)", "(+ ?a (* -1 ?b))");
    rule("div-canon", "(/ ?a ?b)", "(* ?a (pow ?b -1))", {not_zero("b")});
    rule("zero-add", "(+ ?a 0)", "?a");
    rule("zero-mul", "(* ?a 0)", "0");
    rule("one-mul", "(* ?a 1)", "?a");
    rule("add-zero", "?a", "(+ ?a 0)");
    rule("mul-one", "?a", "(* ?a 1)");
    rule("cancel-sub", "(- ?a ?a)", "0");
    rule("cancel-div", "(/ ?a ?a)", "1", {not_zero("a")});
    rule("distribute", "(* ?a (+ ?b ?c))", "(+ (* ?a ?b) (* ?a ?c))");
    rule("factor", "(+ (* ?a ?b) (* ?a ?c))", "(* ?a (+ ?b ?c))");
    rule("pow-mul", "(* (pow ?a ?b) (pow ?a ?c))", "(pow ?a (+ ?b ?c))");
    rule("pow0", "(pow ?x 0)", "1", {not_zero("x")});
    rule("pow1", "(pow ?x 1)", "?x");
    rule("pow2", "(pow ?x 2)", "(* ?x ?x)");
    rule("pow-recip", "(pow ?x -1)", "(/ 1 ?x)", {not_zero("x")});
    rule("recip-mul-div", "(* ?x (/ 1 ?x))", "1", {not_zero("x")});
    rule("d-variable", "(d ?x ?x)", "1", {symbol("x")});
    rule("d-constant", "(d ?x ?c)", "0", {symbol("x"), constant_or_other_symbol("c", "x")});
    rule("d-add", "(d ?x (+ ?a ?b))", "(+ (d ?x ?a) (d ?x ?b))");
    rule("d-mul", "(d ?x (* ?a ?b))", "(+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))");
    rule("d-sin", "(d ?x (sin ?x))", "(cos ?x)");
    rule("d-cos", "(d ?x (cos ?x))", "(* -1 (sin ?x))");
    rule("d-ln", "(d ?x (ln ?x))", "(/ 1 ?x)", {not_zero("x")});
    rule("d-power", "(d ?x (pow ?f ?g))",
         "(* (pow ?f ?g) (+ (* (d ?x ?f) (/ ?g ?f)) (* (d ?x ?g) (ln ?f))))",
         {not_zero("f"), not_zero("g")});
    rule("i-one", "(i 1 ?x)", "?x");
    rule("i-power-const", "(i (pow ?x ?c) ?x)", "(/ (pow ?x (+ ?c 1)) (+ ?c 1))", {constant("c")});
    rule("i-cos", "(i (cos ?x) ?x)", "(sin ?x)");
    rule("i-sin", "(i (sin ?x) ?x)", "(* -1 (cos ?x))");
    rule("i-sum", "(i (+ ?f ?g) ?x)", "(+ (i ?f ?x) (i ?g ?x))");
    rule("i-dif", "(i (- ?f ?g) ?x)", "(- (i ?f ?x) (i ?g ?x))");
    rule("i-parts", "(i (* ?a ?b) ?x)", "(- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x))");
  }

  AnalysisKey<ConstantFold> key_;
};

}  // namespace tacet::egraph::maths
