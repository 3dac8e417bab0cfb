#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "lsp/protocol/encode.h"
#include "lsp/protocol/message.h"

/// What editors get or ask for after every keystroke, of a whole file: written as text at once,
/// without a tree of JSON values.
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

static void append_position(std::string& out, Position at) {
  fmt::format_to(std::back_inserter(out), R"({{"character":{},"line":{}}})", at.column, at.line);
}

static void append_range(std::string& out, const Range& range) {
  out += R"({"end":)";
  append_position(out, range.end);
  out += R"(,"start":)";
  append_position(out, range.start);
  out += '}';
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
    out += out.size() > 1 ? R"(,{"data":{)" : R"({"data":{)";
    if (lens.data.kind != 0) {
      fmt::format_to(std::back_inserter(out), R"("kind":{},)", lens.data.kind);
    }
    fmt::format_to(std::back_inserter(out), R"("of":{},"uri":{}}},"range":)", lens.data.subject,
                   uri_text);
    append_range(out, lens.range);
    out += '}';
  }
  return out += ']';
}

auto encode_folds(std::span<const ProtocolFold> folds) -> std::string {
  std::string out = "[";
  for (const ProtocolFold& fold : folds) {
    fmt::format_to(std::back_inserter(out), R"({}{{"endCharacter":{},"endLine":{},)",
                   out.size() > 1 ? "," : "", fold.range.end.column, fold.range.end.line);
    if (!fold.kind.empty()) {
      fmt::format_to(std::back_inserter(out), R"("kind":"{}",)", fold.kind);
    }
    fmt::format_to(std::back_inserter(out), R"("startCharacter":{},"startLine":{}}})",
                   fold.range.start.column, fold.range.start.line);
  }
  return out += ']';
}

static void append_symbols(std::string& out, std::span<const ProtocolSymbol> symbols) {
  out += '[';
  const size_t before = out.size();
  for (const ProtocolSymbol& symbol : symbols) {
    out += out.size() > before ? ",{" : "{";
    if (!symbol.children.empty()) {
      out += R"("children":)";
      append_symbols(out, symbol.children);
      out += ',';
    }
    if (!symbol.detail.empty()) {
      out += R"("detail":)" + json_string(symbol.detail) + ",";
    }
    fmt::format_to(std::back_inserter(out), R"("kind":{},"name":{},"range":)", symbol.kind,
                   json_string(symbol.name));
    append_range(out, symbol.range);
    out += R"(,"selectionRange":)";
    append_range(out, symbol.selection);
    out += '}';
  }
  out += ']';
}

auto encode_symbols(std::span<const ProtocolSymbol> symbols) -> std::string {
  std::string out;
  append_symbols(out, symbols);
  return out;
}

/// A message as Markdown: code is in backticks already, and notes become paragraphs.
static auto markdown(std::string_view message) -> std::string {
  std::string out;
  bool is_code = false;
  for (const char c : message) {
    is_code = is_code != (c == '`');
    if (c == '\n') {
      out += "\n\n";
      continue;
    }
    const bool is_markup = std::string_view("\\*_<>[]#~|").find(c) != std::string_view::npos;
    out += is_markup && !is_code ? "\\" : "";
    out += c;
  }
  return out;
}

static void append_diagnostic(std::string& out, const ProtocolDiagnostic& diagnostic,
                              const ClientCapabilities& client) {
  out += R"({"code":)" + json_string(diagnostic.code);
  if (!diagnostic.page.empty()) {
    out += R"(,"codeDescription":{"href":)" + json_string(diagnostic.page) + "}";
  }
  out += client.markup_messages ? R"(,"message":{"kind":"markdown","value":)" +
                                      json_string(markdown(diagnostic.message)) + "}"
                                : R"(,"message":)" + json_string(diagnostic.message);
  out += R"(,"range":)";
  append_range(out, diagnostic.range);
  if (client.related_information && !diagnostic.related.empty()) {
    out += R"(,"relatedInformation":[)";
    for (const RelatedInformation& related : diagnostic.related) {
      out += &related == &diagnostic.related.front() ? "" : ",";
      out += R"({"location":{"range":)";
      append_range(out, related.location.range);
      out += R"(,"uri":)" + json_string(related.location.uri);
      out += R"(},"message":)" + json_string(related.message) + "}";
    }
    out += ']';
  }
  fmt::format_to(std::back_inserter(out), R"(,"severity":{},"source":"tacet")",
                 diagnostic.severity);
  if (!diagnostic.tags.empty()) {
    out += fmt::format(R"(,"tags":[{}])", fmt::join(diagnostic.tags, ","));
  }
  out += '}';
}

auto encode_diagnostics(std::span<const ProtocolDiagnostic> diagnostics,
                        const ClientCapabilities& client) -> std::string {
  std::string out = "[";
  for (const ProtocolDiagnostic& diagnostic : diagnostics) {
    out += out.size() > 1 ? "," : "";
    append_diagnostic(out, diagnostic, client);
  }
  return out += ']';
}

}  // namespace tacet::lsp
