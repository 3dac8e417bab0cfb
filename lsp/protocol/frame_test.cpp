#include "lsp/protocol/frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacet::lsp {
namespace {

/// Bodies as they are, errors as `! message`; fed in pieces of `step` bytes.
auto read_all(std::string_view bytes, size_t step, size_t max_body = 1000)
    -> std::vector<std::string> {
  FrameReader reader(max_body);
  std::vector<std::string> found;
  for (size_t i = 0; i < bytes.size(); i += step) {
    reader.feed(bytes.substr(i, step));
    while (auto next = reader.next()) {
      if (auto* body = std::get_if<std::string>(&*next)) {
        found.push_back(*body);
      } else {
        found.push_back("! " + std::get<FrameError>(*next).message);
      }
    }
  }
  return found;
}

using Strings = std::vector<std::string>;

/// The same bytes give the same frames however they are cut.
void expect_frames(std::string_view bytes, const Strings& expected) {
  for (size_t step : {size_t{1}, size_t{2}, size_t{7}, bytes.size() + 1}) {
    EXPECT_EQ(read_all(bytes, step), expected) << "in pieces of " << step;
  }
}

TEST(FrameReader, ReadsWhatFrameWrites) {
  expect_frames(frame("{}") + frame("") + frame("\r\n\r\n"), {"{}", "", "\r\n\r\n"});
}

TEST(FrameReader, TakesHeadersInAnyCaseAndOrder) {
  expect_frames("content-length: 2\r\n\r\n{}", {"{}"});
  expect_frames("CONTENT-LENGTH:2\r\nContent-Type: x; charset=utf8\r\n\r\n{}", {"{}"});
  expect_frames("Content-Type: x\r\nContent-Length:   2  \r\n\r\n{}", {"{}"});
  expect_frames("Content-Length: 2\n\n{}", {"{}"});
  expect_frames("\r\n\r\nContent-Length: 2\r\n\r\n{}", {"{}"});
}

TEST(FrameReader, ContinuesAfterABlockWithoutLength) {
  expect_frames("Content-Type: x\r\n\r\n" + frame("{}"),
                {"! malformed frame: header block without Content-Length", "{}"});
}

TEST(FrameReader, ContinuesAfterGarbage) {
  expect_frames("garbage\nmore garbage\r\n" + frame("{}") + frame("[]"),
                {"! malformed frame: invalid header", "{}", "[]"});
  expect_frames("{\"tail\":1}Content-Length: 2\r\n\r\n{}",
                {"! malformed frame: unexpected bytes before a header", "{}"});
}

TEST(FrameReader, ContinuesAfterATooShortLength) {
  expect_frames("Content-Length: 2\r\n\r\n{\"a\":1}" + frame("[]"),
                {"{\"", "! malformed frame: unexpected bytes before a header", "[]"});
}

TEST(FrameReader, RefusesLengthsThatAreNone) {
  for (std::string bad : {"-5", "abc", "", "1e3", "0x10", "99999999999999999999999"}) {
    auto found = read_all("Content-Length: " + bad + "\r\n\r\n" + frame("{}"), 3);
    ASSERT_EQ(found.size(), 2U) << bad;
    EXPECT_EQ(found[0].rfind("! malformed frame: ", 0), 0U) << found[0];
    EXPECT_NE(found[0].find("Content-Length"), std::string::npos) << found[0];
    EXPECT_EQ(found[1], "{}");
  }
}

TEST(FrameReader, RefusesWhatIsOverTheLimitWithoutWaitingForIt) {
  expect_frames("Content-Length: 1001\r\n\r\n" + std::string(1001, 'x') + "\n" + frame("{}"),
                {"! malformed frame: Content-Length 1001 exceeds the limit of 1000", "{}"});
}

TEST(FrameReader, ReportsAnEndlessLineOnceAndKeepsLittleOfIt) {
  FrameReader reader;
  size_t n_errors = 0;
  for (int i = 0; i < 1000; ++i) {
    reader.feed(std::string(4096, 'x'));
    while (auto next = reader.next()) {
      ASSERT_TRUE(std::holds_alternative<FrameError>(*next));
      ++n_errors;
    }
  }
  EXPECT_EQ(n_errors, 1U);
  reader.feed("\n" + frame("{}"));
  auto next = reader.next();
  ASSERT_TRUE(next && std::holds_alternative<std::string>(*next));
  EXPECT_EQ(std::get<std::string>(*next), "{}");
}

TEST(FrameReader, IsIdleBetweenFramesOnly) {
  FrameReader reader;
  EXPECT_TRUE(reader.is_idle());
  reader.feed("Content-Length: 2\r\n\r\n{");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.is_idle());
  reader.feed("}");
  EXPECT_TRUE(reader.next());
  EXPECT_TRUE(reader.is_idle());
}

}  // namespace
}  // namespace tacet::lsp
