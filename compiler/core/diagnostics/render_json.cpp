#include "compiler/core/diagnostics/json_range.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet {

using Json = nlohmann::ordered_json;

static auto json_position(const SourceView& source, uint32_t offset) -> Json {
  LineColumn at;
  if (source.is_known()) {
    at = source.lines->position(source.text, offset, PositionEncoding::Utf16);
  }
  return Json{{"line", at.line}, {"character", at.column}};
}

auto json_range(const SourceView& source, TextRange range) -> Json {
  return Json{{"start", json_position(source, range.begin)},
              {"end", json_position(source, range.end)}};
}

auto json_text(const Json& value) -> std::string {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static auto json_fix(const SourceView& source, const Fix& fix) -> Json {
  Json edits = Json::array();
  for (const TextEdit& edit : fix.edits) {
    edits.push_back({{"range", json_range(source, edit.range)}, {"newText", edit.new_text}});
  }
  return Json{{"title", fix.title},
              {"applicability", applicability_name(fix.applicability)},
              {"edits", std::move(edits)}};
}

/// The reasons from `at` on that are `depth` deep, each with those below it.
static auto json_reasons(const std::vector<Reason>& reasons, size_t& at, uint32_t depth,
                         const SourceLookup& sources) -> Json {
  Json list = Json::array();
  while (at < reasons.size() && reasons[at].depth >= depth) {
    const Reason& reason = reasons[at++];
    Json object = {{"message", reason.text}};
    if (reason.has_place()) {
      const SourceView file = sources(reason.place.file);
      object["file"] = file.path;
      object["range"] = json_range(file, reason.place.range);
    }
    if (Json below = json_reasons(reasons, at, reason.depth + 1, sources); !below.empty()) {
      object["reasons"] = std::move(below);
    }
    list.push_back(std::move(object));
  }
  return list;
}

auto render_json(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string {
  SourceView source = sources(diagnostic.place.file);
  Json labels = Json::array();
  for (const Label& label : diagnostic.labels) {
    SourceView file = sources(label.place.file);
    labels.push_back({{"file", file.path},
                      {"range", json_range(file, label.place.range)},
                      {"message", label.message}});
  }
  Json fixes = Json::array();
  for (const Fix& fix : diagnostic.fixes) {
    fixes.push_back(json_fix(source, fix));
  }
  Json object = {{"file", source.path},
                 {"code", code_name(diagnostic.code)},
                 {"severity", severity_name(diagnostic.severity)},
                 {"message", diagnostic.message},
                 {"range", json_range(source, diagnostic.place.range)},
                 {"labels", std::move(labels)},
                 {"notes", diagnostic.notes},
                 {"fixes", std::move(fixes)}};
  size_t first = 0;
  if (Json reasons = json_reasons(diagnostic.reasons, first, 0, sources); !reasons.empty()) {
    object["reasons"] = std::move(reasons);
  }
  return json_text(object) + "\n";
}

}  // namespace tacet
