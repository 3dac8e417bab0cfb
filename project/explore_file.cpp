#include "project/explore_file.h"

#include <fmt/format.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "project/read_source.h"

namespace tacet::project {

namespace {

constexpr int64_t kVersion = 1;
constexpr unsigned kMostThreads = 1024;

constexpr std::string_view kHead =
    "# Written by `tacet explore`: the fastest way to compute each specification. `tacet run` "
    "obeys it.\n";

auto node_place(std::string_view path, const toml::node& node) -> std::string {
  return fmt::format("{}:{}:{}", path, node.source().begin.line, node.source().begin.column);
}

/// A basic string: what needs it is escaped.
auto quoted(std::string_view text) -> std::string {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

void append(std::string& out, std::string_view key, std::string_view value) {
  if (!value.empty()) {
    out += fmt::format("{} = {}\n", key, quoted(value));
  }
}

void append(std::string& out, const program::ExploredWay& way) {
  append(out, "implementation", way.implementation);
  append(out, "device", way.device);
  append(out, "scheme", way.scheme);
  append(out, "protocol", way.protocol);
  if (!way.calls.empty()) {
    std::string calls;
    for (const std::string& call : way.calls) {
      calls += fmt::format("{}{}", calls.empty() ? "" : ", ", quoted(std::string_view(call)));
    }
    out += fmt::format("calls = [{}]\n", calls);
  }
  append(out, "layout", way.layout);
  if (way.threads != 0) {
    out += fmt::format("threads = {}\n", way.threads);
  }
  if (way.milliseconds) {
    out += fmt::format("milliseconds = {:.3f}\n", *way.milliseconds);
  }
  if (way.bytes) {
    out += fmt::format("bytes = {:.0f}\n", *way.bytes);
  }
  append(out, "why", way.why);
}

/// Reads the strings of a table, and nothing else.
class TableReader {
 public:
  TableReader(const toml::table& table, const std::string& path) : table_(table), path_(path) {}

  /// Of a key that may be missing.
  auto text(std::string_view key) -> std::string {
    known_.push_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      return {};
    }
    const auto value = node->value<std::string>();
    if (!value) {
      fail(*node, fmt::format("`{}` must be a string", key));
    }
    return value.value_or("");
  }

  auto required(std::string_view key) -> std::string {
    std::string value = text(key);
    if (value.empty()) {
      fail(table_, fmt::format("a choice needs a string `{}`", key));
    }
    return value;
  }

  /// Of an array of strings that may be missing.
  auto texts(std::string_view key) -> std::vector<std::string> {
    known_.push_back(key);
    std::vector<std::string> values;
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      return values;
    }
    const toml::array* const list = node->as_array();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto value = list->get(i)->value<std::string>();
      if (!value || value->empty()) {
        fail(*list->get(i), fmt::format("`{}` must be an array of strings", key));
      }
      values.push_back(value.value_or(""));
    }
    if (list == nullptr) {
      fail(*node, fmt::format("`{}` must be an array of strings", key));
    }
    return values;
  }

  auto number(std::string_view key) -> std::optional<double> {
    known_.push_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      return std::nullopt;
    }
    const auto value = node->value<double>();
    if (!value || !(*value >= 0)) {
      fail(*node, fmt::format("`{}` must be a number of at least 0", key));
    }
    return value;
  }

  auto threads() -> unsigned {
    const std::optional<double> n = number("threads");
    if (n && !(*n >= 1 && *n <= kMostThreads && std::floor(*n) == *n)) {
      fail(table_, fmt::format("`threads` must be an integer from 1 to {}", kMostThreads));
      return 0;
    }
    return static_cast<unsigned>(n.value_or(0));
  }

  auto way() -> program::ExploredWay {
    program::ExploredWay way{.implementation = required("implementation"),
                             .device = required("device"),
                             .scheme = text("scheme"),
                             .protocol = text("protocol"),
                             .calls = texts("calls"),
                             .layout = text("layout"),
                             .threads = threads(),
                             .milliseconds = number("milliseconds"),
                             .bytes = number("bytes"),
                             .why = text("why")};
    check(way.device, "device", {"local", "he", "mpc"});
    check(way.scheme, "scheme", {"", "bfv", "bgv", "ckks", "cggi"});
    check(way.protocol, "protocol", {"", "semi2k", "aby3", "rep4", "aby3-active"});
    return way;
  }

  /// The first mistake, or one in a key that was not read.
  auto end(std::string_view also = {}) -> Status {
    for (auto&& [key, value] : table_) {
      if (key.str() != also && std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
        fail(value, fmt::format("unknown key `{}`", key.str()));
      }
    }
    return problem_.empty() ? Status(std::monostate{}) : Status(Error{problem_});
  }

 private:
  void fail(const toml::node& node, const std::string& what) {
    if (problem_.empty()) {
      problem_ = fmt::format("{}: {}", node_place(path_, node), what);
    }
  }

  void check(const std::string& word, std::string_view key,
             std::initializer_list<std::string_view> words) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      fail(table_, fmt::format("unknown {} `{}`", key, word));
    }
  }

  const toml::table& table_;
  const std::string& path_;
  std::vector<std::string_view> known_;
  std::string problem_;
};

auto read_choice(const toml::table& table, const std::string& path)
    -> Result<program::ExploredChoice> {
  TableReader reader(table, path);
  program::ExploredChoice choice;
  choice.file = reader.required("file");
  choice.pipeline = reader.text("pipeline");
  choice.target = choice.pipeline.empty() ? reader.required("target") : "";
  choice.parameters = reader.text("parameters");
  choice.machine = reader.text("machine");
  choice.chosen = reader.way();
  if (Status status = reader.end("other"); !status) {
    return status.error();
  }
  const toml::node* const others = table.get("other");
  const toml::array* const list = others == nullptr ? nullptr : others->as_array();
  if (others != nullptr && list == nullptr) {
    return Error{fmt::format("{}: `other` must be `[[choice.other]]`", node_place(path, *others))};
  }
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::table* const other = list->get(i)->as_table();
    if (other == nullptr) {
      return Error{
          fmt::format("{}: `other` must be `[[choice.other]]`", node_place(path, *others))};
    }
    TableReader inner(*other, path);
    choice.others.push_back(inner.way());
    if (Status status = inner.end(); !status) {
      return status.error();
    }
  }
  return choice;
}

}  // namespace

auto ExploreFile::find(std::string_view file, std::string_view target,
                       std::string_view pipeline) const -> const program::ExploredChoice* {
  const auto found =
      std::find_if(choices.begin(), choices.end(), [&](const program::ExploredChoice& choice) {
        return choice.file == file && choice.target == target && choice.pipeline == pipeline;
      });
  return found == choices.end() ? nullptr : &*found;
}

auto ExploreFile::of_file(std::string_view file) const -> std::vector<program::ExploredChoice> {
  std::vector<program::ExploredChoice> found;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(found),
               [&](const program::ExploredChoice& choice) { return choice.file == file; });
  return found;
}

void ExploreFile::set(program::ExploredChoice choice) {
  std::erase_if(choices, [&](const program::ExploredChoice& old) {
    return old.file == choice.file && old.target == choice.target &&
           old.pipeline == choice.pipeline;
  });
  choices.push_back(std::move(choice));
  std::sort(choices.begin(), choices.end(),
            [](const program::ExploredChoice& a, const program::ExploredChoice& b) {
              return std::tie(a.file, a.target, a.pipeline) <
                     std::tie(b.file, b.target, b.pipeline);
            });
}

auto to_text(const ExploreFile& file) -> std::string {
  std::string out(kHead);
  out += fmt::format("version = {}\n", kVersion);
  for (const program::ExploredChoice& choice : file.choices) {
    out += "\n[[choice]]\n";
    append(out, "file", choice.file);
    append(out, "target", choice.target);
    append(out, "pipeline", choice.pipeline);
    append(out, "parameters", choice.parameters);
    append(out, "machine", choice.machine);
    append(out, choice.chosen);
    for (const program::ExploredWay& other : choice.others) {
      out += "\n[[choice.other]]\n";
      append(out, other);
    }
  }
  return out;
}

auto parse_explore_file(const std::string& text, const std::string& shown_path)
    -> Result<ExploreFile> {
  const toml::parse_result parsed = toml::parse(text, shown_path);
  if (!parsed) {
    const toml::source_position at = parsed.error().source().begin;
    return Error{
        fmt::format("{}:{}:{}: {}", shown_path, at.line, at.column, parsed.error().description())};
  }
  const toml::table& table = parsed.table();
  if (table["version"].value_or(int64_t{0}) != kVersion) {
    return Error{fmt::format("{}: not of version {}; remove it, and run `tacet explore` again",
                             shown_path, kVersion)};
  }
  ExploreFile file;
  for (auto&& [key, value] : table) {
    if (key.str() == "version") {
      continue;
    }
    const toml::array* const choices = value.as_array();
    if (key.str() != "choice" || choices == nullptr) {
      return Error{fmt::format("{}: unknown key `{}`", node_place(shown_path, value), key.str())};
    }
    for (const toml::node& node : *choices) {
      const toml::table* const choice = node.as_table();
      if (choice == nullptr) {
        return Error{
            fmt::format("{}: a choice must be a table `[[choice]]`", node_place(shown_path, node))};
      }
      Result<program::ExploredChoice> read = read_choice(*choice, shown_path);
      if (!read) {
        return read.error();
      }
      if (file.find(read->file, read->target, read->pipeline) != nullptr) {
        return Error{fmt::format("{}: a second choice for `{}`", node_place(shown_path, node),
                                 read->target + read->pipeline)};
      }
      file.set(std::move(*read));
    }
  }
  return file;
}

auto read_explore_file(const std::string& folder) -> Result<ExploreFile> {
  const std::filesystem::path path = std::filesystem::path(folder) / kExploreFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return ExploreFile{};
  }
  Result<std::string> text = read_source(path.string());
  return text ? parse_explore_file(*text, path.string()) : Result<ExploreFile>(text.error());
}

}  // namespace tacet::project
