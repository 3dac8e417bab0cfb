#include <gtest/gtest.h>

#include "compiler/he/relinearise/place_by_cut.h"
#include "tests/relinearise/graph_text.h"

namespace tacet::relinearise {
namespace {

auto cost(const Graph& graph, const Plan& plan, const Rules& rules) -> double {
  const std::optional<Degrees> degrees = degrees_of(graph, plan, rules);
  return degrees ? cost_of(graph, plan, *degrees) : -1;
}

TEST(PlaceRelinearisations, SumsOfProductsAreRelinearisedOnce) {
  const char* text = R"(
    a = input
    b = input
    p = mul a b
    q = mul b b
    s = add p q
    r = rotate s
  )";
  const Graph graph = read_graph(text);
  EXPECT_EQ(names_of(text, place_eagerly(graph)), "p q");
  EXPECT_EQ(names_of(text, place_lazily(graph, {})), "s");
  EXPECT_EQ(names_of(text, place_by_cut(graph, {})), "s");
}

TEST(PlaceRelinearisations, ResultsMayHaveAnyDegree) {
  const char* text = "a = input\np = mul a a\ns = add p a\n";
  EXPECT_EQ(names_of(text, place_by_cut(read_graph(text), {})), "");
  EXPECT_EQ(names_of(text, place_by_cut(read_graph(text), {.agreement = Agreement::Strict})), "p");
}

// One product in many sums: waiting relinearises each of them.
TEST(PlaceRelinearisations, WaitingCanBeDearer) {
  const char* text = R"(
    a = input
    p = mul a a
    s = add p a
    t = add p p
    u = add p s
    use s
    use t
    use u
  )";
  const Graph graph = read_graph(text);
  EXPECT_EQ(names_of(text, place_lazily(graph, {})), "s t u");
  EXPECT_EQ(names_of(text, place_by_cut(graph, {})), "p");
}

// What is at a lower level has fewer primes, and its keys are switched in less time.
TEST(PlaceRelinearisations, LevelsAreWeighed) {
  const char* text = R"(
    a = input
    p = mul a a    10
    x = add p a    4
    y = add p p    4
    use x
    use y
  )";
  EXPECT_EQ(names_of(text, place_by_cut(read_graph(text), {})), "x y");
}

TEST(PlaceRelinearisations, WhatLargeCiphertextsCostIsWeighed) {
  const char* text = R"(
    a = input
    p = mul a a     5 0 0 1
    q = mul a a     5 0 0 1
    s = add p q     5 0 9 0
    use s
  )";
  // Adding triples costs nine, so that it is cheaper to relinearise twice.
  EXPECT_EQ(names_of(text, place_by_cut(read_graph(text), {})), "p q");
}

TEST(PlaceRelinearisations, LoopsHandDegreesOn) {
  const char* text = R"(
    a = input       64
    p = mul a a     64
    first = add p   1
    sum = add first sum p 63
    last = add first sum  1
    use last
  )";
  const Graph graph = read_graph(text);
  const Plan plan = place_by_cut(graph, {});
  EXPECT_EQ(names_of(text, plan), "last");
  EXPECT_EQ(cost(graph, plan, {}), 1);
}

TEST(PlaceRelinearisations, UsesApartWinWhereDegreesMustAgree) {
  const char* text = R"(
    x = input
    p = mul x x
    q = mul x x
    r = mul x x
    s = add p x
    t = add p q
    u = add q r
  )";
  const Graph graph = read_graph(text);
  const Rules together{.agreement = Agreement::Strict};
  const Rules apart{.agreement = Agreement::Strict, .uses = Uses::Apart};
  EXPECT_EQ(cost(graph, place_by_cut(graph, together), together), 3);
  EXPECT_EQ(cost(graph, place_by_cut(graph, apart), apart), 1);
  EXPECT_EQ(cost(graph, place_by_cut(graph, {}), {}), 0);
}

}  // namespace
}  // namespace tacet::relinearise
