#include "cli/values/record_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "cli/values/data_source.h"
#include "cli/values/json_member.h"

namespace tacet::cli {

using Steps = std::span<const std::string>;

template <class Columns, class GetParameter>
static auto grouped(const Columns& columns, const GetParameter& parameter_of)
    -> std::vector<ParameterGroup> {
  std::vector<ParameterGroup> groups;
  for (const auto& column : columns) {
    const std::string name = parameter_of(column);
    if (groups.empty() || column.steps.empty() || groups.back().name != name) {
      groups.push_back({.name = name});
    }
    groups.back().columns.push_back({});
  }
  return groups;
}

auto groups_of(const std::vector<interpret::EntryParameter>& parameters)
    -> std::vector<ParameterGroup> {
  std::vector<ParameterGroup> groups = grouped(parameters, [](const auto& parameter) {
    return parameter.steps.empty() ? parameter.name
                                   : parameter.path.substr(0, parameter.path.find('.'));
  });
  size_t next = 0;
  for (ParameterGroup& group : groups) {
    for (ParameterGroup::Column& column : group.columns) {
      const interpret::EntryParameter& parameter = parameters[next++];
      column = {parameter.name, parameter.shown(), parameter.steps};
    }
  }
  return groups;
}

auto groups_of(const std::vector<types::ParameterColumn>& columns) -> std::vector<ParameterGroup> {
  std::vector<ParameterGroup> groups = grouped(columns, [](const auto& column) {
    return column.steps.empty() ? column.name : column.shown.substr(0, column.shown.find('.'));
  });
  size_t next = 0;
  for (ParameterGroup& group : groups) {
    for (ParameterGroup::Column& column : group.columns) {
      const types::ParameterColumn& own = columns[next++];
      column = {own.name, own.shown, own.steps};
    }
  }
  return groups;
}

static auto trimmed(std::string_view text) -> std::string_view {
  constexpr std::string_view kSpaces = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  const size_t end = text.find_last_not_of(kSpaces);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

/// The part of a JSON value that `steps` lead to, as text.
static auto column_of_json(std::string_view text, Steps steps) -> Result<std::string> {
  text = trimmed(text);
  if (steps.empty()) {
    return std::string(text);
  }
  const std::string& step = steps.front();
  if (step == "[]" && !text.starts_with('{')) {
    Result<std::vector<std::string_view>> elements = json_elements(text);
    if (!elements) {
      return elements.error();
    }
    std::string all;
    for (const std::string_view element : *elements) {
      Result<std::string> part = column_of_json(element, steps.subspan(1));
      if (!part) {
        return part;
      }
      all += fmt::format("{}{}", all.empty() ? "" : ",", *part);
    }
    return fmt::format("[{}]", all);
  }
  if (step == "[]") {  // an object of arrays
    std::vector<std::string> rest(steps.begin(), steps.end());
    const auto field =
        std::find_if(rest.begin(), rest.end(), [](const std::string& one) { return one != "[]"; });
    if (field == rest.end()) {
      return Error{"expected a JSON array, found an object"};
    }
    Result<std::string_view> member = json_member(text, *field);
    rest.erase(field);
    return member ? column_of_json(*member, rest) : member.error();
  }
  const bool is_member = step.find_first_not_of("0123456789") == std::string::npos;
  if (!is_member) {
    Result<std::string_view> member = json_member(text, step);
    return member ? column_of_json(*member, steps.subspan(1)) : member.error();
  }
  Result<std::vector<std::string_view>> elements = json_elements(text);
  if (!elements) {
    return elements.error();
  }
  const size_t number = std::stoul(step);
  if (number >= elements->size()) {
    return Error{fmt::format("a tuple has a member {}, found {} values", number, elements->size())};
  }
  return column_of_json((*elements)[number], steps.subspan(1));
}

/// What a table or an archive calls a column.
static auto header_of(Steps steps) -> std::string {
  std::string header;
  for (const std::string& step : steps) {
    header += step == "[]" ? "" : fmt::format("{}{}", header.empty() ? "" : ".", step);
  }
  return header;
}

static auto texts_of_file(const ParameterGroup& group, std::string_view text)
    -> Result<std::vector<std::string>> {
  Result<DataSource> source = parse_data_source(text.substr(1));
  if (!source) {
    return source.error();
  }
  std::vector<std::string> texts;
  if (source->format != DataFormat::Json) {
    if (source->selection || source->format == DataFormat::Npy) {
      std::vector<std::string> headers;
      for (const ParameterGroup::Column& column : group.columns) {
        headers.push_back(header_of(column.steps));
      }
      return Error{fmt::format("expected a file with a column or member for each of `{}`",
                               fmt::join(headers, "`, `"))};
    }
    for (const ParameterGroup::Column& column : group.columns) {
      texts.push_back(fmt::format("{}:{}", text, header_of(column.steps)));
    }
    return texts;
  }
  Result<std::string> content = read_data_file(source->path);
  if (!content) {
    return content.error();
  }
  std::string_view json = *content;
  if (source->selection) {
    Result<std::string_view> member = json_member(json, *source->selection);
    if (!member) {
      return member.error();
    }
    json = *member;
  }
  for (const ParameterGroup::Column& column : group.columns) {
    Result<std::string> part = column_of_json(json, column.steps);
    if (!part) {
      return Error{fmt::format("{}: {}", source->path, part.error().message)};
    }
    texts.push_back(fmt::format("{}{}", kReadFromFile, *part));
  }
  return texts;
}

/// The text of each column of a tuple or record that `text` gives as a whole.
static auto column_texts(const ParameterGroup& group, std::string_view text)
    -> Result<std::vector<std::string>> {
  text = trimmed(text);
  if (text == "@random") {
    return std::vector<std::string>(group.columns.size(), std::string(text));
  }
  if (text == "@-") {
    return Error{"a tuple or record is not read from standard input; use a file"};
  }
  if (text.starts_with('@') && !text.starts_with(kReadFromFile)) {
    return texts_of_file(group, text);
  }
  std::vector<std::string> texts;
  for (const ParameterGroup::Column& column : group.columns) {
    Result<std::string> part = column_of_json(text, column.steps);
    if (!part) {
      return part.error();
    }
    texts.push_back(std::move(*part));
  }
  return texts;
}

static auto add_columns(const ParameterGroup& group, std::string_view text, GivenTexts& result)
    -> Status {
  Result<std::vector<std::string>> texts = column_texts(group, text);
  if (!texts) {
    return Error{fmt::format("parameter `{}`: {}", group.name, texts.error().message)};
  }
  for (size_t i = 0; i < group.columns.size(); ++i) {
    result.inputs.push_back(fmt::format("{}={}", group.columns[i].name, (*texts)[i]));
  }
  return std::monostate();
}

auto split_records(const GivenTexts& given, const std::vector<ParameterGroup>& groups)
    -> Result<GivenTexts> {
  if (std::none_of(groups.begin(), groups.end(),
                   [](const ParameterGroup& group) { return group.is_record(); })) {
    return given;
  }
  GivenTexts result;
  std::set<const ParameterGroup*> named;
  for (const std::string& input : given.inputs) {
    const size_t equals = input.find('=');
    const std::string name = input.substr(0, equals);
    bool is_split = false;
    for (const ParameterGroup& group : groups) {
      const auto column =
          std::find_if(group.columns.begin(), group.columns.end(),
                       [&](const auto& one) { return one.shown == name || one.name == name; });
      const bool is_whole = group.is_record() && group.name == name;
      if (input.starts_with('@') || equals == std::string::npos ||
          (!is_whole && column == group.columns.end())) {
        continue;
      }
      named.insert(&group);
      is_split = true;
      if (!is_whole) {
        result.inputs.push_back(fmt::format("{}={}", column->name, input.substr(equals + 1)));
      } else if (Status added = add_columns(group, input.substr(equals + 1), result); !added) {
        return added.error();
      }
      break;
    }
    if (!is_split) {
      result.inputs.push_back(input);
    }
  }
  auto value = given.values.begin();
  for (const ParameterGroup& group : groups) {
    if (value == given.values.end() || named.contains(&group)) {
      continue;
    }
    if (!group.is_record()) {
      result.inputs.push_back(fmt::format("{}={}", group.name, *value));
    } else if (Status added = add_columns(group, *value, result); !added) {
      return added.error();
    }
    ++value;
  }
  if (value != given.values.end()) {
    std::vector<std::string> names;
    for (const ParameterGroup& group : groups) {
      names.push_back(group.name);
    }
    return Error{fmt::format("unexpected value `{}`; the parameters are `{}`", *value,
                             fmt::join(names, "`, `"))};
  }
  return result;
}

}  // namespace tacet::cli
