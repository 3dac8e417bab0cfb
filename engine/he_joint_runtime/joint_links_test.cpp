// What holders of a key hear from one that sends something else: each case names it, and the
// reason.

#include "engine/he_joint_runtime/joint_links.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/value.h"
#include "engine/he/parameters.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint_runtime/make_joint_keys.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::engine {
namespace {

using he::joint::Message;
using he::joint::Party;
using he::joint::Session;

constexpr unsigned kHolders = 3;
constexpr unsigned kLiar = 1;

auto random_of(uint64_t seed) -> he::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa());
}

auto context_of() -> he::ContextRef {
  return he::Context::make(value(he::insecure_test_parameters({.scheme = he::Scheme::Bfv,
                                                               .ring_dimension = 512,
                                                               .data_prime_bits = {50, 50},
                                                               .special_prime_bits = {50},
                                                               .plain_modulus = 65537,
                                                               .n_key_holders = kHolders})));
}

/// Each holder's thread with its links; what each reports.
using Body = std::function<Status(JointLinks&, he::SecureRandom&)>;

auto reports_of(const Body& body) -> std::vector<std::string> {
  std::vector<std::string> reports(kHolders);
  net::run_on_threads(net::make_in_process_links(kHolders), [&](net::Links& all) {
    JointLinks links(all);
    he::SecureRandom random = random_of(links.rank());
    Status status = body(links, random);
    if (status) {
      status = links.finish();
    }
    reports[links.rank()] = status ? "done" : status.error().message + " | " + links.failed_party();
  });
  return reports;
}

/// The liar sends `forged` in place of its message of a public key; the others report it.
void expect_named(const std::function<SecureBytes(const he::Context&, SecureBytes)>& forged,
                  const std::string& what) {
  const he::ContextRef context = context_of();
  he::SecureRandom shared = random_of(9);
  const Session session = value(Session::make(*context, he::PublicSeed::draw(shared)));
  const std::vector<std::string> reports =
      reports_of([&](JointLinks& links, he::SecureRandom& random) -> Status {
        Party party = value(Party::make(*context, session, links.rank(), random));
        const Message own = value(share_public_key(*context, party, random));
        if (links.rank() == kLiar) {
          const SecureBytes bytes = forged(*context, value(he::joint::serialise(*context, own)));
          const auto sent = links.exchange(bytes);
          return sent ? Status(std::monostate{}) : Status(sent.error());
        }
        const auto received = links.exchange(*context, own);
        return received ? Status(std::monostate{}) : Status(received.error());
      });
  for (const unsigned honest : {0U, 2U}) {
    EXPECT_NE(reports[honest].find("party 1"), std::string::npos) << reports[honest];
    EXPECT_NE(reports[honest].find(what), std::string::npos) << reports[honest];
  }
}

/// A message that another party would send, in another session or step.
auto message_of(const he::Context& context, uint64_t seed, unsigned number) -> SecureBytes {
  he::SecureRandom random = random_of(seed);
  const Session session = value(Session::make(context, he::PublicSeed::draw(random)));
  Party party = value(Party::make(context, session, number, random));
  return value(he::joint::serialise(context, value(share_public_key(context, party, random))));
}

TEST(JointLinks, NameWhoSendsADamagedMessage) {
  expect_named(
      [](const he::Context&, SecureBytes bytes) {
        bytes[bytes.size() / 2] ^= std::byte{1};
        return bytes;
      },
      "damaged");
}

TEST(JointLinks, NameWhoSendsAnotherLength) {
  expect_named(
      [](const he::Context&, SecureBytes bytes) {
        bytes.pop_back();
        return bytes;
      },
      "bytes in place of");
}

TEST(JointLinks, NameWhoSendsTheMessageOfAnother) {
  expect_named(
      [](const he::Context& context, const SecureBytes&) { return message_of(context, 9, 2); },
      "of, or for, another party");
}

TEST(JointLinks, NameWhoRepeatsAMessageOfAnotherSession) {
  expect_named(
      [](const he::Context& context, const SecureBytes&) { return message_of(context, 8, kLiar); },
      "of another session");
}

TEST(MakeJointKeys, NoHolderChoosesTheSeed) {
  const std::vector<std::string> reports =
      reports_of([&](JointLinks& links, he::SecureRandom& random) -> Status {
        if (links.rank() != kLiar) {
          const auto seed = agree_on_seed(links, {}, random);
          return seed ? Status(std::monostate{}) : Status(seed.error());
        }
        // Waits for the others' numbers before it shows its own.
        const SecureBytes bytes(32);
        for (int round = 0; round < 2; ++round) {
          if (const auto sent = links.exchange(bytes); !sent) {
            return sent.error();
          }
        }
        return std::monostate{};
      });
  for (const unsigned honest : {0U, 2U}) {
    EXPECT_NE(reports[honest].find("than it had committed itself to"), std::string::npos)
        << reports[honest];
    EXPECT_NE(reports[honest].find("party 1"), std::string::npos) << reports[honest];
  }
}

TEST(MakeJointKeys, SeedsDifferEachTime) {
  std::vector<he::PublicSeed> seeds(kHolders);
  for (const uint64_t run : {1U, 2U}) {
    std::vector<he::PublicSeed> made(kHolders);
    const std::vector<std::string> reports =
        reports_of([&](JointLinks& links, he::SecureRandom& /*random*/) -> Status {
          he::SecureRandom own = random_of(10 * run + links.rank());
          const auto seed = agree_on_seed(links, {}, own);
          if (!seed) {
            return seed.error();
          }
          made[links.rank()] = seed.value();
          return std::monostate{};
        });
    EXPECT_EQ(reports, std::vector<std::string>(kHolders, "done"));
    EXPECT_EQ(made[0].bytes, made[1].bytes);
    EXPECT_EQ(made[0].bytes, made[2].bytes);
    EXPECT_NE(made[0].bytes, seeds[0].bytes);
    seeds = made;
  }
}

}  // namespace
}  // namespace tacet::engine
