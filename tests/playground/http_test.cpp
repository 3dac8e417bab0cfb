// Conversations in text. `> ` is sent, in front of an empty `>` the head and behind it the body,
// each block on a connection of its own; `< ` is expected of the answer: its status, then words
// that are somewhere in it, or, behind `!`, are not. What precedes the first is a comment. HOST is
// the playground's, and FOLDER that of all paths, with the token.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/playground/served.h"

namespace tacet::playground {
namespace {

struct Exchange {
  int line = 0;
  std::string head;
  std::string body;
  bool has_body = false;
  std::vector<std::string> wanted;
};

auto replaced(std::string text, const std::string& what, const std::string& by) -> std::string {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

auto read_exchanges(const std::filesystem::path& path, const Served& served)
    -> std::vector<Exchange> {
  std::ifstream file(path);
  std::vector<Exchange> exchanges;
  std::string line;
  int number = 0;
  bool is_sending = false;
  while (std::getline(file, line)) {
    ++number;
    line = replaced(replaced(line, "HOST", served.host()), "FOLDER", served.folder());
    if (line.starts_with(">")) {
      if (!is_sending) {
        exchanges.emplace_back().line = number;
      }
      is_sending = true;
      Exchange& exchange = exchanges.back();
      if (line == ">") {
        exchange.has_body = true;
      } else if (exchange.has_body) {
        exchange.body += line.substr(2);
      } else {
        exchange.head += line.substr(2) + "\r\n";
      }
    } else if (line.starts_with("< ")) {
      is_sending = false;
      exchanges.back().wanted.push_back(line.substr(2));
    } else if (!exchanges.empty()) {
      EXPECT_EQ(line, "") << path << ":" << number << ": neither sent nor expected";
    }
  }
  return exchanges;
}

class Http : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Http, IsAnsweredAsWrittenDown) {
  const Served served;
  const auto exchanges = read_exchanges(GetParam(), served);
  ASSERT_FALSE(exchanges.empty());
  for (const Exchange& exchange : exchanges) {
    SCOPED_TRACE(fmt::format("line {}", exchange.line));
    const std::string length =
        exchange.body.empty() ? "" : fmt::format("Content-Length: {}\r\n", exchange.body.size());
    const std::string answer =
        served.send(exchange.head + length + "Connection: close\r\n\r\n" + exchange.body);
    ASSERT_FALSE(exchange.wanted.empty());
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + exchange.wanted.front() + " ")) << answer;
    for (size_t i = 1; i < exchange.wanted.size(); ++i) {
      const std::string& words = exchange.wanted[i];
      if (words.starts_with("! ")) {
        EXPECT_EQ(answer.find(words.substr(2)), std::string::npos) << words << "\n" << answer;
      } else {
        EXPECT_NE(answer.find(words), std::string::npos) << words << "\n" << answer;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conversations, Http,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/playground", .endings = {".http"}, .least = 3})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet::playground
