#include "cli/lint_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/atomic_write.h"
#include "cli/find_files.h"
#include "cli/report.h"
#include "compiler/core/diagnostics/fingerprint.h"
#include "project/read_source.h"

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
    return Error{fmt::format("{}: not a baseline; `--write-baseline` writes one", shown_path)};
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

auto with_kept(Baseline found, const Baseline& known,
               const std::function<bool(std::string_view code)>& is_kept) -> Baseline {
  for (const auto& [key, n] : known.findings) {
    if (is_kept(std::string_view(key).substr(0, key.find(' ')))) {
      size_t& count = found.findings[key];
      count = std::max(count, n);
    }
  }
  return found;
}

/// What the file has; nothing if it is not there and need not be.
static auto known_baseline(const BaselineUse& use, const std::string& path) -> Result<Baseline> {
  Result<std::string> text = project::read_source(path);
  if (!text) {
    return use.path.empty() || use.is_written ? Baseline() : Result<Baseline>(text.error());
  }
  return read_baseline(*text, path_from_here(path));
}

auto apply_baseline(const BaselineUse& use, const std::string& root,
                    const std::function<bool(std::string_view code)>& is_kept,
                    std::vector<Diagnostic>& findings, SourceSet& sources) -> Result<std::string> {
  const std::string path =
      use.path.empty() ? root + "/" + std::string(kBaselineName) : absolute_path(use.path);
  const std::string folder = path.substr(0, path.rfind('/'));
  Result<Baseline> known = known_baseline(use, path);
  if (!known) {
    return known.error();
  }
  if (use.is_written) {
    const Baseline baseline = with_kept(baseline_of(findings, sources, folder), *known, is_kept);
    if (Status written = write_or_create(path, baseline_text(baseline)); !written) {
      return written.error();
    }
    const size_t n = findings.size();
    findings.clear();
    return fmt::format("; {} in {}", counted(n, "known finding"), path_from_here(path));
  }
  const size_t n_known = drop_known(findings, *known, sources, folder);
  return n_known == 0 ? std::string()
                      : fmt::format("; {} omitted", counted(n_known, "known finding"));
}

}  // namespace tacet::cli
