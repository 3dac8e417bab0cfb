#include "lsp/server/handlers/diagnostics.h"

#include <fmt/format.h>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

static auto severity_number(Severity severity) -> int {
  return static_cast<int>(severity) + 1;
}

static auto related(const RequestContext& context, FileView& view, const Label& label)
    -> RelatedInformation {
  if (label.place.file == view.file()) {
    return {{view.uri(), view.positions().range(label.place.range)}, label.message};
  }
  FileView other = context.view_of(label.place.file);
  return {{other.uri(), other.positions().range(label.place.range)}, label.message};
}

auto protocol_diagnostic(const RequestContext& context, FileView& view,
                         const Diagnostic& diagnostic) -> ProtocolDiagnostic {
  ProtocolDiagnostic out;
  out.range = view.positions().range(diagnostic.place.range);
  out.severity = severity_number(diagnostic.severity);
  out.code = code_name(diagnostic.code);
  out.message = diagnostic.message;
  for (const std::string& note : diagnostic.notes) {
    out.message += '\n';
    out.message += note;
  }
  for (const Label& label : diagnostic.labels) {
    out.related.push_back(related(context, view, label));
  }
  if (diagnostic.tag != DiagnosticTag::None) {
    out.tags.push_back(static_cast<int>(diagnostic.tag));
  }
  return out;
}

auto encoded_diagnostics(const RequestContext& context, FileView& view) -> std::string {
  std::vector<ProtocolDiagnostic> diagnostics;
  for (const Diagnostic& diagnostic : context.analysis->diagnostics(view.file())) {
    diagnostics.push_back(protocol_diagnostic(context, view, diagnostic));
  }
  return encode_diagnostics(diagnostics, context.client->capabilities);
}

auto pull_diagnostics(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_pull_diagnostics(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  std::string diagnostics = encoded_diagnostics(context, *view);
  // The id is a function of the content, so nothing needs to be remembered about it.
  auto hash = hash_combine(diagnostics.size(), std::hash<std::string>{}(diagnostics));
  std::string result_id = fmt::format("{:016x}", hash);
  return result_id == decoded->previous_result_id ? encode_unchanged_report(result_id)
                                                  : encode_full_report(result_id, diagnostics);
}

}  // namespace tacet::lsp
