// Kernels on values that parties keep, against the same kernels in plaintext.

#include "engine/mpc/device/parties_device.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc {
namespace {

using engine::Cell;
using engine::Clearness;
using engine::EncodingId;
using engine::MpcCells;
using engine::MpcProgram;
using engine::Outcome;
using engine::RemoteId;

auto program_of(const std::string& text) -> MpcProgram {
  Result<MpcProgram> program = engine::parse_mpc_program("mpc_program 1\n" + text);
  EXPECT_TRUE(program) << program.error().message;
  return std::move(*program);
}

/// What the tests run; all arrays have four elements.
auto programs() -> std::vector<MpcProgram> {
  std::vector<MpcProgram> result;
  for (const std::string operation : {"add", "mul", "max"}) {
    result.push_back(program_of(
        fmt::format("party alice\nparty bob\ninput a: secret i64[4] from alice\n"
                    "input b: secret i64[4] from bob\nc: secret i64[4] = {} a, b\noutput out = c\n",
                    operation)));
  }
  // A public result, and one for bob alone.
  result.push_back(program_of(
      "party bob\ninput a: secret i64[4]\ninput k: public i64\nb: secret i64[4] = mul a, k\n"
      "c: public i64[4] = reveal b\noutput first = c\noutput second = b to bob\n"));
  // The first one needs a wider ring than the second.
  result.push_back(
      program_of("ring 128\ninput a: secret fxp<30>[4]\ninput b: secret fxp<30>[4]\n"
                 "c: secret fxp<30>[4] = add a, b\noutput out = c\n"));
  result.push_back(
      program_of("input a: secret fxp<18>[4]\nb: secret bool[4] = lt a, a\n"
                 "c: secret fxp<18>[4] = neg a\noutput out = c\noutput less = b\n"));
  result.push_back(
      program_of("input a: secret i64[4]\ninput d: public i64\n"
                 "one: public i64 = constant [1]\nq: public i64 = div one, d\n"
                 "c: secret i64[4] = mul a, q\noutput out = c\n"));
  result.push_back(program_of("input a: secret i64\nb: secret i64 = neg a\noutput out = b\n"));
  return result;
}
constexpr uint32_t kAdd = 0;
constexpr uint32_t kMax = 2;
constexpr uint32_t kReveal = 3;
constexpr uint32_t kDivide = 6;
constexpr uint32_t kNegate = 7;

/// What the coordinator machine knows of them.
auto coordinator_of(const std::vector<MpcProgram>& kernels) -> engine::CoordinatorProgram {
  engine::CoordinatorProgram program;
  for (const MpcProgram& kernel : kernels) {
    engine::CoordinatorKernel& given = program.kernels.emplace_back();
    for (const engine::MpcInput& input : kernel.inputs) {
      given.input_cells.push_back(
          static_cast<uint32_t>(engine::n_elements(kernel.registers[input.reg].type)));
    }
    for (const engine::MpcOutput& output : kernel.outputs) {
      given.output_cells.push_back(
          static_cast<uint32_t>(engine::n_elements(kernel.registers[output.reg].type)));
    }
  }
  return program;
}

struct PartySetup {
  ProtocolKind protocol;
  CorrelationsKind correlations;
  Rank n_parties;
};
const PartySetup kPartySetups[] = {{ProtocolKind::Ref, CorrelationsKind::Bfv, 2},
                                   {ProtocolKind::Aby3, CorrelationsKind::Bfv, 3},
                                   {ProtocolKind::Semi2k, CorrelationsKind::Dealer, 2}};

class Fixture {
 public:
  explicit Fixture(const PartySetup& setup = kPartySetups[1])
      : kernels_(programs()),
        coordinator_(coordinator_of(kernels_)),
        device_(coordinator_, {kernels_.begin(), kernels_.end()},
                {.protocol = setup.protocol,
                 .correlations = setup.correlations,
                 .n_parties = setup.n_parties}) {}

  auto operator->() -> PartiesDevice* { return &device_; }
  auto kernel(uint32_t index) const -> const MpcProgram& { return kernels_[index]; }

  auto call(EncodingId encoding, uint32_t kernel, const std::vector<RemoteId>& inputs)
      -> std::vector<RemoteId> {
    std::vector<RemoteId> results(kernels_[kernel].outputs.size());
    device_.call(encoding, {.kernel = kernel, .grid = {}, .inputs = inputs, .site = 7}, results);
    return results;
  }
  auto submit_and_await(EncodingId encoding) -> Outcome {
    EXPECT_EQ(device_.submit(encoding).kind, Outcome::Kind::Done);
    return device_.await(encoding);
  }
  auto fetch(RemoteId remote, size_t n) -> MpcCells {
    MpcCells cells(n);
    EXPECT_EQ(device_.fetch(remote, cells).kind, Outcome::Kind::Done) << device_.failure();
    return cells;
  }
  /// Rounds of all that was computed, and of what was shown.
  auto rounds_at_end() -> std::pair<uint64_t, uint64_t> {
    auto finished = device_.end();
    EXPECT_TRUE(finished && *finished);
    const PartyResult& result = (*finished)->results.front();
    uint64_t n_shown = 0;
    for (const LabelTraffic& label : result.traffic) {
      n_shown += label.depth == 0 && label.name == "output" ? label.rounds : 0;
    }
    return {result.rounds, n_shown};
  }

 private:
  std::vector<MpcProgram> kernels_;
  engine::CoordinatorProgram coordinator_;
  PartiesDevice device_;
};

TEST(PartiesDevice, KeepsWhatIsNotFetched) {
  Fixture device;
  const EncodingId first = device->begin();
  const RemoteId a = device->copy(first, MpcCells{1, 2, 3, 4}, Clearness::Hidden);
  const RemoteId b = device->copy(first, MpcCells{5, 6, 7, 8}, Clearness::Hidden);
  const RemoteId sum = device.call(first, kAdd, {a, b})[0];
  const RemoteId twice = device.call(first, kAdd, {sum, sum})[0];
  EXPECT_EQ(device.submit_and_await(first).kind, Outcome::Kind::Done);
  const EncodingId second = device->begin();
  const RemoteId more = device.call(second, kAdd, {twice, a})[0];
  EXPECT_EQ(device.submit_and_await(second).kind, Outcome::Kind::Done);
  EXPECT_EQ(device.fetch(more, 4), (MpcCells{13, 18, 23, 28}));
  // Both inputs in one round, one result in another; sums are local.
  EXPECT_EQ(device.rounds_at_end(), (std::pair<uint64_t, uint64_t>{2, 1}));
}

TEST(PartiesDevice, SharesRoundsOfWhatWaitsTogether) {
  const auto rounds_of = [](int n_encodings) {
    Fixture device;
    std::vector<EncodingId> encodings;
    for (int i = 0; i < n_encodings; ++i) {
      encodings.push_back(device->begin());
      const RemoteId a = device->copy(encodings.back(), MpcCells{1, 2, 3, 4}, Clearness::Hidden);
      const RemoteId b = device->copy(encodings.back(), MpcCells{5, 0, 7, 0}, Clearness::Hidden);
      static_cast<void>(device.call(encodings.back(), kMax, {a, b}));
      EXPECT_EQ(device->submit(encodings.back()).kind, Outcome::Kind::Done);
    }
    for (const EncodingId encoding : encodings) {
      EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Done);
    }
    return device.rounds_at_end().first;
  };
  EXPECT_EQ(rounds_of(20), rounds_of(1));
}

TEST(PartiesDevice, ReportsWhereACallFailed) {
  Fixture device;
  const EncodingId encoding = device->begin();
  const RemoteId a = device->copy(encoding, MpcCells{1, 2, 3, 4}, Clearness::Hidden);
  const RemoteId zero = device->copy(encoding, MpcCells{0}, Clearness::InTheClear);
  const RemoteId failed = device.call(encoding, kDivide, {a, zero})[0];
  // Waits for what there is not, and ends all the same.
  static_cast<void>(device.call(encoding, kAdd, {failed, a}));
  const Outcome outcome = device.submit_and_await(encoding);
  EXPECT_EQ(outcome.kind, Outcome::Kind::FailedKernel);
  EXPECT_EQ(outcome.site, 7U);
  EXPECT_EQ(device->failure(), "division by zero on line 0");
}

TEST(PartiesDevice, NeverShowsASecretToAKernel) {
  Fixture device;
  const EncodingId encoding = device->begin();
  const RemoteId a = device->copy(encoding, MpcCells{3}, Clearness::Hidden);
  const RemoteId secret = device.call(encoding, kNegate, {a})[0];
  const RemoteId b = device->copy(encoding, MpcCells{1, 2, 3, 4}, Clearness::Hidden);
  static_cast<void>(device.call(encoding, kReveal, {b, secret}));
  EXPECT_EQ(device.submit_and_await(encoding).kind, Outcome::Kind::FailedKernel);
  EXPECT_EQ(device->failure(),
            "the public parameter `k` of a kernel is passed the secret result of another kernel; "
            "declare it `secret`, or `reveal` the result in the kernel that computes it");
}

TEST(PartiesDevice, RefusesWhatIsOutOfOrder) {
  Fixture device;
  const EncodingId encoding = device->begin();
  EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device.submit_and_await(encoding).kind, Outcome::Kind::Done);
  EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->submit(encoding).kind, Outcome::Kind::Misuse);
  MpcCells cells(1);
  EXPECT_EQ(device->fetch(3, cells).kind, Outcome::Kind::Misuse);
  auto finished = device->end();
  ASSERT_TRUE(finished);
  EXPECT_FALSE(*finished) << "parties without work";
}

/// A value on the device, with its plaintext.
struct Known {
  RemoteId remote = 0;
  engine::MpcType type;
  MpcCells cells;
  bool is_result = false;
};

auto fits(const Known& value, const engine::MpcType& wanted) -> bool {
  const bool is_same = value.type.element == wanted.element && value.type.extents == wanted.extents;
  return is_same && (!value.is_result || wanted.is_secret() || !value.type.is_secret());
}

/// Calls of random kernels on what is there, in random encodings, of which some results are
/// fetched.
class RandomRun {
 public:
  RandomRun(const PartySetup& setup, uint64_t seed) : seed_(seed), random_(seed), device_(setup) {}

  void run() {
    for (int round = 0; round < 4; ++round) {
      ASSERT_NO_FATAL_FAILURE(encode_and_await());
      fetch_some();
    }
    EXPECT_TRUE(device_->end());
  }

 private:
  auto below(size_t n) -> size_t { return static_cast<size_t>(random_() % n); }

  void encode_and_await() {
    std::vector<EncodingId> open;
    const size_t n_before = values_.size();
    results_.clear();
    for (size_t k = below(2) + 1; k > 0; --k) {
      open.push_back(device_->begin());
      for (size_t n_calls = below(4) + 1; n_calls > 0; --n_calls) {
        call_any(open.back());
      }
      ASSERT_EQ(device_->submit(open.back()).kind, Outcome::Kind::Done);
    }
    for (const EncodingId encoding : open) {
      ASSERT_EQ(device_->await(encoding).kind, Outcome::Kind::Done)
          << device_->failure() << " seed " << seed_;
    }
    ASSERT_GT(values_.size(), n_before);
  }

  void call_any(EncodingId encoding) {
    const auto index = static_cast<uint32_t>(below(kDivide));
    const MpcProgram& kernel = device_.kernel(index);
    std::vector<RemoteId> remotes;
    std::vector<MpcCells> cells;
    for (const engine::MpcInput& input : kernel.inputs) {
      const Known& chosen = values_[argument(encoding, kernel.registers[input.reg].type)];
      remotes.push_back(chosen.remote);
      cells.push_back(chosen.cells);
    }
    const std::vector<RemoteId> given = device_.call(encoding, index, remotes);
    const engine::MpcClearRun expected = engine::run_in_the_clear(kernel, cells);
    for (size_t i = 0; i < given.size(); ++i) {
      results_.push_back(values_.size());
      values_.push_back(
          {given[i], kernel.registers[kernel.outputs[i].reg].type, expected.outputs[i], true});
    }
  }

  /// The place of a value that can be passed, which may be a new one.
  auto argument(EncodingId encoding, const engine::MpcType& type) -> size_t {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (fits(values_[i], type)) {
        fitting.push_back(i);
      }
    }
    if (fitting.empty() || below(3) == 0) {
      MpcCells fresh(static_cast<size_t>(engine::n_elements(type)));
      for (Cell& cell : fresh) {
        cell = engine::wrapped(type.element.kind, random_() >> below(64));
      }
      const auto clearness = below(4) == 0 ? Clearness::InTheClear : Clearness::Hidden;
      fitting = {values_.size()};
      values_.push_back({device_->copy(encoding, fresh, clearness), type, fresh});
    }
    return fitting[below(fitting.size())];
  }

  void fetch_some() {
    for (const size_t i : results_) {
      if (below(2) == 0) {
        EXPECT_EQ(device_.fetch(values_[i].remote, values_[i].cells.size()), values_[i].cells)
            << "seed " << seed_;
      }
    }
  }

  uint64_t seed_;
  std::mt19937_64 random_;
  Fixture device_;
  std::vector<Known> values_;
  std::vector<size_t> results_;  ///< of the last encodings, in `values_`
};

TEST(PartiesDevice, ComputesWhatKernelsSay) {
  for (const PartySetup& setup : kPartySetups) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      RandomRun(setup, seed).run();
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
