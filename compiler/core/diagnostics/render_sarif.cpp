#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/core/diagnostics/fingerprint.h"
#include "compiler/core/diagnostics/json_range.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet {

using Json = nlohmann::ordered_json;

static auto sarif_level(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Information:
    case Severity::Hint:
      return "note";
  }
  return "error";
}

auto sarif_uri(std::string_view path) -> std::string {
  static constexpr std::string_view kKept = "-._~/!$&'()*+,;=@";
  std::string uri = path.substr(0, 1) == "/" ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool is_alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                           (byte >= 'A' && byte <= 'Z');
    if (is_alphanumeric || kKept.find(c) != std::string_view::npos) {
      uri.push_back(c);
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

static auto sarif_region(const SourceView& source, TextRange range) -> Json {
  auto position = [&](uint32_t offset) {
    return source.lines->position(source.text, offset, PositionEncoding::Utf16);
  };
  LineColumn begin = position(range.begin);
  LineColumn end = position(range.end);
  return Json{{"startLine", begin.line + 1}, {"startColumn", begin.column + 1},
              {"endLine", end.line + 1},     {"endColumn", end.column + 1},
              {"byteOffset", range.begin},   {"byteLength", range.length()}};
}

static auto artifact(const SourceView& source) -> Json {
  return Json{{"uri", sarif_uri(source.path)}};
}

static auto physical_location(const SourceView& source, TextRange range) -> Json {
  return Json{{"artifactLocation", artifact(source)}, {"region", sarif_region(source, range)}};
}

static auto sarif_fix(const SourceView& source, const Fix& fix) -> Json {
  Json replacements = Json::array();
  for (const TextEdit& edit : fix.edits) {
    replacements.push_back({{"deletedRegion", sarif_region(source, edit.range)},
                            {"insertedContent", {{"text", edit.new_text}}}});
  }
  Json change = {{"artifactLocation", artifact(source)}, {"replacements", std::move(replacements)}};
  return Json{{"description", {{"text", fix.title}}},
              {"artifactChanges", Json::array({std::move(change)})},
              {"properties", {{"applicability", applicability_name(fix.applicability)}}}};
}

/// Labels of findings about secrets are the path of the secret, in order.
static auto shows_a_path(DiagnosticCode code) -> bool {
  return code_name(code)[1] == '5';
}

/// The reasons as a graph: an edge from each to those that it follows from.
static auto sarif_graph(const Diagnostic& diagnostic, const SourceLookup& sources) -> Json {
  Json nodes = Json::array();
  Json edges = Json::array();
  std::vector<size_t> around;  // by depth
  for (size_t i = 0; i < diagnostic.reasons.size(); ++i) {
    const Reason& reason = diagnostic.reasons[i];
    Json node = {{"id", fmt::format("{}", i)}, {"label", {{"text", reason.text}}}};
    const SourceView file = reason.has_place() ? sources(reason.place.file) : SourceView();
    if (file.is_known()) {
      node["location"] = {{"physicalLocation", physical_location(file, reason.place.range)}};
    }
    nodes.push_back(std::move(node));
    around.resize(reason.depth);
    if (!around.empty()) {
      edges.push_back({{"id", fmt::format("{}", edges.size())},
                       {"sourceNodeId", fmt::format("{}", around.back())},
                       {"targetNodeId", fmt::format("{}", i)}});
    }
    around.push_back(i);
  }
  return Json{{"description", {{"text", "reasons"}}},
              {"nodes", std::move(nodes)},
              {"edges", std::move(edges)}};
}

static auto sarif_result(const Diagnostic& diagnostic, const SourceLookup& sources,
                         size_t rule_index) -> Json {
  SourceView source = sources(diagnostic.place.file);
  std::string message = diagnostic.message;
  for (const std::string& note : diagnostic.notes) {
    message += "\nnote: " + note;
  }
  Json result = {{"ruleId", code_name(diagnostic.code)},
                 {"ruleIndex", rule_index},
                 {"level", sarif_level(diagnostic.severity)},
                 {"message", {{"text", message}}}};
  if (!source.is_known()) {
    return result;
  }
  Json location = {{"physicalLocation", physical_location(source, diagnostic.place.range)}};
  result["locations"] = Json::array({std::move(location)});
  Json related = Json::array();
  Json steps = Json::array();
  for (const Label& label : diagnostic.labels) {
    SourceView file = sources(label.place.file);
    if (file.is_known()) {
      Json at = {{"physicalLocation", physical_location(file, label.place.range)},
                 {"message", {{"text", label.message}}}};
      Json numbered = {{"id", related.size()}};
      numbered.update(at);
      related.push_back(std::move(numbered));
      steps.push_back({{"location", std::move(at)}});
    }
  }
  if (!related.empty()) {
    result["relatedLocations"] = std::move(related);
  }
  if (!steps.empty() && shows_a_path(diagnostic.code)) {
    steps.push_back({{"location", result["locations"][0]}});
    Json thread = {{"locations", std::move(steps)}};
    result["codeFlows"] = Json::array({{{"threadFlows", Json::array({std::move(thread)})}}});
  }
  if (!diagnostic.reasons.empty()) {
    result["graphs"] = Json::array({sarif_graph(diagnostic, sources)});
  }
  for (const Fix& fix : diagnostic.fixes) {
    if (!fix.edits.empty()) {
      result["fixes"].push_back(sarif_fix(source, fix));
    }
  }
  return result;
}

static auto sarif_rule(DiagnosticCode code) -> Json {
  return Json{{"id", code_name(code)},
              {"shortDescription", {{"text", code_title(code)}}},
              {"defaultConfiguration", {{"level", sarif_level(default_severity(code))}}}};
}

auto render_sarif(std::span<const Diagnostic> diagnostics, const SourceLookup& sources,
                  const SarifTool& tool) -> std::string {
  std::map<DiagnosticCode, size_t> rule_indices;
  for (const Diagnostic& diagnostic : diagnostics) {
    rule_indices.emplace(diagnostic.code, 0);
  }
  Json rules = Json::array();
  for (auto& [code, index] : rule_indices) {
    index = rules.size();
    rules.push_back(sarif_rule(code));
  }
  Json results = Json::array();
  std::map<uint64_t, uint32_t> n_seen;  // equal findings are distinguished by their order
  for (const Diagnostic& diagnostic : diagnostics) {
    Json result = sarif_result(diagnostic, sources, rule_indices[diagnostic.code]);
    SourceView source = sources(diagnostic.place.file);
    uint64_t print = fingerprint(diagnostic, source, source.path);
    result["partialFingerprints"] = {
        {"tacetLine/v1", fmt::format("{:016x}:{}", print, ++n_seen[print])}};
    results.push_back(std::move(result));
  }
  Json driver = {{"name", tool.name}, {"version", tool.version}, {"rules", std::move(rules)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", std::move(results)}};
  Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", Json::array({std::move(run)})}};
  return json_text(log) + "\n";
}

}  // namespace tacet
