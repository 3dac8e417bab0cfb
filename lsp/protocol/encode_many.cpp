#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

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
                         std::span<const uint32_t> after, size_t n_in_front) -> std::string {
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
                  json_string(result_id), n_in_front + start, n_deleted);
  append_numbers(out, inserted);
  return out += "]}]}";
}

/// Writes parts of JSON text to memory, one behind the other. What is sent of a large file has ten
/// thousands of numbers, for which a format string would have to be read each time.
class TextWriter {
 public:
  /// The most characters that a number takes.
  static constexpr size_t kNumber = 20;

  explicit TextWriter(char* at) : at_(at) {}

  template <size_t kSize>
  auto text(const char (&text)[kSize]) -> TextWriter& {
    std::memcpy(at_, text, kSize - 1);
    at_ += kSize - 1;
    return *this;
  }

  template <class Number>
  auto number(Number number) -> TextWriter& {
    at_ = std::to_chars(at_, at_ + kNumber, number).ptr;
    return *this;
  }

  auto position(Position at) -> TextWriter& {
    return text(R"({"character":)").number(at.column).text(R"(,"line":)").number(at.line).text("}");
  }

  auto range(const Range& range) -> TextWriter& {
    return text(R"({"end":)")
        .position(range.end)
        .text(R"(,"start":)")
        .position(range.start)
        .text("}");
  }

  [[nodiscard]] auto end() const -> char* { return at_; }

 private:
  char* at_;
};

/// Appends what `write` writes, at most `kMost` characters.
template <size_t kMost, class Write>
static void append_parts(std::string& out, const Write& write) {
  std::array<char, kMost> parts;
  TextWriter writer(parts.data());
  write(writer);
  out.append(parts.data(), writer.end());
}

/// The most characters that a range takes, and some words around it.
static constexpr size_t kRangeAndWords = 256;

static void append_range(std::string& out, const Range& range) {
  append_parts<kRangeAndWords>(out, [&](TextWriter& to) { to.range(range); });
}

/// Appends `text` as a string of JSON.
static void append_string(std::string& out, std::string_view text) {
  if (is_plain_json(text)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out += json_string(text);
  }
}

auto encode_lenses(std::span<const ProtocolLens> lenses, std::string_view uri) -> std::string {
  const std::string uri_text = json_string(uri);
  std::string out = "[";
  out.reserve(lenses.size() * (uri_text.size() + 128));
  for (const ProtocolLens& lens : lenses) {
    append_parts<kRangeAndWords>(out, [&](TextWriter& to) {
      if (out.size() > 1) {
        to.text(",");
      }
      to.text(R"({"data":{)");
      if (lens.kind != 0) {
        to.text(R"("kind":)").number(lens.kind).text(",");
      }
      to.text(R"("of":)").number(lens.subject).text(R"(,"uri":)");
    });
    out += uri_text;
    append_parts<kRangeAndWords>(
        out, [&](TextWriter& to) { to.text(R"(},"range":)").range(lens.range).text("}"); });
  }
  return out += ']';
}

auto encode_folds(std::span<const ProtocolFold> folds) -> std::string {
  std::string out = "[";
  out.reserve(folds.size() * 96);
  for (const ProtocolFold& fold : folds) {
    append_parts<kRangeAndWords>(out, [&](TextWriter& to) {
      if (out.size() > 1) {
        to.text(",");
      }
      to.text(R"({"endCharacter":)").number(fold.range.end.column);
      to.text(R"(,"endLine":)").number(fold.range.end.line);
    });
    if (!fold.kind.empty()) {
      out += R"(,"kind":)";
      append_string(out, fold.kind);
    }
    append_parts<kRangeAndWords>(out, [&](TextWriter& to) {
      to.text(R"(,"startCharacter":)").number(fold.range.start.column);
      to.text(R"(,"startLine":)").number(fold.range.start.line).text("}");
    });
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
      out += R"("detail":)";
      append_string(out, symbol.detail);
      out += ',';
    }
    append_parts<kRangeAndWords>(out, [&](TextWriter& to) {
      to.text(R"("kind":)").number(symbol.kind).text(R"(,"name":)");
    });
    append_string(out, symbol.name);
    append_parts<2 * kRangeAndWords>(out, [&](TextWriter& to) {
      to.text(R"(,"range":)").range(symbol.range);
      to.text(R"(,"selectionRange":)").range(symbol.selection).text("}");
    });
  }
  out += ']';
}

auto encode_symbols(std::span<const ProtocolSymbol> symbols) -> std::string {
  std::string out;
  out.reserve(symbols.size() * 320);
  append_symbols(out, symbols);
  return out;
}

/// A line of a message as Markdown: code is in backticks already.
static auto markdown_line(std::string_view line) -> std::string {
  std::string out;
  bool is_code = false;
  for (const char c : line) {
    is_code = is_code != (c == '`');
    const bool is_markup = std::string_view("\\*_<>[]#~|").find(c) != std::string_view::npos;
    out += is_markup && !is_code ? "\\" : "";
    out += c;
  }
  return out;
}

/// A message as Markdown: notes become paragraphs, and tables, whose columns are aligned by blanks,
/// stay as they are.
static auto markdown(std::string_view message) -> std::string {
  std::string out;
  bool is_table = false;
  for (size_t begin = 0; begin <= message.size();) {
    const size_t end = std::min(message.find('\n', begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    const bool is_row = line.find("  ") != std::string_view::npos;
    if (is_table && !is_row) {
      out += "\n```";
    }
    out += out.empty() ? "" : is_table && is_row ? "\n" : "\n\n";
    out += is_row && !is_table ? "```text\n" : "";
    out += is_row ? std::string(line) : markdown_line(line);
    is_table = is_row;
    begin = end + 1;
  }
  return out += is_table ? "\n```" : "";
}

/// The tree of reasons as nested lists, with links to their places.
static auto markdown(std::span<const ProtocolDiagnostic::Reason> reasons) -> std::string {
  std::string out;
  for (const ProtocolDiagnostic::Reason& reason : reasons) {
    out += out.empty() ? "\n\nbecause\n" : "";
    out += fmt::format("\n{}- {}", std::string(2 * size_t{reason.depth}, ' '),
                       markdown_line(reason.text));
    if (reason.location) {
      const Position begin = reason.location->range.start;
      out += fmt::format(" ([line {0}]({1}#L{0},{2}))", begin.line + 1, reason.location->uri,
                         begin.column + 1);
    }
  }
  return out;
}

static void append_diagnostic(std::string& out, const ProtocolDiagnostic& diagnostic,
                              const ClientCapabilities& client) {
  out += R"({"code":)";
  append_string(out, diagnostic.code);
  if (!diagnostic.page.empty()) {
    out += R"(,"codeDescription":{"href":)";
    append_string(out, diagnostic.page);
    out += '}';
  }
  if (client.markup_messages) {
    out += R"(,"message":{"kind":"markdown","value":)";
    append_string(out, markdown(diagnostic.message) + markdown(diagnostic.reasons));
    out += '}';
  } else {
    out += R"(,"message":)";
    append_string(out, diagnostic.message);
  }
  out += R"(,"range":)";
  append_range(out, diagnostic.range);
  if (client.related_information && !diagnostic.related.empty()) {
    out += R"(,"relatedInformation":[)";
    for (const RelatedInformation& related : diagnostic.related) {
      out += &related == &diagnostic.related.front() ? "" : ",";
      out += R"({"location":{"range":)";
      append_range(out, related.location.range);
      out += R"(,"uri":)";
      append_string(out, related.location.uri);
      out += R"(},"message":)";
      append_string(out, related.message);
      out += '}';
    }
    out += ']';
  }
  append_parts<kRangeAndWords>(out, [&](TextWriter& to) {
    to.text(R"(,"severity":)").number(diagnostic.severity).text(R"(,"source":"tacet")");
  });
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
