#include "cli/fmt_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/line_index.h"
#include "cli/version_info.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet::cli {

using Json = nlohmann::ordered_json;

static constexpr std::string_view kCode = "format";
static constexpr std::string_view kMessage = "the file is not formatted";
static constexpr std::string_view kFixTitle = "format the file";

static auto text_of(const Json& json) -> std::string {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The diagnostics of a file under the number that `sources` knows it by.
static auto numbered(const Formatted& formatted, FileId id, SourceSet& sources)
    -> std::vector<Diagnostic> {
  sources.add(id, formatted.file.shown, std::make_shared<const std::string>(formatted.file.text));
  std::vector<Diagnostic> diagnostics = formatted.result.diagnostics;
  for (Diagnostic& diagnostic : diagnostics) {
    diagnostic.place.file = id;
    for (Label& label : diagnostic.labels) {
      label.place.file = id;
    }
  }
  return diagnostics;
}

void print_syntax_errors(const Formatted& formatted, Format format, Output& out,
                         const Terminal& terminal) {
  SourceSet sources;
  print_diagnostics(numbered(formatted, FileId{0}, sources), sources, format, out, terminal);
}

/// Positions of a file's text, as the formats for tools count them.
class Positions {
 public:
  explicit Positions(const Formatted& formatted)
      : text_(formatted.file.text), lines_(formatted.file.text) {}

  [[nodiscard]] auto at(uint32_t offset) const -> LineColumn {
    return lines_.position(text_, offset, PositionEncoding::Utf16);
  }
  [[nodiscard]] auto json(uint32_t offset) const -> Json {
    LineColumn place = at(offset);
    return {{"line", place.line}, {"character", place.column}};
  }
  [[nodiscard]] auto sarif(TextRange range) const -> Json {
    LineColumn begin = at(range.begin);
    LineColumn end = at(range.end);
    return {{"startLine", begin.line + 1}, {"startColumn", begin.column + 1},
            {"endLine", end.line + 1},     {"endColumn", end.column + 1},
            {"byteOffset", range.begin},   {"byteLength", range.length()}};
  }

 private:
  const std::string& text_;
  LineIndex lines_;
};

/// From the first change to the last.
static auto changed_range(const Formatted& formatted) -> TextRange {
  const std::vector<TextEdit>& edits = formatted.result.edits;
  return {edits.front().range.begin, edits.back().range.end};
}

/// A file that is not formatted, as an object like those of diagnostics.
static auto unformatted_json(const Formatted& formatted) -> std::string {
  Positions positions(formatted);
  auto range_of = [&](TextRange range) {
    return Json{{"start", positions.json(range.begin)}, {"end", positions.json(range.end)}};
  };
  Json edits = Json::array();
  for (const TextEdit& edit : formatted.result.edits) {
    edits.push_back({{"range", range_of(edit.range)}, {"newText", edit.new_text}});
  }
  Json fix = {{"title", kFixTitle}, {"applicability", "safe"}, {"edits", std::move(edits)}};
  return text_of({{"file", formatted.file.shown},
                  {"code", kCode},
                  {"severity", "error"},
                  {"message", kMessage},
                  {"range", range_of(changed_range(formatted))},
                  {"labels", Json::array()},
                  {"notes", Json::array()},
                  {"fixes", Json::array({std::move(fix)})}});
}

/// Escapes a property of GitHub's commands.
static auto escaped_property(std::string_view text) -> std::string {
  std::string out;
  for (char c : text) {
    bool is_special = c == '%' || c == '\r' || c == '\n' || c == ':' || c == ',';
    out += is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

static auto unformatted_github(const Formatted& formatted) -> std::string {
  Positions positions(formatted);
  TextRange range = changed_range(formatted);
  return fmt::format("::error file={},line={},endLine={},title={}::{}\n",
                     escaped_property(formatted.file.shown), positions.at(range.begin).line + 1,
                     positions.at(range.end).line + 1, kCode, kMessage);
}

auto unformatted_text(const Formatted& formatted, Format format) -> std::string {
  switch (format) {
    case Format::Json:
      return unformatted_json(formatted);
    case Format::Github:
      return unformatted_github(formatted);
    case Format::Human:
    case Format::Short:
    case Format::Sarif:
      return fmt::format("{}: not formatted\n", formatted.file.shown);
  }
  return "";
}

static auto unformatted_result(const Formatted& formatted, const std::string& uri,
                               size_t rule_index) -> Json {
  Positions positions(formatted);
  Json artifact = {{"uri", uri}};
  Json replacements = Json::array();
  for (const TextEdit& edit : formatted.result.edits) {
    replacements.push_back({{"deletedRegion", positions.sarif(edit.range)},
                            {"insertedContent", {{"text", edit.new_text}}}});
  }
  Json change = {{"artifactLocation", artifact}, {"replacements", std::move(replacements)}};
  Json fix = {{"description", {{"text", kFixTitle}}},
              {"artifactChanges", Json::array({std::move(change)})},
              {"properties", {{"applicability", "safe"}}}};
  Json place = {{"artifactLocation", artifact},
                {"region", positions.sarif(changed_range(formatted))}};
  Json location = {{"physicalLocation", std::move(place)}};
  return {{"ruleId", kCode},
          {"ruleIndex", rule_index},
          {"level", "error"},
          {"message", {{"text", kMessage}}},
          {"locations", Json::array({std::move(location)})},
          {"fixes", Json::array({std::move(fix)})}};
}

auto unformatted_sarif(const std::vector<Formatted>& files) -> std::string {
  SourceSet sources;
  std::vector<Diagnostic> diagnostics;
  for (uint32_t i = 0; i < files.size(); ++i) {
    std::vector<Diagnostic> own = numbered(files[i], FileId{i}, sources);
    diagnostics.insert(diagnostics.end(), own.begin(), own.end());
  }
  Json log = Json::parse(render_sarif(diagnostics, sources.lookup(), {"tacet", kVersion}));
  Json& run = log["runs"][0];
  Json& rules = run["tool"]["driver"]["rules"];
  size_t rule_index = rules.size();
  for (const Formatted& formatted : files) {
    if (formatted.is_changed()) {
      if (rules.size() == rule_index) {
        rules.push_back({{"id", kCode},
                         {"shortDescription", {{"text", "unformatted file"}}},
                         {"defaultConfiguration", {{"level", "error"}}}});
      }
      run["results"].push_back(
          unformatted_result(formatted, sarif_uri(formatted.file.shown), rule_index));
    }
  }
  return text_of(log);
}

}  // namespace tacet::cli
