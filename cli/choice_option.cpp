#include "cli/choice_option.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"

namespace tacet::cli {

static auto unknown_choice(const std::string& word, const std::vector<std::string>& choices)
    -> std::string {
  std::vector<std::string_view> candidates(choices.begin(), choices.end());
  std::string message = fmt::format("`{}` is not one of {}", word, fmt::join(choices, ", "));
  if (auto meant = closest_name(word, candidates)) {
    message += fmt::format("; did you mean `{}`?", *meant);
  }
  return message;
}

auto add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& choices,
                const std::string& description, std::function<void(size_t)> store) -> CLI::Option* {
  auto take = [choices, store = std::move(store), name](const std::string& word) {
    auto place = std::find(choices.begin(), choices.end(), word);
    if (place == choices.end()) {
      throw CLI::ValidationError(name, unknown_choice(word, choices));
    }
    store(static_cast<size_t>(place - choices.begin()));
  };
  return app.add_option_function<std::string>(name, take, description)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace tacet::cli
