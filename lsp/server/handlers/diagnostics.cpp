#include "lsp/server/handlers/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "compiler/core/diagnostics/reasons.h"
#include "lsp/ide/code_actions.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto severity_number(Severity severity) -> int {
  return static_cast<int>(severity) + 1;
}

static auto location_of(const RequestContext& context, FileView& view, FileRange place)
    -> Location {
  if (place.file == view.file()) {
    return {view.uri(), view.positions().range(place.range)};
  }
  FileView other = context.view_of(place.file);
  return {other.uri(), other.positions().range(place.range)};
}

/// Shows reasons as a tree in the message, or, to clients that have no markup, those with places of
/// their own beside the labels.
static void add_reasons(const RequestContext& context, FileView& view, const Diagnostic& diagnostic,
                        ProtocolDiagnostic& out) {
  if (!exceed_labels(diagnostic)) {
    return;
  }
  const bool has_markup = context.client->capabilities.markup_messages;
  for (const Reason& reason : diagnostic.reasons) {
    const auto is_same = [&](const Label& label) { return label.place == reason.place; };
    const bool is_label = std::any_of(diagnostic.labels.begin(), diagnostic.labels.end(), is_same);
    std::optional<Location> location;
    if (reason.has_place() && (has_markup || !is_label)) {
      location = location_of(context, view, reason.place);
    }
    if (has_markup) {
      out.reasons.push_back({reason.depth, reason.text, std::move(location)});
    } else if (location) {
      out.related.push_back({std::move(*location), reason.text});
    }
  }
}

auto protocol_diagnostic(const RequestContext& context, FileView& view,
                         const Diagnostic& diagnostic) -> ProtocolDiagnostic {
  ProtocolDiagnostic out;
  out.range = view.positions().range(diagnostic.place.range);
  out.severity = severity_number(diagnostic.severity);
  out.code = code_name(diagnostic.code);
  if (context.client->capabilities.code_descriptions &&
      context.client->capabilities.shows_virtual_documents) {
    out.page = explain_uri(out.code);
  }
  out.message = diagnostic.message;
  for (const std::string& note : diagnostic.notes) {
    out.message += '\n';
    out.message += note;
  }
  for (const Label& label : diagnostic.labels) {
    out.related.push_back({location_of(context, view, label.place), label.message});
  }
  add_reasons(context, view, diagnostic, out);
  if (diagnostic.tag != DiagnosticTag::None) {
    out.tags.push_back(static_cast<int>(diagnostic.tag));
  }
  return out;
}

/// Takes out the errors at the word that is being typed, if there is time until they are due.
static void hold_back(const RequestContext& context, FileView& view,
                      std::vector<Diagnostic>& found) {
  if (context.typed == nullptr || context.typed->uri() != view.uri()) {
    return;
  }
  const TextRange word = context.typed->word(view);
  const auto is_early = [&](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error && diagnostic.place.range.begin <= word.end &&
           word.begin <= diagnostic.place.range.end;
  };
  if (std::any_of(found.begin(), found.end(), is_early) && context.typed->hold()) {
    std::erase_if(found, is_early);
  }
}

auto encoded_diagnostics(const RequestContext& context, FileView& view, Work work) -> std::string {
  std::vector<ProtocolDiagnostic> diagnostics;
  std::vector<Diagnostic> found =
      work == Work::Shared && context.executor
          ? ide::file_diagnostics(*context.analysis, view.file(), *context.executor)
          : ide::file_diagnostics(*context.analysis, view.file());
  hold_back(context, view, found);
  for (const Diagnostic& diagnostic : found) {
    diagnostics.push_back(protocol_diagnostic(context, view, diagnostic));
  }
  return encode_diagnostics(diagnostics, context.client->capabilities);
}

/// The id is a function of the content, so nothing needs to be remembered about it.
static auto result_id_of(const std::string& diagnostics) -> std::string {
  auto hash = hash_combine(diagnostics.size(), std::hash<std::string>{}(diagnostics));
  return fmt::format("{:016x}", hash);
}

auto pull_diagnostics(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_pull_diagnostics, [&](auto& decoded, FileView& view) -> Answer {
        const Work work = decoded.previous_result_id.empty() ? Work::Shared : Work::Alone;
        std::string diagnostics = encoded_diagnostics(context, view, work);
        std::string result_id = result_id_of(diagnostics);
        return result_id == decoded.previous_result_id ? encode_unchanged_report(result_id)
                                                       : encode_full_report(result_id, diagnostics);
      });
}

/// Files without a diagnostic are left out, unless the client believes otherwise.
auto pull_workspace_diagnostics(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_workspace_diagnostics(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  std::map<std::string, std::string> previous;
  for (auto& [uri, result_id] : decoded->previous) {
    previous.emplace(std::move(uri), std::move(result_id));
  }
  std::vector<std::string> reports;
  const auto report_text = [&] {
    return fmt::format(R"({{"items":[{}]}})", fmt::join(reports, ","));
  };
  for (FileId file : context.analysis->files()) {
    FileView view = context.view_of(file);
    auto known = previous.extract(view.uri());
    std::string diagnostics =
        encoded_diagnostics(context, view, known.empty() ? Work::Shared : Work::Alone);
    if (diagnostics == "[]" && known.empty()) {
      continue;
    }
    std::string result_id = result_id_of(diagnostics);
    const bool is_same = !known.empty() && known.mapped() == result_id;
    reports.push_back(encode_workspace_report(
        view.uri(), view.version(), result_id,
        is_same ? std::nullopt : std::optional<std::string_view>(diagnostics)));
    if (context.send_part) {
      context.send_part(report_text());
      reports.clear();
    }
  }
  // Removed files have no diagnostics.
  for (const auto& [uri, result_id] : previous) {
    reports.push_back(encode_workspace_report(uri, std::nullopt, result_id_of("[]"), "[]"));
  }
  if (context.send_part && !reports.empty()) {
    context.send_part(report_text());
    reports.clear();
  }
  return report_text();
}

}  // namespace tacet::lsp
