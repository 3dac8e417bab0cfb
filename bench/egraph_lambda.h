#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/core/egraph/saturate.h"

/// The lambda suite: a small functional language, evaluated by rewriting, with explicit
/// substitution that avoids capture. The rewrites are those that the egg library measures itself
/// with.
namespace tacet::egraph::lambda {

/// A number or a truth value.
using Constant = std::variant<int32_t, bool>;

class LambdaOps final : public OpSpelling {
 public:
  auto parse_op(std::string_view word) -> OpId override {
    int32_t value = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc() && rest == end) {
      return constant(value);
    }
    return word == "true" || word == "false" ? constant(word == "true") : id(std::string(word), {});
  }
  [[nodiscard]] auto print_op(OpId op) const -> std::string override { return words_[op]; }

  auto constant(Constant value) -> OpId {
    return id(std::visit([](auto x) { return fmt::format("{}", x); }, value), value);
  }
  [[nodiscard]] auto value(OpId op) const -> std::optional<Constant> { return values_[op.index]; }

 private:
  auto id(const std::string& word, std::optional<Constant> value) -> OpId {
    const OpId op = words_.id(word);
    if (op.index == values_.size()) {
      values_.push_back(value);
    }
    return op;
  }

  OpTable<std::string> words_;
  std::vector<std::optional<Constant>> values_;
};

/// The variables that may be free in a class, and the constant that it is equal to.
class FreeAndConstant {
 public:
  struct Fact {
    std::vector<ClassId> free;  // sorted
    std::optional<Constant> constant;
  };

  explicit FreeAndConstant(LambdaOps& ops)
      : ops_(&ops),
        var_(ops.parse_op("var")),
        lam_(ops.parse_op("lam")),
        let_(ops.parse_op("let")),
        fix_(ops.parse_op("fix")),
        add_(ops.parse_op("+")),
        eq_(ops.parse_op("=")) {}

  auto make(const EGraph& graph, const ENode& node, const ClassFacts<FreeAndConstant>& facts) const
      -> Fact {
    Fact fact;
    const auto children = graph.children(node);
    const auto unite = [&](ClassId child) {
      const std::vector<ClassId>& more = facts.of(graph, child).free;
      std::vector<ClassId> all;
      std::set_union(fact.free.begin(), fact.free.end(), more.begin(), more.end(),
                     std::back_inserter(all));
      fact.free = std::move(all);
    };
    if (node.op == var_) {
      fact.free = {children[0]};
    } else if (node.op == let_) {
      unite(children[2]);
      std::erase(fact.free, children[0]);
      unite(children[1]);
    } else if (node.op == lam_ || node.op == fix_) {
      unite(children[1]);
      std::erase(fact.free, children[0]);
    } else {
      std::for_each(children.begin(), children.end(), unite);
    }
    fact.constant = evaluate(graph, node, facts);
    return fact;
  }

  static auto merge(Fact& into, const Fact& from) -> DidMerge {
    const size_t n_before = into.free.size();
    std::erase_if(into.free, [&](ClassId id) {
      return !std::binary_search(from.free.begin(), from.free.end(), id);
    });
    DidMerge did{.changed_into = into.free.size() != n_before,
                 .changed_from = into.free.size() != from.free.size()};
    did.changed_into = did.changed_into || (!into.constant && from.constant);
    did.changed_from = did.changed_from || (into.constant && !from.constant);
    if (!into.constant) {
      into.constant = from.constant;
    }
    return did;
  }

  void modify(EGraph& graph, ClassId id, const Fact& fact) const {
    if (fact.constant) {
      const ClassId constant = graph.add(ops_->constant(*fact.constant), {});
      graph.merge(id, constant, Reason::fact(0));
    }
  }

 private:
  auto evaluate(const EGraph& graph, const ENode& node,
                const ClassFacts<FreeAndConstant>& facts) const -> std::optional<Constant> {
    if (node.n_children == 0) {
      return ops_->value(node.op);
    }
    if (node.op != add_ && node.op != eq_) {
      return {};
    }
    const auto& a = facts.of(graph, graph.children(node)[0]).constant;
    const auto& b = facts.of(graph, graph.children(node)[1]).constant;
    if (!a || !b) {
      return {};
    }
    if (node.op == eq_) {
      return *a == *b;
    }
    const auto* x = std::get_if<int32_t>(&*a);
    const auto* y = std::get_if<int32_t>(&*b);
    int32_t sum = 0;
    if (x == nullptr || y == nullptr || __builtin_add_overflow(*x, *y, &sum)) {
      return {};
    }
    return sum;
  }

  LambdaOps* ops_;
  OpId var_;
  OpId lam_;
  OpId let_;
  OpId fix_;
  OpId add_;
  OpId eq_;
};

/// The suite: operators, rewrites, and graphs to run them on.
class Suite {
 public:
  Suite() { add_rewrites(); }

  auto make_graph(Explanations explanations = Explanations::Off) -> EGraph {
    EGraph graph(explanations);
    key_ = graph.attach(FreeAndConstant(ops));
    return graph;
  }

  LambdaOps ops;
  std::vector<Rewrite> rewrites;

 private:
  auto rule(const char* name, const char* left, const char* right) -> Rewrite& {
    rewrites.push_back(make_rewrite(name, left, right, ops));
    return rewrites.back();
  }

  static void require_distinct(Rewrite& rewrite, const char* a, const char* b) {
    rewrite.conditions.emplace_back(
        [x = rewrite.vars.find(a), y = rewrite.vars.find(b)](const EGraph& graph, Match match) {
          return !graph.are_equal(match[x.index], match[y.index]);
        });
  }

  void add_rewrites() {
    rule("if-true", "(if true ?then ?else)", "?then");
    rule("if-false", "(if false ?then ?else)", "?else");
    add_if_elim();
    rule("add-comm", "(+ ?a ?b)", "(+ ?b ?a)");
    rule("add-assoc", "(+ (+ ?a ?b) ?c)", "(+ ?a (+ ?b ?c))");
    rule("eq-comm", "(= ?a ?b)", "(= ?b ?a)");
    rule("fix", "(fix ?v ?e)", "(let ?v (fix ?v ?e) ?e)");
    rule("beta", "(app (lam ?v ?body) ?e)", "(let ?v ?e ?body)");
    rule("let-app", "(let ?v ?e (app ?a ?b))", "(app (let ?v ?e ?a) (let ?v ?e ?b))");
    rule("let-add", "(let ?v ?e (+ ?a ?b))", "(+ (let ?v ?e ?a) (let ?v ?e ?b))");
    rule("let-eq", "(let ?v ?e (= ?a ?b))", "(= (let ?v ?e ?a) (let ?v ?e ?b))");
    Rewrite& let_const = rule("let-const", "(let ?v ?e ?c)", "?c");
    let_const.conditions.emplace_back(
        [this, c = let_const.vars.find("c")](const EGraph& graph, Match match) {
          return graph.fact(key_, match[c.index]).constant.has_value();
        });
    rule("let-if", "(let ?v ?e (if ?cond ?then ?else))",
         "(if (let ?v ?e ?cond) (let ?v ?e ?then) (let ?v ?e ?else))");
    rule("let-var-same", "(let ?v1 ?e (var ?v1))", "?e");
    require_distinct(rule("let-var-diff", "(let ?v1 ?e (var ?v2))", "(var ?v2)"), "v1", "v2");
    rule("let-lam-same", "(let ?v1 ?e (lam ?v1 ?body))", "(lam ?v1 ?body)");
    add_capture_avoidance();
  }

  void add_if_elim() {
    Rewrite& rewrite = rule("if-elim", "(if (= (var ?x) ?e) ?then ?else)", "?else");
    const Pattern then_pattern = parse_pattern("(let ?x ?e ?then)", ops, rewrite.vars);
    const Pattern else_pattern = parse_pattern("(let ?x ?e ?else)", ops, rewrite.vars);
    rewrite.conditions.emplace_back([=](const EGraph& graph, Match match) {
      const ClassId a = lookup_pattern(graph, then_pattern, match);
      return a.has_value() && a == lookup_pattern(graph, else_pattern, match);
    });
  }

  /// Substitution under a binder; renames it if the substituted term mentions its variable.
  void add_capture_avoidance() {
    rewrites.push_back(make_dynamic_rewrite(
        "let-lam-diff", "(let ?v1 ?e (lam ?v2 ?body))", ops, [this](VarTable& vars) {
          const VarId v2 = vars.find("v2");
          const VarId e = vars.find("e");
          const VarId fresh = vars.id("fresh");
          const VarId root = vars.id(" root");
          Pattern free = parse_pattern("(lam ?v2 (let ?v1 ?e ?body))", ops, vars);
          Pattern captured =
              parse_pattern("(lam ?fresh (let ?v1 ?e (let ?v2 (var ?fresh) ?body)))", ops, vars);
          return [=, this](EGraph& graph, Match match) {
            const auto& free_in_e = graph.fact(key_, match[e.index]).free;
            const bool is_captured =
                std::any_of(free_in_e.begin(), free_in_e.end(),
                            [&](ClassId id) { return graph.are_equal(id, match[v2.index]); });
            if (!is_captured) {
              return instantiate(graph, free, match);
            }
            std::vector<ClassId> bound(match.begin(), match.end());
            bound[fresh.index] =
                graph.add(ops.parse_op(fmt::format("_{}", match[root.index].index)), {});
            return instantiate(graph, captured, bound);
          };
        }));
    require_distinct(rewrites.back(), "v1", "v2");
  }

  AnalysisKey<FreeAndConstant> key_;
};

}  // namespace tacet::egraph::lambda
