#include "cli/values/json_member.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/values/data_source.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

namespace {

struct JsonMember {
  std::string name;
  std::string_view value;
};

/// Splits the text of a valid object or array, so that a value is found without reading the others
/// into memory.
class JsonObjectScanner {
 public:
  explicit JsonObjectScanner(std::string_view text) : text_(text) {}

  auto members() -> std::vector<JsonMember> {
    std::vector<JsonMember> members;
    skip_spaces();
    ++at_;  // the brace
    for (skip_spaces(); text_[at_] == '"'; skip_spaces()) {
      const size_t begin = at_;
      skip_string();
      const std::string_view name = text_.substr(begin, at_ - begin);
      skip_spaces();
      ++at_;  // the colon
      skip_spaces();
      const size_t value = at_;
      skip_value();
      members.push_back(
          {nlohmann::json::parse(name).get<std::string>(), text_.substr(value, at_ - value)});
      skip_spaces();
      if (text_[at_] == ',') {
        ++at_;
      }
    }
    return members;
  }

  auto elements() -> std::vector<std::string_view> {
    std::vector<std::string_view> elements;
    skip_spaces();
    ++at_;  // the bracket
    for (skip_spaces(); text_[at_] != ']'; skip_spaces()) {
      const size_t begin = at_;
      skip_value();
      elements.push_back(text_.substr(begin, at_ - begin));
      if (text_[at_] == ',') {
        ++at_;
      }
    }
    return elements;
  }

 private:
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      at_ += text_[at_] == '\\' ? 1 : 0;
    }
    ++at_;
  }

  /// Ends behind the value, or behind spaces after it.
  void skip_value() {
    size_t depth = 0;
    for (;;) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
        return;
      }
      depth += c == '[' || c == '{' ? 1 : 0;
      depth -= c == ']' || c == '}' ? 1 : 0;
      ++at_;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

auto members_of(std::string_view text) -> Result<std::vector<JsonMember>> {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (text.substr(begin, 1) != "{") {
    return Error{"it is not a JSON object, so it has no names to select"};
  }
  if (!nlohmann::json::accept(text)) {
    return Error{"it is not valid JSON"};
  }
  return JsonObjectScanner(text).members();
}

}  // namespace

auto json_member(std::string_view text, std::string_view name) -> Result<std::string_view> {
  Result<std::vector<JsonMember>> members = members_of(text);
  if (!members) {
    return members.error();
  }
  const auto is_meant = [&](const JsonMember& member) { return member.name == name; };
  const auto found = std::find_if(members->begin(), members->end(), is_meant);
  if (found == members->end()) {
    std::vector<std::string> names;
    for (const JsonMember& member : *members) {
      names.push_back(member.name);
    }
    return missing_name("member", name, names);
  }
  if (std::find_if(found + 1, members->end(), is_meant) != members->end()) {
    return Error{fmt::format("two members are named `{}`", one_line(name))};
  }
  return found->value;
}

auto json_elements(std::string_view text) -> Result<std::vector<std::string_view>> {
  if (!text.starts_with('[')) {
    return Error{"expected a JSON array"};
  }
  if (!nlohmann::json::accept(text)) {
    return Error{"it is not valid JSON"};
  }
  return JsonObjectScanner(text).elements();
}

auto json_member_names(std::string_view text) -> Result<std::vector<std::string>> {
  Result<std::vector<JsonMember>> members = members_of(text);
  if (!members) {
    return members.error();
  }
  std::vector<std::string> names;
  for (const JsonMember& member : *members) {
    names.push_back(member.name);
  }
  return names;
}

}  // namespace tacet::cli
