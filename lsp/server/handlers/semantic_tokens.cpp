#include <algorithm>

#include "lsp/ide/name_colours.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto token_legend() -> TokenLegend {
  return {
      {"namespace", "type", "class", "enum", "struct", "typeParameter", "parameter", "variable",
       "property", "function", "keyword", "comment", "string", "number", "operator", "decorator"},
      {"declaration", "definition", "readonly", "documentation", "defaultLibrary", "modification",
       "secret"}};
}

/// Writes tokens as five numbers each, relative to the token before. A token that spans
/// lines is written as one per line, which every client understands.
class TokenWriter {
 public:
  explicit TokenWriter(PositionMapper& positions) : positions_(positions) {}

  void add(const ide::Token& token) {
    uint32_t begin = token.range.begin;
    while (begin < token.range.end) {
      Position start = positions_.position(begin);
      TextRange line = positions_.lines().line_range(positions_.text(), start.line);
      uint32_t end = std::min(token.range.end, line.end);
      if (begin < end) {
        write(start, positions_.position(end).column - start.column, token);
      }
      if (token.range.end <= line.end) {
        return;
      }
      uint32_t next_line =
          positions_.lines().offset(positions_.text(), {start.line + 1, 0}, positions_.encoding());
      if (next_line <= begin) {
        return;
      }
      begin = next_line;
    }
  }

  auto take() -> std::vector<uint32_t> { return std::move(data_); }

 private:
  void write(Position start, uint32_t length, const ide::Token& token) {
    uint32_t lines_down = start.line - last_.line;
    uint32_t column = lines_down == 0 ? start.column - last_.column : start.column;
    data_.insert(data_.end(),
                 {lines_down, column, length, static_cast<uint32_t>(token.kind), token.modifiers});
    last_ = start;
  }

  PositionMapper& positions_;
  Position last_;
  std::vector<uint32_t> data_;
};

/// Does the editor's own grammar colour the token as well as the server could? Only the server
/// distinguishes documentation.
static auto is_lexical(const ide::Token& token) -> bool {
  switch (token.kind) {
    case ide::TokenKind::Keyword:
    case ide::TokenKind::Comment:
    case ide::TokenKind::String:
    case ide::TokenKind::Number:
    case ide::TokenKind::Operator:
      return token.modifiers == 0;
    case ide::TokenKind::Namespace:
    case ide::TokenKind::Type:
    case ide::TokenKind::Class:
    case ide::TokenKind::Enum:
    case ide::TokenKind::Struct:
    case ide::TokenKind::TypeParameter:
    case ide::TokenKind::Parameter:
    case ide::TokenKind::Variable:
    case ide::TokenKind::Property:
    case ide::TokenKind::Function:
    case ide::TokenKind::Decorator:
      break;
  }
  return false;
}

static auto token_data(const RequestContext& context, FileView& view, TextRange range)
    -> std::vector<uint32_t> {
  TokenWriter writer(view.positions());
  const Client& client = *context.client;
  const bool leaves_out = client.capabilities.augments_syntax_tokens && !client.settings.all_tokens;
  for (const ide::Token& token : ide::semantic_tokens(*context.analysis, view.file(), range)) {
    if (!leaves_out || !is_lexical(token)) {
      writer.add(token);
    }
  }
  return writer.take();
}

static auto whole(const FileView& view) -> TextRange {
  return {0, static_cast<uint32_t>(view.text().size())};
}

auto semantic_tokens_full(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& decoded, FileView& view) -> Answer {
        auto entry =
            context.token_cache->store(decoded.uri, token_data(context, view, whole(view)));
        return encode_tokens(entry->result_id, entry->data);
      });
}

auto semantic_tokens_delta(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_tokens_delta, [&](auto& decoded, FileView& view) -> Answer {
        auto before = context.token_cache->find(decoded.uri, decoded.previous_result_id);
        auto entry =
            context.token_cache->store(decoded.uri, token_data(context, view, whole(view)));
        return before == nullptr ? encode_tokens(entry->result_id, entry->data)
                                 : encode_tokens_delta(entry->result_id, before->data, entry->data);
      });
}

auto semantic_tokens_range(const RequestContext& context, const Json& params) -> Answer {
  return of_document(context, params, decode_document_range,
                     [&](auto& decoded, FileView& view) -> Answer {
                       TextRange range = view.positions().text_range(decoded.range);
                       return encode_tokens("", token_data(context, view, range));
                     });
}

}  // namespace tacet::lsp
