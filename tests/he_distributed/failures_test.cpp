// What ranks do when something fails: the run ends, and its error names the rank.

#include <gtest/gtest.h>

#include <thread>

#include "base/value.h"
#include "engine/program/he/text.h"
#include "tests/he_distributed/run_on_ranks.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

auto blocks() -> HeProgram {
  return value(parse_he_program(R"(he_program 1
slots 2 x 64
modulus 257
primes 4
input a[4, 64] from client
cipher x[i:4] = a[i, c] over (c:64) repeat
for i: 4 {
  x[i] = mul x[i], x[i]
  x[i] = relinearise x[i]
  x[i] = rotate x[i], 1
}
output o[4, 64] over (i:4, c:64) [i, c] = x[i] at 0, c
)"));
}

struct Setting {
  HeProgram program = blocks();
  he::ContextRef context = small_context(program, he::Scheme::Bgv, 1);
  HeValues values = [this] {
    std::mt19937_64 random(1);
    return random_he_values(random, program);
  }();
  Sides sides{program, values, context};

  auto part() -> RankPart {
    return {.program = &program,
            .context = context,
            .values = values,
            .keys = &sides.keys,
            .inputs = sides.inputs};
  }
};

TEST(RankFailures, VersionsMustBeEqual) {
  Setting setting;
  auto links = local_links(hosts_of(3));
  std::vector<RankOptions> others(2, eager_options());
  others[1].version = "older";
  const RanksOutcome outcome = run_on_ranks(links, {setting.part()}, eager_options(), others);
  ASSERT_FALSE(outcome.root);
  EXPECT_EQ(
      outcome.root.error().message,
      "rank 2 on node1: this rank runs Tacet older, but rank 0 runs test; install one version "
      "on all machines");
  EXPECT_FALSE(outcome.others[0]);
}

TEST(RankFailures, InsecureParametersAreRefused) {
  Setting setting;
  auto links = local_links(hosts_of(2));
  RankOptions careful = eager_options();
  careful.insecure = he::InsecureParameters::Refuse;
  const RanksOutcome outcome = run_on_ranks(links, {setting.part()}, eager_options(), {careful});
  ASSERT_FALSE(outcome.root);
  EXPECT_EQ(outcome.root.error().message.find("rank 1 on node0: "), 0U)
      << outcome.root.error().message;
}

TEST(RankFailures, RequestsAreCheckedByTheRoot) {
  Setting setting;
  auto links = local_links(hosts_of(2));
  RankPart part = setting.part();
  part.inputs.pop_back();
  const RanksOutcome outcome = run_on_ranks(links, {std::move(part)}, eager_options());
  ASSERT_FALSE(outcome.root);
  EXPECT_NE(outcome.root.error().message.find("takes 4 ciphertexts"), std::string::npos);
  ASSERT_FALSE(outcome.others[0]);
}

/// A link that loses a rank after so many messages.
class LosingLink final : public RankLink {
 public:
  LosingLink(RankLink& link, size_t n_messages) : link_(link), n_left_(n_messages) {}

  auto rank() const -> uint32_t override { return link_.rank(); }
  auto n_ranks() const -> uint32_t override { return link_.n_ranks(); }
  auto host(uint32_t rank) const -> std::string override { return link_.host(rank); }
  void send(uint32_t to, HeldBytes message) override { link_.send(to, std::move(message)); }
  auto receive() -> Result<RankMessage> override {
    if (n_left_ == 0) {
      return Error{"lost " + name_of_rank(link_, 1)};
    }
    --n_left_;
    return link_.receive();
  }
  void close() override { link_.close(); }

 private:
  RankLink& link_;
  size_t n_left_;
};

TEST(RankFailures, LostRankEndsTheRun) {
  Setting setting;
  // The root receives two of `Lacks`, two of `Stored`, then values and two of `Done`.
  for (size_t n_messages = 0; n_messages < 6; ++n_messages) {
    auto links = local_links(hosts_of(3));
    LosingLink losing(*links[0], n_messages);
    std::vector<Status> others(2, Error{});
    std::vector<std::thread> threads;
    for (size_t rank = 1; rank < 3; ++rank) {
      threads.emplace_back(
          [&, rank] { others[rank - 1] = serve_rank(*links[rank], eager_options()); });
    }
    const Result<RankRun> root = evaluate_on_ranks(losing, {setting.part()}, eager_options(),
                                                   [](const std::string&) { return HeProgress(); });
    links[1]->close();
    links[2]->close();
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_FALSE(root) << n_messages;
    EXPECT_EQ(root.error().message, "lost rank 1 on node0");
  }
}

}  // namespace
}  // namespace tacet::engine
