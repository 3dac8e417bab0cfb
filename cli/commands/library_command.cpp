#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands/commands.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "library/embedded/module.h"

namespace tacet::cli {

static auto list_modules(Invocation& invocation) -> ExitCode {
  size_t width = 0;
  for (const LibraryModule& module : library_modules()) {
    width = std::max(width, module.name.size());
  }
  for (const LibraryModule& module : library_modules()) {
    invocation.out.write(fmt::format("{:<{}}  {}\n", module.name, width, summary_of(module)));
  }
  return ExitCode::Done;
}

static auto print_module(const std::string& name, Invocation& invocation) -> ExitCode {
  std::vector<std::string_view> names;
  for (const LibraryModule& module : library_modules()) {
    const std::string_view short_name = module.name.substr(module.name.find('/') + 1);
    if (name == module.name || name == short_name) {
      invocation.out.write(std::string(module.text));
      return ExitCode::Done;
    }
    names.push_back(module.name);
    names.push_back(short_name);
  }
  const auto meant = closest_name(name, names);
  invocation.error(fmt::format("the library has no module `{}`", name) +
                   (meant ? fmt::format("; did you mean `{}`?", *meant)
                          : "; `tacet library` lists all modules"));
  return ExitCode::Usage;
}

auto library_command() -> Command {
  Command command;
  command.name = "library";
  command.summary = "list the modules of the library, or print one";
  command.examples =
      "tacet library            list all modules\n"
      "tacet library std/sets   the source of a module, with its documentation";
  command.declare = [](CLI::App& app) -> Action {
    auto name = std::make_shared<std::string>();
    app.add_option("module", *name, "The module to print (default: list all modules)")
        ->type_name("MODULE");
    return [name](Invocation& invocation) {
      return name->empty() ? list_modules(invocation) : print_module(*name, invocation);
    };
  };
  return command;
}

}  // namespace tacet::cli
