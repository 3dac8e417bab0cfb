#include "compiler/he/circuit/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tacet::circuit {

using egraph::ClassId;
using egraph::OpId;
using Loops = std::vector<LoopId>;

namespace {

constexpr int64_t kLargest = int64_t{1} << 53;

struct Word {
  std::string_view word;
  NodeKind kind;
};
constexpr Word kWords[] = {{"+", NodeKind::Add},          {"-", NodeKind::Subtract},
                           {"*", NodeKind::Multiply},     {"rot", NodeKind::Rotate},
                           {"swap", NodeKind::SwapRows},  {"sum", NodeKind::Sum},
                           {"product", NodeKind::Product}};

auto united(const Loops& a, const Loops& b) -> Loops {
  Loops result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

auto common(const Loops& a, const Loops& b) -> Loops {
  Loops result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

auto loops_in(const std::vector<LoopFormula>& formulas) -> Loops {
  Loops loops;
  for (const LoopFormula& formula : formulas) {
    Loops here;
    for (const LoopTerm& term : formula.terms) {
      here.push_back(term.loop);
    }
    loops = united(loops, here);
  }
  return loops;
}

auto small(int64_t number, bool overflows) -> std::optional<int64_t> {
  return overflows || number > kLargest || number < -kLargest ? std::nullopt
                                                              : std::optional(number);
}

auto folded(NodeKind kind, int64_t a, int64_t b) -> std::optional<int64_t> {
  if (kind == NodeKind::Add) {
    return small(a + b, false);
  }
  if (kind == NodeKind::Subtract) {
    return small(a - b, false);
  }
  int64_t result = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &result);
  return small(result, overflows);
}

}  // namespace

auto TermOps::parse_op(std::string_view word) -> OpId {
  for (const Word& item : kWords) {
    if (item.word == word) {
      return id(item.kind);
    }
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  TACET_CHECK(error == std::errc() && end == word.data() + word.size(), "no operator");
  return number(value);
}

auto TermOps::print_op(OpId op) const -> std::string {
  const Term& term = table_[op];
  if (term.kind == TermKind::Loop) {
    return fmt::format("loop{}", term.node.loop.index);
  }
  if (term.kind == TermKind::Steps) {
    return formula_text(term.node.formulas[0],
                        [](LoopId loop) { return fmt::format("loop{}", loop.index); });
  }
  for (const Word& item : kWords) {
    if (item.kind == term.node.kind) {
      return std::string(item.word);
    }
  }
  if (term.node.kind == NodeKind::Input) {
    return fmt::format("input{}", term.node.family.index);
  }
  if (term.node.kind == NodeKind::Result) {
    return fmt::format("result{}", term.node.statement);
  }
  return fmt::format("{}", term.node.number);
}

auto TermOps::steps(LoopFormula formula) -> OpId {
  Term term{.kind = TermKind::Steps, .node = {}};
  term.node.formulas.push_back(std::move(formula));
  return id(term);
}

auto TermOps::loop(LoopId loop) -> OpId {
  Term term{.kind = TermKind::Loop, .node = {}};
  term.node.loop = loop;
  return id(term);
}

void TermDomain::add_leaf(const Node& node, TermFact& fact) const {
  fact.loops = loops_in(node.formulas);
  fact.is_uniform = node.kind == NodeKind::Constant;
  if (node.kind == NodeKind::Constant) {
    fact.number = node.number;
  } else if (node.kind == NodeKind::Input) {
    const Family& family = circuit_->families[node.family];
    fact.is_cipher = family.is_cipher;
    fact.is_uniform = is_uniform(family);
  } else {
    const NodeId root = circuit_->statements[node.statement].root;
    fact.is_cipher = nodes_->is_cipher[root.index];
    fact.is_uniform = nodes_->is_uniform[root.index];
    fact.depth = nodes_->depth[root.index];
  }
}

void TermDomain::add_binary(NodeKind kind, const TermFact& a, const TermFact& b,
                            TermFact& fact) const {
  fact.loops = united(a.loops, b.loops);
  fact.bound = united(a.bound, b.bound);
  fact.is_cipher = a.is_cipher || b.is_cipher;
  fact.is_uniform = a.is_uniform && b.is_uniform;
  fact.depth = std::max(a.depth, b.depth) +
               (kind == NodeKind::Multiply && a.is_cipher && b.is_cipher ? 1 : 0);
  if (a.number && b.number) {
    fact.number = folded(kind, *a.number, *b.number);
  } else if (kind == NodeKind::Multiply && (a.number == 0 || b.number == 0)) {
    fact.number = 0;
  }
}

void TermDomain::add_reduction(NodeKind kind, LoopId loop, TermFact& fact) const {
  const int64_t extent = circuit_->loops[loop].extent;
  std::erase(fact.loops, loop);
  fact.bound = united(fact.bound, {loop});
  if (kind == NodeKind::Sum) {
    fact.number = fact.number ? folded(NodeKind::Multiply, *fact.number, extent) : std::nullopt;
    return;
  }
  fact.depth += fact.is_cipher ? tree_depth(extent) : 0;
  if (fact.number && *fact.number != 0 && *fact.number != 1) {
    fact.number.reset();
  }
}

auto loop_of(const egraph::EGraph& graph, const TermOps& ops, ClassId id) -> LoopId {
  // A loop is equal to nothing else, so its class is the one it founded.
  return ops[graph.node(egraph::NodeId{id.index}).op].node.loop;
}

auto steps_of(const egraph::EGraph& graph, const TermOps& ops, ClassId id) -> const LoopFormula& {
  return ops[graph.node(egraph::NodeId{id.index}).op].node.formulas[0];
}

auto TermDomain::make(const egraph::EGraph& graph, const egraph::ENode& node,
                      const egraph::ClassFacts<TermDomain>& facts) const -> TermFact {
  const Term& term = (*ops_)[node.op];
  TermFact fact;
  if (term.kind != TermKind::Computed) {
    fact.loops = loops_in(term.node.formulas);
    return fact;
  }
  const auto children = graph.children(node);
  const auto of = [&](size_t i) -> const TermFact& { return facts.of(graph, children[i]); };
  switch (term.node.kind) {
    case NodeKind::Constant:
    case NodeKind::Input:
    case NodeKind::Result:
      add_leaf(term.node, fact);
      break;
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
      add_binary(term.node.kind, of(0), of(1), fact);
      break;
    case NodeKind::SwapRows:
      fact = of(0);
      break;
    case NodeKind::Rotate:
      fact = of(0);
      fact.loops = united(fact.loops, of(1).loops);
      break;
    case NodeKind::Sum:
    case NodeKind::Product:
      fact = of(0);
      add_reduction(term.node.kind, loop_of(graph, *ops_, children[1]), fact);
      break;
  }
  return fact;
}

auto TermDomain::merge(TermFact& into, const TermFact& from) const -> egraph::DidMerge {
  TermFact joined = into;
  joined.number = into.number ? into.number : from.number;
  joined.loops = common(into.loops, from.loops);
  joined.bound = united(into.bound, from.bound);
  joined.is_cipher = into.is_cipher && from.is_cipher;
  joined.is_uniform = into.is_uniform || from.is_uniform;
  joined.depth = std::min(into.depth, from.depth);
  const auto differs = [&](const TermFact& fact) {
    return joined.number != fact.number || joined.loops != fact.loops ||
           joined.bound != fact.bound || joined.is_cipher != fact.is_cipher ||
           joined.is_uniform != fact.is_uniform || joined.depth != fact.depth;
  };
  const egraph::DidMerge did{.changed_into = differs(into), .changed_from = differs(from)};
  into = std::move(joined);
  return did;
}

void TermDomain::modify(egraph::EGraph& graph, ClassId id, const TermFact& fact) {
  if (!fact.number) {
    return;
  }
  const OpId number = ops_->number(*fact.number);
  graph.merge(id, graph.add(number, {}));
  graph.prune_to(id, number);
}

}  // namespace tacet::circuit
