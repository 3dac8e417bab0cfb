// What a transcript cannot say: clocks, processes and many messages at once.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/lsp/test_client.h"

namespace tacet::lsp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kPull = R"({"textDocument":{"diagnostic":{}}})";

auto open_message(const std::string& text) -> std::string {
  Json params = {{"textDocument",
                  {{"uri", "file:///a"}, {"languageId", "tacet"}, {"version", 1}, {"text", text}}}};
  return Json{{"jsonrpc", "2.0"}, {"method", "textDocument/didOpen"}, {"params", params}}.dump();
}

auto insert_message(int version, int line, int column, const std::string& text) -> std::string {
  Json at = {{"line", line}, {"character", column}};
  Json change = {{"range", {{"start", at}, {"end", at}}}, {"text", text}};
  Json params = {{"textDocument", {{"uri", "file:///a"}, {"version", version}}},
                 {"contentChanges", Json::array({change})}};
  return Json{{"jsonrpc", "2.0"}, {"method", "textDocument/didChange"}, {"params", params}}.dump();
}

auto lines(int n) -> std::string {
  std::string text = "#version 0.1.0\n";
  for (int i = 0; i < n; ++i) {
    text += "val name" + std::to_string(i) + "(x: i64) -> i64 { returns x }\n";
  }
  return text;
}

TEST(Session, ABurstOfEditsIsPublishedAtMostTwice) {
  TestClient client;
  client.begin();
  client.send(open_message(lines(2000)));
  ASSERT_TRUE(client.receive());
  std::string burst;
  for (int i = 0; i < 500; ++i) {
    burst += frame(insert_message(i + 2, 1000, i, "x"));
  }
  auto begin = Clock::now();
  client.send_bytes(burst);
  int n_published = 0;
  Json last = Json::object();
  while (last.value("/params/version"_json_pointer, 0) != 501) {
    auto body = client.receive();
    ASSERT_TRUE(body);
    last = Json::parse(*body);
    EXPECT_EQ(last["method"], "textDocument/publishDiagnostics");
    ++n_published;
  }
  auto elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  EXPECT_LE(n_published, 2);
  RecordProperty("milliseconds", static_cast<int>(elapsed.count()));
  EXPECT_LT(elapsed, milliseconds(5000));  // an order of magnitude over the usual time
}

TEST(Session, ThirtyCancelledRequestsAreThirtyErrors) {
  TestClient client;
  client.begin(kPull);
  for (int id = 1; id <= 30; ++id) {
    client.send(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", "test/wait"}}.dump());
  }
  for (int id = 1; id <= 30; ++id) {
    client.send(Json{{"method", "$/cancelRequest"}, {"params", {{"id", id}}}}.dump());
  }
  for (int id = 1; id <= 30; ++id) {
    auto body = client.receive();
    ASSERT_TRUE(body);
    EXPECT_EQ(Json::parse(*body).value("/error/code"_json_pointer, 0), -32800) << *body;
  }
}

/// The client named a process that ends: so does the server, within a second.
TEST(Session, EndsWhenTheClientsProcessDies) {
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  TestClient client;
  client.begin("{}", std::to_string(child));
  EXPECT_EQ(client.exit_code(milliseconds(50)), std::nullopt);
  auto begin = Clock::now();
  kill(child, SIGKILL);
  EXPECT_EQ(client.exit_code(), 1);
  EXPECT_LT(Clock::now() - begin, milliseconds(1000));
  waitpid(child, nullptr, 0);
}

TEST(Session, EndsWhenTheClientsProcessWasNeverThere) {
  pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  TestClient client;
  client.begin("{}", std::to_string(child));
  EXPECT_EQ(client.exit_code(), 1);
}

TEST(Session, ALargeDocumentIsEditedAndAnswered) {
  TestClient client;
  client.begin(kPull);
  client.send(open_message(std::string(5'000'000, '\n') + "word"));
  client.send(insert_message(2, 0, 0, "\n"));
  client.send(
      R"({"id":1,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///a"}}})");
  auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(Json::parse(*answer)["result"], Json::array());
}

TEST(Session, ADocumentThatIsTooLargeIsRefusedInWords) {
  TestClient client;
  client.begin(kPull);
  client.send(open_message(std::string(68'000'000, 'x')));
  auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->find("file:///a exceeds 64 MB"), std::string::npos);
}

TEST(Session, AClientThatDoesNotReadBlocksNothing) {
  TestClient client;
  client.begin(kPull);
  // Far more answers than a socket holds, none of them read until all was asked.
  const int n = 20000;
  for (int id = 1; id <= n; ++id) {
    client.send(Json{{"id", id}, {"method", std::string(100, 'x')}}.dump());
  }
  for (int id = 1; id <= n; ++id) {
    auto body = client.receive();
    ASSERT_TRUE(body);
    ASSERT_EQ(Json::parse(*body)["id"], id);
  }
  client.send(R"({"id":0,"method":"shutdown"})");
  EXPECT_TRUE(client.receive());
  client.send(R"({"method":"exit"})");
  EXPECT_EQ(client.exit_code(), 0);
}

}  // namespace
}  // namespace tacet::lsp
