#include "cli/run/given_texts.h"

#include "cli/values/expand_inputs.h"
#include "cli/values/record_values.h"

namespace tacet::cli {

auto given_texts(const std::vector<types::ParameterColumn>& columns, const RunTarget& target)
    -> Result<std::vector<std::string>> {
  std::vector<std::string> texts(columns.size());
  std::vector<bool> is_named(columns.size());
  std::vector<std::string_view> names;
  for (const types::ParameterColumn& column : columns) {
    names.push_back(column.name);
  }
  Result<GivenTexts> given = split_records({target.values, target.inputs}, groups_of(columns));
  if (!given) {
    return given.error();
  }
  Result<std::vector<std::string>> inputs = expand_inputs(given->inputs, names);
  if (!inputs) {
    return inputs.error();
  }
  for (const std::string& input : *inputs) {
    const std::string name = input.substr(0, input.find('='));
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name && name.size() < input.size()) {
        texts[i] = input.substr(name.size() + 1);
        is_named[i] = true;
      }
    }
  }
  size_t next = 0;
  for (const std::string& value : given->values) {
    while (next < texts.size() && is_named[next]) {
      ++next;
    }
    if (next < texts.size()) {
      texts[next++] = value;
    }
  }
  return texts;
}

}  // namespace tacet::cli
