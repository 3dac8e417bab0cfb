#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

/// A module that is not there, by what the name looks like.
static void unknown_module(Resolver& resolver, Node name) {
  set_unknown(resolver, name);
  const auto& workspace = resolver.context.get<WorkspaceInput>({});
  const std::vector<std::string_view> library = workspace->library();
  const std::string_view plain = unquoted_module(name.text());
  Draft draft = resolver.report.add(DiagnosticCode::T1006, name.range(),
                                    fmt::format("unknown module `{}`", plain));
  const bool is_quoted = plain != name.text();
  if (!is_quoted) {
    draft.note(
        fmt::format("`import {0}` looks for `{0}.tacet` next to this file, then in the source "
                    "folders of `tacet.toml`",
                    plain));
    const std::string module = fmt::format("\"std/{}\"", plain);
    if (std::find(library.begin(), library.end(), module) != library.end()) {
      draft.replace(name.range(), fmt::format("import the library's `{}`", module), module);
      return;
    }
  } else if (plain.starts_with("std/")) {
    std::string modules;
    for (const std::string_view module : library) {
      modules += fmt::format("{}`{}`", modules.empty() ? "" : ", ", unquoted_module(module));
    }
    draft.note(fmt::format("the modules of the library are {}", modules));
  } else {
    draft.note(
        "a name in quotation marks is that of a module of the library, `std/…`; a module of your "
        "own is imported by its name without them");
  }
  suggest(resolver, draft, name, workspace->importable(resolver.key.file));
}

/// Reports a file of the user's that has the name of a module of the library.
static void check_namesake(Resolver& resolver, Node name) {
  const auto& workspace = resolver.context.get<WorkspaceInput>({});
  const auto namesake = workspace->find_namesake(resolver.key.file, name.text());
  if (!namesake) {
    return;
  }
  const std::string_view plain = unquoted_module(name.text());
  resolver.report
      .add(DiagnosticCode::T1040, name.range(),
           fmt::format("`{}` is a module of the library and a file of yours, `{}`", plain,
                       workspace->path(*namesake)))
      .note("rename the file, and import it by its name without quotation marks");
}

static void check_import_cycle(Resolver& resolver, Node name) {
  const std::vector<FileId>& cycle = resolver.context.get<ImportCycleOfFile>(resolver.key.file);
  const auto& workspace = resolver.context.get<WorkspaceInput>({});
  const FileId next = workspace->find_module(resolver.key.file, name.text()).value_or(FileId{});
  const bool is_here = !cycle.empty() && next == (cycle.size() == 1 ? cycle[0] : cycle[1]);
  if (!is_here) {
    return;
  }
  std::string path;
  for (FileId file : cycle) {
    path += fmt::format("`{}` imports ", workspace->module_name(file));
  }
  path += fmt::format("`{}`", workspace->module_name(cycle[0]));
  resolver.report
      .add(DiagnosticCode::T1007, name.range(),
           cycle.size() == 1 ? fmt::format("module `{}` imports itself", name.text())
                             : fmt::format("import cycle: {}", path))
      .note("move the shared items into a separate module");
}

void import(Resolver& resolver, Node import) {
  Node name = import.child(Field::Name);
  if (!name) {
    return;
  }
  for (const Import& candidate : resolver.context.get<ImportsOfFile>(resolver.key.file)) {
    if (candidate.item != resolver.item) {
      continue;
    }
    if (candidate.file.has_value()) {
      check_import_cycle(resolver, name);
      check_namesake(resolver, name);
    } else {
      unknown_module(resolver, name);
    }
    return;
  }
}

}  // namespace tacet::names
