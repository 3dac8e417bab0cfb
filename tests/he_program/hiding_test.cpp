// Clients that want to know what the server computes with: they have the keys, the inputs and a
// guess, and repeat what the server did. Each attack succeeds on results as they are computed, and
// says nothing of what a server may send.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he_runtime/server.h"
#include "engine/program/he/text.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::engine {
namespace {

constexpr size_t kColumns = 128;

/// The weighted sum of eight answers, of which one slot is the result.
constexpr std::string_view kScore = R"(he_program 1
slots 2 x 128
modulus 7681
primes 4
input answers[8] from client
input weights[8] from server
cipher x = answers[i] over (i:8)
native n = weights[i] over (i:8)
plain w
cipher sum
cipher term
w = encode n
sum = mul x, w
term = rotate sum, 4
sum = add sum, term
term = rotate sum, 2
sum = add sum, term
term = rotate sum, 1
sum = add sum, term
output score[1] over (i:1) [i] = sum at 0, i
)";

const std::vector<double> kAnswers = {1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<double> kWeights = {1, 0, -1, 2, 0, 0, 1, -2};
/// Of the same score.
const std::vector<double> kOtherWeights = {1, 0, -1, 0, 1, -1, 0, 0};

/// A client with its keys and its one question.
class Client {
 public:
  explicit Client(he::Scheme scheme, std::string_view text = kScore, uint64_t seed = 9)
      : random_(secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa())),
        program_(value(parse_he_program(text))),
        context_(he::Context::make(
            value(he::insecure_test_parameters({.scheme = scheme,
                                                .ring_dimension = 2 * kColumns,
                                                .data_prime_bits = {46, 46, 46, 46},
                                                .special_prime_bits = {48},
                                                .plain_modulus = program_.modulus})))),
        secret_(he::generate_secret_key(*context_, random_)),
        keys_(value(make_evaluation_keys(facts_of(program_), *context_, secret_, random_))) {
    HeStatistics statistics;
    inputs_ = value(
        encrypt_inputs(program_, *context_, secret_, {{"answers", kAnswers}}, random_, statistics));
  }

  [[nodiscard]] auto server(const std::vector<double>& weights) const -> HeServer {
    return value(HeServer::make(program_, context_, {{"weights", weights}}));
  }

  /// What a server computes: so could the client.
  [[nodiscard]] auto computed(const std::vector<double>& weights) const -> he::Ciphertext {
    HeStatistics statistics;
    return value(server(weights).evaluate(inputs_, keys_, statistics)).front();
  }

  /// What a server sends.
  auto sent(const std::vector<double>& weights) -> he::Ciphertext {
    HeStatistics statistics;
    he::Ciphertext result =
        value(server(weights).answer(inputs_, keys_, random_, statistics)).front();
    EXPECT_EQ(statistics.hiding.n_ciphertexts, 1U);
    EXPECT_EQ(statistics.hiding.distance_bits, he::kHidingBits);
    return result;
  }

  auto answered(const std::vector<double>& weights) -> Result<std::vector<he::Ciphertext>> {
    return answered(weights, inputs_, keys_);
  }

  auto answered(const std::vector<double>& weights, std::vector<he::Ciphertext> inputs,
                const HeEvaluationKeys& keys) -> Result<std::vector<he::Ciphertext>> {
    HeStatistics statistics;
    return server(weights).answer(std::move(inputs), keys, random_, statistics);
  }

  auto decrypted(const he::Ciphertext& result) -> Result<HeValues> {
    HeStatistics statistics;
    return decrypt_outputs(program_, *context_, secret_, {result}, random_, statistics);
  }

  auto score(const he::Ciphertext& result) -> double {
    return value(decrypted(result)).at("score").front();
  }

  auto slots(const he::Ciphertext& result) -> std::vector<int64_t> {
    return value(he::IntegerEncoder(*context_).decode(
        value(he::decrypt(*context_, secret_, result, random_))));
  }

  /// The bits between the noise of the difference of two results and the modulus.
  [[nodiscard]] auto budget_of_difference(he::Ciphertext a, he::Ciphertext b) const -> double {
    const size_t n_primes = std::min(a.n_primes(), b.n_primes());
    a = value(he::drop_to(*context_, std::move(a), n_primes));
    b = value(he::drop_to(*context_, std::move(b), n_primes));
    // The factors that align BGV messages would hide what is compared.
    EXPECT_EQ(a.metadata.correction, b.metadata.correction);
    return value(
        he::measured_budget(*context_, secret_, value(he::subtract(*context_, std::move(a), b))));
  }

  [[nodiscard]] auto context() const -> const he::Context& { return *context_; }
  [[nodiscard]] auto inputs() const -> const std::vector<he::Ciphertext>& { return inputs_; }
  [[nodiscard]] auto keys() const -> const HeEvaluationKeys& { return keys_; }
  [[nodiscard]] auto public_key() const -> const he::PublicKey& { return keys_.encryption; }
  [[nodiscard]] auto secret() const -> const he::SecretKey& { return secret_; }

 private:
  he::SecureRandom random_;
  HeProgram program_;
  he::ContextRef context_;
  he::SecretKey secret_;
  HeEvaluationKeys keys_;
  std::vector<he::Ciphertext> inputs_;
};

auto equal(const he::Ciphertext& a, const he::Ciphertext& b) -> bool {
  return a.parts == b.parts;
}

class Hiding : public testing::TestWithParam<he::Scheme> {};

TEST_P(Hiding, ResultsAreRight) {
  Client client(GetParam());
  EXPECT_EQ(client.score(client.sent(kWeights)), -3);
  EXPECT_EQ(client.score(client.sent(kOtherWeights)), -3);
}

TEST_P(Hiding, RepeatingTheComputationFindsNothing) {
  Client client(GetParam());
  // Both parts of a result are a function of the weights alone …
  EXPECT_TRUE(equal(client.computed(kWeights), client.computed(kWeights)));
  EXPECT_FALSE(equal(client.computed(kWeights), client.computed(kOtherWeights)));
  // … and of what is sent neither is, nor what it was computed from.
  const he::Ciphertext sent = client.sent(kWeights);
  const he::Ciphertext again = client.sent(kWeights);
  ASSERT_EQ(sent.parts.size(), again.parts.size());
  for (size_t part = 0; part < sent.parts.size(); ++part) {
    EXPECT_FALSE(sent.parts[part] == again.parts[part]);
    const he::Ciphertext guess =
        value(he::drop_to(client.context(), client.computed(kWeights), sent.n_primes()));
    EXPECT_FALSE(sent.parts[part] == guess.parts[part]);
  }
  // What else the object says is the same for all weights.
  const he::Ciphertext other = client.sent(kOtherWeights);
  EXPECT_EQ(sent.metadata.noise, other.metadata.noise);
  EXPECT_EQ(sent.metadata.correction, other.metadata.correction);
  EXPECT_EQ(sent.n_primes(), other.n_primes());
  EXPECT_FALSE(sent.seed);
}

TEST_P(Hiding, NoiseFindsNothing) {
  Client client(GetParam());
  // The right guess of two that give the same score cancels the noise.
  const he::Ciphertext computed = client.computed(kWeights);
  EXPECT_GT(client.budget_of_difference(computed, client.computed(kWeights)),
            client.budget_of_difference(computed, client.computed(kOtherWeights)) + 5);
  const he::Ciphertext sent = client.sent(kWeights);
  EXPECT_NEAR(client.budget_of_difference(sent, client.computed(kWeights)),
              client.budget_of_difference(sent, client.computed(kOtherWeights)), 1e-3);
}

TEST_P(Hiding, OtherSlotsSayNothing) {
  Client client(GetParam());
  const std::vector<int64_t> computed = client.slots(client.computed(kWeights));
  // Sums of fewer answers: 8 * -2 alone, as the answers end there.
  EXPECT_EQ(computed[7], -16);
  EXPECT_EQ(computed[6], -16 + 7);
  constexpr size_t kTimes = 8;
  size_t n_equal = 0;
  double sum = 0;
  for (size_t i = 0; i < kTimes; ++i) {
    const std::vector<int64_t> sent = client.slots(client.sent(kWeights));
    EXPECT_EQ(sent[0], computed[0]);
    for (size_t slot = 1; slot < sent.size(); ++slot) {
      n_equal += sent[slot] == computed[slot] ? 1 : 0;
      sum += static_cast<double>(sent[slot]);
    }
  }
  // Uniform modulo 7681: of 2040 slots a few at most hit by chance, and the mean is near zero.
  EXPECT_LE(n_equal, 5U);
  const double n_slots = kTimes * (2 * kColumns - 1);
  EXPECT_LT(std::abs(sum / n_slots), 7681 / std::sqrt(12 * n_slots) * 5);
}

/// The same sum, of slots that the client adds up: each product is its weight times an answer.
constexpr std::string_view kProducts = R"(he_program 1
slots 2 x 128
modulus 7681
primes 4
input answers[8] from client
input weights[8] from server
cipher x = answers[i] over (i:8)
native n = weights[i] over (i:8)
plain w
cipher products
w = encode n
products = mul x, w
output score[1] over (i:1, k:8) [i] = products at 0, k
)";

TEST_P(Hiding, SummandsSayNothing) {
  Client client(GetParam(), kProducts);
  const std::vector<int64_t> computed = client.slots(client.computed(kWeights));
  for (size_t slot = 0; slot < kWeights.size(); ++slot) {
    EXPECT_EQ(computed[slot], kAnswers[slot] * kWeights[slot]);
  }
  constexpr size_t kTimes = 400;
  constexpr double kModulus = 7681;
  std::vector<double> means(kWeights.size());
  std::vector<double> products(kWeights.size());
  for (size_t i = 0; i < kTimes; ++i) {
    const he::Ciphertext sent = client.sent(i % 2 == 0 ? kWeights : kOtherWeights);
    EXPECT_EQ(client.score(sent), -3);
    const std::vector<int64_t> slots = client.slots(sent);
    for (size_t slot = 0; slot < means.size(); ++slot) {
      const auto next = static_cast<double>(slots[(slot + 1) % means.size()]);
      means[slot] += static_cast<double>(slots[slot]) / kTimes;
      products[slot] += static_cast<double>(slots[slot]) * next / kTimes;
    }
  }
  // Each is uniform, and so are any two that are next to each other, which are independent.
  const double deviation = kModulus / std::sqrt(12);
  for (size_t slot = 0; slot < means.size(); ++slot) {
    EXPECT_LT(std::abs(means[slot]), 5 * deviation / std::sqrt(kTimes));
    EXPECT_LT(std::abs(products[slot]), 5 * deviation * deviation / std::sqrt(kTimes));
  }
}

TEST_P(Hiding, SumsOverSeveralCiphertextsSayNothing) {
  std::string text(kProducts);
  text.replace(text.find("cipher products"), 15, "cipher products[c:2]");
  text.replace(text.find("products = mul x, w"), 19,
               "products[0] = mul x, w\nproducts[1] = add products[0], x");
  text.replace(text.find("output"), std::string::npos,
               "output score[2] over (i:2, k:8, c:2) [i] = products[c] at 0, k\n");
  Client client(GetParam(), text);
  HeStatistics statistics;
  he::SecureRandom random =
      secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  const HeProgram program = value(parse_he_program(text));
  const std::vector<he::Ciphertext> computed =
      value(client.server(kWeights).evaluate(client.inputs(), client.keys(), statistics));
  const std::vector<he::Ciphertext> sent =
      value(hide_results(value(ResultMasks::make(program, client.context())), client.context(),
                         computed, client.public_key(), random, statistics.hiding));
  ASSERT_EQ(sent.size(), 2U);
  const HeValues values =
      value(decrypt_outputs(program, client.context(), client.secret(), sent, random, statistics));
  // Both elements are the same sum: twice the score, and the answers.
  EXPECT_EQ(values.at("score"), (std::vector<double>{2 * -3 + 36, 2 * -3 + 36}));
  size_t n_equal = 0;
  for (size_t i = 0; i < sent.size(); ++i) {
    for (size_t slot = 0; slot < kWeights.size(); ++slot) {
      n_equal += client.slots(sent[i])[slot] == client.slots(computed[i])[slot] ? 1 : 0;
    }
  }
  EXPECT_LE(n_equal, 1U);
}

TEST_P(Hiding, SumsThatShareSlotsAreRefused) {
  for (const char* output : {"output score[2] over (i:2, k:7) [i] = products at 0, k + i\n",
                             "output score[1] over (i:1, k:8) [i] = products at 0, 0\n"}) {
    std::string text(kProducts);
    text.replace(text.find("output"), std::string::npos, output);
    Client client(GetParam(), text);
    const auto answer = client.answered(kWeights);
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("share slots"), std::string::npos)
        << answer.error().message;
  }
}

TEST_P(Hiding, RepeatedQuestionsFindNothing) {
  Client client(GetParam());
  constexpr size_t kTimes = 40;
  const auto mean_budget = [&](const std::vector<double>& weights) {
    double sum = 0;
    for (size_t i = 0; i < kTimes; ++i) {
      sum += value(he::measured_budget(client.context(), client.secret(), client.sent(weights)));
    }
    return sum / kTimes;
  };
  // The noise of the result distinguishes weights of large and small coefficients at once.
  const std::vector<double> large(8, 3000);
  const std::vector<double> none(8, 0);
  const auto budget = [&](const std::vector<double>& weights) {
    return value(he::measured_budget(client.context(), client.secret(), client.computed(weights)));
  };
  EXPECT_GT(budget(none), budget(large) + 3);
  // The largest of 256 uniform numbers is within a few thousandths of their end: the budget varies
  // by about as many bits.
  EXPECT_NEAR(mean_budget(none), mean_budget(large), 0.01);
}

TEST_P(Hiding, ResultsWithoutABudgetAreErrors) {
  // By its estimate a result may be decrypted; what is in it is something else.
  Client client(GetParam());
  he::Ciphertext result = client.sent(kWeights);
  he::Ciphertext other = client.sent(kWeights);
  for (size_t i = 0; i < result.n_primes(); ++i) {
    std::copy_n(other.parts[1].row(i), client.context().n(), result.parts[1].row(i));
  }
  const auto outputs = client.decrypted(result);
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message.find("its noise exceeds the modulus"), std::string::npos);
}

TEST_P(Hiding, ResultsOfDegreeTwoAreNotSent) {
  const std::string text =
      "he_program 1\nslots 2 x 128\nmodulus 7681\nprimes 4\n"
      "input answers[8] from client\ninput weights[8] from server\n"
      "cipher x = answers[i] over (i:8)\nnative n = weights[i] over (i:8)\nplain w\n"
      "cipher y\nw = encode n\ny = mul x, x\ny = mul y, w\n"
      "output score[1] over (i:1) [i] = y at 0, i\n";
  Client client(GetParam(), text);
  he::SecureRandom random =
      secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  HidingCosts costs;
  const auto hidden = hide_results(
      value(ResultMasks::make(value(parse_he_program(text)), client.context())), client.context(),
      {client.computed(kWeights)}, client.public_key(), random, costs);
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().message.find("degree 2"), std::string::npos);
}

TEST_P(Hiding, SmallModuliAreRefused) {
  std::string text(kScore);
  text.replace(text.find("primes 4"), 8, "primes 1");
  Client client(GetParam(), text);
  const auto hidden = client.answered(kWeights);
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().message.find("too small"), std::string::npos);
}

TEST_P(Hiding, ClientsThatDoNotPlayAlongAreRefused) {
  Client client(GetParam());
  const auto says = [](const Result<std::vector<he::Ciphertext>>& results, const char* what) {
    return !results && results.error().message.find(what) != std::string::npos;
  };
  HeEvaluationKeys keys = client.keys();
  keys.encryption = {};
  EXPECT_TRUE(says(client.answered(kWeights, client.inputs(), keys), "needs a public key"));
  // A key of somebody else, who could then read the result with it.
  keys.encryption = Client(GetParam(), kScore, 10).public_key();
  EXPECT_TRUE(says(client.answered(kWeights, client.inputs(), keys), "different secret key"));
  std::vector<he::Ciphertext> inputs = client.inputs();
  inputs[0].metadata.correction = 2;
  EXPECT_TRUE(says(client.answered(kWeights, inputs, client.keys()), "factor"));
  inputs = client.inputs();
  inputs[0].parts.pop_back();
  EXPECT_TRUE(says(client.answered(kWeights, inputs, client.keys()), "degree 1"));
  inputs = client.inputs();
  inputs.push_back(inputs.front());
  EXPECT_TRUE(says(client.answered(kWeights, inputs, client.keys()), "takes"));
  // What the sender says of the noise changes nothing.
  inputs = client.inputs();
  inputs[0].metadata.noise = -64;
  inputs[0].metadata.bound = -64;
  inputs[0].metadata.n_noise_factors = 9;
  auto answer = client.answered(kWeights, inputs, client.keys());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->front().metadata.noise, client.sent(kWeights).metadata.noise);
}

TEST_P(Hiding, UnknownNoiseIsNotHidden) {
  Client client(GetParam());
  he::Ciphertext result = client.computed(kWeights);
  result.metadata.bound = he::kUnknownBound;
  he::SecureRandom random =
      secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  HidingCosts costs;
  const auto hidden =
      hide_results(value(ResultMasks::make(value(parse_he_program(kScore)), client.context())),
                   client.context(), {std::move(result)}, client.public_key(), random, costs);
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().message.find("too small"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Hiding, testing::Values(he::Scheme::Bfv, he::Scheme::Bgv),
                         [](const auto& tested) {
                           return std::string(he::scheme_name(tested.param));
                         });

}  // namespace
}  // namespace tacet::engine
