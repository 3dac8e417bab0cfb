#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/initialize.h"

namespace tacet::lsp {
namespace {

auto field_error_of(const char* params) -> std::string {
  auto decoded = decode_document_position(Json::parse(params));
  return decoded ? "" : decoded.error().message;
}

TEST(Codec, WritesNumbersAsJsonDoes) {
  const std::vector<uint32_t> data = {0, 7, 10, 4294967295, 123456};
  EXPECT_EQ(Json::parse(encode_tokens("a\"b", data)), (Json{{"resultId", "a\"b"}, {"data", data}}));
  EXPECT_EQ(Json::parse(encode_tokens("", {})), (Json{{"resultId", ""}, {"data", Json::array()}}));
}

TEST(Codec, WritesLensesAsJsonDoes) {
  const std::vector<ProtocolLens> lenses = {{{{1, 2}, {1, 5}}, 3, 0}, {{{4, 0}, {4, 2}}, 5, 2}};
  const Json first = {
      {"range",
       {{"start", {{"line", 1}, {"character", 2}}}, {"end", {{"line", 1}, {"character", 5}}}}},
      {"data", {{"uri", "file:///\"a"}, {"of", 3}}}};
  const Json second = {
      {"range",
       {{"start", {{"line", 4}, {"character", 0}}}, {"end", {{"line", 4}, {"character", 2}}}}},
      {"data", {{"uri", "file:///\"a"}, {"of", 5}, {"kind", 2}}}};
  EXPECT_EQ(Json::parse(encode_lenses(lenses, "file:///\"a")), Json::array({first, second}));
  EXPECT_EQ(encode_lenses({}, "file:///b"), "[]");
}

TEST(Decode, NamesWhatIsWrong) {
  EXPECT_EQ(field_error_of("null"), "params: expected an object");
  EXPECT_EQ(field_error_of("{}"), "textDocument: expected an object");
  EXPECT_EQ(field_error_of(R"({"textDocument":{"uri":1}})"), "textDocument.uri: expected a string");
  EXPECT_EQ(field_error_of(R"({"textDocument":{"uri":"a"}})"), "position: expected an object");
  EXPECT_EQ(field_error_of(R"({"textDocument":{"uri":"a"},"position":{"line":-1,"character":0}})"),
            "position.line: expected an unsigned integer");
  EXPECT_EQ(field_error_of(R"({"textDocument":{"uri":"a"},"position":{"line":1,"character":2}})"),
            "");
}

TEST(Decode, NamesTheElementOfAnArray) {
  auto decoded = decode_did_change(
      Json::parse(R"({"textDocument":{"uri":"a"},"contentChanges":[{"text":""},{"text":3}]})"));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "contentChanges[1].text: expected a string");
}

TEST(Decode, HugePositionsMeanTheEnd) {
  auto decoded = decode_document_position(Json::parse(
      R"({"textDocument":{"uri":"a"},"position":{"line":9007199254740991,"character":5}})"));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->position.line, UINT32_MAX);
}

TEST(Decode, InitializeTakesWhatItUnderstands) {
  auto decoded = decode_initialize(Json::parse(R"({"processId":"x","trace":3,
    "workspaceFolders":[{"uri":"file:///w","name":"w"},7],"capabilities":{
      "general":{"positionEncodings":["utf-7","utf-32","utf-8"]},
      "textDocument":{"hover":{"contentFormat":["markdown","plaintext"]},"diagnostic":{}}}})"));
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->process_id);
  EXPECT_EQ(decoded->workspace_uris, std::vector<std::string>{"file:///w"});
  EXPECT_EQ(decoded->capabilities.position_encodings,
            (std::vector{PositionEncoding::Utf32, PositionEncoding::Utf8}));
  EXPECT_EQ(decoded->capabilities.hover_markup, MarkupKind::Markdown);
  EXPECT_TRUE(decoded->capabilities.pulls_diagnostics);
  EXPECT_FALSE(decode_initialize(Json::parse("[]")));
}

TEST(Encode, TokenDeltasMapTheOldToTheNew) {
  std::vector<std::vector<uint32_t>> samples = {{},     {1},    {1, 2, 3}, {1, 9, 3},    {1, 3},
                                                {2, 3}, {1, 2}, {1, 1, 1}, {1, 1, 1, 1}, {3, 2, 1}};
  for (const auto& before : samples) {
    for (const auto& after : samples) {
      Json delta = Json::parse(encode_tokens_delta("2", before, after));
      std::vector<uint32_t> patched = before;
      for (const Json& edit : delta["edits"]) {
        auto first = patched.begin() + edit["start"].get<ptrdiff_t>();
        auto at = patched.erase(first, first + edit["deleteCount"].get<ptrdiff_t>());
        auto data = edit["data"].get<std::vector<uint32_t>>();
        patched.insert(at, data.begin(), data.end());
      }
      EXPECT_EQ(patched, after);
    }
  }
}

TEST(Encode, CodeActionsFitTheClient) {
  ProtocolCodeAction action;
  action.title = "insert `;`";
  action.kind = "quickfix";
  action.document = {"file:///a", 3, {{{{0, 1}, {0, 1}}, ";"}}};
  ClientCapabilities client;
  Json plain = Json::parse(encode_code_actions({&action, 1}, client));
  EXPECT_EQ(plain[0]["edit"]["changes"]["file:///a"][0]["newText"], ";");
  client.versioned_edits = true;
  Json versioned = Json::parse(encode_code_actions({&action, 1}, client));
  EXPECT_EQ(versioned[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 3);
}

}  // namespace
}  // namespace tacet::lsp
