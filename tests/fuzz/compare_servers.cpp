#include "tests/fuzz/compare_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tacet::fuzz {

static constexpr std::array<std::string_view, 7> kOfDocument = {
    "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/codeLens",
    "textDocument/documentLink",   "textDocument/formatting",   "tacet/runnables",
    "textDocument/nonsense"};
static constexpr std::array<std::string_view, 15> kAtPlace = {"textDocument/hover",
                                                              "textDocument/completion",
                                                              "textDocument/definition",
                                                              "textDocument/declaration",
                                                              "textDocument/typeDefinition",
                                                              "textDocument/implementation",
                                                              "textDocument/references",
                                                              "textDocument/documentHighlight",
                                                              "textDocument/linkedEditingRange",
                                                              "textDocument/prepareRename",
                                                              "textDocument/rename",
                                                              "textDocument/signatureHelp",
                                                              "textDocument/prepareCallHierarchy",
                                                              "textDocument/prepareTypeHierarchy",
                                                              "tacet/obliviousForm"};
static constexpr std::array<std::string_view, 4> kOfRange = {
    "textDocument/codeAction", "textDocument/inlayHint", "textDocument/semanticTokens/range",
    "textDocument/rangeFormatting"};
/// The rest of these is requested by another method.
static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kResolved = {
    {{"textDocument/codeAction", "codeAction/resolve"},
     {"textDocument/codeLens", "codeLens/resolve"},
     {"textDocument/inlayHint", "inlayHint/resolve"},
     {"textDocument/completion", "completionItem/resolve"}}};
static constexpr std::array<std::string_view, 9> kStages = {
    "tree", "ast", "hir", "ssa", "quotients", "annotated", "cps", "random", "oblivious"};

auto any_place_in(const MirroredText& text, PositionEncoding encoding, std::mt19937_64& random)
    -> LineColumn {
  const auto line = static_cast<uint32_t>(random() % text.n_lines());
  const std::vector<uint32_t> columns = text.columns(line, encoding);
  return {line, columns[random() % columns.size()]};
}

static auto json(LineColumn place) -> Json {
  return {{"line", place.line}, {"character", place.column}};
}

auto with_token_edits(Json data, const Json& edits) -> Json {
  // The places of all edits are those before any of them.
  std::vector<Json> last_first(edits.begin(), edits.end());
  std::stable_sort(last_first.begin(), last_first.end(),
                   [](const Json& a, const Json& b) { return a["start"] > b["start"]; });
  for (const Json& edit : last_first) {
    const size_t start = edit["start"];
    const size_t n_deleted = edit["deleteCount"];
    TACET_CHECK(start + n_deleted <= data.size(), "an edit of tokens that are not there");
    const auto begin = data.begin() + static_cast<ptrdiff_t>(start);
    data.erase(begin, begin + static_cast<ptrdiff_t>(n_deleted));
    if (edit.contains("data")) {
      data.insert(data.begin() + static_cast<ptrdiff_t>(start), edit["data"].begin(),
                  edit["data"].end());
    }
  }
  return data;
}

static auto content_of_item(Json item) -> Json {
  if (item.is_object()) {
    item.erase("data");
    if (item.contains("command") && item["command"].is_object()) {
      item["command"].erase("arguments");
    }
  }
  return item;
}

/// What follows from the text: not the names that a server gives its answers, nor the data of an
/// item for resolving it.
static auto content(Json answer) -> Json {
  if (answer.is_object()) {
    answer.erase("resultId");
  }
  Json& items = answer.is_object() && answer.contains("items") ? answer["items"] : answer;
  if (items.is_array()) {
    for (Json& item : items) {
      item = content_of_item(std::move(item));
    }
  }
  return answer;
}

/// The items of an answer; none if it is none with items.
static auto items_of(const Json& answer) -> const Json& {
  static const Json kNone = Json::array();
  const Json& items = answer.is_object() && answer.contains("items") ? answer["items"] : answer;
  return items.is_array() ? items : kNone;
}

void ServerComparison::expect_equal(std::string_view method, const Json& params, const Json& found,
                                    const Json& expected) {
  TACET_CHECK(found == expected,
              fmt::format("{} {}\nexpected {}\nfound    {}", method, lsp::to_text(params),
                          lsp::to_text(expected), lsp::to_text(found))
                  .c_str());
}

void ServerComparison::ask_both(std::string_view method, const Json& params) {
  const int64_t found = found_.request(method, params);
  const int64_t expected = expected_.request(method, params);
  expect_equal(method, params, content(found_.answer(found)), content(expected_.answer(expected)));
}

void ServerComparison::compare_diagnostics(const std::string& uri, const ClientDocument& document,
                                           bool pulls) {
  const Json params = {{"textDocument", {{"uri", uri}}}};
  const Json expected = expected_.ask("textDocument/diagnostic", params)["items"];
  if (!pulls) {
    found_.wait_for_push(uri, document.version, expected);
    return;
  }
  expect_equal("textDocument/diagnostic", params,
               found_.ask("textDocument/diagnostic", params)["items"], expected);
}

void ServerComparison::compare_tokens(const std::string& uri, ClientDocument& document) {
  Json params = {{"textDocument", {{"uri", uri}}}};
  const Json expected = expected_.ask("textDocument/semanticTokens/full", params);
  if (document.tokens_id.empty()) {
    const Json found = found_.ask("textDocument/semanticTokens/full", params);
    document.tokens = found["data"];
    document.tokens_id = found["resultId"];
  } else {
    params["previousResultId"] = document.tokens_id;
    const Json found = found_.ask("textDocument/semanticTokens/full/delta", params);
    document.tokens = found.contains("data")
                          ? found["data"]
                          : with_token_edits(std::move(document.tokens), found["edits"]);
    document.tokens_id = found["resultId"];
  }
  expect_equal("textDocument/semanticTokens/full/delta", params, document.tokens, expected["data"]);
}

/// The items of an answer, and the rest of some of them, as a client asks for it.
void ServerComparison::ask_both_and_resolve(std::string_view method, std::string_view resolve,
                                            const Json& params) {
  const Json found = found_.ask(method, params);
  const Json expected = expected_.ask(method, params);
  expect_equal(method, params, content(found), content(expected));
  std::set<size_t> chosen;
  for (size_t i = 0; i < 3 && !items_of(found).empty(); ++i) {
    chosen.insert(below(static_cast<uint32_t>(items_of(found).size())));
  }
  std::erase_if(chosen, [&](size_t i) { return !items_of(found)[i].contains("data"); });
  // Once to begin what is searched for, once for what it found.
  for (const size_t i : chosen) {
    found_.request(resolve, items_of(found)[i]);
    expected_.request(resolve, items_of(expected)[i]);
  }
  if (!found_.settle_searches() || !expected_.settle_searches()) {
    return;
  }
  for (const size_t i : chosen) {
    expect_equal(resolve, items_of(found)[i],
                 content_of_item(found_.ask(resolve, items_of(found)[i])),
                 content_of_item(expected_.ask(resolve, items_of(expected)[i])));
  }
}

auto ServerComparison::any_question(const std::string& uri, const MirroredText& text)
    -> std::pair<std::string_view, Json> {
  const Json at = json(any_place_in(text, encoding_, random_));
  Json params = {{"textDocument", {{"uri", uri}}},
                 {"position", at},
                 {"range", {{"start", at}, {"end", json(any_place_in(text, encoding_, random_))}}},
                 {"options", {{"tabSize", 4}, {"insertSpaces", true}}},
                 {"context", {{"diagnostics", Json::array()}, {"includeDeclaration", true}}},
                 {"newName", "renamed"}};
  switch (below(5)) {
    case 0:
      return {kOfDocument[below(kOfDocument.size())], std::move(params)};
    case 1:
      return {kOfRange[below(kOfRange.size())], std::move(params)};
    case 2:
      params["stage"] = kStages[below(kStages.size())];
      return {"tacet/stage", std::move(params)};
    default:
      return {kAtPlace[below(kAtPlace.size())], std::move(params)};
  }
}

void ServerComparison::compare(ClientDocuments& documents, bool pulls) {
  found_.settle();
  expected_.settle();
  using Question = std::pair<std::string_view, Json>;
  std::vector<Question> questions;
  for (auto& [uri, document] : documents) {
    compare_diagnostics(uri, document, pulls);
    compare_tokens(uri, document);
    for (uint32_t i = 0; i < 4; ++i) {
      questions.push_back(any_question(uri, document.text));
    }
  }
  // What takes a search says so until it has ended: once to begin it, once for what it found.
  for (const auto& [method, params] : questions) {
    found_.request(method, params);
    expected_.request(method, params);
  }
  if (!found_.settle_searches() || !expected_.settle_searches()) {
    return;
  }
  for (const Question& question : questions) {
    const std::string_view method = question.first;
    const Json& params = question.second;
    const auto resolve = std::find_if(kResolved.begin(), kResolved.end(),
                                      [&](const auto& pair) { return pair.first == method; });
    if (resolve != kResolved.end()) {
      ask_both_and_resolve(method, resolve->second, params);
    } else {
      ask_both(method, params);
    }
  }
  ask_both("workspace/symbol", {{"query", below(2) == 0 ? "" : "o"}});
}

}  // namespace tacet::fuzz
