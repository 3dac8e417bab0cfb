#include "engine/cggi/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "engine/cggi/reference.h"
#include "engine/cggi/test_keys_test.h"

namespace tacet::cggi {
namespace {

auto words_of(const Ciphertexts& values, size_t i) -> std::vector<Torus> {
  return {values.at(i), values.at(i) + values.n_words()};
}

/// Rounding in transforms may change digits, but no more than the noise that digits have.
TEST(Bootstrap, AgreesWithTheReference) {
  const Parameters p = toy_parameters();
  for (const Isa isa : supported_isas()) {
    TestKeys keys(p, isa);
    const Table table = sign_table(p, kBitAmplitude);
    const std::vector<Torus> messages = {encode_bit(0), encode_bit(1), encode_bit(1)};
    Ciphertexts values = keys.encrypted(messages, 3);
    std::vector<Term> terms;
    for (uint32_t i = 0; i < 3; ++i) {
      terms.push_back({i, 1});
    }
    std::vector<BootstrapTask> tasks;
    for (uint32_t i = 0; i < 3; ++i) {
      tasks.push_back({.terms = std::span(terms).subspan(i, 1), .first_output = 3 + i});
    }
    value(bootstrap(keys.server, std::span(&table, 1), tasks, values, keys.batching()));
    for (size_t i = 0; i < 3; ++i) {
      const auto expected = reference_bootstrap(keys.evaluation, words_of(values, i), table, isa);
      const Torus fast = phase(keys.secret, values.at(3 + i));
      const Torus slow = phase(keys.secret, expected[0].data());
      const double bound = 8 * std::sqrt(rotation_variance(p));
      EXPECT_LE(std::abs(turns(slow, messages[i])), bound);
      EXPECT_LE(std::abs(turns(fast, messages[i])), bound);
    }
  }
}

/// Every call on a thread of its own.
class ThreadEach final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < n; ++i) {
      threads.emplace_back([&body, i] { body(i); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

TEST(Bootstrap, DoesNotDependOnBatchesAndThreads) {
  TestKeys keys(toy_parameters());
  const Table table = sign_table(keys.secret.parameters, kBitAmplitude);
  const std::vector<Torus> messages(11, encode_bit(1));
  std::vector<Term> terms;
  std::vector<BootstrapTask> tasks;
  for (uint32_t i = 0; i < 11; ++i) {
    terms.push_back({i, i % 2 == 0 ? 1 : -1});
  }
  for (uint32_t i = 0; i < 11; ++i) {
    tasks.push_back({.terms = std::span(terms).subspan(i, 1), .first_output = 11 + i});
  }
  Ciphertexts values = keys.encrypted(messages, 11);
  std::vector<std::vector<Torus>> alone;
  ThreadEach threads;
  for (const size_t lock_step : {1U, 2U, 3U, 8U}) {
    const Batching batching =
        lock_step == 3 ? Batching{threads, 2, lock_step} : keys.batching(lock_step);
    value(bootstrap(keys.server, std::span(&table, 1), tasks, values, batching));
    for (uint32_t i = 0; i < 11; ++i) {
      EXPECT_EQ(decode_bit(phase(keys.secret, values.at(11 + i))), i % 2 == 0 ? 1 : 0);
      if (lock_step == 1) {
        alone.push_back(words_of(values, 11 + i));
      }
      EXPECT_EQ(words_of(values, 11 + i), alone[i]);
    }
  }
}

/// All cases of tables on 1 to 4 bits, and two tables from one rotation.
TEST(Bootstrap, LooksUpInTables) {
  Parameters p = toy_parameters(1, 1024, {15, 2});
  TestKeys keys(p);
  for (const size_t n_cases : {2U, 4U, 8U, 16U}) {
    std::vector<Torus> messages;
    std::vector<std::vector<Torus>> results(2);
    for (size_t c = 0; c < n_cases; ++c) {
      messages.push_back(encode_case(c, n_cases));
      results[0].push_back(encode_case((5 * c + 3) % n_cases, n_cases));
      results[1].push_back(encode_case(c * c % n_cases, n_cases));
    }
    const std::vector<Table> tables = {value(case_tables(p, std::span(results).first(1))),
                                       value(case_tables(p, results))};
    Ciphertexts values = keys.encrypted(messages, 3 * n_cases);
    std::vector<Term> terms;
    std::vector<BootstrapTask> tasks;
    for (uint32_t c = 0; c < n_cases; ++c) {
      terms.push_back({c, 1});
    }
    for (uint32_t c = 0; c < n_cases; ++c) {
      const auto first = static_cast<uint32_t>(n_cases + 3 * c);
      tasks.push_back({std::span(terms).subspan(c, 1), 0, 0, first});
      tasks.push_back({std::span(terms).subspan(c, 1), 0, 1, first + 1});
    }
    value(bootstrap(keys.server, tables, tasks, values, keys.batching()));
    for (size_t c = 0; c < n_cases; ++c) {
      const auto result = [&](size_t i) {
        return decode_case(phase(keys.secret, values.at(n_cases + 3 * c + i)), n_cases);
      };
      EXPECT_EQ(result(0), (5 * c + 3) % n_cases);
      EXPECT_EQ(result(1), (5 * c + 3) % n_cases);
      EXPECT_EQ(result(2), c * c % n_cases);
    }
  }
}

TEST(Bootstrap, RejectsWhatDoesNotBelongTogether) {
  TestKeys keys(toy_parameters());
  TestKeys others(toy_parameters(), best_isa(), 2);
  const Table table = sign_table(keys.secret.parameters, kBitAmplitude);
  const std::span<const Table> tables(&table, 1);
  Ciphertexts values = keys.encrypted(std::vector<Torus>(2), 2);
  const Term term{0, 1};
  const auto message = [&](const ServerKey& key, BootstrapTask task) {
    task.terms = std::span(&term, 1);
    const Status status = bootstrap(key, tables, std::span(&task, 1), values, keys.batching());
    return status ? std::string() : status.error().message;
  };
  const auto output = [](uint32_t index) {
    return BootstrapTask{.terms = {}, .first_output = index};
  };
  EXPECT_EQ(message(keys.server, output(2)), "");
  EXPECT_EQ(message(others.server, output(2)), "the ciphertexts belong to another key");
  EXPECT_EQ(message(keys.server, output(4)), "there is no ciphertext 4: there are 4");
  EXPECT_EQ(message(keys.server, {.terms = {}, .table = 1}), "there is no table 1: there are 1");
  EXPECT_EQ(message(keys.server, output(0)),
            "ciphertext 0 is written by one task and used by another");
  EXPECT_FALSE(decrypt_bits(others.secret, values, 0, 1));
  EXPECT_FALSE(decrypt_bits(keys.secret, values, 3, 2));
  EvaluationKey damaged = keys.evaluation;
  damaged.rotation_bodies.pop_back();
  EXPECT_FALSE(ServerKey::make(damaged, keys.executor, keys.isa));
  damaged.parameters.lwe_dimension = 0;
  EXPECT_FALSE(ServerKey::make(damaged, keys.executor, keys.isa));
}

TEST(Table, RejectsTooManyCases) {
  const Parameters p = toy_parameters();
  const std::vector<std::vector<Torus>> fits(2, std::vector<Torus>(64));
  const std::vector<std::vector<Torus>> large(4, std::vector<Torus>(64));
  const std::vector<std::vector<Torus>> mixed = {std::vector<Torus>(4), std::vector<Torus>(8)};
  EXPECT_TRUE(case_tables(p, fits));
  EXPECT_FALSE(case_tables(p, large));
  EXPECT_FALSE(case_tables(p, mixed));
  EXPECT_FALSE(case_tables(p, {}));
}

}  // namespace
}  // namespace tacet::cggi
