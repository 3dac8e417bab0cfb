// One party of a protocol that tolerates a liar sends something else than it should: the others get
// right results or end the run, and never wait in vain.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>

#include "tests/mpc_attacks/programs.h"

namespace tacet::mpc {
namespace {

using std::chrono::milliseconds;

/// What nobody is to wait for, on a machine that is busy with other things, too.
constexpr milliseconds kLong{60'000};
/// What is waited for bytes that were dropped.
constexpr milliseconds kShort{60};

/// How much is tried: every n-th byte with each mask, every n-th message of each kind.
struct Campaign {
  std::string_view protocol;
  Rank n_parties;
  size_t byte_stride;
  std::vector<uint8_t> masks;
  size_t message_stride;
  size_t n_random;
  /// Each byte that is sent is of use: altering one is noticed.
  bool all_matter = true;
  /// Inputs are one message of their owner, so that another one is another input, as good as the
  /// right one.
  bool inputs_are_free = false;

  friend auto operator<<(std::ostream& out, const Campaign& campaign) -> std::ostream& {
    return out << campaign.protocol;
  }
};

class Attacks : public testing::TestWithParam<Campaign> {
 protected:
  /// Whether anybody noticed.
  auto attack(const AttackedProgram& program, const Attack& attack, milliseconds patience) -> bool {
    const Campaign& campaign = GetParam();
    const AttackOutcome outcome =
        run_attacked(campaign.protocol, campaign.n_parties, program, attack, patience);
    EXPECT_EQ(problem_of(outcome, program, attack), "") << program.name << ", " << describe(attack);
    return std::ranges::any_of(outcome.fates,
                               [](const Fate& fate) { return fate.failure.has_value(); });
  }

  static auto programs() -> std::vector<AttackedProgram> {
    std::vector<AttackedProgram> programs = small_programs();
    if (GetParam().inputs_are_free) {
      std::erase_if(programs, [](const AttackedProgram& program) {
        return std::string_view(program.name).starts_with("inputs");
      });
    }
    return programs;
  }

  auto sizes(const AttackedProgram& program, Rank liar) -> AttackOutcome {
    const Attack none{.liar = liar};
    AttackOutcome outcome =
        run_attacked(GetParam().protocol, GetParam().n_parties, program, none, kLong);
    EXPECT_EQ(problem_of(outcome, program, none), "") << program.name;
    return outcome;
  }
};

TEST_P(Attacks, OnBytes) {
  const Campaign& campaign = GetParam();
  size_t next = 0;
  for (const AttackedProgram& program : programs()) {
    for (Rank liar = 0; liar < campaign.n_parties; ++liar) {
      const size_t n_bytes = sizes(program, liar).n_bytes;
      for (size_t i = next++ % campaign.byte_stride; i < n_bytes; i += campaign.byte_stride) {
        for (const uint8_t mask : campaign.masks) {
          const Attack one{
              .liar = liar, .alteration = Alteration::Byte, .position = i, .mask = mask};
          const bool is_noticed = attack(program, one, kLong);
          EXPECT_TRUE(is_noticed || !campaign.all_matter) << program.name << ", " << describe(one);
        }
      }
    }
  }
}

TEST_P(Attacks, OnMessages) {
  const Campaign& campaign = GetParam();
  size_t next = 0;
  for (const AttackedProgram& program : programs()) {
    for (Rank liar = 0; liar < campaign.n_parties; ++liar) {
      const size_t n_messages = sizes(program, liar).n_messages;
      for (const Alteration alteration :
           {Alteration::Message, Alteration::Drop, Alteration::Repeat, Alteration::Replay,
            Alteration::Swap, Alteration::Misdirect}) {
        for (size_t i = next++ % campaign.message_stride; i < n_messages;
             i += campaign.message_stride) {
          const bool is_complete = alteration == Alteration::Message;
          attack(program, {.liar = liar, .alteration = alteration, .position = i, .seed = i},
                 is_complete ? kLong : kShort);
        }
      }
    }
  }
}

TEST_P(Attacks, AtRandom) {
  const Campaign& campaign = GetParam();
  std::mt19937_64 random(5);
  for (const AttackedProgram& program : larger_programs()) {
    const size_t n_bytes = sizes(program, 0).n_bytes;
    for (size_t i = 0; i < campaign.n_random; ++i) {
      const auto liar = static_cast<Rank>(random() % campaign.n_parties);
      attack(program,
             {.liar = liar,
              .alteration = Alteration::Byte,
              .position = random() % n_bytes,
              .mask = static_cast<uint8_t>(1U << random() % 8)},
             kLong);
      attack(program,
             {.liar = liar,
              .alteration = Alteration::Often,
              .position = 1 + random() % n_bytes,
              .seed = random()},
             kShort);
    }
  }
}

auto name_of(const testing::TestParamInfo<Campaign>& test) -> std::string {
  std::string name(test.param.protocol);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Some, Attacks,
                         testing::Values(Campaign{.protocol = "rep4",
                                                  .n_parties = 4,
                                                  .byte_stride = 11,
                                                  .masks = {0x10},
                                                  .message_stride = 23,
                                                  .n_random = 10},
                                         Campaign{.protocol = "aby3-active",
                                                  .n_parties = 3,
                                                  .byte_stride = 97,
                                                  .masks = {0x10},
                                                  .message_stride = 23,
                                                  .n_random = 10,
                                                  .all_matter = false,
                                                  .inputs_are_free = true}),
                         name_of);
// Takes minutes: `./dev test --long`.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, Attacks,
                         testing::Values(Campaign{.protocol = "rep4",
                                                  .n_parties = 4,
                                                  .byte_stride = 1,
                                                  .masks = {0x01, 0x80, 0xff},
                                                  .message_stride = 1,
                                                  .n_random = 500},
                                         Campaign{.protocol = "aby3-active",
                                                  .n_parties = 3,
                                                  .byte_stride = 1,
                                                  .masks = {0x01, 0xff},
                                                  .message_stride = 1,
                                                  .n_random = 500,
                                                  .all_matter = false,
                                                  .inputs_are_free = true}),
                         name_of);

}  // namespace
}  // namespace tacet::mpc
