#include "cli/parties/consents.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/atomic_write.h"
#include "cli/find_files.h"
#include "cli/run/party_plan.h"
#include "project/read_source.h"

namespace tacet::cli {

using ConsentJson = nlohmann::ordered_json;

static constexpr size_t kShortestPrefix = 8;
static constexpr size_t kDigestSize = 64;

auto utc_now() -> std::string {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

auto consents_path(const project::Workspace& workspace, const std::string& party,
                   const std::string& key_file) -> Result<std::string> {
  Result<std::string> key = private_key_path(workspace, party, key_file);
  return key ? std::filesystem::path(*key).replace_extension(".allowed").string() : key;
}

static auto is_digest(const std::string& text) -> bool {
  return text.size() == kDigestSize &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

static auto consent_of_line(const std::string& line) -> std::optional<Consent> {
  const ConsentJson json = ConsentJson::parse(line, nullptr, false);
  if (!json.is_object()) {
    return std::nullopt;
  }
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  Consent consent{.digest = text("digest"),
                  .covers_any_inputs = text("public_inputs") == "any",
                  .date = text("date"),
                  .function = text("function"),
                  .file = text("file"),
                  .note = text("note")};
  return is_digest(consent.digest) ? std::optional(std::move(consent)) : std::nullopt;
}

static auto consent_lines(const std::vector<Consent>& consents) -> std::string {
  std::string text;
  for (const Consent& consent : consents) {
    const ConsentJson json = {{"digest", consent.digest},
                              {"public_inputs", consent.covers_any_inputs ? "any" : "as allowed"},
                              {"date", consent.date},
                              {"function", consent.function},
                              {"file", consent.file},
                              {"note", consent.note}};
    text += json.dump(-1, ' ', false, ConsentJson::error_handler_t::replace) + "\n";
  }
  return text;
}

auto read_consents(const std::string& path) -> Result<std::optional<std::vector<Consent>>> {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) {
    return std::optional<std::vector<Consent>>();
  }
  constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
  if ((status.st_mode & kWritableByOthers) != 0) {
    return Error{fmt::format(
        "{0}: other users can change what this party allows (mode {1:04o}); check its lines, then "
        "run `chmod go-w {0}`",
        path_from_here(path), status.st_mode & 07777)};
  }
  Result<std::string> text = project::read_source(path);
  if (!text) {
    return text.error();
  }
  std::vector<Consent> consents;
  std::istringstream lines(*text);
  std::string line;
  for (size_t n = 1; std::getline(lines, line); ++n) {
    std::optional<Consent> consent = consent_of_line(line);
    if (!consent) {
      return Error{fmt::format("{}:{}: not a line that `tacet party allow` writes",
                               path_from_here(path), n)};
    }
    consents.push_back(std::move(*consent));
  }
  return std::optional(std::move(consents));
}

auto add_consent(const std::string& path, Consent consent) -> Status {
  auto consents = read_consents(path);
  if (!consents) {
    return consents.error();
  }
  std::vector<Consent> all = consents->value_or(std::vector<Consent>());
  std::erase_if(all, [&](const Consent& each) { return each.digest == consent.digest; });
  all.push_back(std::move(consent));
  return write_private(path, consent_lines(all));
}

auto remove_consents(const std::string& path, const std::vector<std::string>& prefixes)
    -> Result<std::vector<Consent>> {
  auto consents = read_consents(path);
  if (!consents) {
    return consents.error();
  }
  std::vector<Consent> all = consents->value_or(std::vector<Consent>());
  std::vector<Consent> removed;
  for (const std::string& prefix : prefixes) {
    if (prefix.size() < kShortestPrefix) {
      return Error{fmt::format("`{}`: give at least the first {} digits of a digest", prefix,
                               kShortestPrefix)};
    }
    const auto begins = [&](const Consent& each) { return each.digest.starts_with(prefix); };
    const auto n = std::count_if(all.begin(), all.end(), begins);
    if (n != 1) {
      return Error{n == 0 ? fmt::format("`{}` is the digest of no allowed program; run `tacet "
                                        "party allowed` for the list",
                                        prefix)
                          : fmt::format("the digests of {} allowed programs begin with `{}`; give "
                                        "more digits",
                                        n, prefix)};
    }
    const auto found = std::find_if(all.begin(), all.end(), begins);
    removed.push_back(std::move(*found));
    all.erase(found);
  }
  if (Status written = write_private(path, consent_lines(all)); !written) {
    return written.error();
  }
  return removed;
}

auto consents_text(const std::vector<Consent>& consents) -> std::string {
  std::string text;
  for (const Consent& consent : consents) {
    text += fmt::format("{}  {}  {} of {}{}{}\n", consent.date, consent.digest, consent.function,
                        consent.file, consent.covers_any_inputs ? ", any public inputs" : "",
                        consent.note.empty() ? "" : "  # " + consent.note);
  }
  return text;
}

auto missing_consent(const project::Workspace& workspace, const RunOptions& options,
                     const RunDigests& digests, const std::string& command) -> Status {
  Result<std::string> path = consents_path(workspace, options.party, options.party_key);
  if (!path) {
    return path.error();
  }
  auto consents = read_consents(*path);
  if (!consents) {
    return consents.error();
  }
  if (!*consents && !workspace.manifest.mpc.requires_consent) {
    return std::monostate{};
  }
  const std::vector<Consent> all = consents->value_or(std::vector<Consent>());
  if (std::any_of(all.begin(), all.end(),
                  [&](const Consent& consent) { return digests.is_one_of(consent.digest); })) {
    return std::monostate{};
  }
  return Error{fmt::format(
      "`{}` has not allowed this run ({}): {}; {} shows what it discloses to whom, and allows it",
      options.party, digests.of_run,
      !*consents    ? "tacet.toml requires consent, and there is none yet"
      : all.empty() ? fmt::format("{} allows nothing", path_from_here(*path))
                    : fmt::format("{} allows {} other{}", path_from_here(*path), all.size(),
                                  all.size() == 1 ? "" : "s"),
      command)};
}

}  // namespace tacet::cli
