#pragma once

#include <map>
#include <random>
#include <string>

#include "tests/fuzz/mirrored_text.h"
#include "tests/fuzz/server_session.h"

namespace tacet::fuzz {

/// What a client knows of a document that it keeps open.
struct ClientDocument {
  MirroredText text;
  int64_t version = 1;
  /// The tokens it was given last, and under which name; empty before.
  std::string tokens_id = {};
  Json tokens = Json::array();
};

using ClientDocuments = std::map<std::string, ClientDocument>;

/// Compares a server with a history to a fresh one with the same state: sends both the same
/// requests, and ends the process where the answers differ.
class ServerComparison {
 public:
  ServerComparison(ServerSession& found, ServerSession& expected, PositionEncoding encoding,
                   std::mt19937_64& random)
      : found_(found), expected_(expected), encoding_(encoding), random_(random) {}

  /// The diagnostics and tokens of each document, and some of what else can be asked.
  void compare(ClientDocuments& documents, bool pulls);

 private:
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }
  void ask_both(std::string_view method, const Json& params);
  void compare_diagnostics(const std::string& uri, const ClientDocument& document, bool pulls);
  void compare_tokens(const std::string& uri, ClientDocument& document);
  void ask_both_and_resolve(std::string_view method, std::string_view resolve, const Json& params);
  auto any_question(const std::string& uri, const MirroredText& text)
      -> std::pair<std::string_view, Json>;
  void expect_equal(std::string_view method, const Json& params, const Json& found,
                    const Json& expected);

  ServerSession& found_;
  ServerSession& expected_;
  PositionEncoding encoding_;
  std::mt19937_64& random_;
};

/// `data` with the edits of an answer to `textDocument/semanticTokens/full/delta`.
auto with_token_edits(Json data, const Json& edits) -> Json;

/// Where a character begins, or the line ends.
auto any_place_in(const MirroredText& text, PositionEncoding encoding, std::mt19937_64& random)
    -> LineColumn;

}  // namespace tacet::fuzz
