#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/line_index.h"
#include "compiler/core/diagnostics/render.h"
#include "compiler/spec/program/frontend.h"
#include "linter/lint_file.h"
#include "tests/harness/files.h"

/// Reports hold to the schema of SARIF 2.1.0: its objects, as far as we write them, are here as a
/// table that was written from the standard (OASIS, Static Analysis Results Interchange Format
/// 2.1.0, section 3). In all of them no other property is allowed.
namespace tacet::linter {
namespace {

using Json = nlohmann::json;

enum class Form : uint8_t { Object, Array, Text, Uri, Number, AnyObject };

struct Property {
  Form form = Form::Text;
  std::string_view of{};  ///< the object, or that of each element
  bool is_required = false;
  std::vector<std::string_view> values{};  ///< of a text, if only some are allowed
  int64_t least = 0;                       ///< of a number
};

using Schema = std::map<std::string_view, std::map<std::string_view, Property>>;

const std::vector<std::string_view> kLevels = {"none", "note", "warning", "error"};

/// The log, its runs, and the tool with its rules.
auto objects_of_runs() -> Schema {
  return {
      {"sarifLog",
       {{"$schema", {Form::Uri}},
        {"version", {Form::Text, {}, true, {"2.1.0"}}},
        {"runs", {Form::Array, "run", true}}}},
      {"run",
       {{"tool", {Form::Object, "tool", true}},
        {"columnKind", {Form::Text, {}, false, {"utf16CodeUnits", "unicodeCodePoints"}}},
        {"results", {Form::Array, "result"}}}},
      {"tool", {{"driver", {Form::Object, "toolComponent", true}}}},
      {"toolComponent",
       {{"name", {Form::Text, {}, true}},
        {"version", {Form::Text}},
        {"rules", {Form::Array, "reportingDescriptor"}}}},
      {"reportingDescriptor",
       {{"id", {Form::Text, {}, true}},
        {"shortDescription", {Form::Object, "message"}},
        {"defaultConfiguration", {Form::Object, "reportingConfiguration"}}}},
      {"reportingConfiguration", {{"level", {Form::Text, {}, false, kLevels}}}},
      {"message", {{"text", {Form::Text, {}, true}}}},
  };
}

/// Results, and the places that they name.
auto objects_of_results() -> Schema {
  return {
      {"result",
       {{"ruleId", {Form::Text}},
        {"ruleIndex", {Form::Number, {}, false, {}, -1}},
        {"level", {Form::Text, {}, false, kLevels}},
        {"message", {Form::Object, "message", true}},
        {"locations", {Form::Array, "location"}},
        {"relatedLocations", {Form::Array, "location"}},
        {"codeFlows", {Form::Array, "codeFlow"}},
        {"graphs", {Form::Array, "graph"}},
        {"fixes", {Form::Array, "fix"}},
        {"partialFingerprints", {Form::AnyObject}}}},
      {"location",
       {{"id", {Form::Number, {}, false, {}, -1}},
        {"physicalLocation", {Form::Object, "physicalLocation"}},
        {"message", {Form::Object, "message"}}}},
      {"physicalLocation",
       {{"artifactLocation", {Form::Object, "artifactLocation", true}},
        {"region", {Form::Object, "region"}}}},
      {"artifactLocation", {{"uri", {Form::Uri, {}, true}}}},
      {"region",
       {{"startLine", {Form::Number, {}, true, {}, 1}},
        {"startColumn", {Form::Number, {}, false, {}, 1}},
        {"endLine", {Form::Number, {}, false, {}, 1}},
        {"endColumn", {Form::Number, {}, false, {}, 1}},
        {"byteOffset", {Form::Number, {}, false, {}, -1}},
        {"byteLength", {Form::Number}}}},
      {"codeFlow", {{"threadFlows", {Form::Array, "threadFlow", true}}}},
      {"threadFlow", {{"locations", {Form::Array, "threadFlowLocation", true}}}},
      {"threadFlowLocation", {{"location", {Form::Object, "location"}}}},
      {"graph",
       {{"description", {Form::Object, "message"}},
        {"nodes", {Form::Array, "node"}},
        {"edges", {Form::Array, "edge"}}}},
      {"node",
       {{"id", {Form::Text, {}, true}},
        {"label", {Form::Object, "message"}},
        {"location", {Form::Object, "location"}}}},
      {"edge",
       {{"id", {Form::Text, {}, true}},
        {"sourceNodeId", {Form::Text, {}, true}},
        {"targetNodeId", {Form::Text, {}, true}}}},
  };
}

/// Fixes.
auto objects_of_fixes() -> Schema {
  return {
      {"fix",
       {{"description", {Form::Object, "message"}},
        {"artifactChanges", {Form::Array, "artifactChange", true}},
        {"properties", {Form::AnyObject}}}},
      {"artifactChange",
       {{"artifactLocation", {Form::Object, "artifactLocation", true}},
        {"replacements", {Form::Array, "replacement", true}}}},
      {"replacement",
       {{"deletedRegion", {Form::Object, "region", true}},
        {"insertedContent", {Form::Object, "artifactContent"}}}},
      {"artifactContent", {{"text", {Form::Text}}}},
  };
}

auto schema() -> const Schema& {
  static const Schema kSchema = [] {
    Schema all = objects_of_runs();
    all.merge(objects_of_results());
    all.merge(objects_of_fixes());
    return all;
  }();
  return kSchema;
}

void validate(const Json& json, std::string_view object, const std::string& path,
              std::string& faults);

void validate_property(const Json& value, const Property& property, const std::string& path,
                       std::string& faults) {
  const auto expect = [&](bool is_right, std::string_view what) {
    faults += is_right ? "" : fmt::format("{}: {}\n", path, what);
  };
  switch (property.form) {
    case Form::Object:
      validate(value, property.of, path, faults);
      return;
    case Form::Array:
      expect(value.is_array(), "no array");
      for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
        validate(value[i], property.of, fmt::format("{}/{}", path, i), faults);
      }
      return;
    case Form::AnyObject:
      expect(value.is_object(), "no object");
      return;
    case Form::Number:
      expect(value.is_number_integer() && value.get<int64_t>() >= property.least, "no such number");
      return;
    case Form::Text:
    case Form::Uri:
      break;
  }
  expect(value.is_string(), "no text");
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  expect(property.values.empty() || std::find(property.values.begin(), property.values.end(),
                                              text) != property.values.end(),
         "none of the values that there are");
  expect(property.form != Form::Uri ||
             (!text.empty() && text.find_first_of(" \\\"<>^`{|}") == std::string::npos),
         "no URI");
}

void validate(const Json& json, std::string_view object, const std::string& path,
              std::string& faults) {
  const auto& properties = schema().at(object);
  if (!json.is_object()) {
    faults += fmt::format("{}: no object\n", path);
    return;
  }
  for (const auto& [key, value] : json.items()) {
    const auto property = properties.find(key);
    if (property == properties.end()) {
      faults += fmt::format("{}: `{}` has no `{}`\n", path, object, key);
    } else {
      validate_property(value, property->second, path + "/" + key, faults);
    }
  }
  for (const auto& [key, property] : properties) {
    if (property.is_required && !json.contains(key)) {
      faults += fmt::format("{}: `{}` lacks `{}`\n", path, object, key);
    }
  }
}

/// What the schema cannot say: indices name what is there, and regions end behind their beginning.
void validate_references(const Json& log, std::string& faults) {
  for (const Json& run : log["runs"]) {
    const Json& rules = run["tool"]["driver"]["rules"];
    for (const Json& result : run["results"]) {
      const auto index = result["ruleIndex"].get<size_t>();
      if (index >= rules.size() || rules[index]["id"] != result["ruleId"]) {
        faults += fmt::format("rule {} is not {}\n", index, result["ruleId"].dump());
      }
      for (const Json& location : result["locations"]) {
        const Json& region = location["physicalLocation"]["region"];
        const auto begin =
            std::pair(region["startLine"].get<int>(), region["startColumn"].get<int>());
        const auto end = std::pair(region["endLine"].get<int>(), region["endColumn"].get<int>());
        faults += begin <= end ? "" : "a region ends in front of its beginning\n";
      }
    }
  }
}

/// The report about one text.
auto report(const std::string& path, const std::string& text) -> std::string {
  program::Frontend frontend;
  const FileId file = frontend.set_file(path, text);
  Settings settings;
  settings.others = Level::Warn;
  const std::vector<Diagnostic> found =
      frontend.snapshot().query().run([&](query::Context& context) {
        return lint_file(context, file, {.settings = settings, .fixes = Fixes::All});
      });
  const LineIndex lines(text);
  return render_sarif(found,
                      [&](FileId) {
                        return SourceView{path, text, &lines};
                      },
                      {"tacet", "1.2.3"});
}

TEST(Sarif, HoldsToItsSchema) {
  size_t n_results = 0;
  for (const char* folder : {"tests/check/lint", "tests/check/advice"}) {
    for (const auto& path :
         harness::find_files({.folder = folder, .endings = {".tacet"}, .least = 10})) {
      const std::string text = harness::read_file(path);
      const Json log = Json::parse(report("a folder/größe.tacet", text));
      std::string faults;
      validate(log, "sarifLog", "", faults);
      validate_references(log, faults);
      EXPECT_EQ(faults, "") << path;
      n_results += log["runs"][0]["results"].size();
    }
  }
  EXPECT_GE(n_results, 100U);
}

/// The check itself: what it must notice.
TEST(Sarif, NoticesWhatTheSchemaForbids) {
  const Json good = Json::parse(report(
      "a.tacet", "#version 0.1.0\nfn(mpc) f(x: secret i64) -> secret i64 { let y = x; x - x }\n"));
  const auto faults_with = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    std::string faults;
    validate(bad, "sarifLog", "", faults);
    return faults;
  };
  EXPECT_EQ(faults_with("/version", "2.1.0"), "");
  EXPECT_NE(faults_with("/version", "2.0.0"), "");
  EXPECT_NE(faults_with("/runs/0/results/0/levels", "note"), "");
  EXPECT_NE(faults_with("/runs/0/results/0/level", "info"), "");
  EXPECT_NE(faults_with("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0), "");
  EXPECT_NE(faults_with("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
                        "a b.tacet"),
            "");
  EXPECT_NE(faults_with("/runs/0/results/0/message", Json::object()), "");
}

}  // namespace
}  // namespace tacet::linter
