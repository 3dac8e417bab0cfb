#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tacet::cli {

/// Adds an option whose value is one of a few words, which help and completions show. `store`
/// gets the index of the word.
auto add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& choices,
                const std::string& description, std::function<void(size_t)> store) -> CLI::Option*;

/// The same for an enumeration whose enumerators are in the order of `choices`.
template <class Enum>
auto add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& choices,
                const std::string& description, Enum* value) -> CLI::Option* {
  return add_choice(app, name, choices, description,
                    [value](size_t index) { *value = static_cast<Enum>(index); });
}

}  // namespace tacet::cli
