#include "debugger/session/debuggee.h"

#include <algorithm>

#include "compiler/front/types/columns.h"

namespace tacet::debugger {

/// The number of the input that parameter `i` of the entry is.
static auto number_of(size_t parameter) -> size_t {
  return std::min<size_t>(parameter, interpret::kMostOrigins - 1);
}

/// By column of the parameters: its parameter in the text.
static auto parameters_of_columns(const Debuggee& debuggee) -> std::vector<size_t> {
  const program::FrontendSnapshot snapshot = debuggee.frontend->snapshot();
  const auto signature = snapshot.signature(debuggee.entry);
  std::vector<size_t> result;
  for (const types::ParameterColumn& column :
       types::parameter_columns(snapshot.types(), snapshot.interner(), *signature)) {
    result.push_back(column.parameter);
  }
  return result;
}

auto inputs_of(const Debuggee& debuggee) -> std::vector<Input> {
  const program::FrontendSnapshot snapshot = debuggee.frontend->snapshot();
  const auto signature = snapshot.signature(debuggee.entry);
  const std::vector<size_t> columns = parameters_of_columns(debuggee);
  std::vector<Input> inputs;
  for (size_t i = 0; i < signature->parameters.size(); ++i) {
    const types::SignatureParameter& parameter = signature->parameters[i];
    Input input;
    input.name = std::string(snapshot.interner().text(parameter.name));
    if (parameter.owner.has_value()) {
      input.owner = std::string(snapshot.interner().text(parameter.owner));
    }
    for (size_t k = 0; k < columns.size(); ++k) {
      input.is_secret |=
          columns[k] == i && debuggee.compilation.executable->parameters[k].is_secret;
    }
    if (number_of(i) < inputs.size()) {
      inputs.back().name = "other inputs";
      inputs.back().owner.clear();
      inputs.back().is_secret |= input.is_secret;
    } else {
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

auto arguments_of(const Debuggee& debuggee) -> Arguments {
  const std::vector<size_t> columns = parameters_of_columns(debuggee);
  Arguments arguments;
  for (size_t k = 0; k < debuggee.inputs.size(); ++k) {
    const std::vector<interpret::Cell>& cells = debuggee.inputs[k].cells;
    arguments.cells.insert(arguments.cells.end(), cells.begin(), cells.end());
    const size_t input = k < columns.size() ? number_of(columns[k]) : 0;
    arguments.origins.resize(arguments.cells.size(), interpret::OriginSet{1} << input);
  }
  return arguments;
}

}  // namespace tacet::debugger
