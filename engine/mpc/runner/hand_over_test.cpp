// Numbers from shares modulo t, on all protocols: sums of whole numbers decide. And what stops a
// run before anything is sent.

#include "engine/mpc/runner/hand_over.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/program/mpc/take_shares.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc {
namespace {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcProgram;

struct ProtocolCase {
  ProtocolKind kind = ProtocolKind::Ref;
  Rank n_parties = 2;
};

const std::vector<ProtocolCase> kProtocols = {
    {ProtocolKind::Ref, 2},    {ProtocolKind::Aby3, 3}, {ProtocolKind::Semi2k, 2},
    {ProtocolKind::Semi2k, 3}, {ProtocolKind::Rep4, 4}, {ProtocolKind::Aby3Active, 3},
};

/// A program that returns `n` numbers, which it takes as shares modulo `modulus`.
auto taking(ElementType element, size_t n, uint64_t modulus, Rank n_parties) -> MpcProgram {
  MpcProgram program;
  for (Rank i = 0; i < n_parties; ++i) {
    program.parties.push_back(fmt::format("p{}", i));
  }
  const engine::MpcRegisterId reg = program.registers.add(
      {"d", {engine::MpcVisibility::Secret, element, {static_cast<int64_t>(n)}}});
  program.inputs.push_back({reg});
  program.outputs.push_back({"out", reg});
  return engine::take_shares(
      std::move(program),
      {{.hand_over = {.name = "f"}, .results = {{.output = "out", .modulus = modulus}}}},
      n_parties);
}

/// Rows of shares of extreme and random numbers.
auto rows_of(uint64_t modulus, Rank n_parties, std::mt19937_64& random)
    -> std::vector<std::vector<uint64_t>> {
  const uint64_t half = (modulus - 1) / 2;
  std::vector<std::vector<uint64_t>> rows;
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, half, half + 1, modulus - 1,
                               random() % modulus, random() % modulus}) {
    for (int kind = 0; kind < 3; ++kind) {
      std::vector<uint64_t> row(n_parties);
      uint64_t sum = 0;
      for (Rank i = 1; i < n_parties; ++i) {
        row[i] = kind == 0 ? 0 : kind == 1 ? modulus - 1 : random() % modulus;
        sum = (sum + row[i]) % modulus;
      }
      row[0] = (value + modulus - sum) % modulus;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void expect_taken(const ProtocolCase& protocol, ElementType element, uint64_t modulus) {
  std::mt19937_64 random(modulus);
  const auto rows = rows_of(modulus, protocol.n_parties, random);
  MpcProgram program = taking(element, rows.size(), modulus, protocol.n_parties);
  program.hand_overs.clear();  // here are the shares
  std::vector<PartyWork> works(protocol.n_parties,
                               {.protocol = protocol.kind, .program = engine::to_text(program)});
  for (Rank rank = 0; rank < protocol.n_parties; ++rank) {
    for (Rank i = 0; i < protocol.n_parties; ++i) {
      works[rank].ranks.push_back(i);
      works[rank].inputs.emplace_back();
    }
    works[rank].inputs[rank].emplace();
    for (const std::vector<uint64_t>& row : rows) {
      works[rank].inputs[rank]->push_back(static_cast<engine::Cell>(row[rank]));
    }
  }
  const LocalOutcome outcome = run_on_threads(works);
  ASSERT_EQ(outcome.failure, "");
  const engine::MpcCells& cells = *outcome.results[0].outputs[0];
  for (size_t i = 0; i < rows.size(); ++i) {
    unsigned __int128 sum = 0;
    for (const uint64_t share : rows[i]) {
      sum += share;
    }
    const auto rest = static_cast<int64_t>(sum % modulus);
    const int64_t expected =
        rest > static_cast<int64_t>(modulus / 2) ? rest - static_cast<int64_t>(modulus) : rest;
    EXPECT_EQ(static_cast<int64_t>(cells[i]), expected)
        << protocol_name(protocol.kind) << ", modulus " << modulus << ", row " << i;
  }
}

TEST(HandOver, SharesBecomeNumbersOnAllProtocols) {
  for (const ProtocolCase& protocol : kProtocols) {
    expect_taken(protocol, engine::kI64, 3);
    expect_taken(protocol, engine::kI64, 65537);
    expect_taken(protocol, engine::kI64, (uint64_t{1} << 49) - 81);
    expect_taken(protocol, {ElementKind::I32, 0}, 65537);
    expect_taken(protocol, {ElementKind::I32, 0}, (uint64_t{1} << 29) - 3);
    expect_taken(protocol, {ElementKind::I32, 0}, (uint64_t{1} << 31) - 1);
  }
}

TEST(HandOver, WhatCannotBeStopsTheRun) {
  const MpcProgram program = taking(engine::kI64, 2, 17, 3);
  EXPECT_EQ(hand_over_problem(program, ProtocolKind::Aby3, 3), "");
  EXPECT_EQ(hand_over_problem(program, ProtocolKind::Semi2k, 2),
            "`f` gives 3 shares, but there are 2 parties");
  EXPECT_NE(hand_over_problem(program, ProtocolKind::Aby3Active, 3).find("cannot check that"),
            std::string::npos);
  std::vector<PartyWork> works(3, {.protocol = ProtocolKind::Aby3,
                                   .program = engine::to_text(program),
                                   .inputs = {{}, {}, {}},
                                   .ranks = {0, 1, 2}});
  EXPECT_NE(run_on_threads(works).failure.find("cannot read the encrypted part `f`"),
            std::string::npos);
}

TEST(HandOver, CostsTravel) {
  const PartyResult result{.hand_overs = HandOverCosts{7, 1000, 900, 0.5}};
  EXPECT_EQ(decode_result(encode(result)).value().hand_overs, result.hand_overs);
  EXPECT_EQ(decode_result(encode(PartyResult{})).value().hand_overs, std::nullopt);
}

}  // namespace
}  // namespace tacet::mpc
