#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lsp/protocol/encode.h"
#include "lsp/protocol/message.h"

namespace tacet::lsp {

static auto range_text(const Range& range) -> std::string {
  return fmt::format(
      R"({{"end":{{"character":{},"line":{}}},"start":{{"character":{},"line":{}}}}})",
      range.end.column, range.end.line, range.start.column, range.start.line);
}

static auto completion_edit(const ProtocolCompletions& all, std::string_view label, bool is_label,
                            const ClientCapabilities& client) -> std::string {
  if (client.completion_default_range) {
    return is_label ? std::string() : fmt::format(R"(,"textEditText":{})", label);
  }
  const std::string insert = range_text(all.insert);
  if (!client.completion_insert_replace) {
    return fmt::format(R"(,"textEdit":{{"range":{},"newText":{}}})", insert, label);
  }
  return fmt::format(R"(,"textEdit":{{"insert":{},"replace":{},"newText":{}}})", insert,
                     range_text(all.replace), label);
}

/// What holds for all items, once.
static auto list_defaults(const ProtocolCompletions& all, const ClientCapabilities& client)
    -> std::string {
  std::string defaults;
  if (client.completion_default_range) {
    const std::string insert = range_text(all.insert);
    const std::string range =
        client.completion_insert_replace
            ? fmt::format(R"({{"insert":{},"replace":{}}})", insert, range_text(all.replace))
            : insert;
    defaults = fmt::format(R"("editRange":{})", range);
  }
  if (client.completion_merges_data) {
    defaults +=
        fmt::format(R"({}"data":{{"uri":{}}})", defaults.empty() ? "" : ",", json_string(all.uri));
  }
  return defaults.empty()
             ? defaults
             : fmt::format(R"("itemDefaults":{{{}}},{})", defaults,
                           client.completion_merges_data ? R"("applyKind":{"data":2},)" : "");
}

static auto inserted_text(const ProtocolCompletions& all, const ProtocolCompletion& item,
                          std::string_view label, const ClientCapabilities& client) -> std::string {
  if (item.snippet.empty()) {
    return completion_edit(all, label, true, client);
  }
  const std::string filter = item.keyword.empty()
                                 ? std::string()
                                 : fmt::format(R"(,"filterText":{})", json_string(item.keyword));
  return fmt::format(R"({},"insertTextFormat":2{})", filter,
                     client.completion_adjusts_indentation ? R"(,"insertTextMode":2)" : "") +
         completion_edit(all, json_string(item.snippet), false, client);
}

auto encode_completions(const ProtocolCompletions& completions, const ClientCapabilities& client)
    -> std::string {
  std::string out = fmt::format(R"({{"isIncomplete":{},)", completions.is_incomplete);
  out += list_defaults(completions, client);
  out += "\"items\":[";
  const std::string uri = client.completion_merges_data
                              ? std::string()
                              : fmt::format(R"("uri":{},)", json_string(completions.uri));
  size_t n_before = 0;
  for (const ProtocolCompletion& item : completions.items) {
    const std::string label = json_string(item.label);
    // Clients sort by text what they match equally well.
    out += fmt::format(R"({}{{"label":{},"kind":{},"sortText":"{:04}")", n_before == 0 ? "" : ",",
                       label, item.kind, n_before);
    ++n_before;
    if (!item.detail.empty()) {
      out += fmt::format(R"(,"detail":{})", json_string(item.detail));
    }
    out += inserted_text(completions, item, label, client);
    if (!item.module.empty() && client.completion_label_details) {
      out += fmt::format(R"(,"labelDetails":{{"description":{}}})", json_string(item.module));
    }
    if (item.other_edit) {
      out += fmt::format(R"(,"additionalTextEdits":{})",
                         encode_text_edits(std::span(&*item.other_edit, 1)));
    }
    if (!item.documented.empty()) {
      out += fmt::format(R"(,"data":{{{}"of":{}}})", uri, json_string(item.documented));
    }
    out += '}';
  }
  return out + "]}";
}

auto encode_resolved_completion(const Json& item, MarkupKind kind, std::string_view documentation,
                                std::string_view detail, std::span<const ProtocolTextEdit> edits)
    -> std::string {
  Json out = item;
  if (!detail.empty()) {
    out["detail"] = detail;
  }
  if (!edits.empty()) {
    out["additionalTextEdits"] = Json::parse(encode_text_edits(edits));
  }
  if (!documentation.empty()) {
    out["documentation"] = {{"kind", kind == MarkupKind::Markdown ? "markdown" : "plaintext"},
                            {"value", documentation}};
  }
  return to_text(out);
}

}  // namespace tacet::lsp
