// Parties at links evaluate programs under a key of their own, and take shares of the results:
// these add up to what the program computes in plaintext, and without one of them to nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <random>

#include "base/primes.h"
#include "base/value.h"
#include "compiler/he/lower/choose_encryption.h"
#include "engine/he_joint_runtime/run_to_shares.h"
#include "engine/net/in_process_links.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/he_compile/plain_program.h"
#include "tests/he_program/random_he_program.h"

namespace tacet::he_lower {
namespace {

using engine::HeBundle;
using engine::HeProgram;
using engine::SharedOutputs;

auto bundle_for(const HeProgram& program, uint64_t modulus, he::Scheme scheme, unsigned n_parties)
    -> Result<HeBundle> {
  Result<Encryption> chosen = choose_encryption(
      program, modulus,
      {.scheme = scheme, .hiding = HideServerInputs::No, .n_key_holders = n_parties});
  if (!chosen) {
    return chosen.error();
  }
  HeBundle bundle;
  bundle.name = "f";
  bundle.scheme = scheme;
  bundle.is_unhidden = true;
  bundle.n_key_holders = n_parties;
  bundle.parts.push_back({.data_prime_bits = chosen->data_prime_bits,
                          .special_prime_bits = chosen->special_prime_bits,
                          .budget = chosen->budget,
                          .noise_bound = chosen->noise_bound,
                          .program = chosen->program});
  return bundle;
}

auto integers_of(const std::vector<double>& numbers) -> std::vector<int64_t> {
  return {numbers.begin(), numbers.end()};
}

/// By party, what each gets, the client's arrays being of the parties in turn.
auto shares_of(const HeBundle& bundle, const engine::HeValues& values)
    -> std::vector<SharedOutputs> {
  const unsigned n_parties = bundle.n_key_holders;
  std::vector<SharedOutputs> outputs(n_parties);
  std::mutex mutex;
  std::vector<std::string> failures;
  net::run_on_threads(net::make_in_process_links(n_parties), [&](net::Links& all) {
    engine::SharedInputs inputs;
    net::Rank next = 0;
    for (const engine::HeArray& array : bundle.parts.front().program.arrays) {
      if (array.owner == engine::HeOwner::Server) {
        inputs.common[array.name] = integers_of(values.at(array.name));
      } else if (array.owner == engine::HeOwner::Client) {
        const net::Rank supplier = next++ % n_parties;
        inputs.suppliers[array.name] = supplier;
        if (supplier == all.rank()) {
          inputs.own[array.name] = integers_of(values.at(array.name));
        }
      }
    }
    engine::JointLinks links(all);
    he::SecureRandom random = value(he::SecureRandom::from_system(best_isa()));
    Result<SharedOutputs> own = run_to_shares(links, bundle, inputs, random);
    const Status finished = own ? links.finish() : Status(own.error());
    const std::lock_guard lock(mutex);
    if (!finished) {
      failures.push_back(finished.error().message);
    } else {
      outputs[all.rank()] = std::move(*own);
    }
  });
  EXPECT_TRUE(failures.empty()) << failures.front();
  return outputs;
}

/// The sum of the shares of all parties but `left_out`, modulo t.
auto sum_of(const std::vector<SharedOutputs>& outputs, const std::string& name, uint64_t modulus,
            size_t left_out = SIZE_MAX) -> std::vector<uint64_t> {
  std::vector<uint64_t> sums(outputs.front().shares.at(name).size());
  for (size_t party = 0; party < outputs.size(); ++party) {
    const std::vector<uint64_t>& shares = outputs[party].shares.at(name);
    for (size_t i = 0; party != left_out && i < shares.size(); ++i) {
      EXPECT_LT(shares[i], modulus);
      sums[i] = (sums[i] + shares[i]) % modulus;
    }
  }
  return sums;
}

TEST(SharesOfResults, AddUpToResults) {
  std::mt19937_64 random(31);
  const uint64_t modulus = least_prime(2, 1 << 20, 16384);
  size_t n_run = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto scheme = i % 2 == 0 ? he::Scheme::Bfv : he::Scheme::Bgv;
    const Result<HeBundle> bundle =
        bundle_for(plain_program(random, modulus), modulus, scheme, 2 + i % 3);
    if (!bundle) {
      continue;  // no modulus is large enough
    }
    ++n_run;
    const HeProgram& program = bundle.value().parts.front().program;
    const engine::HeValues values = engine::random_he_values(random, program);
    const std::vector<SharedOutputs> outputs = shares_of(bundle.value(), values);
    for (const auto& [name, numbers] : value(engine::run_in_the_clear(program, values))) {
      const std::vector<uint64_t> sums = sum_of(outputs, name, modulus);
      ASSERT_EQ(sums.size(), numbers.size());
      for (size_t at = 0; at < sums.size(); ++at) {
        const auto rest = static_cast<int64_t>(numbers[at]) % static_cast<int64_t>(modulus);
        ASSERT_EQ(static_cast<int64_t>(sums[at]),
                  rest < 0 ? rest + static_cast<int64_t>(modulus) : rest)
            << name << "[" << at << "] of program " << i << "\n"
            << engine::to_text(program);
      }
    }
    EXPECT_GT(outputs[0].key_bytes_sent, 0U);
    EXPECT_GT(outputs[0].bytes_sent, outputs[0].key_bytes_sent);
  }
  EXPECT_GE(n_run, 4U);
}

/// z = x y, number by number.
auto products_of(uint64_t modulus) -> HeProgram {
  return value(engine::parse_he_program(
      "he_program 1\nslots 2 x 4096\nmodulus " + std::to_string(modulus) +
      "\nprimes 1\ninput a[4096] from client\ninput b[4096] from client\n"
      "cipher x = a[i] over (i:4096)\ncipher y = b[i] over (i:4096)\ncipher z\n"
      "z = mul x, y\nz = relinearise z\noutput o[4096] over (i:4096) [i] = z at 0, i\n"));
}

/// Of as many numbers as there are, in sixteen equal parts of [0, modulus): chi squared.
auto chi_squared(const std::vector<uint64_t>& numbers, uint64_t modulus) -> double {
  std::array<size_t, 16> counts{};
  for (const uint64_t number : numbers) {
    ++counts[static_cast<size_t>(static_cast<unsigned __int128>(number) * counts.size() / modulus)];
  }
  const double expected = static_cast<double>(numbers.size()) / counts.size();
  double sum = 0;
  for (const size_t count : counts) {
    sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  return sum;
}

/// What one party has, and what all but one have together, is uniform whatever the result is. Of
/// uniform numbers, chi squared is above 60 once in two million times.
TEST(SharesOfResults, SayNothingWithoutOneOfThem) {
  const uint64_t modulus = least_prime(2, 1 << 20, 16384);
  const HeBundle bundle = value(bundle_for(products_of(modulus), modulus, he::Scheme::Bgv, 3));
  constexpr size_t kNumbers = 4096;
  for (const double result : {0.0, 1.0, -1.0, static_cast<double>(modulus / 2)}) {
    const std::vector<SharedOutputs> outputs = shares_of(
        bundle,
        {{"a", std::vector<double>(kNumbers, result)}, {"b", std::vector<double>(kNumbers, 1.0)}});
    for (size_t party = 0; party < outputs.size(); ++party) {
      EXPECT_LT(chi_squared(outputs[party].shares.at("o"), modulus), 60) << party;
      EXPECT_LT(chi_squared(sum_of(outputs, "o", modulus, party), modulus), 60) << party;
    }
    // With all of them there is nothing but the result: the test can tell.
    EXPECT_GT(chi_squared(sum_of(outputs, "o", modulus), modulus), 10'000);
  }
}

TEST(SharesOfResults, WhatHasNoSharesIsAnError) {
  HeBundle bundle;
  bundle.n_key_holders = 2;
  const auto problem = [&] {
    const Status status = engine::check_sharable(bundle, 3);
    return status ? std::string() : status.error().message;
  };
  bundle.parts.resize(1);
  bundle.parts[0].program.modulus = 17;
  EXPECT_EQ(problem(), "it was compiled for 2 holders of the key, but there are 3 parties");
  bundle.parts.resize(2);
  EXPECT_NE(problem().find("need 2 plaintext moduli"), std::string::npos);
  bundle.parts.resize(1);
  bundle.parts[0].program.modulus = 0;
  EXPECT_NE(problem().find("approximate"), std::string::npos);
}

}  // namespace
}  // namespace tacet::he_lower
