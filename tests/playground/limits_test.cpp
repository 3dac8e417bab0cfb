// What a run may take, and what is said when it wants more.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "tests/playground/served.h"

namespace tacet::playground {
namespace {

using nlohmann::json;

/// A loop of days.
constexpr const char* kEndless =
    "#version 0.1.0\n"
    "fn(mpc) spin(a: i64) -> i64 {\n"
    "    var s = a;\n"
    "    for i in 0..1000000000 {\n"
    "        for j in 0..1000000 {\n"
    "            s = s + j;\n"
    "        }\n"
    "    }\n"
    "    return s;\n"
    "}\n";

/// An array of gigabytes.
constexpr const char* kLarge =
    "#version 0.1.0\n"
    "fn(mpc) fill(a: i64) -> i64 {\n"
    "    let many = for i: 400000000 { a + i };\n"
    "    return many[7];\n"
    "}\n";

auto request(const char* text) -> std::string {
  return json{{"name", "a.tacet"}, {"device", "ref"}, {"text", text}, {"inputs", {{"a", "1"}}}}
      .dump();
}

TEST(Limits, EndARunThatTakesTooLong) {
  const Served served({"--run-time", "1"});
  const json reply = json::parse(served.run(request(kEndless)));
  EXPECT_EQ(reply["outcome"], "time") << reply;
  EXPECT_EQ(reply["message"],
            "the run exceeded the time limit of 1 s; run it with `tacet run` on your own machine");
}

TEST(Limits, EndARunThatTakesTooMuchMemory) {
  const Served served({"--run-memory", "256", "--run-time", "60"});
  const json reply = json::parse(served.run(request(kLarge)));
  EXPECT_EQ(reply["outcome"], "memory") << reply;
}

TEST(Limits, AreOnHowManyProgramsRun) {
  const Served served({"--run-time", "2", "--runs", "1"});
  auto first = std::async(std::launch::async, [&] { return served.run(request(kEndless)); });
  // The second one is rejected while the other runs.
  const std::string second = served.run(request(kEndless));
  const std::string other = first.get();
  const bool is_first_refused = other.starts_with("limit of 1 concurrent runs reached");
  EXPECT_TRUE(is_first_refused || second.starts_with("limit of 1 concurrent runs reached"))
      << second << other;
  EXPECT_EQ(json::parse(is_first_refused ? second : other)["outcome"], "time");
}

TEST(Limits, AreOnWhatIsSent) {
  const Served served;
  const std::string long_text(600'000, ' ');
  EXPECT_EQ(served.run(request(long_text.c_str())), "a program is limited to 512 KiB here\n");
  const std::string longer_text(2'000'000, ' ');
  const std::string answer = served.run(request(longer_text.c_str()));
  EXPECT_TRUE(answer.empty() || answer == "a request is limited to 1048576 bytes\n") << answer;
}

TEST(Limits, DoNotKeepARunThatNobodyWaitsFor) {
  const Served served({"--run-time", "600", "--runs", "1"});
  const std::string body = request(kEndless);
  // Says all of it, and hangs up.
  served.hang_up(
      fmt::format("POST {}/run HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nContent-Type: "
                  "application/json\r\nContent-Length: {}\r\n\r\n{}",
                  served.folder(), served.host(), served.origin(), body.size(), body));
  std::string reply;
  do {
    reply = served.run(R"({"name":"a.tlhe","device":"ref","text":"input x: [1] from client\nx\n",)"
                       R"("inputs":{"x":"[5]"}})");
  } while (reply.starts_with("limit of 1 concurrent runs reached"));
  EXPECT_EQ(json::parse(reply)["outcome"], "done") << reply;
}

}  // namespace
}  // namespace tacet::playground
