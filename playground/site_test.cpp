#include "playground/site.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "playground/embedded.h"

namespace tacet::playground {
namespace {

auto ask(Request request, const HostNames& names = {}) -> Reply {
  request.host = request.host.empty() ? "localhost:8017" : request.host;
  if (request.target.starts_with('/')) {
    request.target = "/token" + request.target;
  }
  return reply_to(request, names, "token", "nonce");
}

auto header(const Reply& reply, std::string_view name) -> std::string {
  for (const auto& [given, value] : reply.headers) {
    if (given == name) {
      return value;
    }
  }
  return "";
}

TEST(KnownHost, IsLoopbackWithAnyPort) {
  for (const char* host : {"localhost", "localhost:8017", "LOCALHOST:1", "127.0.0.1:8017",
                           "[::1]:80", "[::1]", "localhost:"}) {
    EXPECT_TRUE(is_known_host(host, {})) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "192.168.1.5:8017", "localhost:80x", "localhost:8017:1", "[::1",
                           "[::1]x", "localhost@evil", ":80", "localhost:123456"}) {
    EXPECT_FALSE(is_known_host(host, {})) << host;
  }
}

TEST(KnownHost, IsAnyAddressWhereOthersMayConnect) {
  const HostNames names{HostNames::Numbers::All, {"Farm.Example"}};
  for (const char* host : {"192.168.1.5:8017", "[fe80::1]:8017", "farm.example", "localhost"}) {
    EXPECT_TRUE(is_known_host(host, names)) << host;
  }
  for (const char* host : {"evil.example", "1.2.3", "1.2.3.evil", "[fe80::g]", "a.farm.example"}) {
    EXPECT_FALSE(is_known_host(host, names)) << host;
  }
}

TEST(Reply, HasAPageThatLoadsNothingFromElsewhere) {
  const Reply reply = ask({.target = "/"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find("data-nonce=\"nonce\""), std::string::npos);
  EXPECT_EQ(reply.body.find("http://"), std::string::npos);
  EXPECT_EQ(reply.body.find("https://"), std::string::npos);
  const std::string policy = header(reply, "Content-Security-Policy");
  EXPECT_TRUE(
      policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-nonce'"))
      << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
}

TEST(Reply, HasEveryFileOfThePage) {
  for (const EmbeddedFile& file : page_files()) {
    const Reply reply = ask({.target = "/" + std::string(file.name) + "?again"});
    EXPECT_EQ(reply.status, 200) << file.name;
    EXPECT_FALSE(reply.body.empty()) << file.name;
  }
  EXPECT_EQ(ask({.target = "/../CMakeLists.txt"}).status, 404);
  EXPECT_EQ(ask({.target = "/nothing"}).status, 404);
  EXPECT_EQ(ask({.target = ""}).status, 403);
}

TEST(Reply, HasTheExamplesWithTheirTexts) {
  const Reply reply = ask({.target = "/examples.json"});
  const auto examples = nlohmann::json::parse(reply.body);
  EXPECT_GE(examples.size(), 10U);
  EXPECT_EQ(examples[0]["title"], "Who is richer?");
  for (const auto& example : examples) {
    EXPECT_FALSE(example["text"].get<std::string>().empty()) << example["file"];
    EXPECT_FALSE(example["title"].get<std::string>().empty()) << example["file"];
    EXPECT_FALSE(example["about"].get<std::string>().empty()) << example["file"];
  }
}

TEST(Reply, IsNothingForUnknownHostsAndOtherPages) {
  EXPECT_EQ(ask({.target = "/", .host = "evil.example"}).status, 403);
  EXPECT_EQ(ask({.target = "/", .origin = "http://evil.example"}).status, 403);
  EXPECT_EQ(ask({.target = "/", .origin = "http://localhost:3000"}).status, 403);
  EXPECT_EQ(ask({.target = "/", .origin = "null"}).status, 403);
  EXPECT_EQ(ask({.target = "/", .origin = "http://localhost:8017"}).status, 200);
}

TEST(Reply, IsNothingWithoutTheToken) {
  for (const char* target :
       {"/", "/playground.js", "/run", "/language", "/token", "/Token/", "/toke/", "/token2/",
        "/tokem/", "//token/", "/examples.json?token/", "token/", "", "*", "/../token/"}) {
    const Request request{.method = "POST",
                          .target = target,
                          .host = "localhost:8017",
                          .origin = "http://localhost:8017",
                          .content_type = "application/json",
                          .is_upgrade = true};
    const Reply reply = reply_to(request, {}, "token", "nonce");
    EXPECT_EQ(reply.status, 403) << target;
    EXPECT_EQ(reply.route, Route::Answer) << target;
  }
}

TEST(Reply, LeadsToTheLanguageServerFromItsOwnPageAlone) {
  const Request own{.target = "/language", .origin = "http://localhost:8017", .is_upgrade = true};
  EXPECT_EQ(ask(own).route, Route::Language);
  Request other = own;
  other.origin = "http://evil.example";
  EXPECT_EQ(ask(other).status, 403);
  other.origin = "";
  EXPECT_EQ(ask(other).status, 403);
  other = own;
  other.is_upgrade = false;
  EXPECT_EQ(ask(other).status, 426);
}

TEST(Reply, RunsForItsOwnPageAlone) {
  const Request own{.method = "POST",
                    .target = "/run",
                    .origin = "http://localhost:8017",
                    .content_type = "application/json"};
  EXPECT_EQ(ask(own).route, Route::Run);
  Request other = own;
  other.origin = "";
  EXPECT_EQ(ask(other).status, 403);
  other = own;
  other.content_type = "text/plain";
  EXPECT_EQ(ask(other).status, 415);
  other = own;
  other.method = "GET";
  EXPECT_EQ(ask(other).status, 405);
  EXPECT_EQ(header(ask(other), "Allow"), "POST");
}

}  // namespace
}  // namespace tacet::playground
