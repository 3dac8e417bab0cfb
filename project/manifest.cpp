#include "project/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "compiler/core/diagnostics/closest_name.h"
#include "formatter/style.h"
#include "project/read_source.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace tacet::project {

static constexpr std::string_view kFileName = "tacet.toml";

/// Keys that `tacet.toml` has. `name` and `version` are for people.
static constexpr std::array<std::string_view, 11> kKeys = {
    "name",      "version",       "sources", "device", "protocol", "security",
    "tolerance", "obliviousness", "lint",    "mpc",    "format",
};

static constexpr std::array<std::string_view, 11> kMpcKeys = {
    "connect",      "silence", "patience",  "protocol", "party", "latency",
    "correlations", "dealer",  "bandwidth", "consent",  "audit"};
static constexpr std::array<std::string_view, 3> kFormatKeys = {"width", "indent", "tabs"};
static constexpr std::array<std::string_view, 5> kPartyKeys = {"name", "address", "certificate",
                                                               "listen", "dial"};

static auto place(std::string_view path, const toml::source_region& region) -> std::string {
  return fmt::format("{}:{}:{}", path, region.begin.line, region.begin.column);
}

static auto read_sources(const toml::node& node, const std::string& path)
    -> Result<std::vector<std::string>> {
  std::vector<std::string> folders;
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    return Error{
        fmt::format("{}: `sources` must be a list of folders, for example `sources = [\"src\"]`",
                    place(path, node.source()))};
  }
  for (const toml::node& element : *array) {
    auto folder = element.value<std::string>();
    if (!folder || folder->empty()) {
      return Error{fmt::format("{}: every entry of `sources` must be the name of a folder",
                               place(path, element.source()))};
    }
    folders.push_back(*folder);
  }
  return folders;
}

/// `[lint]` with a level for each rule.
static auto read_lint(const toml::node& node, const std::string& path)
    -> Result<std::map<std::string, std::string>> {
  std::map<std::string, std::string> levels;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return Error{fmt::format("{}: `lint` must be a table of levels, for example `T5001 = \"deny\"`",
                             place(path, node.source()))};
  }
  for (auto&& [key, value] : *table) {
    auto level = value.value<std::string>();
    if (!level) {
      return Error{fmt::format("{}: the level of a rule must be \"allow\", \"warn\" or \"deny\"",
                               place(path, value.source()))};
    }
    levels.emplace(key.str(), *level);
  }
  return levels;
}

static void warn_of_unknown_keys(const toml::table& table, std::span<const std::string_view> known,
                                 const std::string& path, std::vector<std::string>& warnings) {
  for (auto&& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) {
      continue;
    }
    auto meant = closest_name(key.str(), known);
    warnings.push_back(fmt::format("{}: unknown key `{}`{}", place(path, key.source()), key.str(),
                                   meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }
}

/// One `[[mpc.party]]`, or `[mpc.dealer]`.
static auto read_party(const toml::node& node, const std::string& path,
                       std::vector<std::string>& warnings) -> Result<MpcParty> {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return Error{
        fmt::format("{}: a party must be a table `[[mpc.party]]`", place(path, node.source()))};
  }
  warn_of_unknown_keys(*table, kPartyKeys, path, warnings);
  MpcParty party;
  if (const toml::node* dial = table->get("dial")) {
    party.dial = dial->value_or(std::string());
    if (party.dial != "in" && party.dial != "out") {
      return Error{
          fmt::format("{}: `dial` must be \"in\" or \"out\"; without it, a party both "
                      "calls and is called",
                      place(path, dial->source()))};
    }
  }
  std::array<std::string*, 3> values = {&party.name, &party.address, &party.certificate};
  for (size_t i = 0; i < values.size(); ++i) {
    *values[i] = (*table)[kPartyKeys[i]].value_or(std::string());
    const bool may_be_empty = values[i] == &party.address && party.dial == "out";
    if (values[i]->empty() && !may_be_empty) {
      return Error{fmt::format("{}: a party needs a string `{}`", place(path, node.source()),
                               kPartyKeys[i])};
    }
  }
  party.listen = (*table)["listen"].value_or(std::string());
  if (party.dial == "out" && !party.listen.empty()) {
    return Error{
        fmt::format("{}: `{}` has both `listen` and `dial = \"out\"`: a party that only "
                    "calls does not listen; remove one of them",
                    place(path, node.source()), party.name)};
  }
  return party;
}

/// A number of seconds, if the key is there.
static auto read_seconds(const toml::table& table, std::string_view key, const std::string& path)
    -> Result<std::optional<int64_t>> {
  constexpr int64_t kLongest = int64_t{30} * 24 * 3600;
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return std::optional<int64_t>();
  }
  std::optional<int64_t> seconds = node->value_exact<int64_t>();
  if (!seconds || *seconds < 1 || *seconds > kLongest) {
    return Error{fmt::format("{}: `{}` must be a number of seconds from 1 to {}",
                             place(path, node->source()), key, kLongest)};
  }
  return seconds;
}

/// A positive number of `unit`, if the key is there.
static auto read_number(const toml::table& table, std::string_view key, double most,
                        std::string_view unit, const std::string& path)
    -> Result<std::optional<double>> {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return std::optional<double>();
  }
  const double number = node->value_or(0.0);
  if (!(number > 0 && number <= most)) {
    return Error{fmt::format("{}: `{}` must be a positive number of {}, at most {:.0f}",
                             place(path, node->source()), key, unit, most)};
  }
  return std::optional<double>(number);
}

/// A number of columns, if the key is there.
static auto read_columns(const toml::table& table, std::string_view key, uint32_t least,
                         uint32_t most, const std::string& path)
    -> Result<std::optional<uint32_t>> {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return std::optional<uint32_t>();
  }
  const std::optional<int64_t> columns = node->value_exact<int64_t>();
  if (!columns || *columns < least || *columns > most) {
    return Error{fmt::format("{}: `{}` must be a number of columns from {} to {}",
                             place(path, node->source()), key, least, most)};
  }
  return std::optional(static_cast<uint32_t>(*columns));
}

/// `[format]`.
static auto read_format(const toml::node& node, const std::string& path,
                        std::vector<std::string>& warnings) -> Result<FormatSettings> {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return Error{fmt::format("{}: `format` must be a table, for example `width = 80`",
                             place(path, node.source()))};
  }
  warn_of_unknown_keys(*table, kFormatKeys, path, warnings);
  FormatSettings settings;
  auto width = read_columns(*table, "width", formatter::kMinWidth, formatter::kNoWidth, path);
  auto indent = read_columns(*table, "indent", 1, formatter::kMaxIndent, path);
  if (!width || !indent) {
    return !width ? width.error() : indent.error();
  }
  settings.width = *width;
  settings.indent = *indent;
  if (const toml::node* tabs = table->get("tabs")) {
    settings.tabs = tabs->value_exact<bool>();
    if (!settings.tabs) {
      return Error{fmt::format("{}: `tabs` must be true or false", place(path, tabs->source()))};
    }
  }
  return settings;
}

/// What a party requires and records of its runs.
static auto read_records(const toml::table& table, const std::string& path, MpcSettings& settings)
    -> Status {
  if (const toml::node* consent = table.get("consent")) {
    const std::string word = consent->value_or(std::string());
    if (word != "required" && word != "optional") {
      return Error{fmt::format("{}: `consent` must be \"required\" or \"optional\"",
                               place(path, consent->source()))};
    }
    settings.requires_consent = word == "required";
  }
  if (const toml::node* audit = table.get("audit")) {
    settings.audit = audit->value_or(std::string());
    if (settings.audit.empty()) {
      return Error{
          fmt::format("{}: `audit` must be the name of a file", place(path, audit->source()))};
    }
  }
  return std::monostate{};
}

/// `[mpc]`.
static auto read_mpc(const toml::node& node, const std::string& path,
                     std::vector<std::string>& warnings) -> Result<MpcSettings> {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return Error{fmt::format("{}: `mpc` must be a table", place(path, node.source()))};
  }
  warn_of_unknown_keys(*table, kMpcKeys, path, warnings);
  MpcSettings settings;
  settings.protocol = (*table)["protocol"].value_or(std::string());
  if (const toml::node* correlations = table->get("correlations")) {
    settings.correlations = correlations->value_or(std::string());
    if (settings.correlations != "bfv" && settings.correlations != "dealer") {
      return Error{fmt::format("{}: `correlations` must be \"bfv\" or \"dealer\"",
                               place(path, correlations->source()))};
    }
  }
  if (const toml::node* dealer = table->get("dealer")) {
    Result<MpcParty> party = read_party(*dealer, path, warnings);
    if (!party) {
      return party.error();
    }
    settings.dealer = std::move(*party);
  }
  std::array<std::optional<int64_t>*, 3> times = {&settings.connect, &settings.silence,
                                                  &settings.patience};
  for (size_t i = 0; i < times.size(); ++i) {
    Result<std::optional<int64_t>> seconds = read_seconds(*table, kMpcKeys[i], path);
    if (!seconds) {
      return seconds.error();
    }
    *times[i] = *seconds;
  }
  Result<std::optional<double>> latency = read_number(*table, "latency", 1e5, "milliseconds", path);
  Result<std::optional<double>> bandwidth =
      read_number(*table, "bandwidth", 1e6, "megabits a second", path);
  if (!latency || !bandwidth) {
    return !latency ? latency.error() : bandwidth.error();
  }
  settings.latency = *latency;
  settings.bandwidth = *bandwidth;
  if (Status read = read_records(*table, path, settings); !read) {
    return read.error();
  }
  const toml::node* parties = table->get("party");
  const toml::array* array = parties == nullptr ? nullptr : parties->as_array();
  if (parties != nullptr && array == nullptr) {
    return Error{
        fmt::format("{}: parties must be tables `[[mpc.party]]`", place(path, parties->source()))};
  }
  for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
    Result<MpcParty> party = read_party((*array)[i], path, warnings);
    if (!party) {
      return party.error();
    }
    settings.parties.push_back(std::move(*party));
  }
  return settings;
}

/// One of the words that a key may have, or nothing if it is not there.
static auto read_word(const toml::table& table, std::string_view key,
                      std::span<const std::string_view> words, std::string_view path)
    -> Result<std::string> {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return std::string();
  }
  const std::string word = node->value_or(std::string());
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    return Error{fmt::format("{}: `{}` must be one of \"{}\"", place(path, node->source()), key,
                             fmt::join(words, "\", \""))};
  }
  return word;
}

static auto read_security(const toml::table& table, std::string_view path)
    -> Result<std::optional<int64_t>> {
  const toml::node* node = table.get("security");
  if (node == nullptr) {
    return std::optional<int64_t>();
  }
  const int64_t bits = node->value_or(int64_t{0});
  if (bits != 128 && bits != 192 && bits != 256) {
    return Error{
        fmt::format("{}: `security` must be 128, 192 or 256 bits", place(path, node->source()))};
  }
  return std::optional<int64_t>(bits);
}

static auto read_tolerance(const toml::table& table, std::string_view path)
    -> Result<std::optional<double>> {
  const toml::node* node = table.get("tolerance");
  if (node == nullptr) {
    return std::optional<double>();
  }
  const double number = node->value_or(0.0);
  if (!(number > 0 && number < 1e9)) {
    return Error{
        fmt::format("{}: `tolerance` must be a positive number", place(path, node->source()))};
  }
  return std::optional<double>(number);
}

/// Where programs run, and how.
static auto read_defaults(const toml::table& table, std::string_view path, Manifest& manifest)
    -> Status {
  static constexpr std::string_view kDevices[] = {"auto", "ref", "he", "mpc"};
  static constexpr std::string_view kProtocols[] = {"ref", "semi2k", "aby3", "rep4", "aby3-active"};
  Result<std::string> device = read_word(table, "device", kDevices, path);
  Result<std::string> protocol = read_word(table, "protocol", kProtocols, path);
  Result<std::optional<int64_t>> security = read_security(table, path);
  Result<std::optional<double>> tolerance = read_tolerance(table, path);
  for (const Error* error :
       {device ? nullptr : &device.error(), protocol ? nullptr : &protocol.error(),
        security ? nullptr : &security.error(), tolerance ? nullptr : &tolerance.error()}) {
    if (error != nullptr) {
      return *error;
    }
  }
  manifest.device = std::move(*device);
  manifest.security = *security;
  manifest.tolerance = *tolerance;
  if (manifest.mpc.protocol.empty()) {
    manifest.mpc.protocol = std::move(*protocol);
  }
  return std::monostate();
}

auto parse_manifest(const std::string& text, const std::string& shown_path,
                    std::vector<std::string>& warnings) -> Result<Manifest> {
  toml::parse_result parsed = toml::parse(text, shown_path);
  if (!parsed) {
    return Error{fmt::format("{}: {}", place(shown_path, parsed.error().source()),
                             parsed.error().description())};
  }
  const toml::table& table = parsed.table();
  warn_of_unknown_keys(table, kKeys, shown_path, warnings);
  Manifest manifest;
  if (const toml::node* sources = table.get("sources")) {
    Result<std::vector<std::string>> folders = read_sources(*sources, shown_path);
    if (!folders) {
      return folders.error();
    }
    manifest.sources = std::move(*folders);
  }
  if (const toml::node* lint = table.get("lint")) {
    Result<std::map<std::string, std::string>> levels = read_lint(*lint, shown_path);
    if (!levels) {
      return levels.error();
    }
    manifest.lint = std::move(*levels);
  }
  if (const toml::node* format = table.get("format")) {
    Result<FormatSettings> settings = read_format(*format, shown_path, warnings);
    if (!settings) {
      return settings.error();
    }
    manifest.format = *settings;
  }
  if (const toml::node* mpc = table.get("mpc")) {
    Result<MpcSettings> settings = read_mpc(*mpc, shown_path, warnings);
    if (!settings) {
      return settings.error();
    }
    manifest.mpc = std::move(*settings);
  }
  if (Status read = read_defaults(table, shown_path, manifest); !read) {
    return read.error();
  }
  manifest.obliviousness = table["obliviousness"].value_or(std::string());
  return manifest;
}

auto Workspace::source_folders() const -> std::vector<std::string> {
  std::vector<std::string> folders;
  for (const std::string& source : manifest.sources) {
    folders.push_back((std::filesystem::path(root) / source).lexically_normal().string());
    if (folders.back().size() > 1 && folders.back().back() == '/') {
      folders.back().pop_back();
    }
  }
  return folders;
}

auto read_manifest(const std::string& folder, std::vector<std::string>& warnings)
    -> Result<std::optional<Manifest>> {
  std::string path = (std::filesystem::path(folder) / kFileName).string();
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::optional<Manifest>();
  }
  Result<std::string> text = read_source(path);
  if (!text) {
    return text.error();
  }
  Result<Manifest> manifest = parse_manifest(*text, path, warnings);
  if (!manifest) {
    return manifest.error();
  }
  return std::optional<Manifest>(std::move(*manifest));
}

auto find_workspace(const std::string& folder, std::vector<std::string>& warnings)
    -> Result<std::optional<Workspace>> {
  std::filesystem::path at(folder);
  while (true) {
    Result<std::optional<Manifest>> manifest = read_manifest(at.string(), warnings);
    if (!manifest) {
      return manifest.error();
    }
    if (*manifest) {
      return std::optional<Workspace>(Workspace{at.string(), std::move(**manifest)});
    }
    if (!at.has_parent_path() || at.parent_path() == at) {
      return std::optional<Workspace>();
    }
    at = at.parent_path();
  }
}

}  // namespace tacet::project
