#include "lsp/protocol/decode.h"

#include <nlohmann/json.hpp>

#include "lsp/protocol/field_reader.h"

namespace tacet::lsp {

static auto document_uri(FieldReader& fields) -> std::string {
  return fields.object("textDocument").string("uri");
}

auto decode_did_open(const Json& params) -> Result<DidOpenParams> {
  std::string error;
  FieldReader fields(params, error);
  FieldReader document = fields.object("textDocument");
  DidOpenParams out;
  out.uri = document.string("uri");
  out.language_id = document.has("languageId") ? document.string("languageId") : "";
  out.version = document.has("version") ? document.integer("version") : 0;
  out.text = document.string("text");
  return decoded(std::move(out), std::move(error));
}

auto decode_did_change(const Json& params) -> Result<DidChangeParams> {
  std::string error;
  FieldReader fields(params, error);
  DidChangeParams out;
  FieldReader document = fields.object("textDocument");
  out.uri = document.string("uri");
  out.version = document.has("version") ? document.integer("version") : 0;
  for (FieldReader& change : fields.objects("contentChanges")) {
    ContentChange& decoded_change = out.changes.emplace_back();
    if (change.has("range")) {
      decoded_change.range = change.range("range");
    }
    decoded_change.text = change.string("text");
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_document(const Json& params) -> Result<DocumentParams> {
  std::string error;
  FieldReader fields(params, error);
  return decoded(DocumentParams{document_uri(fields)}, std::move(error));
}

auto decode_document_position(const Json& params) -> Result<DocumentPositionParams> {
  std::string error;
  FieldReader fields(params, error);
  DocumentPositionParams out;
  out.uri = document_uri(fields);
  out.position = fields.position("position");
  return decoded(std::move(out), std::move(error));
}

auto decode_document_range(const Json& params) -> Result<DocumentRangeParams> {
  std::string error;
  FieldReader fields(params, error);
  DocumentRangeParams out;
  out.uri = document_uri(fields);
  out.range = fields.range("range");
  return decoded(std::move(out), std::move(error));
}

auto decode_document_ranges(const Json& params) -> Result<DocumentRangesParams> {
  std::string error;
  FieldReader fields(params, error);
  DocumentRangesParams out;
  out.uri = document_uri(fields);
  out.ranges = fields.ranges("ranges");
  return decoded(std::move(out), std::move(error));
}

auto decode_move_item(const Json& params) -> Result<MoveItemParams> {
  std::string error;
  FieldReader fields(params, error);
  MoveItemParams out;
  out.uri = document_uri(fields);
  out.range = fields.range("range");
  const std::string direction = fields.string("direction");
  if (error.empty() && direction != "Up" && direction != "Down") {
    error = R"(direction: expected "Up" or "Down")";
  }
  out.is_up = direction == "Up";
  return decoded(std::move(out), std::move(error));
}

auto decode_positions(const Json& params) -> Result<PositionsParams> {
  std::string error;
  FieldReader fields(params, error);
  PositionsParams out;
  out.uri = document_uri(fields);
  out.positions = fields.positions("positions");
  return decoded(std::move(out), std::move(error));
}

auto decode_on_type(const Json& params) -> Result<OnTypeParams> {
  std::string error;
  FieldReader fields(params, error);
  OnTypeParams out;
  out.uri = document_uri(fields);
  out.position = fields.position("position");
  return decoded(std::move(out), std::move(error));
}

auto decode_symbol_query(const Json& params) -> Result<std::string> {
  std::string error;
  FieldReader fields(params, error);
  std::string query = fields.string("query");
  return decoded(std::move(query), std::move(error));
}

auto decode_hierarchy(const Json& params) -> Result<HierarchyParams> {
  std::string error;
  FieldReader fields(params, error);
  FieldReader item = fields.object("item");
  HierarchyParams out;
  out.uri = item.string("uri");
  out.position = item.range("selectionRange").start;
  return decoded(std::move(out), std::move(error));
}

auto decode_stage(const Json& params) -> Result<StageParams> {
  std::string error;
  FieldReader fields(params, error);
  StageParams out;
  out.uri = document_uri(fields);
  out.position = fields.position("position");
  out.stage = fields.string("stage");
  return decoded(std::move(out), std::move(error));
}

auto decode_content_uri(const Json& params) -> Result<std::string> {
  std::string error;
  FieldReader fields(params, error);
  std::string uri = fields.string("uri");
  return decoded(std::move(uri), std::move(error));
}

auto decode_rename_files(const Json& params) -> Result<RenameFilesParams> {
  std::string error;
  FieldReader fields(params, error);
  RenameFilesParams out;
  for (FieldReader& file : fields.objects("files")) {
    RenameFilesParams::File& renamed = out.files.emplace_back();
    renamed.from = file.string("oldUri");
    renamed.to = file.string("newUri");
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_references(const Json& params) -> Result<ReferenceParams> {
  std::string error;
  FieldReader fields(params, error);
  ReferenceParams out;
  out.uri = document_uri(fields);
  out.position = fields.position("position");
  out.includes_declaration = fields.object("context").boolean("includeDeclaration", false);
  return decoded(std::move(out), std::move(error));
}

auto decode_rename(const Json& params) -> Result<RenameParams> {
  std::string error;
  FieldReader fields(params, error);
  RenameParams out;
  out.uri = document_uri(fields);
  out.position = fields.position("position");
  out.new_name = fields.string("newName");
  return decoded(std::move(out), std::move(error));
}

auto decode_resolve_hint(const Json& params) -> Result<ResolveHintParams> {
  std::string error;
  FieldReader fields(params, error);
  ResolveHintParams out;
  out.position = fields.position("position");
  out.kind = fields.has("kind") ? fields.integer("kind") : 0;
  if (fields.has("data")) {
    out.uri = fields.object("data").string("uri");
  }
  return decoded(std::move(out), std::move(error));
}

static auto read_lens(FieldReader& data) -> LensParams {
  LensParams out;
  out.uri = data.string("uri");
  const int64_t subject = data.integer("of");
  if (subject < 0 || subject > UINT32_MAX) {
    data.fail("of", "the number of a lens");
  }
  out.subject = static_cast<uint32_t>(subject);
  out.kind = data.has("kind") ? data.integer("kind") : 0;
  return out;
}

static auto read_run(FieldReader& argument, const Json& json) -> RunParams {
  RunParams out;
  out.uri = argument.string("uri");
  if (argument.has("fn")) {
    out.function = argument.string("fn");
  }
  out.is_traced = argument.boolean("trace", false);
  out.is_shown_by_client = argument.boolean("shows", false);
  if (!argument.has("inputs")) {
    return out;
  }
  const Json& inputs = json.at("inputs");
  if (!inputs.is_object()) {
    argument.fail("inputs", "an object that maps names to inputs");
    return out;
  }
  for (const auto& [name, value] : inputs.items()) {
    out.inputs[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return out;
}

auto decode_resolve_lens(const Json& params) -> Result<LensParams> {
  std::string error;
  FieldReader fields(params, error);
  FieldReader data = fields.object("data");
  LensParams out = read_lens(data);
  return decoded(std::move(out), std::move(error));
}

auto decode_execute_command(const Json& params) -> Result<ExecuteCommandParams> {
  std::string error;
  FieldReader fields(params, error);
  ExecuteCommandParams out;
  out.command = fields.string("command");
  const bool is_run = out.command == kRun;
  if (out.command == kShowImplementations || is_run) {
    std::vector<FieldReader> arguments = fields.objects("arguments");
    if (arguments.empty()) {
      fields.fail("arguments", is_run ? "a program to run" : "the subject of a lens");
    } else if (is_run) {
      out.run = read_run(arguments.front(), params.at("arguments").front());
    } else {
      out.lens = read_lens(arguments.front());
    }
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_tokens_delta(const Json& params) -> Result<TokensDeltaParams> {
  std::string error;
  FieldReader fields(params, error);
  TokensDeltaParams out;
  out.uri = document_uri(fields);
  out.previous_result_id = fields.string("previousResultId");
  return decoded(std::move(out), std::move(error));
}

auto decode_pull_diagnostics(const Json& params) -> Result<PullDiagnosticsParams> {
  std::string error;
  FieldReader fields(params, error);
  PullDiagnosticsParams out;
  out.uri = document_uri(fields);
  if (fields.has("previousResultId")) {
    out.previous_result_id = fields.string("previousResultId");
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_workspace_diagnostics(const Json& params) -> Result<WorkspaceDiagnosticsParams> {
  std::string error;
  FieldReader fields(params, error);
  WorkspaceDiagnosticsParams out;
  if (fields.has("previousResultIds")) {
    for (FieldReader& previous : fields.objects("previousResultIds")) {
      out.previous.push_back({previous.string("uri"), previous.string("value")});
    }
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_code_action(const Json& params) -> Result<CodeActionParams> {
  std::string error;
  FieldReader fields(params, error);
  CodeActionParams out;
  out.uri = document_uri(fields);
  out.range = fields.range("range");
  FieldReader context = fields.object("context");
  if (context.has("only")) {
    out.only = context.strings("only");
  }
  if (context.has("diagnostics")) {
    for (FieldReader& diagnostic : context.objects("diagnostics")) {
      out.diagnostics.push_back(diagnostic.range("range"));
    }
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_resolve_code_action(const Json& params) -> Result<ResolveCodeActionParams> {
  std::string error;
  FieldReader fields(params, error);
  ResolveCodeActionParams out;
  out.title = fields.string("title");
  out.kind = fields.string("kind");
  FieldReader data = fields.object("data");
  out.uri = data.string("uri");
  out.range = data.range("range");
  return decoded(std::move(out), std::move(error));
}

auto decode_workspace_folders(const Json& params) -> Result<WorkspaceFoldersParams> {
  std::string error;
  FieldReader fields(params, error);
  WorkspaceFoldersParams out;
  FieldReader event = fields.object("event");
  for (FieldReader& folder : event.objects("added")) {
    out.added.push_back(folder.string("uri"));
  }
  for (FieldReader& folder : event.objects("removed")) {
    out.removed.push_back(folder.string("uri"));
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_resolve_completion(const Json& params) -> Result<ResolveCompletionParams> {
  std::string error;
  FieldReader fields(params, error);
  ResolveCompletionParams out;
  if (fields.has("data")) {
    FieldReader data = fields.object("data");
    out.uri = data.string("uri");
    // An item without documentation has what the whole list has, the URI.
    out.documented = data.has("of") ? data.string("of") : std::string();
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_watched_files(const Json& params) -> Result<WatchedFilesParams> {
  std::string error;
  FieldReader fields(params, error);
  WatchedFilesParams out;
  for (FieldReader& change : fields.objects("changes")) {
    int64_t kind = change.integer("type");
    if (kind < 1 || kind > 3) {
      change.fail("type", "1, 2 or 3");
    }
    out.changes.push_back({change.string("uri"), static_cast<FileEventKind>(kind)});
  }
  return decoded(std::move(out), std::move(error));
}

auto decode_cancel(const Json& params) -> Result<RequestId> {
  std::string error;
  FieldReader fields(params, error);
  RequestId id =
      fields.is_string("id") ? RequestId(fields.string("id")) : RequestId(fields.integer("id"));
  return decoded(std::move(id), std::move(error));
}

auto decode_progress_token(const Json& params) -> Result<std::string> {
  std::string error;
  FieldReader fields(params, error);
  std::string token;
  if (fields.is_string("token")) {
    token = fields.string("token");
  } else {
    fields.integer("token");
  }
  return decoded(std::move(token), std::move(error));
}

auto decode_set_trace(const Json& params) -> Result<Trace> {
  std::string error;
  FieldReader fields(params, error);
  std::string value = fields.string("value");
  Trace trace = Trace::Off;
  if (value == "messages") {
    trace = Trace::Messages;
  } else if (value == "verbose") {
    trace = Trace::Verbose;
  } else if (value != "off") {
    fields.fail("value", "`off`, `messages` or `verbose`");
  }
  return decoded(trace, std::move(error));
}

}  // namespace tacet::lsp
