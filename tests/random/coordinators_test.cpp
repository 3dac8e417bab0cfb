// The same promise for what coordinator functions encode: draws are those of the reference device
// whether the host or parties compute, and no two calls make the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/run/coordinator_run.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc/device/parties_device.h"
#include "engine/program/coordinator/coordinator.h"
#include "tests/kernel/checked_module.h"
#include "tests/random/drawing_function.h"

namespace tacet::testing {
namespace {

constexpr engine::PublicRandomKey kKey{{0x0123456789abcdef, 1, 2, 0xfedcba9876543210}};

/// Two calls of a random kernel in one encoding, called twice and in a recursion.
constexpr std::string_view kCoordinator = R"(
feq drawing { fn(mpc) drawing_mpc(n: i64, s: secret i64) -> (secret i64, i64) { f(n, s) } }
tmln once(e: Event) -> Event {
    local, remote :- encode_event(e)
    sent :- submit_event(remote)
    returns sync_event(local, sent)
}
tmln twice(e: Event) -> Event { returns once(once(e)) }
tmln plain(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val asked(n: i64, s: i64) -> i64 {
    a, b :- drawing(n, s)
    c, d :- drawing(n, a)
    returns a + 3 * b + 5 * c + 7 * d
}
val turns(k: i64, n: i64, s: i64) -> i64 {
    returns s if k < 1 else turns(k - 1, n, asked(n, s) % 100)
}
val all(n: i64, s: i64) -> i64 { returns asked(n, s) + 1000 * asked(n, s) }
fn asked_impl(n: i64, s: i64) -> i64 impls asked, once, space {
    let e = encode-begin mpc;
    encode e.copy[n_d <- n];
    encode e.copy[s_d <- s];
    encode e.call[a_d, b_d <- drawing_mpc(n_d, s_d)];
    encode e.call[c_d, d_d <- drawing_mpc(n_d, a_d)];
    let f = submit e;
    let r = await f;
    r.a_d + 3 * r.b_d + 5 * r.c_d + 7 * r.d_d
}
fn all_impl(n: i64, s: i64) -> i64 impls all, twice, space {
    let x = asked_impl(n, s);
    let y = asked_impl(n, s);
    x + 1000 * y
}
fn turns_impl(k: i64, n: i64, s: i64) -> i64 impls turns, plain, space {
    if k < 1 {
        s
    } else {
        let t = asked_impl(n, s);
        turns_impl(k - 1, n, t % 100)
    }
}
)";

/// A kernel that draws in secret, and a coordinator that calls it twice.
constexpr std::string_view kHidden = R"(#version 0.1.0
fn(mpc) f(n: i64, s: secret i64) -> (secret i64, i64) {
    let hidden: secret i64 = rand_int(1000000007);
    (hidden, n)
}
)";
constexpr std::string_view kApart = R"(
val apart(n: i64) -> bool {
    a, b :- drawing(n, n)
    c, d :- drawing(n, n)
    returns a == c
}
fn apart_impl(n: i64) -> bool impls apart, once, space {
    let e = encode-begin mpc;
    encode e.copy[n_d <- n];
    encode e.call[a_d, b_d <- drawing_mpc(n_d, n_d)];
    encode e.call[c_d, d_d <- drawing_mpc(n_d, n_d)];
    let f = submit e;
    let r = await f;
    r.a_d == r.c_d
}
)";

auto text_of(const interpret::RunResult& result) -> std::string {
  if (result.values.empty()) {
    return result.failure ? result.failure->message : "nothing";
  }
  return interpret::value_text(result.values.front());
}

/// A coordinator function of a module and the program that parties run for its one kernel.
class Coordinator {
 public:
  Coordinator(CheckedModule& module, std::string_view name)
      : compilation_(interpret::compile(module.snapshot(), module.find(name), {})),
        prepared_(cli::prepare_coordinator(module.snapshot(), module.find(name), {})) {
    EXPECT_TRUE(prepared_.executable) << (prepared_.obstacle ? prepared_.obstacle->what : "");
    EXPECT_TRUE(engine::validate(prepared_.executable->assembled.program));
    const oblivious::ObliviousForm form = oblivious::make_oblivious(module.lower("drawing_mpc"));
    program_ = mpc_lower::lower(form.kernel).program;
  }

  [[nodiscard]] auto is_ready() const -> bool { return prepared_.executable && program_; }

  auto on_reference(const std::vector<int64_t>& inputs) const -> std::string {
    interpret::MachineOptions options = this->options();
    options.audits_draws = true;
    return text_of(interpret::run(*compilation_.executable, values(inputs), options));
  }
  auto on_host(const std::vector<int64_t>& inputs) const -> std::string {
    return text_of(cli::run_coordinator(*prepared_.executable, *compilation_.executable,
                                        values(inputs), options()));
  }
  auto by_parties(const std::vector<int64_t>& inputs, mpc::PartiesPlan plan) const -> std::string {
    plan.random_key = kKey;
    mpc::PartiesDevice parties(prepared_.executable->assembled.program, {program_},
                               std::move(plan));
    const interpret::RunResult result =
        cli::run_coordinator(*prepared_.executable, *compilation_.executable, values(inputs),
                             options(), {&parties, nullptr});
    EXPECT_EQ(parties.failure(), "");
    return text_of(result);
  }

 private:
  static auto options() -> interpret::MachineOptions {
    interpret::MachineOptions options;
    options.random_key = kKey;
    return options;
  }
  static auto values(const std::vector<int64_t>& inputs) -> std::vector<interpret::Value> {
    std::vector<interpret::Value> values;
    for (const int64_t input : inputs) {
      values.push_back({engine::kI64, {}, {static_cast<engine::Cell>(input)}});
    }
    return values;
  }

  interpret::Compilation compilation_;
  cli::PreparedCoordinator prepared_;
  std::optional<engine::MpcProgram> program_;
};

TEST(Draws, OfKernelsThatCoordinatorsEncodeAreTheSame) {
  uint64_t n_by_parties = 0;
  for (uint64_t seed = 0; seed < 20 && !::testing::Test::HasFailure(); ++seed) {
    const std::string text =
        fmt::format("{}{}", drawing_function(seed, Surroundings::None), kCoordinator);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    const auto n = static_cast<int64_t>(seed % 5);
    for (const auto& [name, inputs] : {std::pair(std::string("all_impl"), std::vector{n, n + 3}),
                                       {"turns_impl", std::vector<int64_t>{3, n, 4}}}) {
      const Coordinator coordinator(module, name);
      const std::string expected = coordinator.on_reference(inputs);
      EXPECT_EQ(coordinator.on_host(inputs), expected);
      if (!coordinator.is_ready()) {
        continue;
      }
      ++n_by_parties;
      EXPECT_EQ(coordinator.by_parties(inputs, {.protocol = mpc::ProtocolKind::Aby3}), expected);
      EXPECT_EQ(coordinator.by_parties(inputs, {.protocol = mpc::ProtocolKind::Ref}), expected);
      EXPECT_EQ(coordinator.by_parties(inputs, {.protocol = mpc::ProtocolKind::Semi2k,
                                                .correlations = mpc::CorrelationsKind::Dealer,
                                                .n_parties = 2}),
                expected);
    }
  }
  EXPECT_GT(n_by_parties, 20U);
}

/// Nobody knows what they are, but two calls do not draw the same.
TEST(Draws, InSecretDifferFromCallToCall) {
  CheckedModule module(fmt::format("{}{}{}", kHidden, kCoordinator, kApart));
  ASSERT_TRUE(module.is_right());
  const Coordinator coordinator(module, "apart_impl");
  ASSERT_TRUE(coordinator.is_ready());
  EXPECT_EQ(coordinator.by_parties({5}, {}), "false");
}

}  // namespace
}  // namespace tacet::testing
