#include "cli/lint_baseline.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/find_files.h"
#include "compiler/core/diagnostics/fingerprint.h"

namespace tacet::cli {

static auto key_of(const Diagnostic& finding, SourceSet& sources, const std::string& folder)
    -> std::string {
  const SourceView view = sources.view(finding.place.file);
  const std::string path = absolute_path(std::string(view.path));
  const std::string relative = std::filesystem::path(path).lexically_relative(folder).string();
  return fmt::format("{} {} {:016x}", code_name(finding.code), relative,
                     fingerprint(finding, view, relative));
}

auto baseline_of(const std::vector<Diagnostic>& findings, SourceSet& sources,
                 const std::string& folder) -> Baseline {
  Baseline baseline;
  for (const Diagnostic& finding : findings) {
    ++baseline.findings[key_of(finding, sources, folder)];
  }
  return baseline;
}

auto baseline_text(const Baseline& baseline) -> std::string {
  nlohmann::ordered_json json = {{"version", 1}, {"findings", nlohmann::ordered_json::object()}};
  for (const auto& [key, n] : baseline.findings) {
    json["findings"][key] = n;
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

auto read_baseline(const std::string& text, const std::string& shown_path) -> Result<Baseline> {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool is_baseline = json.is_object() && json.contains("findings") &&
                           json["findings"].is_object() && json.contains("version") &&
                           json["version"] == 1;
  if (!is_baseline) {
    return Error{
        fmt::format("{}: not a baseline; `tacet lint --write-baseline` writes one", shown_path)};
  }
  Baseline baseline;
  for (const auto& [key, n] : json["findings"].items()) {
    if (!n.is_number_unsigned()) {
      return Error{fmt::format("{}: the count of finding `{}` is not a number", shown_path, key)};
    }
    baseline.findings[key] = n.get<size_t>();
  }
  return baseline;
}

auto drop_known(std::vector<Diagnostic>& findings, const Baseline& baseline, SourceSet& sources,
                const std::string& folder) -> size_t {
  std::map<std::string, size_t> left = baseline.findings;
  return std::erase_if(findings, [&](const Diagnostic& finding) {
    const auto known = left.find(key_of(finding, sources, folder));
    if (known == left.end() || known->second == 0) {
      return false;
    }
    --known->second;
    return true;
  });
}

}  // namespace tacet::cli
