// What belongs to other sessions, parties and parameters, is damaged or sent twice.

#include <gtest/gtest.h>

#include "engine/he/choose_parameters.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he/object_envelope.h"
#include "engine/he/serialisation.h"
#include "engine/he_joint/joint_parties_test.h"

namespace tacet::he::joint {
namespace {

auto small_case() -> Case {
  return {.name = "small", .scheme = Scheme::Bfv, .n_parties = 3, .n = 64};
}

auto small_message(Parties& p, const PublicKey& key, int64_t first = 1) -> Ciphertext {
  const IntegerEncoder encoder(p.context);
  const Slots coefficients = {first};
  return value(encrypt(p.context, key, value(encoder.encode_coefficients(coefficients)), p.random));
}

TEST(JointSessions, RefuseWhatDoesNotBelong) {
  Parties p(small_case());
  const Context& context = p.context;
  const PublicKey key = p.make_public_key();
  const Ciphertext a = small_message(p, key);
  const Ciphertext b = small_message(p, key);
  const auto share = [&](Party& party, const Ciphertext& of) {
    return share_decryption(context, party, of, {}, p.random);
  };
  std::vector<Message> shares = p.from_all([&](Party& q) { return share(q, a); });
  const auto combined = [&](const std::vector<Message>& messages) {
    return combine_decryption(context, p.session, a, {}, messages);
  };
  EXPECT_TRUE(combined(shares));
  // A share of another ciphertext, which a server may have requested before.
  std::vector<Message> replayed = shares;
  replayed[1] = value(share(p.parties[1], b));
  EXPECT_TRUE(says(combined(replayed), "party 1 in step 'decryption' is about something else"));
  EXPECT_TRUE(says(combine_decryption(context, p.session, b, {}, shares), "something else"));
  std::vector<Message> missing(shares.begin(), shares.begin() + 2);
  EXPECT_TRUE(says(combined(missing), "missing messages of party 2"));
  EXPECT_TRUE(says(combined({}), "missing messages of parties 0, 1, 2"));
  missing.push_back(shares[0]);
  EXPECT_TRUE(says(combined(missing), "missing messages of party 2"));
  shares.push_back(shares[0]);
  EXPECT_TRUE(says(combined(shares), "more than one message of party 0"));
  shares.pop_back();
  // Helpers add what they have.
  const std::vector<Message> two(shares.begin(), shares.begin() + 2);
  EXPECT_TRUE(combined({value(merge(context, two)), shares[2]}));
  EXPECT_TRUE(says(merge(context, std::vector{shares[0], replayed[1]}), "something else"));
  // Other sessions, other widths of noise.
  Parties other(small_case(), 2);
  std::vector<Message> foreign = shares;
  foreign[2] = value(share_decryption(other.context, other.parties[2],
                                      small_message(other, other.make_public_key()), {}, p.random));
  EXPECT_TRUE(says(combined(foreign), "another session"));
  std::vector<Message> narrow = shares;
  narrow[0] = value(share_decryption(context, p.parties[0], a,
                                     {.participants = {}, .noise_bound = 30}, p.random));
  EXPECT_TRUE(says(combined(narrow), "width of noise"));
  EXPECT_TRUE(
      says(share_decryption(context, p.parties[0], value(multiply(context, a, a)), {}, p.random),
           "relinearise first"));
  Ciphertext stranger = a;
  stranger.metadata.key_id ^= 1;
  EXPECT_TRUE(says(share(p.parties[0], stranger), "different key"));
}

TEST(JointSessions, UseNoUniformPolynomialTwice) {
  Parties p(small_case());
  const Context& context = p.context;
  const PublicKey key = p.make_public_key();
  const Ciphertext a = small_message(p, key);
  EXPECT_TRUE(says(share_public_key(context, p.parties[0], p.random), "already made"));
  p.refreshed(a, 4);
  EXPECT_TRUE(says(share_refresh(context, p.parties[1], a, 4, {}, p.random), "already made"));
  const IntegerEncoder encoder(context);
  const Plaintext one = value(encoder.encode_coefficients(Slots{1}));
  EXPECT_TRUE(says(share_from_shares(context, p.parties[1], one, 4, {}, p.random), "already made"));
  p.make_rotation_keys({{3, 0}});
  EXPECT_TRUE(
      says(share_rotation_keys(context, p.parties[1], {{5, 0}, {3, 0}}, p.random), "already made"));
  RelinearisationFirst first = value(share_relinearisation_first(context, p.parties[0], p.random));
  EXPECT_TRUE(says(share_relinearisation_first(context, p.parties[0], p.random), "already made"));
}

TEST(JointSessions, HaveTwoPartiesAtLeast) {
  Case c = small_case();
  c.n_parties = 1;
  SecureRandom random = random_for_test(1);
  const ContextRef one = Context::make(value(insecure_test_parameters(request_of(c))));
  EXPECT_TRUE(says(Session::make(*one, PublicSeed::draw(random)), "one party holds"));
  c.n_parties = 65;
  EXPECT_TRUE(says(insecure_test_parameters(request_of(c)), "at most 64"));
  c.n_parties = 3;
  const ContextRef three = Context::make(value(insecure_test_parameters(request_of(c))));
  EXPECT_TRUE(says(Session::make(*three, PublicSeed::draw(random), 4), "at most all"));
  EXPECT_TRUE(says(Session::make(*three, PublicSeed::draw(random), 1), "at least two"));
  const Session session = value(Session::make(*three, PublicSeed::draw(random)));
  EXPECT_TRUE(says(Party::make(*three, session, 3, random), "no party 3"));
  // Keys of one holder are of other parameters: their estimates of noise do not hold here.
  EXPECT_TRUE(says(Party::make(*one, session, 0, random), "other parameters"));
}

TEST(JointSessions, HaveParametersOfTheirOwn) {
  ParameterNeeds needs{.scheme = Scheme::Bgv, .depth = 2, .margin = 60, .n_key_holders = 5};
  const Parameters joint = value(choose_parameters(needs));
  EXPECT_EQ(joint.n_key_holders(), 5U);
  EXPECT_GE(budget_after(joint, needs), 60);
  needs.n_key_holders = 1;
  const Parameters one = value(choose_parameters(needs));
  EXPECT_GT(joint.modulus_bits(), one.modulus_bits());
  EXPECT_NE(joint.digest(), one.digest());
  // A number of key holders that is 1, or none, is stored in one form alone.
  Bytes bytes = serialise(joint);
  bytes[bytes.size() - kChecksumSize - 1] = std::byte{1};
  seal_envelope(ObjectKind::Parameters, joint.scheme(), one.digest(), bytes);
  EXPECT_TRUE(says(deserialise_parameters(bytes), "it takes two"));
  bytes[bytes.size() - kChecksumSize - 1] = std::byte{65};
  seal_envelope(ObjectKind::Parameters, joint.scheme(), one.digest(), bytes);
  EXPECT_TRUE(says(deserialise_parameters(bytes), "at most 64"));
}

TEST(JointSessions, RefuseDamagedMessages) {
  Parties p(small_case());
  SecureBytes bytes =
      value(serialise(p.context, value(share_public_key(p.context, p.parties[1], p.random))));
  const Message message = value(deserialise_message(p.context, bytes));
  EXPECT_EQ(message.senders, PartySet::of(1));
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(deserialise_message(p.context, std::span(bytes).first(size))) << size;
  }
  for (size_t at = 0; at < bytes.size(); at += 5) {
    bytes[at] ^= std::byte{4};
    EXPECT_FALSE(deserialise_message(p.context, bytes)) << at;
    bytes[at] ^= std::byte{4};
  }
  Case c = small_case();
  c.n_parties = 4;
  Parties other(c);
  EXPECT_TRUE(says(deserialise_message(other.context, bytes), "other parameters"));
  // Fields that no message has, under a checksum that is right.
  const auto changed = [&](size_t at, uint8_t byte) {
    SecureBytes copy = bytes;
    copy[kEnvelopeHeaderSize + at] = static_cast<std::byte>(byte);
    seal_envelope(ObjectKind::JointShare, p.context.scheme(), p.context.parameters().digest(),
                  copy);
    return deserialise_message(p.context, copy);
  };
  EXPECT_TRUE(says(changed(0, 11), "of step 11"));
  EXPECT_TRUE(says(changed(1, 3), "names parties"));
  EXPECT_TRUE(says(changed(66, 0xff), "names parties"));
  EXPECT_TRUE(says(changed(74, 0), "names parties"));
  EXPECT_TRUE(says(changed(82, 2), "polynomial"));
  EXPECT_TRUE(says(changed(82, 0), "bytes too many"));
  EXPECT_TRUE(says(changed(86, 6), "primes the parameters do not have"));
}

TEST(JointSessions, TakeSixtyFourParties) {
  Case c = small_case();
  c.n_parties = 64;
  Parties p(c);
  const Ciphertext a = small_message(p, p.make_public_key(), 5);
  const IntegerEncoder encoder(p.context);
  const Slots slots = value(encoder.decode_coefficients(p.decrypted_together(a).plaintext));
  EXPECT_EQ(slots[0], 5);
  EXPECT_EQ(slots[1], 0);
  const Ciphertext square =
      value(relinearise(p.context, value(multiply(p.context, a, a)), p.make_relinearisation_key()));
  EXPECT_LE(estimated_budget(p.context, square),
            value(measured_budget(p.context, p.secret_key(), square)));
  EXPECT_EQ(value(encoder.decode_coefficients(p.decrypted_together(square).plaintext))[0], 25);
}

TEST(JointSessions, MasksHideTheSlotsTheyCover) {
  Parties p(small_case());
  const PublicKey key = p.make_public_key();
  const IntegerEncoder encoder(p.context);
  const Ciphertext a = small_message(p, key);
  const Slots expected = value(encoder.decode(p.decrypted_together(a).plaintext));
  // The second half is covered: all masks are zero in the first.
  std::vector<Message> shares = p.from_all([&](Party& party) {
    Slots slots(p.context.n());
    for (size_t i = slots.size() / 2; i < slots.size(); ++i) {
      slots[i] = static_cast<int64_t>(i * (party.number() + 1) % 1000);
    }
    const Plaintext mask = value(encoder.encode(slots));
    return share_decryption(p.context, party, a, {}, p.random, &mask);
  });
  const Slots masked = value(
      encoder.decode(value(combine_decryption(p.context, p.session, a, {}, shares)).plaintext));
  const unsigned n = p.session.n_parties();
  for (size_t i = 0; i < masked.size(); ++i) {
    int64_t mask = 0;
    for (unsigned party = 0; i >= masked.size() / 2 && party < n; ++party) {
      mask += static_cast<int64_t>(i * (party + 1) % 1000);
    }
    ASSERT_EQ((masked[i] - expected[i] - mask) % 65537, 0) << i;
  }
  const Plaintext empty{.rows = {}, .parameters = p.context.parameters().digest()};
  EXPECT_TRUE(says(share_decryption(p.context, p.parties[0], a, {}, p.random, &empty),
                   "the mask is empty"));
}

TEST(JointSessions, StoredPartiesDecryptAndMakeNoKeys) {
  for (const unsigned threshold : {0U, 2U}) {
    Case c = small_case();
    c.threshold = threshold;
    Parties p(c);
    const PublicKey key = p.make_public_key();
    const Ciphertext a = small_message(p, key);
    const IntegerEncoder encoder(p.context);
    const Slots expected = value(encoder.decode(p.decrypted_together(a).plaintext));
    for (Party& party : p.parties) {
      party = value(
          Party::restore(p.context, p.session, party.number(), party.secret(), party.share()));
    }
    const DecryptionTerms terms{.participants = PartySet::first(threshold == 0 ? 3 : 2)};
    EXPECT_EQ(value(encoder.decode(p.decrypted_together(a, terms).plaintext)), expected);
    EXPECT_TRUE(says(share_public_key(p.context, p.parties[0], p.random), "has stored keys"));
    EXPECT_TRUE(
        says(share_refresh(p.context, p.parties[0], a, 1, {}, p.random), "has stored keys"));
    EXPECT_TRUE(says(Party::restore(p.context, p.session, 3, p.parties[0].secret(), {}),
                     "does not match the session"));
    EXPECT_TRUE(says(Party::restore(p.context, p.session, 0, {}, {}), "does not match"));
  }
}

}  // namespace
}  // namespace tacet::he::joint
