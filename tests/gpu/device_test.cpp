// What a GPU does when it is used to its limits, or in an order that has no meaning.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run/gpu_trace.h"
#include "tests/gpu/kernel_module.h"
#include "tests/harness/files.h"

namespace tacet::testing {
namespace {

using engine::Cell;
using engine::Outcome;
using interpret::Value;

constexpr const char* kProgram = R"(#version 0.1.0
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
feq negate {
    extern(gpu) negate_gpu(x: i32) -> y: i32 {
        path: "negate.comp", entry: "main", dimensions: 1,
        r { group: 0, binding: 0, input: x }, r { group: 0, binding: 1, output: y }
    }
    val negate_meaning(x: i32) -> i32 { returns 0 - x }
}
val many(x: i32, n: i32) -> i32 {
    y :- negate'<1>(x)
    z :- many(y, n - 1)
    returns x if n == 0 else z
}
fn many_gpu(x: i32, n: i32) -> i32 impls many, time, space {
    if n == 0 {
        x
    } else {
        var x_here = x;
        let e = encode-begin gpu;
        encode e.copy[x_e <- &x_here];
        encode e.call[y_e <- negate_gpu'<1>(x_e)];
        let f = submit e;
        let y = (await f).y_e;
        many_gpu(y, n - 1)
    }
}
val on_grid(x: i32, n: i32) -> i32 { returns negate'<n>(x) }
fn on_grid_gpu(x: i32, n: i32) -> i32 impls on_grid, time, space {
    var x_here = x;
    let e = encode-begin gpu;
    encode e.copy[x_e <- &x_here];
    encode e.call[y_e <- negate_gpu'<n>(x_e)];
    let f = submit e;
    (await f).y_e
}
)";

constexpr const char* kNegate = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer X { int x; };
layout(set = 0, binding = 1) writeonly buffer Y { int y; };
void main() { y = -x; }
)";

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_kernels()) {
      GTEST_SKIP() << "needs a Vulkan driver and glslangValidator";
    }
  }

  static auto i32(int64_t number) -> Value {
    return {{interpret::ElementKind::I32}, {}, {static_cast<Cell>(number)}};
  }

  KernelModule module_{kProgram, {{"negate.comp", kNegate}}};
};

TEST_F(Gpu, RunsThousandsOfEncodings) {
  EXPECT_EQ(module_.on_gpu("many_gpu", {i32(7), i32(3001)}), "-7\n");
  EXPECT_EQ(module_.on_gpu("many_gpu", {i32(7), i32(3001)}, {.always_copies = true}), "-7\n");
}

TEST_F(Gpu, WrapsWhatItNegates) {
  EXPECT_EQ(module_.on_gpu("many_gpu", {i32(INT32_MIN), i32(1)}), "-2147483648\n");
}

TEST_F(Gpu, RefusesGridsThatItDoesNotHave) {
  EXPECT_EQ(module_.on_gpu("on_grid_gpu", {i32(7), i32(5)}), "-7\n");
  for (const int64_t extent : {int64_t{0}, int64_t{-1}, int64_t{INT32_MIN}}) {
    const std::string message = module_.on_gpu("on_grid_gpu", {i32(7), i32(extent)});
    EXPECT_EQ(message.rfind(fmt::format("T8007 the kernel `negate_gpu` failed: dimension 0 of its "
                                        "grid is {}, expected 1 to ",
                                        extent),
                            0),
              0U)
        << message;
  }
}

/// Encodes one call on the device itself.
auto encode(engine::GpuDevice& device, Cell input, engine::RemoteId& result) -> engine::EncodingId {
  const engine::EncodingId encoding = device.begin();
  const engine::RemoteId copied = device.copy(encoding, {&input, 1}, engine::Clearness::InTheClear);
  const Cell grid = 1;
  device.call(encoding, {0, {&grid, 1}, {&copied, 1}, 0}, {&result, 1});
  return encoding;
}

TEST_F(Gpu, KeepsHundredsOfEncodingsInFlight) {
  const auto device = module_.open("on_grid_gpu", {.wants_times = true, .wants_events = true});
  ASSERT_NE(device, nullptr);
  std::vector<std::pair<engine::EncodingId, engine::RemoteId>> sent;
  for (Cell i = 0; i < 300; ++i) {
    engine::RemoteId result = 0;
    const engine::EncodingId encoding = encode(*device, i, result);
    ASSERT_EQ(device->submit(encoding).kind, Outcome::Kind::Done);
    sent.emplace_back(encoding, result);
  }
  for (size_t i = sent.size(); i-- > 0;) {  // the last one first
    ASSERT_EQ(device->await(sent[i].first).kind, Outcome::Kind::Done);
    Cell cell = 0;
    ASSERT_EQ(device->fetch(sent[i].second, {&cell, 1}).kind, Outcome::Kind::Done);
    EXPECT_EQ(static_cast<int64_t>(cell), -static_cast<int64_t>(i));
  }
  EXPECT_EQ(device->statistics().n_kernels, 300U);
  EXPECT_EQ(device->statistics().n_encodings, 300U);
  size_t n_kernels = 0;
  for (const engine::GpuEvent& event : device->events()) {
    EXPECT_LE(event.begin_seconds, event.end_seconds);
    n_kernels += event.kind == engine::GpuEvent::Kind::Run ? 1 : 0;
  }
  EXPECT_TRUE(n_kernels == 300 || n_kernels == 0) << n_kernels;  // not all devices have a clock
}

TEST_F(Gpu, ReportsCommandsOutOfOrder) {
  const auto device = module_.open("on_grid_gpu");
  ASSERT_NE(device, nullptr);
  engine::RemoteId result = 0;
  const engine::EncodingId encoding = encode(*device, 3, result);
  Cell cell = 0;
  EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->fetch(result, {&cell, 1}).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->submit(encoding).kind, Outcome::Kind::Done);
  EXPECT_EQ(device->submit(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->fetch(result, {&cell, 1}).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Done);
  EXPECT_EQ(device->await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->fetch(result, {&cell, 1}).kind, Outcome::Kind::Done);
  EXPECT_EQ(static_cast<int64_t>(cell), -3);
  EXPECT_EQ(device->submit(99).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->await(99).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(device->fetch(99, {&cell, 1}).kind, Outcome::Kind::Misuse);
}

TEST_F(Gpu, ShowsInItsTraceWhatOverlaps) {
  const auto device = module_.open("on_grid_gpu", {.wants_times = true, .wants_events = true});
  ASSERT_NE(device, nullptr);
  engine::RemoteId result = 0;
  const engine::EncodingId encoding = encode(*device, 3, result);
  ASSERT_EQ(device->submit(encoding).kind, Outcome::Kind::Done);
  ASSERT_EQ(device->await(encoding).kind, Outcome::Kind::Done);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("tacet-trace-{}.json", ::getpid());
  ASSERT_TRUE(cli::write_gpu_trace(path.string(), module_.coordinator("on_grid_gpu"), *device));
  const nlohmann::json trace = nlohmann::json::parse(harness::read_file(path));
  std::filesystem::remove(path);
  std::map<std::string, std::pair<double, double>> slices;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") {
      const double begin = event["ts"];
      slices[event["name"]] = {begin, begin + event["dur"].get<double>()};
    }
  }
  ASSERT_TRUE(slices.contains("submit") && slices.contains("await") && slices.contains("run"));
  EXPECT_LE(slices["submit"].second, slices["await"].first);
  if (slices.contains("negate_gpu")) {   // not all devices have a clock
    constexpr double kMostApart = 5000;  // microseconds between two clocks, on a busy machine
    EXPECT_GT(slices["negate_gpu"].first, slices["submit"].first - kMostApart);
    EXPECT_LT(slices["negate_gpu"].second, slices["await"].second + kMostApart);
  }
}

TEST_F(Gpu, EndsWithEncodingsInFlight) {
  const auto device = module_.open("on_grid_gpu");
  ASSERT_NE(device, nullptr);
  engine::RemoteId result = 0;
  EXPECT_EQ(device->submit(encode(*device, 3, result)).kind, Outcome::Kind::Done);
}

}  // namespace
}  // namespace tacet::testing
