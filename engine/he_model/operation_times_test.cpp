#include "engine/he_model/operation_times.h"

#include <gtest/gtest.h>

namespace tacet::he {
namespace {

auto place(size_t n_primes, size_t n_special = 1, size_t ring_dimension = 4096) -> OperationPlace {
  return {.scheme = Scheme::Bgv,
          .ring_dimension = ring_dimension,
          .n_primes = n_primes,
          .n_special = n_special};
}

TEST(OperationTimes, AreWhatWasMeasuredAndBetween) {
  OperationTimes times;
  times.set(Operation::Rotate, place(2), 20);
  times.set(Operation::Rotate, place(6), 100);
  EXPECT_EQ(times.of(Operation::Rotate, place(2)), 20);
  EXPECT_EQ(times.of(Operation::Rotate, place(4)), 60);
  EXPECT_LT(times.of(Operation::Rotate, place(1)), 20);
  EXPECT_GT(times.of(Operation::Rotate, place(8)), 100);
  // Fewer digits are less work, larger rings more.
  EXPECT_LT(times.of(Operation::Rotate, place(6, 3)), 100);
  EXPECT_GT(times.of(Operation::Rotate, place(2, 1, 8192)), 40);
}

TEST(OperationTimes, AreReadBack) {
  const std::string text = default_operation_times().text();
  Result<OperationTimes> again = parse_operation_times(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), text);
}

TEST(OperationTimes, OfTheDefaultGrow) {
  const OperationTimes& times = default_operation_times();
  for (size_t i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
      for (size_t n = 1024; n <= 65536; n *= 2) {
        const auto at = [&](size_t n_primes) {
          return times.of(
              operation,
              {.scheme = scheme, .ring_dimension = n, .n_primes = n_primes, .n_special = 1});
        };
        EXPECT_GT(at(1), 0);
        EXPECT_GT(at(12), at(1)) << operation_name(operation) << " " << n;
      }
    }
  }
}

TEST(OperationTimes, SayWhichLineIsNone) {
  const auto error_of = [](std::string_view text) {
    const auto times = parse_operation_times(text);
    return times ? std::string() : times.error().message;
  };
  EXPECT_EQ(error_of("# a comment\n\nbfv 4096 1 add 1:2.5 2:5\n"), "");
  for (const char* wrong :
       {"bfv 4096 1 add", "bfw 4096 1 add 1:2", "bfv x 1 add 1:2", "bfv 4096 1 ad 1:2",
        "bfv 4096 1 add 12", "bfv 4096 1 add 1:", "bfv 4096 1 add 0:2", "bfv 4096 1 add 1:-2",
        "bfv 4096 99 add 1:2", "bfv 32 1 add 1:2", "bfv 4096 1 add 1:nan"}) {
    EXPECT_NE(error_of(std::string("bfv 4096 1 add 1:2\n") + wrong).find("line 2"),
              std::string::npos)
        << wrong;
  }
}

}  // namespace
}  // namespace tacet::he
