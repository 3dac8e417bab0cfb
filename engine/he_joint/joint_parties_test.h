#pragma once

// All parties of a session in one process, for the tests of this folder.

#include <gtest/gtest.h>

#include <complex>

#include "base/value.h"
#include "engine/he/parameters.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint/joint_refresh.h"
#include "engine/he_joint/secret_sharing.h"

namespace tacet::he::joint {

/// The same numbers for the same seed.
auto random_for_test(uint64_t seed) -> SecureRandom;

using Slots = std::vector<int64_t>;
using Reals = std::vector<std::complex<double>>;

struct Case {
  std::string name;
  Scheme scheme;
  unsigned n_parties;
  unsigned n_special = 1;
  unsigned threshold = 0;
  size_t n = 512;
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

inline auto request_of(const Case& c) -> ParameterRequest {
  return {.scheme = c.scheme,
          .ring_dimension = c.n,
          .data_prime_bits = {50, 50, 50, 50, 50},
          .special_prime_bits = std::vector<unsigned>(c.n_special, 50),
          .plain_modulus = c.scheme == Scheme::Ckks ? 0U : 65537U,
          .n_key_holders = c.n_parties};
}

inline auto cases(std::initializer_list<Scheme> schemes) -> std::vector<Case> {
  std::vector<Case> result;
  for (const Scheme scheme : schemes) {
    const std::string name(scheme_name(scheme));
    for (const unsigned n : {2U, 3U, 8U}) {
      result.push_back(
          {.name = name + "_of_" + std::to_string(n), .scheme = scheme, .n_parties = n});
    }
    result.push_back(
        {.name = name + "_digits_of_two", .scheme = scheme, .n_parties = 3, .n_special = 2});
    result.push_back({.name = name + "_3_of_5", .scheme = scheme, .n_parties = 5, .threshold = 3});
    result.push_back({.name = name + "_large", .scheme = scheme, .n_parties = 3, .n = 8192});
  }
  return result;
}

template <class T>
auto says(const Result<T>& result, std::string_view what) -> testing::AssertionResult {
  if (result) {
    return testing::AssertionFailure() << "succeeded";
  }
  if (result.error().message.find(what) == std::string::npos) {
    return testing::AssertionFailure() << result.error().message;
  }
  return testing::AssertionSuccess();
}

/// All parties of a session.
class Parties {
 public:
  explicit Parties(const Case& c, uint64_t seed = 1)
      : random(random_for_test(seed)),
        context_ref(Context::make(value(insecure_test_parameters(request_of(c))))),
        context(*context_ref),
        session(value(Session::make(context, PublicSeed::draw(random), c.threshold))) {
    for (unsigned i = 0; i < c.n_parties; ++i) {
      parties.push_back(value(Party::make(context, session, i, random)));
    }
    if (session.threshold() < c.n_parties) {
      std::vector<std::vector<Message>> sent;
      for (Party& party : parties) {
        sent.push_back(value(share_secret(context, party, random)));
      }
      for (Party& party : parties) {
        std::vector<Message> own;
        for (const std::vector<Message>& messages : sent) {
          own.push_back(messages[party.number()]);
        }
        EXPECT_TRUE(accept_shares(context, party, own).has_value());
      }
    }
  }

  /// Messages of all, or of some.
  template <class Make>
  auto from(PartySet participants, Make make) -> std::vector<Message> {
    std::vector<Message> messages;
    for (const unsigned i : participants.members()) {
      // What travels is bytes.
      const Message message = value(make(parties[i]));
      messages.push_back(value(deserialise_message(context, value(serialise(context, message)))));
    }
    return messages;
  }
  template <class Make>
  auto from_all(Make make) -> std::vector<Message> {
    return from(session.parties(), make);
  }

  auto make_public_key() -> PublicKey {
    return value(combine_public_key(context, session, from_all([&](Party& p) {
                                      return share_public_key(context, p, random);
                                    })));
  }
  auto make_relinearisation_key(size_t n_primes = 0) -> RelinearisationKey {
    std::vector<EphemeralSecret> ephemeral;
    const std::vector<Message> first = from_all([&](Party& p) -> Result<Message> {
      RelinearisationFirst made = value(share_relinearisation_first(context, p, random, n_primes));
      ephemeral.push_back(std::move(made.ephemeral));
      return std::move(made.message);
    });
    const std::vector<Message> second = from_all([&](Party& p) {
      return share_relinearisation_second(context, p, std::move(ephemeral[p.number()]), first,
                                          random);
    });
    return value(combine_relinearisation_key(context, session, first, second, n_primes));
  }
  auto make_rotation_keys(const std::vector<RotationKeyRequest>& requests) -> RotationKeys {
    return value(combine_rotation_keys(context, session, requests, from_all([&](Party& p) {
                                         return share_rotation_keys(context, p, requests, random);
                                       })));
  }

  /// What nobody has.
  auto secret_key() const -> SecretKey {
    SecretKey sum{.rows = parties[0].secret(),
                  .id = session.key_id(),
                  .parameters = context.parameters().digest()};
    for (size_t p = 1; p < parties.size(); ++p) {
      for (size_t i = 0; i < sum.rows.n_rows(); ++i) {
        context.kernels().add(sum.rows.row(i), sum.rows.row(i), parties[p].secret().row(i),
                              context.n(), context.modulus(i));
      }
    }
    return sum;
  }

  auto decrypted_together(const Ciphertext& a, const DecryptionTerms& terms = {})
      -> DecryptedMessage {
    const PartySet who = terms.participants == PartySet() ? session.parties() : terms.participants;
    const std::vector<Message> shares =
        from(who, [&](Party& p) { return share_decryption(context, p, a, terms, random); });
    return value(combine_decryption(context, session, a, terms, shares));
  }

  auto refreshed(const Ciphertext& a, FreshNumber number, const DecryptionTerms& terms = {})
      -> Ciphertext {
    const PartySet who = terms.participants == PartySet() ? session.parties() : terms.participants;
    const std::vector<Message> shares =
        from(who, [&](Party& p) { return share_refresh(context, p, a, number, terms, random); });
    return value(combine_refresh(context, session, a, number, terms, shares));
  }

  SecureRandom random;
  ContextRef context_ref;
  const Context& context;
  Session session;
  std::vector<Party> parties;
};

}  // namespace tacet::he::joint
