#include "cli/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "cli/choice_option.h"
#include "cli/help/help_text.h"
#include "cli/version_info.h"
#include "compiler/core/diagnostics/closest_name.h"

namespace tacet::cli {

namespace {

/// The parser of the whole command line, and what each sub-command does.
struct CommandLine {
  CLI::App app{"Tacet checks, formats and runs programs that compute on data they may not see",
               "tacet"};
  ColourChoice colour = ColourChoice::Auto;
  std::map<std::string, Action> actions;
  ProgramModel model;
};

}  // namespace

static void add_common_options(CLI::App& app, ColourChoice& colour) {
  app.set_help_flag("-h,--help", "Print this help");
  add_choice(app, "--color", {"auto", "always", "never"},
             "When to use colours; auto: on a terminal, unless NO_COLOR is set", &colour);
}

static void build(CommandLine& line, const std::vector<Command>& commands) {
  add_common_options(line.app, line.colour);
  line.app.set_version_flag("-V,--version", std::string("tacet ") + std::string(kVersion),
                            "Print the version");
  line.app.require_subcommand(0, 1);
  line.model.summary = line.app.get_description();
  line.model.options = options_of(line.app);
  for (const Command& command : commands) {
    CLI::App* sub_app =
        line.app.add_subcommand(std::string(command.name), std::string(command.summary));
    line.actions[std::string(command.name)] = command.declare(*sub_app);
    add_common_options(*sub_app, line.colour);
    line.model.commands.push_back(model_of(command, *sub_app));
  }
}

/// The sub-command that was named, or null.
static auto chosen(const CLI::App& app) -> const CLI::App* {
  auto parsed = app.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

static auto model_named(const ProgramModel& program, const std::string& name)
    -> const CommandModel& {
  auto found = std::find_if(program.commands.begin(), program.commands.end(),
                            [&](const CommandModel& model) { return model.name == name; });
  TACET_CHECK(found != program.commands.end(), "every parsed command has a model");
  return *found;
}

static auto did_you_mean(std::string_view word, const std::vector<std::string>& names)
    -> std::string {
  std::vector<std::string_view> candidates(names.begin(), names.end());
  auto meant = closest_name(word, candidates);
  return meant ? fmt::format("; did you mean `{}`?", *meant) : "";
}

static auto explain_extra(const CommandLine& line, const CommandModel* command,
                          const std::string& word) -> std::string {
  std::vector<std::string> names;
  if (word.size() > 1 && word.front() == '-') {
    for (const OptionModel& option : command ? command->options : line.model.options) {
      for (const std::string& name : option.long_names) {
        names.push_back("--" + name);
      }
    }
    std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option `{}`{}", name, did_you_mean(name, names));
  }
  if (command != nullptr) {
    return fmt::format("unexpected argument `{}`", word);
  }
  for (const CommandModel& known : line.model.commands) {
    names.push_back(known.name);
  }
  return fmt::format("unknown command `{}`{}", word, did_you_mean(word, names));
}

static auto explain_missing(const CommandModel* command, const CLI::App* app,
                            const std::string& fallback) -> std::string {
  if (command != nullptr) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_required() && option->count() == 0) {
        return option->get_positional()
                   ? fmt::format("missing argument {}", option->get_type_name())
                   : fmt::format("missing option `{}`", option->get_name());
      }
    }
  }
  return fallback;
}

static auto explain_mistake(const CommandLine& line, const CLI::ParseError& mistake)
    -> std::string {
  const CLI::App* app = chosen(line.app);
  const CommandModel* command = app ? &model_named(line.model, app->get_name()) : nullptr;
  std::string text = mistake.what();
  auto kind = static_cast<CLI::ExitCodes>(mistake.get_exit_code());
  if (kind == CLI::ExitCodes::ExtrasError) {
    std::vector<std::string> extras = line.app.remaining(true);
    return extras.empty() ? text : explain_extra(line, command, extras.front());
  }
  if (kind == CLI::ExitCodes::RequiredError) {
    return explain_missing(command, app, text);
  }
  std::string option = text.substr(0, text.find(':'));
  if (kind == CLI::ExitCodes::ArgumentMismatch) {
    return fmt::format("option `{}` needs a value", option);
  }
  if (kind == CLI::ExitCodes::ValidationError && option.size() < text.size()) {
    std::string_view what = option.substr(0, 1) == "-" ? "option" : "argument";
    return fmt::format("{} `{}`:{}", what, option, text.substr(option.size() + 1));
  }
  return text;
}

static auto refuse(const CommandLine& line, Invocation& invocation, const CLI::ParseError& mistake)
    -> ExitCode {
  const CLI::App* app = chosen(line.app);
  invocation.error(explain_mistake(line, mistake));
  invocation.err.write(
      fmt::format("run `tacet {}--help` for help\n", app ? app->get_name() + " " : std::string()));
  return ExitCode::Usage;
}

static auto print_help(const CommandLine& line, Invocation& invocation) -> ExitCode {
  Colour colour = invocation.out_terminal.colour;
  const CLI::App* app = chosen(line.app);
  invocation.out.write(
      app == nullptr ? program_help(line.model, colour)
                     : command_help(line.model, model_named(line.model, app->get_name()), colour));
  return ExitCode::Done;
}

static auto run_parsed(CommandLine& line, Invocation& invocation) -> ExitCode {
  const CLI::App* app = chosen(line.app);
  if (app == nullptr) {
    invocation.err.write(program_help(line.model, invocation.err_terminal.colour));
    return ExitCode::Usage;
  }
  return line.actions.at(app->get_name())(invocation);
}

static void settle_terminals(const CommandLine& line, Invocation& invocation) {
  invocation.out_terminal = look_at_terminal(invocation.out.descriptor(), line.colour);
  invocation.err_terminal = look_at_terminal(invocation.err.descriptor(), line.colour);
}

/// `-0.5`, `-.5`: what the parser could take for options.
static auto is_negative_number(std::string_view word) -> bool {
  const auto is_digit = [&](size_t at) {
    return at < word.size() && word[at] >= '0' && word[at] <= '9';
  };
  return word.starts_with('-') && (is_digit(1) || (word.substr(1, 1) == "." && is_digit(2)));
}

/// The words of the command line, last first, as the parser wants them. It takes `[1, 2]` for a
/// list of two words, and `-.5` for an option; a space in front, which no reader of a value minds,
/// keeps them values.
static auto words_reversed(const std::vector<std::string>& words) -> std::vector<std::string> {
  std::vector<std::string> reversed;
  for (size_t i = words.size(); i-- > 0;) {
    std::string_view word = words[i];
    bool is_list = word.size() > 1 && word.front() == '[' && word.back() == ']';
    reversed.push_back(fmt::format("{}{}", is_list || is_negative_number(word) ? " " : "", word));
  }
  return reversed;
}

static auto parse_and_run(CommandLine& line, const std::vector<std::string>& words,
                          Invocation& invocation) -> ExitCode {
  try {
    line.app.parse(words_reversed(words));
  } catch (const CLI::CallForHelp&) {
    settle_terminals(line, invocation);
    return print_help(line, invocation);
  } catch (const CLI::CallForVersion&) {
    invocation.out.write(fmt::format("tacet {}\n", kVersion));
    return ExitCode::Done;
  } catch (const CLI::ParseError& mistake) {
    settle_terminals(line, invocation);
    return refuse(line, invocation, mistake);
  }
  settle_terminals(line, invocation);
  return run_parsed(line, invocation);
}

static auto buffering(int descriptor) -> Output::Buffering {
  return ::isatty(descriptor) == 1 ? Output::Buffering::Lines : Output::Buffering::Full;
}

auto run_command_line(int argc, const char* const* argv, const std::vector<Command>& commands)
    -> ExitCode {
  Output out(STDOUT_FILENO, buffering(STDOUT_FILENO));
  Output err(STDERR_FILENO, Output::Buffering::None);
  return run_command_line({argv + std::min(argc, 1), argv + argc}, commands, out, err);
}

auto run_command_line(const std::vector<std::string>& words, const std::vector<Command>& commands,
                      Output& out, Output& err) -> ExitCode {
  CommandLine line;
  build(line, commands);
  Invocation invocation = {out, err, {}, {}, line.model, {}};
  ExitCode code = parse_and_run(line, words, invocation);
  out.flush();
  // A reader that has seen enough (`| head`) is no failure.
  if (out.error() != 0 && out.error() != EPIPE) {
    invocation.error(
        fmt::format("could not write to standard output: {}", std::strerror(out.error())));
    return worse(code, ExitCode::Failed);
  }
  return code;
}

}  // namespace tacet::cli
