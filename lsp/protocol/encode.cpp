#include "lsp/protocol/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/protocol/message.h"

namespace tacet::lsp {

static auto json(Position position) -> Json {
  return {{"line", position.line}, {"character", position.column}};
}

static auto json(const Range& range) -> Json {
  return {{"start", json(range.start)}, {"end", json(range.end)}};
}

static auto json(const Location& location) -> Json {
  return {{"uri", location.uri}, {"range", json(location.range)}};
}

static auto json(const LocationLink& link) -> Json {
  return {{"originSelectionRange", json(link.origin)},
          {"targetUri", link.uri},
          {"targetRange", json(link.target)},
          {"targetSelectionRange", json(link.target_selection)}};
}

static auto json(const ProtocolTextEdit& edit) -> Json {
  if (edit.is_snippet) {
    return {{"range", json(edit.range)},
            {"snippet", {{"kind", "snippet"}, {"value", edit.new_text}}}};
  }
  return {{"range", json(edit.range)}, {"newText", edit.new_text}};
}

static auto json(const ProtocolHighlight& highlight) -> Json {
  return {{"range", json(highlight.range)}, {"kind", highlight.kind}};
}

static auto json(const ProtocolHint& hint) -> Json {
  Json out = {{"position", json(hint.position)}, {"label", hint.label}};
  if (hint.kind != 0) {
    out["kind"] = hint.kind;
  }
  if (hint.padding_left) {
    out["paddingLeft"] = true;
  }
  if (hint.padding_right) {
    out["paddingRight"] = true;
  }
  if (!hint.uri.empty()) {
    out["data"] = {{"uri", hint.uri}};
  }
  if (hint.edit) {
    out["textEdits"] = Json::array({json(*hint.edit)});
  }
  if (!hint.tooltip.empty()) {
    out["tooltip"] = hint.tooltip;
  }
  return out;
}

template <class T>
static auto array_text(std::span<const T> values) -> std::string {
  Json out = Json::array();
  for (const T& value : values) {
    out.push_back(json(value));
  }
  return to_text(out);
}

static auto markup_name(MarkupKind kind) -> const char* {
  return kind == MarkupKind::Markdown ? "markdown" : "plaintext";
}

auto encode_virtual_document(const ProtocolVirtualDocument& document) -> std::string {
  return to_text({{"uri", document.uri},
                  {"languageId", document.language},
                  {"text", document.text},
                  {"line", document.line}});
}

auto encode_locations(std::span<const Location> locations) -> std::string {
  return array_text(locations);
}

auto encode_location_links(std::span<const LocationLink> links) -> std::string {
  return array_text(links);
}

auto encode_highlights(std::span<const ProtocolHighlight> highlights) -> std::string {
  return array_text(highlights);
}

auto encode_linked_ranges(std::span<const Range> ranges) -> std::string {
  Json out = Json::array();
  for (const Range& range : ranges) {
    out.push_back(json(range));
  }
  return to_text({{"ranges", std::move(out)}});
}

auto encode_hints(std::span<const ProtocolHint> hints) -> std::string {
  return array_text(hints);
}

auto encode_resolved_hint(const Json& hint, const ProtocolHint& found) -> std::string {
  Json out = hint;
  if (found.edit) {
    out["textEdits"] = Json::array({json(*found.edit)});
  }
  if (!found.tooltip.empty()) {
    out["tooltip"] = found.tooltip;
  }
  return to_text(out);
}

/// The command of a lens. `data` is the argument of our own command.
static auto json(const ProtocolLensCommand& command, const Json& data,
                 const ClientCapabilities& client) -> Json {
  Json to = {{"title", command.title}, {"command", ""}};  // whatever the client has there
  if (!command.tooltip.empty()) {
    to["tooltip"] = command.tooltip;
  }
  if (command.run) {
    to["command"] = kRun;
    Json what = {{"uri", command.run->uri}};
    if (!command.run->function.empty()) {
      what["fn"] = command.run->function;
    }
    if (command.run->is_traced) {
      what["trace"] = true;
    }
    to["arguments"] = Json::array({std::move(what)});
    return to;
  }
  if (command.places.empty()) {
    return to;
  }
  if (!client.shows_references) {
    to["command"] = kShowImplementations;
    to["arguments"] = Json::array({data});
    return to;
  }
  Json places = Json::array();
  for (const Location& place : command.places) {
    places.push_back(json(place));
  }
  to["command"] = "editor.action.showReferences";
  to["arguments"] = Json::array({command.uri, json(command.position), std::move(places)});
  return to;
}

static auto json(const LensParams& lens) -> Json {
  Json out = {{"of", lens.subject}, {"uri", lens.uri}};
  if (lens.kind != 0) {
    out["kind"] = lens.kind;
  }
  return out;
}

auto encode_resolved_lens(const Json& lens, const ProtocolLensCommand& command,
                          const ClientCapabilities& client) -> std::string {
  Json out = lens;
  out["command"] = json(command, lens.value("data", Json()), client);
  return to_text(out);
}

auto encode_hover(const ProtocolHover& hover, const ClientCapabilities& client) -> std::string {
  Json out = {{"contents", {{"kind", markup_name(hover.kind)}, {"value", hover.value}}},
              {"range", json(hover.range)}};
  if (!hover.actions.empty()) {
    Json commands = Json::array();
    for (const ProtocolHoverAction& action : hover.actions) {
      commands.push_back(json(action.command, json(action.data), client));
    }
    out["actions"] = Json::array({{{"commands", std::move(commands)}}});
  }
  return to_text(out);
}

static void flatten(std::span<const ProtocolSymbol> symbols, std::string_view uri,
                    const std::string& container, Json& out) {
  for (const ProtocolSymbol& symbol : symbols) {
    Json entry = {{"name", symbol.name},
                  {"kind", symbol.kind},
                  {"location", {{"uri", uri}, {"range", json(symbol.range)}}}};
    if (!container.empty()) {
      entry["containerName"] = container;
    }
    out.push_back(std::move(entry));
    flatten(symbol.children, uri, symbol.name, out);
  }
}

auto encode_symbol_information(std::span<const ProtocolSymbol> symbols, std::string_view uri)
    -> std::string {
  Json out = Json::array();
  flatten(symbols, uri, {}, out);
  return to_text(out);
}

auto encode_found_symbols(std::span<const ProtocolFoundSymbol> symbols) -> std::string {
  Json out = Json::array();
  for (const ProtocolFoundSymbol& symbol : symbols) {
    Json entry = {
        {"name", symbol.name}, {"kind", symbol.kind}, {"location", json(symbol.location)}};
    if (!symbol.container.empty()) {
      entry["containerName"] = symbol.container;
    }
    out.push_back(std::move(entry));
  }
  return to_text(out);
}

auto encode_selections(std::span<const std::vector<Range>> selections) -> std::string {
  Json out = Json::array();
  for (const std::vector<Range>& ranges : selections) {
    Json around;
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
      Json inner = {{"range", json(*range)}};
      if (!around.is_null()) {
        inner["parent"] = std::move(around);
      }
      around = std::move(inner);
    }
    out.push_back(std::move(around));
  }
  return to_text(out);
}

auto encode_links(std::span<const ProtocolLink> links) -> std::string {
  Json out = Json::array();
  for (const ProtocolLink& link : links) {
    out.push_back({{"range", json(link.range)}, {"target", link.target_uri}});
  }
  return to_text(out);
}

static auto json(const ProtocolSignature& signature, MarkupKind kind, bool has_offsets) -> Json {
  Json parameters = Json::array();
  for (const ProtocolSignature::Parameter& parameter : signature.parameters) {
    Json label = parameter.text;
    if (has_offsets) {
      label = Json::array({parameter.begin, parameter.end});
    }
    parameters.push_back({{"label", std::move(label)}});
  }
  Json out = {{"label", signature.label}, {"parameters", std::move(parameters)}};
  if (!signature.documentation.empty()) {
    out["documentation"] = {{"kind", markup_name(kind)}, {"value", signature.documentation}};
  }
  return out;
}

auto encode_signature_help(const ProtocolSignatureHelp& help, const ClientCapabilities& client)
    -> std::string {
  Json signatures = Json::array();
  for (const ProtocolSignature& signature : help.signatures) {
    signatures.push_back(json(signature, help.kind, client.signature_offsets));
  }
  return to_text({{"signatures", std::move(signatures)},
                  {"activeSignature", help.active},
                  {"activeParameter", help.parameter}});
}

static auto json(const ProtocolHierarchyItem& item) -> Json {
  Json out = Json::parse(encode_symbols(std::span(&item.symbol, 1))).front();
  out["uri"] = item.uri;
  return out;
}

auto encode_hierarchy(std::span<const ProtocolHierarchyItem> items) -> std::string {
  return array_text(items);
}

auto encode_calls(std::span<const ProtocolCall> calls, std::string_view end) -> std::string {
  Json out = Json::array();
  for (const ProtocolCall& call : calls) {
    Json places = Json::array();
    for (const Range& place : call.places) {
      places.push_back(json(place));
    }
    out.push_back({{end, json(call.other)}, {"fromRanges", std::move(places)}});
  }
  return to_text(out);
}

auto encode_text_edits(std::span<const ProtocolTextEdit> edits) -> std::string {
  return array_text(edits);
}

auto encode_inline_completion(const Range& range, std::string_view text) -> std::string {
  return to_text(Json::array({{{"insertText", text}, {"range", json(range)}}}));
}

static auto workspace_edit(std::span<const ProtocolDocumentEdit> documents,
                           const ClientCapabilities& client) -> Json {
  Json changes = client.versioned_edits ? Json::array() : Json::object();
  for (const ProtocolDocumentEdit& document : documents) {
    Json edits = Json::array();
    for (const ProtocolTextEdit& edit : document.edits) {
      edits.push_back(json(edit));
    }
    if (!client.versioned_edits) {
      changes[document.uri] = std::move(edits);
      continue;
    }
    Json version = document.version ? Json(*document.version) : Json();
    Json identifier = {{"uri", document.uri}, {"version", std::move(version)}};
    changes.push_back({{"textDocument", std::move(identifier)}, {"edits", std::move(edits)}});
  }
  return {{client.versioned_edits ? "documentChanges" : "changes", std::move(changes)}};
}

auto encode_workspace_edit(std::span<const ProtocolDocumentEdit> documents,
                           const ClientCapabilities& client) -> std::string {
  return to_text(workspace_edit(documents, client));
}

auto encode_rename_place(const Range& range, std::string_view name) -> std::string {
  return to_text({{"range", json(range)}, {"placeholder", name}});
}

/// The edit that inserts `label`; nothing where the list says once what is replaced.
auto encode_resolved_code_action(const Json& item, const ProtocolCodeAction& action,
                                 const ClientCapabilities& client) -> std::string {
  Json out = item;
  out["edit"] = workspace_edit(std::span(&action.document, 1), client);
  return to_text(out);
}

auto encode_code_actions(std::span<const ProtocolCodeAction> actions,
                         const ClientCapabilities& client) -> std::string {
  Json out = Json::array();
  for (const ProtocolCodeAction& action : actions) {
    Json entry = {{"title", action.title}, {"kind", action.kind}};
    if (client.code_action_resolves_edit) {
      entry["data"] = {{"uri", action.document.uri}, {"range", json(action.range)}};
    } else {
      entry["edit"] = workspace_edit(std::span(&action.document, 1), client);
    }
    if (action.is_preferred) {
      entry["isPreferred"] = true;
    }
    if (action.diagnostic) {
      entry["diagnostics"] =
          Json::parse(encode_diagnostics(std::span(&*action.diagnostic, 1), client));
    }
    out.push_back(std::move(entry));
  }
  return to_text(out);
}

auto encode_publish(std::string_view uri, std::optional<int64_t> version,
                    std::string_view diagnostics) -> std::string {
  std::string version_text = version ? fmt::format(R"("version":{},)", *version) : "";
  return fmt::format(R"({{"uri":{},{}"diagnostics":{}}})", json_string(uri), version_text,
                     diagnostics);
}

auto encode_full_report(std::string_view result_id, std::string_view diagnostics) -> std::string {
  return fmt::format(R"({{"kind":"full","resultId":{},"items":{}}})", json_string(result_id),
                     diagnostics);
}

auto encode_unchanged_report(std::string_view result_id) -> std::string {
  return fmt::format(R"({{"kind":"unchanged","resultId":{}}})", json_string(result_id));
}

auto encode_workspace_report(std::string_view uri, std::optional<int64_t> version,
                             std::string_view result_id,
                             std::optional<std::string_view> diagnostics) -> std::string {
  return fmt::format(R"({{"kind":"{}","uri":{},"version":{},"resultId":{}{}{}}})",
                     diagnostics ? "full" : "unchanged", json_string(uri),
                     version ? fmt::to_string(*version) : "null", json_string(result_id),
                     diagnostics ? ",\"items\":" : "", diagnostics.value_or(""));
}

auto encode_log_message(MessageType type, std::string_view message) -> std::string {
  return to_text({{"type", static_cast<int>(type)}, {"message", message}});
}

auto encode_log_trace(std::string_view message, std::string_view verbose) -> std::string {
  Json out = {{"message", message}};
  if (!verbose.empty()) {
    out["verbose"] = verbose;
  }
  return to_text(out);
}

}  // namespace tacet::lsp
