#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_index.h"
#include "base/result.h"
#include "lsp/protocol/json.h"
#include "lsp/protocol/types.h"

namespace tacet::lsp {

/// What a client can do, as far as Tacet behaves differently for it.
struct ClientCapabilities {
  /// In the client's order of preference; empty means UTF-16.
  std::vector<PositionEncoding> position_encodings;
  MarkupKind hover_markup = MarkupKind::PlainText;
  MarkupKind completion_markup = MarkupKind::PlainText;
  /// One range for all completions of a list; a range up to the cursor and one for the word.
  bool completion_default_range = false;
  bool completion_insert_replace = false;
  bool pulls_diagnostics = false;
  bool refreshes_diagnostics = false;
  bool related_information = false;
  bool hierarchical_symbols = false;
  bool code_action_literals = false;
  bool versioned_edits = false;
  bool definition_links = false;
  bool line_folding_only = false;
  bool work_done_progress = false;
  bool registers_watched_files = false;
};

struct InitializeParams {
  std::optional<int64_t> process_id;
  std::vector<std::string> workspace_uris;
  Trace trace = Trace::Off;
  ClientCapabilities capabilities;
};

/// Never fails on strange capabilities: what has the wrong type counts as not there,
/// because a server that does not start helps nobody. Only `params` itself must be an object.
auto decode_initialize(const Json& params) -> Result<InitializeParams>;

/// The names of the semantic token types and modifiers, in the order of their numbers.
struct TokenLegend {
  std::vector<std::string_view> types;
  std::vector<std::string_view> modifiers;
};

/// The result of `initialize`.
auto encode_initialize_result(PositionEncoding encoding, const TokenLegend& legend,
                              std::string_view version) -> std::string;

/// `utf-16`.
auto encoding_name(PositionEncoding encoding) -> std::string_view;

}  // namespace tacet::lsp
