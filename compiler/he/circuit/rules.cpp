#include "compiler/he/circuit/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::circuit {
namespace {

using egraph::ClassId;
using egraph::EGraph;
using egraph::Match;
using egraph::Rewrite;

/// What rules look at in a match: variables by their names.
struct Seen {
  EGraph& graph;
  Match match;
  const egraph::VarTable& vars;

  auto operator[](std::string_view name) const -> ClassId { return match[vars.find(name).index]; }
};

/// What the computed sides of rules ask and add.
struct Language {
  TermOps* ops;
  const Circuit* circuit;
  TermKey key;

  [[nodiscard]] auto depends(const EGraph& graph, ClassId id, LoopId loop) const -> bool {
    const std::vector<LoopId>& loops = graph.fact(key, id).loops;
    return std::binary_search(loops.begin(), loops.end(), loop);
  }
  [[nodiscard]] auto binds(const EGraph& graph, ClassId id, LoopId loop) const -> bool {
    const std::vector<LoopId>& loops = graph.fact(key, id).bound;
    return std::binary_search(loops.begin(), loops.end(), loop);
  }
  [[nodiscard]] auto is_uniform(const EGraph& graph, ClassId id) const -> bool {
    return graph.fact(key, id).is_uniform;
  }
  [[nodiscard]] auto is_cipher(const EGraph& graph, ClassId id) const -> bool {
    return graph.fact(key, id).is_cipher;
  }
  [[nodiscard]] auto loop(const Seen& seen) const -> LoopId {
    return loop_of(seen.graph, *ops, seen["l"]);
  }
  auto add(EGraph& graph, NodeKind kind, std::initializer_list<ClassId> operands) const -> ClassId {
    return graph.add(ops->id(kind), operands);
  }
  auto add_rotation(EGraph& graph, ClassId x, LoopFormula steps) const -> ClassId {
    steps = reduced(std::move(steps), circuit->n_columns);
    return is_number(steps, 0)
               ? x
               : add(graph, NodeKind::Rotate, {x, graph.add(ops->steps(std::move(steps)), {})});
  }
};

class Rules {
 public:
  explicit Rules(const Language& language) : language_(language) {}

  void ring();
  void rotations();
  void swaps();
  void uniform();
  void clear();
  void reductions(std::string_view word, std::initializer_list<const char*> operators);
  void sums();
  void joint();
  auto take() -> std::vector<Rewrite> { return std::move(rules_); }

 private:
  void rule(const std::string& name, const std::string& left, const std::string& right) {
    rules_.push_back(egraph::make_rewrite(name, left, right, *language_.ops));
  }

  void both(const std::string& name, const std::string& left, const std::string& right) {
    rule(name, left, right);
    rule(name + "-back", right, left);
  }

  /// `left` is equal to `right` of what stands for its variables, if that gives a class.
  template <class Right>
  void computed(const std::string& name, const std::string& left, Right right) {
    rules_.push_back(
        egraph::make_dynamic_rewrite(name, left, *language_.ops, [&](egraph::VarTable& vars) {
          return [names = vars, right](EGraph& graph, Match match) -> ClassId {
            return right(Seen{.graph = graph, .match = match, .vars = names});
          };
        }));
  }

  Language language_;
  std::vector<Rewrite> rules_;
};

void Rules::ring() {
  rule("ring/commute-sum", "(+ ?x ?y)", "(+ ?y ?x)");
  rule("ring/commute-product", "(* ?x ?y)", "(* ?y ?x)");
  both("ring/associate-sum", "(+ ?x (+ ?y ?z))", "(+ (+ ?x ?y) ?z)");
  both("ring/associate-product", "(* ?x (* ?y ?z))", "(* (* ?x ?y) ?z)");
  both("ring/subtract", "(- ?x ?y)", "(+ ?x (* -1 ?y))");
  both("ring/subtract-sum", "(- (- ?x ?y) ?z)", "(- ?x (+ ?y ?z))");
  both("ring/add-difference", "(+ ?x (- ?y ?z))", "(- (+ ?x ?y) ?z)");
  both("ring/distribute", "(* ?x (+ ?y ?z))", "(+ (* ?x ?y) (* ?x ?z))");
  both("ring/distribute-difference", "(* ?x (- ?y ?z))", "(- (* ?x ?y) (* ?x ?z))");
  rule("ring/factor-one", "(+ ?x (* ?x ?y))", "(* ?x (+ 1 ?y))");
  rule("ring/factor-one-less", "(- ?x (* ?x ?y))", "(* ?x (- 1 ?y))");
  rule("ring/zero", "(+ ?x 0)", "?x");
  rule("ring/minus-zero", "(- ?x 0)", "?x");
  rule("ring/one", "(* ?x 1)", "?x");
  rule("ring/cancel", "(- ?x ?x)", "0");
}

void Rules::rotations() {
  for (const char* op : {"+", "-", "*"}) {
    both(fmt::format("rot/distribute{}", op), fmt::format("(rot ({} ?x ?y) ?s)", op),
         fmt::format("({} (rot ?x ?s) (rot ?y ?s))", op));
  }
  computed("rot/merge", "(rot (rot ?x ?s) ?t)",
           [language = language_](const Seen& seen) -> ClassId {
             const LoopFormula s = steps_of(seen.graph, *language.ops, seen["s"]);
             const LoopFormula t = steps_of(seen.graph, *language.ops, seen["t"]);
             return is_affine(s) && is_affine(t)
                        ? language.add_rotation(seen.graph, seen["x"], sum_of(s, t))
                        : ClassId{};
           });
  // One of several summands first, and one last.
  computed("rot/split", "(rot ?x ?s)", [language = language_](const Seen& seen) -> ClassId {
    const LoopFormula steps = steps_of(seen.graph, *language.ops, seen["s"]);
    if (!is_affine(steps)) {
      return {};
    }
    std::vector<LoopFormula> parts;
    if (steps.constant != 0) {
      parts.push_back(constant_formula(steps.constant));
    }
    for (const LoopTerm& term : steps.terms) {
      parts.push_back(loop_formula(term.loop, term.factor));
    }
    if (parts.size() < 2) {
      return {};
    }
    ClassId all;
    for (const LoopFormula& part : parts) {
      const LoopFormula rest = sum_of(steps, times(part, -1));
      for (const auto& [first, second] : {std::pair(part, rest), std::pair(rest, part)}) {
        const ClassId inner = language.add_rotation(seen.graph, seen["x"], first);
        const ClassId outer = language.add_rotation(seen.graph, inner, second);
        if (all.has_value()) {
          seen.graph.merge(all, outer);
        }
        all = outer;
      }
    }
    return all;
  });
}

/// A ciphertext is rotated after it meets a clear vector, which is rotated in the opposite
/// direction before.
void Rules::clear() {
  for (const NodeKind kind : {NodeKind::Add, NodeKind::Subtract, NodeKind::Multiply}) {
    const char* op = kind == NodeKind::Add ? "+" : kind == NodeKind::Subtract ? "-" : "*";
    computed(fmt::format("clear/rotation{}", op), fmt::format("({} (rot ?x ?s) ?y)", op),
             [language = language_, kind](const Seen& seen) -> ClassId {
               const LoopFormula& steps = steps_of(seen.graph, *language.ops, seen["s"]);
               if (language.is_cipher(seen.graph, seen["y"]) ||
                   !language.is_cipher(seen.graph, seen["x"])) {
                 return {};
               }
               const ClassId back = language.add_rotation(seen.graph, seen["y"], times(steps, -1));
               const ClassId inner = language.add(seen.graph, kind, {seen["x"], back});
               return language.add(seen.graph, NodeKind::Rotate, {inner, seen["s"]});
             });
  }
}

void Rules::swaps() {
  for (const char* op : {"+", "-", "*"}) {
    both(fmt::format("swap/distribute{}", op), fmt::format("(swap ({} ?x ?y))", op),
         fmt::format("({} (swap ?x) (swap ?y))", op));
  }
  rule("swap/twice", "(swap (swap ?x))", "?x");
  both("swap/rotation", "(swap (rot ?x ?s))", "(rot (swap ?x) ?s)");
}

void Rules::uniform() {
  computed("uniform/rotation", "(rot ?x ?s)", [language = language_](const Seen& seen) {
    return language.is_uniform(seen.graph, seen["x"]) ? seen["x"] : ClassId{};
  });
  computed("uniform/swap", "(swap ?x)", [language = language_](const Seen& seen) {
    return language.is_uniform(seen.graph, seen["x"]) ? seen["x"] : ClassId{};
  });
  for (const NodeKind kind : {NodeKind::Add, NodeKind::Subtract, NodeKind::Multiply}) {
    const char* op = kind == NodeKind::Add ? "+" : kind == NodeKind::Subtract ? "-" : "*";
    computed(fmt::format("uniform/into-rotation{}", op), fmt::format("({} (rot ?x ?s) ?y)", op),
             [language = language_, kind](const Seen& seen) -> ClassId {
               if (!language.is_uniform(seen.graph, seen["y"])) {
                 return {};
               }
               const ClassId inner = language.add(seen.graph, kind, {seen["x"], seen["y"]});
               return language.add(seen.graph, NodeKind::Rotate, {inner, seen["s"]});
             });
    computed(fmt::format("uniform/into-swap{}", op), fmt::format("({} (swap ?x) ?y)", op),
             [language = language_, kind](const Seen& seen) -> ClassId {
               if (!language.is_uniform(seen.graph, seen["y"])) {
                 return {};
               }
               return language.add(seen.graph, NodeKind::SwapRows,
                                   {language.add(seen.graph, kind, {seen["x"], seen["y"]})});
             });
  }
}

/// Of `sum` or `product`, which is a homomorphism of these operators.
void Rules::reductions(std::string_view word, std::initializer_list<const char*> operators) {
  const NodeKind kind = word == "sum" ? NodeKind::Sum : NodeKind::Product;
  for (const char* op : operators) {
    both(fmt::format("{}/distribute{}", word, op), fmt::format("({} ({} ?x ?y) ?l)", word, op),
         fmt::format("({} ({} ?x ?l) ({} ?y ?l))", op, word, word));
  }
  both(fmt::format("{}/swap", word), fmt::format("({} (swap ?x) ?l)", word),
       fmt::format("(swap ({} ?x ?l))", word));
  computed(fmt::format("{}/rotation-out", word), fmt::format("({} (rot ?x ?s) ?l)", word),
           [language = language_, kind](const Seen& seen) -> ClassId {
             const LoopId loop = language.loop(seen);
             if (language.depends(seen.graph, seen["s"], loop)) {
               return {};
             }
             const ClassId inner = language.add(seen.graph, kind, {seen["x"], seen["l"]});
             return language.add(seen.graph, NodeKind::Rotate, {inner, seen["s"]});
           });
  computed(
      fmt::format("{}/rotation-in", word), fmt::format("(rot ({} ?x ?l) ?s)", word),
      [language = language_, kind](const Seen& seen) -> ClassId {
        const LoopId loop = language.loop(seen);
        if (language.depends(seen.graph, seen["s"], loop)) {
          return {};
        }
        const ClassId inner = language.add(seen.graph, NodeKind::Rotate, {seen["x"], seen["s"]});
        return language.add(seen.graph, kind, {inner, seen["l"]});
      });
  rule(fmt::format("{}/exchange", word), fmt::format("({0} ({0} ?x ?l) ?m)", word),
       fmt::format("({0} ({0} ?x ?m) ?l)", word));
}

void Rules::sums() {
  computed("sum/factor-out", "(sum (* ?x ?y) ?l)",
           [language = language_](const Seen& seen) -> ClassId {
             if (language.depends(seen.graph, seen["x"], language.loop(seen))) {
               return {};
             }
             return language.add(
                 seen.graph, NodeKind::Multiply,
                 {seen["x"], language.add(seen.graph, NodeKind::Sum, {seen["y"], seen["l"]})});
           });
  computed("sum/factor-in", "(* ?x (sum ?y ?l))",
           [language = language_](const Seen& seen) -> ClassId {
             const LoopId loop = language.loop(seen);
             if (language.depends(seen.graph, seen["x"], loop) ||
                 language.binds(seen.graph, seen["x"], loop)) {
               return {};
             }
             return language.add(
                 seen.graph, NodeKind::Sum,
                 {language.add(seen.graph, NodeKind::Multiply, {seen["x"], seen["y"]}), seen["l"]});
           });
  computed("sum/of-the-same", "(sum ?x ?l)", [language = language_](const Seen& seen) -> ClassId {
    const LoopId loop = language.loop(seen);
    if (language.depends(seen.graph, seen["x"], loop)) {
      return {};
    }
    const ClassId times =
        seen.graph.add(language.ops->number(language.circuit->loops[loop].extent), {});
    return language.add(seen.graph, NodeKind::Multiply, {times, seen["x"]});
  });
}

void Rules::joint() {
  for (const char* op : {"+", "-"}) {
    rule(fmt::format("joint/rotations{}", op),
         fmt::format("({} (+ ?x (rot ?x ?s)) (+ ?y (rot ?y ?s)))", op),
         fmt::format("(+ ({0} ?x ?y) (rot ({0} ?x ?y) ?s))", op));
    rule(fmt::format("joint/swaps{}", op),
         fmt::format("({} (+ ?x (swap ?x)) (+ ?y (swap ?y)))", op),
         fmt::format("(+ ({0} ?x ?y) (swap ({0} ?x ?y)))", op));
  }
  rule("joint/rotations*", "(* (* ?x (rot ?x ?s)) (* ?y (rot ?y ?s)))",
       "(* (* ?x ?y) (rot (* ?x ?y) ?s))");
  rule("joint/swaps*", "(* (* ?x (swap ?x)) (* ?y (swap ?y)))", "(* (* ?x ?y) (swap (* ?x ?y)))");
}

}  // namespace

auto circuit_rules(TermOps& ops, const Circuit& circuit, TermKey key) -> std::vector<Rewrite> {
  Rules rules({.ops = &ops, .circuit = &circuit, .key = key});
  rules.joint();
  rules.uniform();
  rules.clear();
  rules.rotations();
  rules.swaps();
  rules.reductions("sum", {"+", "-"});
  rules.reductions("product", {"*"});
  rules.sums();
  rules.ring();
  return rules.take();
}

}  // namespace tacet::circuit
