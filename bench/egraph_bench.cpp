// Equality saturation on the suites that the egg library measures itself with: maths, sums under
// associativity and commutativity, lambda calculus. Every result names nodes and iterations, so
// that it can be held against another library on the same rewrites.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/egraph_lambda.h"
#include "bench/egraph_maths.h"

namespace tacet::egraph {
namespace {

struct Totals {
  size_t n_nodes = 0;
  size_t n_classes = 0;
  size_t n_iterations = 0;
};

void report(benchmark::State& state, const Totals& totals) {
  state.counters["nodes"] = static_cast<double>(totals.n_nodes);
  state.counters["classes"] = static_cast<double>(totals.n_classes);
  state.counters["iterations"] = static_cast<double>(totals.n_iterations);
  state.counters["nodes/s"] = benchmark::Counter(static_cast<double>(totals.n_nodes),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

auto totals_of(const EGraph& graph, const SaturationReport& run) -> Totals {
  return {graph.n_nodes(), graph.n_classes(), run.iterations.size()};
}

/// A sum of n distinct numbers, until nothing is new.
void associate_sums(benchmark::State& state) {
  const auto n_terms = static_cast<int>(state.range(0));
  Totals totals;
  for (auto _ : state) {
    WordOps ops;
    std::vector<Rewrite> rewrites;
    rewrites.push_back(make_rewrite("comm", "(+ ?a ?b)", "(+ ?b ?a)", ops));
    rewrites.push_back(make_rewrite("assoc", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)", ops));
    EGraph graph;
    std::string term = fmt::format("x{}", n_terms);
    for (int i = n_terms - 1; i > 0; --i) {
      term = fmt::format("(+ x{} {})", i, term);
    }
    add_term(graph, term, ops);
    SaturationOptions options{.max_nodes = 10'000'000, .max_iterations = 100};
    options.scheduler.kind = SchedulerOptions::Kind::Simple;
    totals = totals_of(graph, saturate(graph, rewrites, options));
  }
  report(state, totals);
}
BENCHMARK(associate_sums)->DenseRange(7, 11, 2)->Unit(benchmark::kMillisecond);

template <class Suite>
auto run_rounds(Suite& suite, std::span<const char* const> terms, size_t n_iterations,
                Explanations explanations = Explanations::Off) -> Totals {
  EGraph graph = suite.make_graph(explanations);
  for (const char* term : terms) {
    add_term(graph, term, suite.ops);
  }
  SaturationOptions options{.max_nodes = 10'000'000, .max_iterations = n_iterations};
  options.scheduler.kind = SchedulerOptions::Kind::Simple;
  return totals_of(graph, saturate(graph, suite.rewrites, options));
}

constexpr const char* kMathsTerms[] = {
    "(i (ln x) x)",
    "(i (+ x (cos x)) x)",
    "(i (* (cos x) x) x)",
    "(d x (+ 1 (* 2 x)))",
    "(d x (- (pow x 3) (* 7 (pow x 2))))",
    "(+ (* y (+ x y)) (- (+ x 2) (+ x x)))",
    "(/ 1 (- (/ (+ 1 (sqrt five)) 2) (/ (- 1 (sqrt five)) 2)))",
};

/// All maths terms in one graph, a fixed number of rounds without limits.
void maths_rounds(benchmark::State& state) {
  Totals totals;
  for (auto _ : state) {
    maths::Suite suite;
    totals = run_rounds(suite, kMathsTerms, static_cast<size_t>(state.range(0)));
  }
  report(state, totals);
}
BENCHMARK(maths_rounds)->DenseRange(5, 7)->Unit(benchmark::kMillisecond);

void maths_rounds_explained(benchmark::State& state) {
  Totals totals;
  for (auto _ : state) {
    maths::Suite suite;
    totals = run_rounds(suite, kMathsTerms, static_cast<size_t>(state.range(0)), Explanations::On);
  }
  report(state, totals);
}
BENCHMARK(maths_rounds_explained)->Arg(7)->Unit(benchmark::kMillisecond);

struct Goal {
  const char* start;
  const char* goal;
};

/// Runs until the goal is proved; fails the benchmark if it is not.
template <class Suite>
void prove(benchmark::State& state, Goal goal, size_t max_nodes, size_t max_iterations) {
  Totals totals;
  for (auto _ : state) {
    Suite suite;
    EGraph graph = suite.make_graph();
    const ClassId start = add_term(graph, goal.start, suite.ops);
    VarTable vars;
    std::vector<Equation> equations;
    const VarId root = vars.id(" root");
    equations.push_back({root, parse_pattern(goal.goal, suite.ops, vars)});
    const Query query(std::move(equations), vars.size());
    SaturationOptions options{.max_nodes = max_nodes, .max_iterations = max_iterations};
    options.is_done = [&](const EGraph& now) { return !query.search_class(now, start, 1).empty(); };
    const SaturationReport run = saturate(graph, suite.rewrites, options);
    totals = totals_of(graph, run);
    if (run.stop_reason != StopReason::GoalReached) {
      state.SkipWithError(std::string(describe(run.stop_reason)).c_str());
    }
  }
  report(state, totals);
}

void maths_factor(benchmark::State& state) {
  prove<maths::Suite>(state, {"(* (+ x 3) (+ x 1))", "(+ (+ (* x x) (* 4 x)) 3)"}, 10'000, 30);
}
BENCHMARK(maths_factor)->Unit(benchmark::kMillisecond);

void maths_root(benchmark::State& state) {
  prove<maths::Suite>(
      state, {"(/ 1 (- (/ (+ 1 (sqrt five)) 2) (/ (- 1 (sqrt five)) 2)))", "(/ 1 (sqrt five))"},
      75'000, 30);
}
BENCHMARK(maths_root)->Unit(benchmark::kMillisecond);

void maths_integrate_by_parts(benchmark::State& state) {
  prove<maths::Suite>(state, {"(i (* x (cos x)) x)", "(+ (* x (sin x)) (cos x))"}, 10'000, 30);
}
BENCHMARK(maths_integrate_by_parts)->Unit(benchmark::kMillisecond);

constexpr const char* kFib =
    "(let fib (fix fib (lam n (if (= (var n) 0) 0 (if (= (var n) 1) 1 "
    "(+ (app (var fib) (+ (var n) -1)) (app (var fib) (+ (var n) -2))))))) (app (var fib) 4))";

constexpr const char* kCompose =
    "(let compose (lam f (lam g (lam x (app (var f) (app (var g) (var x)))))) ";

void lambda_fib(benchmark::State& state) {
  prove<lambda::Suite>(state, {kFib, "3"}, 500'000, 60);
}
BENCHMARK(lambda_fib)->Unit(benchmark::kMillisecond);

void lambda_compose_many(benchmark::State& state) {
  std::string term = "(var add1)";
  for (int i = 0; i < 6; ++i) {
    term = fmt::format("(app (app (var compose) (var add1)) {})", term);
  }
  term = fmt::format("{}(let add1 (lam y (+ (var y) 1)) {}))", kCompose, term);
  prove<lambda::Suite>(state, {term.c_str(), "(lam ?x (+ (var ?x) 7))"}, 10'000, 30);
}
BENCHMARK(lambda_compose_many)->Unit(benchmark::kMillisecond);

void lambda_repeat(benchmark::State& state) {
  const std::string term = std::string(kCompose) +
                           "(let repeat (fix repeat (lam fun (lam n (if (= (var n) 0)"
                           " (lam i (var i)) (app (app (var compose) (var fun))"
                           " (app (app (var repeat) (var fun)) (+ (var n) -1)))))))"
                           " (let add1 (lam y (+ (var y) 1))"
                           " (app (app (var repeat) (var add1)) 2))))";
  prove<lambda::Suite>(state, {term.c_str(), "(lam ?x (+ (var ?x) 2))"}, 150'000, 60);
}
BENCHMARK(lambda_repeat)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::egraph
