#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lsp/protocol/encode.h"
#include "lsp/protocol/message.h"

/// Answers of thousands of numbers, which editors ask for after every keystroke: written as text at
/// once, without a tree of JSON values.
namespace tacet::lsp {

/// Appends `data`, separated by commas.
static void append_numbers(std::string& out, std::span<const uint32_t> data) {
  static constexpr size_t kMostDigits = 10;
  const size_t before = out.size();
  out.resize(before + data.size() * (kMostDigits + 1));
  char* at = out.data() + before;
  for (const uint32_t number : data) {
    at = std::to_chars(at, at + kMostDigits, number).ptr;
    *at++ = ',';
  }
  out.resize(static_cast<size_t>(at - out.data()) - (data.empty() ? 0 : 1));
}

auto encode_tokens(std::string_view result_id, std::span<const uint32_t> data) -> std::string {
  std::string out = fmt::format(R"({{"resultId":{},"data":[)", json_string(result_id));
  append_numbers(out, data);
  return out += "]}";
}

auto encode_tokens_delta(std::string_view result_id, std::span<const uint32_t> before,
                         std::span<const uint32_t> after) -> std::string {
  auto [old_first, new_first] =
      std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto start = static_cast<size_t>(old_first - before.begin());
  auto [old_last, new_last] =
      std::mismatch(before.rbegin(), before.rend() - static_cast<ptrdiff_t>(start), after.rbegin(),
                    after.rend() - static_cast<ptrdiff_t>(start));
  size_t n_kept = static_cast<size_t>(old_last - before.rbegin());
  auto inserted = after.subspan(start, after.size() - n_kept - start);
  size_t n_deleted = before.size() - n_kept - start;
  if (inserted.empty() && n_deleted == 0) {
    return fmt::format(R"({{"resultId":{},"edits":[]}})", json_string(result_id));
  }
  std::string out =
      fmt::format(R"({{"resultId":{},"edits":[{{"start":{},"deleteCount":{},"data":[)",
                  json_string(result_id), start, n_deleted);
  append_numbers(out, inserted);
  return out += "]}]}";
}

static auto position_text(Position at) -> std::string {
  return fmt::format(R"({{"character":{},"line":{}}})", at.column, at.line);
}

auto encode_lenses(std::span<const ProtocolLens> lenses) -> std::string {
  std::string out = "[";
  std::string_view uri;
  std::string uri_text;
  for (const ProtocolLens& lens : lenses) {
    if (uri_text.empty() || uri != lens.data.uri) {
      uri = lens.data.uri;
      uri_text = json_string(uri);
    }
    const std::string kind =
        lens.data.kind == 0 ? "" : fmt::format(R"("kind":{},)", lens.data.kind);
    out += fmt::format(R"({}{{"data":{{{}"of":{},"uri":{}}},"range":{{"end":{},"start":{}}}}})",
                       out.size() > 1 ? "," : "", kind, lens.data.subject, uri_text,
                       position_text(lens.range.end), position_text(lens.range.start));
  }
  return out += "]";
}

}  // namespace tacet::lsp
