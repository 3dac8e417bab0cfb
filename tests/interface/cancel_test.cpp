#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/interface/calls.h"

/// Calls that are stopped: by the number of a report, by another thread, before they begin.
namespace tacet::interface_tests {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A call with everything but its control: what it gives as a text, or its error.
struct Outcome {
  Failure failure;
  std::string given;
};
using Call = std::function<Outcome(const tacet_control*)>;

/// A function of the interface, its arguments before the control, and its result as a text.
template <class Owner, class Text, class Function, class... Arguments>
auto call_of(Text text, Function function, Arguments... arguments) -> Call {
  return [=](const tacet_control* control) -> Outcome {
    typename Owner::pointer object = nullptr;
    Failure failure(function(arguments..., control, &object));
    const Owner owner(object);
    EXPECT_EQ(failure == nullptr, owner != nullptr) << "gives something if it did not fail";
    return {std::move(failure), owner ? text(owner) : std::string()};
  };
}

auto any(const auto& /*object*/) -> std::string {
  return "something";
}
auto json_of(const Values& values) -> std::string {
  return tacet_values_json(values.get());
}
auto text_of_diagnostics(const Diagnostics& diagnostics) -> std::string {
  return tacet_diagnostics_json(diagnostics.get());
}

/// Stops a call at its report `stop_at`, which counts from 1; 0: never.
struct Stopper {
  uint64_t stop_at = 0;
  uint64_t n_reports = 0;

  static auto hear(void* user, const char* phase, uint64_t /*done*/, uint64_t /*total*/) -> int {
    auto& self = *static_cast<Stopper*>(user);
    EXPECT_STRNE(phase, "");
    ++self.n_reports;
    return self.n_reports == self.stop_at ? 0 : 1;
  }

  auto control() -> tacet_control {
    return {.struct_size = sizeof(tacet_control),
            .progress = hear,
            .user = this,
            .cancellation = nullptr};
  }
};

/// Stops the call at each of its reports, and expects it to work as ever afterwards.
void stop_everywhere(const Call& call) {
  Stopper counter;
  tacet_control control = counter.control();
  const Outcome first = call(&control);
  ASSERT_FALSE(first.failure) << tacet_error_message(first.failure.get());
  ASSERT_GT(counter.n_reports, 0U);
  for (uint64_t k = 1; k <= counter.n_reports; ++k) {
    Stopper stopper{.stop_at = k};
    control = stopper.control();
    const Outcome stopped = call(&control);
    if (!stopped.failure && stopper.n_reports < k) {
      break;  // what threads report of a search varies
    }
    ASSERT_TRUE(stopped.failure) << "stopped at " << k << " of " << counter.n_reports;
    EXPECT_EQ(tacet_error_status(stopped.failure.get()), uint32_t{TACET_CANCELLED});
    EXPECT_STREQ(tacet_error_message(stopped.failure.get()), "the call was cancelled");
    EXPECT_EQ(tacet_error_diagnostics(stopped.failure.get()), nullptr);
    EXPECT_EQ(stopper.n_reports, k) << "heard no more";
    const Outcome again = call(nullptr);
    ASSERT_FALSE(again.failure) << tacet_error_message(again.failure.get());
    EXPECT_EQ(again.given, first.given);
  }
}

constexpr std::string_view kComparison =
    "#version 0.1.0\n\n"
    "fn(he) larger(a: secret u8 from client, b: secret u8 from server) -> secret u8 { max(a, b) "
    "}\n";

constexpr std::string_view kParties =
    "#version 0.1.0\n\nparty alice;\nparty bob;\n"
    "fn(mpc) most(a: secret [i32; 8] from alice, b: secret [i32; 8] from bob) -> i32 {\n"
    "    reveal(max(for i: 8 { a[i] * b[i] }))\n}\n";

const tacet_input kX = text_input("x", "[1, 2, 3, 4]");
const tacet_input kW = text_input("w", "[1, -5, 2, 3]");
const tacet_input kScoreInputs[] = {kX, kW};

TEST(InterfaceCancel, StopsAnalysesAtEveryReport) {
  const Sources sources = sources_of(kScore);
  stop_everywhere(call_of<Diagnostics>(text_of_diagnostics, tacet_check, sources.get()));
  stop_everywhere(call_of<Diagnostics>(text_of_diagnostics, tacet_lint, sources.get(), nullptr));
  stop_everywhere(call_of<Bytes>(text_of, tacet_fix, sources.get()));
}

TEST(InterfaceCancel, StopsCompilationsAtEveryReport) {
  for (const std::string_view text : {kScore, kComparison, kParties}) {
    const Sources sources = sources_of(text);
    const auto costs = [](const Program& program) {
      return text_of(made<Bytes>(tacet_program_costs, program.get(), nullptr));
    };
    stop_everywhere(
        call_of<Program>(costs, tacet_compile, sources.get(), nullptr, nullptr, nullptr));
  }
}

TEST(InterfaceCancel, StopsRunsAtEveryReport) {
  for (const char* device : {"he", "ref"}) {
    const Program program = compiled(kScore, nullptr, device);
    stop_everywhere(call_of<Values>(json_of, tacet_run, program.get(), kScoreInputs, size_t{2}));
  }
  const tacet_input bytes[] = {text_input("a", "3"), text_input("b", "200")};
  const Program bitwise = compiled(kComparison);
  stop_everywhere(call_of<Values>(json_of, tacet_run, bitwise.get(), bytes, size_t{2}));
  const tacet_input lists[] = {text_input("a", "[1, 2, 3, 4, 5, 6, 7, 8]"),
                               text_input("b", "[8, 7, 6, 5, 4, 3, 2, 1]")};
  for (const char* protocol : {"aby3", "semi2k", "ref"}) {
    const Program parties = compiled(kParties, nullptr, "mpc", {{"protocol", protocol}});
    stop_everywhere(call_of<Values>(json_of, tacet_run, parties.get(), lists, size_t{2}));
  }
}

TEST(InterfaceCancel, StopsBothSidesAtEveryReport) {
  const Program program = compiled(kScore);
  stop_everywhere(call_of<Client>(any<Client>, tacet_client_new, program.get()));
  const Client client = made<Client>(tacet_client_new, program.get(), nullptr);
  const Bytes keys = keys_of(client);
  stop_everywhere(call_of<Bytes>(any<Bytes>, tacet_client_encrypt, client.get(), &kX, size_t{1}));
  const Bytes request = encrypted(client, {kX});
  stop_everywhere(call_of<Server>(any<Server>, tacet_server_new, program.get(),
                                  tacet_bytes_data(keys.get()), tacet_bytes_size(keys.get()), &kW,
                                  size_t{1}));
  const Server server = server_of(program, keys, {kW});
  stop_everywhere(call_of<Bytes>(any<Bytes>, tacet_server_evaluate, server.get(),
                                 tacet_bytes_data(request.get()), tacet_bytes_size(request.get())));
  const Bytes answer = answered(server, request);
  stop_everywhere(call_of<Values>(json_of, tacet_client_decrypt, client.get(),
                                  tacet_bytes_data(answer.get()), tacet_bytes_size(answer.get())));
  EXPECT_EQ(decrypted(client, answer), R"({"out": 9})");
}

/// Stops the call from another thread at different times; how long it takes to return then at most.
auto stop_at_times(const Call& call, std::initializer_list<int> times) -> milliseconds {
  milliseconds longest(0);
  for (const int time : times) {
    const Cancellation cancellation(tacet_cancellation_new(nullptr));
    const tacet_control control{.struct_size = sizeof control,
                                .progress = nullptr,
                                .user = nullptr,
                                .cancellation = cancellation.get()};
    Clock::time_point cancelled;
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(time));
      cancelled = Clock::now();
      tacet_cancellation_cancel(cancellation.get());
    });
    const Outcome outcome = call(&control);
    const Clock::time_point end = Clock::now();
    other.join();
    EXPECT_TRUE(outcome.failure) << "the call takes longer than " << time << " ms";
    if (outcome.failure) {
      EXPECT_EQ(tacet_error_status(outcome.failure.get()), uint32_t{TACET_CANCELLED})
          << tacet_error_message(outcome.failure.get());
    }
    EXPECT_TRUE(tacet_cancellation_is_cancelled(cancellation.get()));
    longest = std::max(longest, std::chrono::duration_cast<milliseconds>(end - cancelled));
  }
  return longest;
}

/// Under sanitizers and on loaded machines everything is slower; a call that cannot be stopped
/// takes many times as long.
constexpr milliseconds kSoon{5000};

TEST(InterfaceCancel, StopsALongRunOfTheInterpreter) {
  const Program program = compiled(
      "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { var y = x; "
      "for i in 0..1000000000 { y = y * 3 + i; } y }\n",
      nullptr, "ref");
  const tacet_input x = text_input("x", "1");
  EXPECT_LT(
      stop_at_times(call_of<Values>(json_of, tacet_run, program.get(), &x, size_t{1}), {0, 1, 30}),
      kSoon);
}

TEST(InterfaceCancel, StopsALongRunOfParties) {
  const tacet_input x = text_input("x", "1");
  for (const char* protocol : {"aby3", "semi2k", "ref"}) {
    const Program program = compiled(
        "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { var y = x; "
        "for i in 0..100000000 { y = y * y + i; } y }\n",
        nullptr, "mpc", {{"protocol", protocol}});
    EXPECT_LT(stop_at_times(call_of<Values>(json_of, tacet_run, program.get(), &x, size_t{1}),
                            {0, 1, 30, 300}),
              kSoon);
  }
}

/// A program whose layout takes a while to find.
constexpr std::string_view kImages =
    "#version 0.1.0\n\n"
    "fn(he) filtered(image: secret [i64; 96, 96] in 0..256 from client,\n"
    "                kernel: [i64; 8, 5, 5] in -8..8 from server) -> secret [i64; 8, 92, 92]\n{\n"
    "    for k: 8 { for y: 92 { for x: 92 {\n"
    "        sum(for i: 5 { sum(for j: 5 { image[y + i][x + j] * kernel[k][i][j] }) })\n"
    "    } } }\n}\n";

TEST(InterfaceCancel, StopsACompilation) {
  const Sources sources = sources_of(kImages);
  EXPECT_LT(stop_at_times(call_of<Program>(any<Program>, tacet_compile, sources.get(), nullptr,
                                           nullptr, nullptr),
                          {0, 1, 10, 50}),
            kSoon);
}

/// A call that waits for another one of the same sources.
TEST(InterfaceCancel, StopsAWait) {
  const Sources sources = sources_of(kImages);
  const Call compile =
      call_of<Program>(any<Program>, tacet_compile, sources.get(), nullptr, nullptr, nullptr);
  const Cancellation cancellation(tacet_cancellation_new(nullptr));
  const tacet_control control{.struct_size = sizeof control,
                              .progress = nullptr,
                              .user = nullptr,
                              .cancellation = cancellation.get()};
  std::thread first([&] { EXPECT_TRUE(compile(&control).failure); });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_LT(stop_at_times(compile, {0, 50}), kSoon);
  tacet_cancellation_cancel(cancellation.get());
  first.join();
}

TEST(InterfaceCancel, StopsWhatBeginsLater) {
  const Sources sources = sources_of(kScore);
  const Cancellation cancellation(tacet_cancellation_new(nullptr));
  EXPECT_FALSE(tacet_cancellation_is_cancelled(cancellation.get()));
  tacet_control control{.struct_size = sizeof control,
                        .progress = nullptr,
                        .user = nullptr,
                        .cancellation = cancellation.get()};
  const auto check = [&] {
    tacet_diagnostics* found = nullptr;
    const Failure failure(tacet_check(sources.get(), &control, &found));
    const Diagnostics owner(found);
    return failure ? tacet_error_status(failure.get()) : 0;
  };
  EXPECT_EQ(check(), 0U);
  tacet_cancellation_cancel(cancellation.get());
  tacet_cancellation_cancel(cancellation.get());
  EXPECT_EQ(check(), uint32_t{TACET_CANCELLED});
  control.struct_size =
      offsetof(tacet_control, cancellation);  // of a caller that has no such member
  EXPECT_EQ(check(), 0U);
  tacet_cancellation_free(nullptr);
}

/// The parties of a callback's own call are not those that the callback stops.
TEST(InterfaceCancel, StopsTheOuterOfTwoCalls) {
  struct Nested {
    const tacet_program* program;
    std::string inner;
  };
  const Program program = compiled(kScore);
  Nested nested{program.get(), {}};
  const auto hear = [](void* user, const char* /*phase*/, uint64_t /*done*/,
                       uint64_t /*total*/) -> int {
    auto& self = *static_cast<Nested*>(user);
    const Values values = made<Values>(tacet_run, self.program, kScoreInputs, size_t{2}, nullptr);
    self.inner = tacet_values_json(values.get());
    return 0;
  };
  const tacet_control control{
      .struct_size = sizeof control, .progress = hear, .user = &nested, .cancellation = nullptr};
  EXPECT_EQ(failed<Values>(tacet_run, program.get(), kScoreInputs, size_t{2}, &control),
            "cancelled: the call was cancelled");
  EXPECT_EQ(nested.inner, R"({"out": 9})");
}

}  // namespace
}  // namespace tacet::interface_tests
