#include "cli/run/given_texts.h"

#include "cli/values/expand_inputs.h"

namespace tacet::cli {

auto given_texts(const program::FrontendSnapshot& snapshot, const types::Signature& signature,
                 const RunTarget& target) -> Result<std::vector<std::string>> {
  const std::vector<types::SignatureParameter>& parameters = signature.parameters;
  std::vector<std::string> texts(parameters.size());
  std::vector<bool> is_named(parameters.size());
  std::vector<std::string_view> names;
  for (const types::SignatureParameter& parameter : parameters) {
    names.push_back(parameter.name.has_value() ? snapshot.interner().text(parameter.name)
                                               : std::string_view());
  }
  Result<std::vector<std::string>> inputs = expand_inputs(target.inputs, names);
  if (!inputs) {
    return inputs.error();
  }
  for (const std::string& input : *inputs) {
    const std::string name = input.substr(0, input.find('='));
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name.has_value() && snapshot.interner().text(parameters[i].name) == name &&
          name.size() < input.size()) {
        texts[i] = input.substr(name.size() + 1);
        is_named[i] = true;
      }
    }
  }
  size_t next = 0;
  for (const std::string& value : target.values) {
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
