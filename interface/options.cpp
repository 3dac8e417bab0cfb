#include "interface/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/run/run_options.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "interface/errors.h"

namespace tacet::interface {

namespace {

/// Options of the linter, which are no options of runs.
constexpr std::string_view kLintOptions[] = {"select", "ignore"};

/// What parses the options of runs, and of one party.
struct Parser {
  Parser() {
    add_run_options(app, options);
    app.add_option("--party", options->party);
    app.add_option("--key", options->party_key);
  }

  [[nodiscard]] auto names() const -> std::vector<std::string> {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back(name);
      }
    }
    return names;
  }

  CLI::App app;
  std::shared_ptr<cli::RunOptions> options = std::make_shared<cli::RunOptions>();
};

auto is_lint_option(std::string_view name) -> bool {
  return std::find(std::begin(kLintOptions), std::end(kLintOptions), name) !=
         std::end(kLintOptions);
}

auto word_of(const std::pair<std::string, std::string>& option) -> std::string {
  return option.second.empty() ? "--" + option.first
                               : fmt::format("--{}={}", option.first, option.second);
}

/// The parser's message without dashes, which nobody wrote.
auto mistake_text(const std::string& message) -> std::string {
  const size_t colon = message.find(':');
  return message.starts_with("--") && colon != std::string::npos
             ? fmt::format("option `{}`{}", message.substr(2, colon - 2), message.substr(colon))
             : message;
}

auto parsed(const std::vector<std::pair<std::string, std::string>>& given)
    -> Result<cli::RunOptions> {
  Parser parser;
  std::vector<std::string> words;  // last first, as the parser wants them
  for (size_t i = given.size(); i-- > 0;) {
    if (!is_lint_option(given[i].first)) {
      words.push_back(word_of(given[i]));
    }
  }
  try {
    parser.app.parse(std::move(words));
  } catch (const CLI::ParseError& mistake) {
    return Error{mistake_text(mistake.what())};
  }
  return std::move(*parser.options);
}

}  // namespace

auto run_options_of(const tacet_options* options, std::span<const std::string_view> allowed)
    -> Result<cli::RunOptions> {
  if (options == nullptr) {
    return cli::RunOptions{};
  }
  for (const auto& [name, value] : options->given) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      return Error{fmt::format("option `{}` does not apply here; those that do: {}", name,
                               fmt::join(allowed, ", "))};
    }
  }
  return parsed(options->given);
}

auto values_of_option(const tacet_options* options, std::string_view name)
    -> std::vector<std::string> {
  std::vector<std::string> values;
  if (options != nullptr) {
    for (const auto& [given, value] : options->given) {
      if (given == name) {
        values.push_back(value);
      }
    }
  }
  return values;
}

}  // namespace tacet::interface

using namespace tacet::interface;

tacet_options* tacet_options_new(void) {
  return new tacet_options;
}

tacet_error* tacet_options_set(tacet_options* options, const char* name, const char* value) {
  return guarded([&]() -> tacet_error* {
    if (!is_lint_option(name)) {
      const std::vector<std::string> names = Parser().names();
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        const auto meant = tacet::closest_name(name, known);
        return error_of(TACET_USAGE,
                        fmt::format("no option `{}`{}", name,
                                    meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
      }
      if (auto alone = parsed({{name, value}}); !alone) {
        return error_of(TACET_USAGE, alone.error());
      }
    }
    options->given.emplace_back(name, value);
    return nullptr;
  });
}
