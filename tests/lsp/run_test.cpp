// `tacet.run` with a program that a test can see: what it prints comes back, and who has had enough
// can stop it.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/lsp/test_client.h"

namespace tacet::lsp {
namespace {

using std::chrono::milliseconds;

constexpr const char* kShowsProgress = R"({"window":{"workDoneProgress":true}})";

constexpr const char* kSlow =
    "#version 0.1.0\n"
    "fn(he) slow(a: secret [i64; 8] in 0..16 from client) -> secret [i64; 8] {\n"
    "    for i: 8 { a[i] + a[i] }\n"
    "}\n";

constexpr const char* kShared =
    "#version 0.1.0\n"
    "fn(mpc) shared(a: secret i64) -> secret i64 { a + a }\n";

class Run : public testing::Test {
 protected:
  Run() {
    std::string name = (std::filesystem::temp_directory_path() / "tacet_run_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Run() override { std::filesystem::remove_all(folder_); }

  /// A shell script in the place of the command line's program.
  auto program(const std::string& lines) -> std::string {
    const std::string path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    chmod(path.c_str(), S_IRWXU);
    return path;
  }

  /// Opens a file that declares what is to be run, and asks for that.
  void ask(TestClient& client, const std::string& function = "slow", const Json& more = {}) {
    const std::string text = function == "shared" ? kShared : kSlow;
    std::ofstream(folder_ / "a.tacet") << text;
    const std::string uri = "file://" + (folder_ / "a.tacet").string();
    Json document = {{"uri", uri}, {"languageId", "tacet"}, {"version", 1}, {"text", text}};
    client.send(
        Json{{"method", "textDocument/didOpen"}, {"params", {{"textDocument", document}}}}.dump());
    Json run = {{"uri", uri}, {"fn", function}, {"inputs", {{"a", "@a.json"}}}};
    if (more.is_object()) {
      run.update(more);
    }
    Json what = {{"command", "tacet.run"}, {"arguments", Json::array({std::move(run)})}};
    client.send(
        Json{{"id", "run"}, {"method", "workspace/executeCommand"}, {"params", what}}.dump());
  }

  std::filesystem::path folder_;
};

auto holds_soon(auto condition) -> bool {
  for (int i = 0; i < 2000 && !condition(); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  return condition();
}

/// The next message that `is_it` says yes to; null if none comes.
auto receive_until(TestClient& client, auto is_it) -> Json {
  while (auto body = client.receive()) {
    Json message = Json::parse(*body);
    if (is_it(message)) {
      return message;
    }
  }
  return {};
}

auto answer_to_run(TestClient& client) -> Json {
  return receive_until(client,
                       [](const Json& message) { return message.value("id", Json()) == "run"; });
}

TEST_F(Run, GivesBackWhatWasPrinted) {
  TestClient client(program("echo \"result = 7\"; echo \"$2\" >&2\n"));
  client.begin();
  ask(client);
  const Json answer = answer_to_run(client);
  EXPECT_EQ(answer.value("/result/output"_json_pointer, ""), "result = 7\n") << answer;
  EXPECT_EQ(answer.value("/result/errors"_json_pointer, ""), (folder_ / "a.tacet").string() + "\n");
}

TEST_F(Run, OfWhatIsSharedIsByPartiesOfItsProtocol) {
  TestClient client(program("shift 2; echo \"$*\"\n"));
  client.begin();
  ask(client, "shared");
  EXPECT_EQ(answer_to_run(client).value("/result/output"_json_pointer, ""),
            "--device mpc --stats --protocol aby3 --fn shared --input a=@a.json\n");
}

/// A run whose parties write into the file behind `--trace` that one instruction took a second.
constexpr const char* kTraced = R"sh(
while [ $# -gt 0 ]; do
  if [ "$1" = --trace ]; then trace=$2; fi
  shift
done
cat > "$trace" <<END
{"traceEvents": [
  {"ph": "M", "pid": 0, "args": {"name": "party 0"}},
  {"ph": "b", "pid": 0, "id": 1, "ts": 0, "name": "slow_product", "args": {"rounds": 1}},
  {"ph": "e", "pid": 0, "id": 1, "ts": 1000000}]}
END
echo '{"results": [{"name": "out", "value": 7}], "stats": {"seconds": {"evaluate": 1}}}'
)sh";

TEST_F(Run, OfWhatIsTracedHasAPicture) {
  TestClient client(program(kTraced));
  client.begin(R"({"window":{"showDocument":{"support":true}}})");
  ask(client, "shared", {{"trace", true}});
  const Json message = receive_until(
      client, [](const Json& one) { return one.value("method", "") == "window/showMessage"; });
  EXPECT_EQ(message.value("/params/message"_json_pointer, ""), "shared: out = 7");
  const Json show = receive_until(
      client, [](const Json& one) { return one.value("method", "") == "window/showDocument"; });
  const std::string uri = show.value("/params/uri"_json_pointer, "");
  ASSERT_TRUE(uri.starts_with("file:///")) << show;
  std::ifstream file(uri.substr(7));
  const std::string drawn{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string timeline =
      answer_to_run(client).value("/result/timeline"_json_pointer, std::string());
  EXPECT_EQ(drawn, timeline);
  EXPECT_NE(timeline.find("slow product"), std::string::npos) << timeline;
}

TEST_F(Run, OfWhatIsTracedIsShownByAClientThatCan) {
  TestClient client(program(kTraced));
  client.begin(R"({"window":{"showDocument":{"support":true}}})");
  ask(client, "shared", {{"trace", true}, {"shows", true}});
  bool is_requested = false;
  const Json answer = receive_until(client, [&](const Json& one) {
    is_requested = is_requested || one.value("method", "") == "window/showDocument";
    return one.value("id", Json()) == "run";
  });
  EXPECT_FALSE(is_requested);
  EXPECT_TRUE(answer.value("/result/timeline"_json_pointer, std::string()).starts_with("<svg"));
}

TEST_F(Run, IsStoppedByCancellingTheRequest) {
  TestClient client(program("echo $$ > pid; mv pid begun; exec sleep 60\n"));
  client.begin();
  ask(client);
  ASSERT_TRUE(holds_soon([&] { return std::filesystem::exists(folder_ / "begun"); }));
  client.send(R"({"method":"$/cancelRequest","params":{"id":"run"}})");
  EXPECT_EQ(answer_to_run(client).value("/error/code"_json_pointer, 0), -32800);
  pid_t process = 0;
  std::ifstream(folder_ / "begun") >> process;
  ASSERT_GT(process, 0);
  EXPECT_TRUE(holds_soon([&] { return kill(process, 0) != 0; }));
}

TEST_F(Run, IsStoppedByThePersonWhoSeesItsProgress) {
  TestClient client(program("exec sleep 60\n"));
  client.begin(kShowsProgress);
  ask(client);
  const Json create = receive_until(client, [](const Json& message) {
    return message.value("method", "") == "window/workDoneProgress/create" &&
           message["params"]["token"] == "tacet/run/1";
  });
  client.send(Json{{"id", create["id"]}, {"result", nullptr}}.dump());
  const Json begin = receive_until(
      client, [](const Json& message) { return message.value("method", "") == "$/progress"; });
  EXPECT_EQ(begin.value("/params/value/cancellable"_json_pointer, false), true) << begin;
  client.send(R"({"method":"window/workDoneProgress/cancel","params":{"token":3}})");
  client.send(R"({"method":"window/workDoneProgress/cancel","params":{"token":"tacet/run/1"}})");
  const Json end = receive_until(
      client, [](const Json& message) { return message.value("method", "") == "$/progress"; });
  EXPECT_EQ(end.value("/params/value/kind"_json_pointer, ""), "end") << end;
  EXPECT_EQ(answer_to_run(client).value("/error/code"_json_pointer, 0), -32800);
}

}  // namespace
}  // namespace tacet::lsp
