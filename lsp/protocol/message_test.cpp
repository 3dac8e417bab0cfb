#include "lsp/protocol/message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lsp/protocol/repair.h"

namespace tacet::lsp {
namespace {

auto error_of(std::string_view body) -> std::string {
  Message message = parse_message(body);
  const auto* bad = std::get_if<Malformed>(&message.content);
  return bad == nullptr ? "" : encode_error(bad->id, bad->error);
}

TEST(Message, ReadsRequestsNotificationsAndResponses) {
  Message message = parse_message(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}})");
  auto& request = std::get<Request>(message.content);
  EXPECT_EQ(id_text(request.id), "7");
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ(to_text(*request.params), R"({"a":1})");

  message = parse_message(R"({"jsonrpc":"2.0","method":"n"})");
  EXPECT_TRUE(std::get<Notification>(message.content).params->is_null());

  message = parse_message(R"({"jsonrpc":"2.0","id":"x","result":null})");
  EXPECT_FALSE(std::get<Response>(message.content).error);

  message = parse_message(R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}})");
  EXPECT_EQ(std::get<Response>(message.content).error, "no");
}

TEST(Message, AnswersWhatItCannotRead) {
  EXPECT_NE(error_of("{").find("-32700"), std::string::npos);
  EXPECT_NE(error_of("").find("-32700"), std::string::npos);
  EXPECT_NE(error_of("{\"a\":1e999}").find("-32700"), std::string::npos);
  EXPECT_NE(error_of("[]").find("-32600"), std::string::npos);
  EXPECT_NE(error_of(R"([{"jsonrpc":"2.0","id":1,"method":"m"}])").find("-32600"),
            std::string::npos);
  EXPECT_NE(error_of("3").find("-32600"), std::string::npos);
  EXPECT_NE(error_of(R"({"id":1.5,"method":"m"})").find("\"id\":null"), std::string::npos);
  EXPECT_NE(error_of(R"({"id":1,"method":2})").find("\"id\":1"), std::string::npos);
  EXPECT_NE(error_of(R"({"id":1})").find("-32600"), std::string::npos);
  EXPECT_NE(error_of("{}").find("-32600"), std::string::npos);
}

TEST(Message, NestingOfAnyDepthIsSurvived) {
  std::string deep(1'000'000, '[');
  EXPECT_NE(error_of(deep).find("-32700"), std::string::npos);
  EXPECT_NE(error_of(deep + std::string(deep.size(), ']')).find("-32600"), std::string::npos);
}

TEST(Message, ReadsTextThatIsNoTextAsReplacementCharacters) {
  Message message = parse_message("{\"method\":\"a\\ud800b\\udc00\\ud83d\\ude00c\xFF\"}");
  EXPECT_TRUE(message.was_repaired);
  EXPECT_EQ(std::get<Notification>(message.content).method, "a\uFFFDb\uFFFD\U0001F600c\uFFFD");
}

TEST(Repair, LeavesGoodTextAlone) {
  for (std::string text : {R"("\\ud800")", R"("\"\u00e9\ud83d\ude00")", "\"é\"", "\\", "\\u12"}) {
    EXPECT_EQ(repair_json(text), text);
  }
}

/// Strings are escaped as the library does it.
TEST(Message, WritesStrings) {
  for (int first = 0; first < 256; ++first) {
    for (const std::string& around :
         {std::string(), std::string("12345678"), std::string("\n\u00e9")}) {
      const std::string text = around + static_cast<char>(first) + around + "\"";
      EXPECT_EQ(json_string(text), to_text(Json(text))) << first;
      const std::string unquoted = around + static_cast<char>(first) + around;
      EXPECT_EQ(is_plain_json(unquoted), to_text(Json(unquoted)) == '"' + unquoted + '"') << first;
    }
  }
}

TEST(Message, WritesAnswers) {
  EXPECT_EQ(encode_result(RequestId{int64_t{1}}, "{}"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(encode_error(RequestId{"a\"b"}, {ErrorCode::InvalidParams, "no\xFF", "{\"a\":1}"}),
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"error\":{\"code\":-32602,\"message\":"
            "\"no\uFFFD\",\"data\":{\"a\":1}}}");
}

}  // namespace
}  // namespace tacet::lsp
