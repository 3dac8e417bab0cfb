#include "cli/run/run_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/add_imports.h"
#include "cli/find_files.h"
#include "cli/run/sized_target.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/spec/program/edited_files.h"
#include "compiler/views/he/written_schedule.h"
#include "problems/problems.h"
#include "project/manifest.h"
#include "project/read_source.h"

namespace tacet::cli {

using names::FileItem;
using names::ItemId;
using names::ItemKind;

namespace {

/// An item that could run, by its name.
struct Candidate {
  std::string name;
  ItemId item;
};

auto items_of(const program::FrontendSnapshot& snapshot, FileId file,
              std::initializer_list<ItemKind> kinds) -> std::vector<Candidate> {
  std::vector<Candidate> result;
  for (const FileItem& item : snapshot.items(file)->items) {
    if (item.name.has_value() && std::find(kinds.begin(), kinds.end(), item.kind) != kinds.end()) {
      result.push_back({std::string(snapshot.interner().text(item.name)), item.id});
    }
  }
  return result;
}

auto names_of(const std::vector<Candidate>& candidates) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    names.push_back(fmt::format("`{}`", candidate.name));
  }
  return names;
}

auto pick(const std::vector<Candidate>& candidates, const std::string& name, std::string_view what)
    -> Result<ItemId> {
  std::vector<std::string_view> names;
  for (const Candidate& candidate : candidates) {
    if (candidate.name == name) {
      return candidate.item;
    }
    names.push_back(candidate.name);
  }
  std::string message = fmt::format("no {} `{}`", what, name);
  if (auto meant = closest_name(name, names)) {
    return Error{fmt::format("{}; did you mean `{}`?", message, *meant)};
  }
  if (candidates.empty()) {
    return Error{fmt::format("{}; the file has none", message)};
  }
  return Error{fmt::format("{}; available: {}", message, fmt::join(names_of(candidates), ", "))};
}

/// The function that a pipeline names.
auto entry_of(const program::FrontendSnapshot& snapshot, ItemId pipeline) -> Result<ItemId> {
  names::ItemTree tree = snapshot.tree(pipeline);
  syntax::Node entry = names::item_node(*tree).child(syntax::Field::Entry);
  ItemId item = snapshot.body(pipeline)->names.item(entry.index());
  if (!item.has_value()) {
    return Error{fmt::format("unknown function `{}` in the pipeline", entry.text())};
  }
  return item;
}

}  // namespace

auto load_program(const LoadedFile& file, program::Frontend& frontend, SourceSet& sources)
    -> Result<LoadedProgram> {
  std::vector<std::string> warnings;
  Result<std::optional<project::Workspace>> workspace =
      project::find_workspace(file.absolute.substr(0, file.absolute.rfind('/')), warnings);
  if (!workspace) {
    return workspace.error();
  }
  std::vector<std::string> folders =
      *workspace ? (*workspace)->source_folders() : std::vector<std::string>{};
  frontend.set_source_folders(folders);
  LoadedProgram program;
  program.file = frontend.set_file(file.absolute, file.text);
  sources.add(program.file, file.shown, frontend.text(program.file));
  SequentialExecutor executor;
  program.files = add_imports(frontend, {program.file}, folders, executor, sources);
  program.files.insert(program.files.begin(), program.file);
  return program;
}

auto load_program(const std::string& path, program::Frontend& frontend, SourceSet& sources)
    -> Result<LoadedProgram> {
  Result<std::string> text =
      path == project::kStdinPath ? project::read_stdin() : project::read_source(path);
  if (!text) {
    return text.error();
  }
  const std::string shown = path == project::kStdinPath ? "<stdin>.tacet" : path;
  return load_program({shown, absolute_path(shown), std::move(*text)}, frontend, sources);
}

auto swap_calls(const std::vector<std::string>& swaps, const LoadedProgram& program,
                program::Frontend& frontend, SourceSet& sources) -> Status {
  if (swaps.empty()) {
    return std::monostate{};
  }
  std::vector<program::CallSwap> parsed;
  for (const std::string& text : swaps) {
    Result<program::CallSwap> swap = program::parse_call_swap(text);
    if (!swap) {
      return Error{fmt::format("`--call`: {}", swap.error().message)};
    }
    parsed.push_back(std::move(*swap));
  }
  Result<std::vector<program::FileEdits>> edits =
      program::call_edits(frontend.snapshot(), program.file, parsed);
  if (!edits) {
    return Error{fmt::format("`--call`: {}", edits.error().message)};
  }
  program::EditedFiles(frontend).apply(*edits);
  for (const program::FileEdits& of_file : *edits) {
    sources.add(of_file.file, std::string(sources.view(of_file.file).path),
                frontend.text(of_file.file));
  }
  return std::monostate{};
}

static auto named_target(const program::FrontendSnapshot& snapshot, FileId file,
                         const RunTarget& target) -> Result<ItemId> {
  std::vector<Candidate> pipelines = items_of(snapshot, file, {ItemKind::Pipeline});
  std::vector<Candidate> functions =
      items_of(snapshot, file, {ItemKind::Fn, ItemKind::Val, ItemKind::Feq, ItemKind::Extern});
  if (!target.function.empty()) {
    return pick(functions, target.function, "function or specification");
  }
  if (!target.pipeline.empty()) {
    Result<ItemId> pipeline = pick(pipelines, target.pipeline, "pipeline");
    return pipeline ? entry_of(snapshot, *pipeline) : pipeline;
  }
  std::vector<Candidate> programs = items_of(snapshot, file, {ItemKind::Program});
  if (!programs.empty()) {
    return programs.front().item;
  }
  if (pipelines.size() == 1) {
    return entry_of(snapshot, pipelines.front().item);
  }
  if (pipelines.size() > 1) {
    return Error{fmt::format("the file has {} pipelines; choose one with `--pipeline`: {}",
                             pipelines.size(), fmt::join(names_of(pipelines), ", "))};
  }
  if (functions.size() == 1) {
    return functions.front().item;
  }
  return Error{functions.empty()
                   ? std::string("the file contains nothing to run")
                   : fmt::format("the file has no pipeline; choose a function with `--fn`: {}",
                                 fmt::join(names_of(functions), ", "))};
}

auto set_layout(const std::string& layout, const RunTarget& target, const LoadedProgram& program,
                program::Frontend& frontend, SourceSet& sources) -> Status {
  if (layout.empty()) {
    return std::monostate{};
  }
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  Result<ItemId> item = find_target(snapshot, program.file, target);
  if (!item) {
    return item.error();
  }
  Result<std::string> clause = he_views::checked_clause(snapshot, *item, layout);
  if (!clause) {
    return Error{fmt::format("`--layout`: {}", clause.error().message)};
  }
  const FileId file = snapshot.item_key(*item).file;
  const program::FileEdits edits{file, {he_views::clause_edit(snapshot, *item, *clause)}};
  program::EditedFiles(frontend).apply({&edits, 1});
  sources.add(file, std::string(sources.view(file).path), frontend.text(file));
  return std::monostate{};
}

auto find_target(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target)
    -> Result<ItemId> {
  Result<ItemId> item = named_target(snapshot, file, target);
  return item ? sized_target(snapshot, *item, target) : item;
}

auto find_device_targets(const program::FrontendSnapshot& snapshot, FileId file,
                         const RunTarget& target) -> Result<std::vector<names::ItemId>> {
  std::vector<names::ItemId> items;
  if (!target.function.empty()) {
    Result<names::ItemId> item = find_target(snapshot, file, target);
    if (!item) {
      return item.error();
    }
    items.push_back(*item);
    return items;
  }
  names::ItemId generic;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const bool is_function =
        item.kind == names::ItemKind::Fn && snapshot.signature(item.id)->is_device_function;
    if (!is_function && item.kind != names::ItemKind::Program) {
      continue;
    }
    const bool has_sizes = snapshot.signature(item.id)->is_generic();
    if (has_sizes) {
      generic = item.id;
    } else {
      items.push_back(item.id);
    }
  }
  // What is called with sizes is part of its callers; alone it needs some.
  if (generic.has_value() && (items.empty() || !target.sizes.empty())) {
    Result<names::ItemId> instance = sized_target(snapshot, generic, target);
    if (!instance) {
      return instance.error();
    }
    items.push_back(*instance);
  }
  return items;
}

auto check_program(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                   const std::function<void(std::span<const Diagnostic>)>& print) -> bool {
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::Error; };
  bool is_good = true;
  for (const FileId file : program.files) {
    const std::vector<Diagnostic> found =
        problems::find(snapshot, file, {.until = problems::Until::Specifications});
    print(found);
    is_good &= std::none_of(found.begin(), found.end(), is_error);
  }
  if (!is_good) {
    return false;
  }
  std::vector<Diagnostic> wrong =
      problems::find(snapshot, program.file, {.until = problems::Until::Functions});
  std::erase_if(wrong, std::not_fn(is_error));
  print(wrong);
  return wrong.empty();
}

auto extern_names(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files)
    -> std::vector<std::string> {
  std::vector<std::string> names;
  for (FileId file : files) {
    for (const Candidate& candidate : items_of(snapshot, file, {ItemKind::Extern})) {
      names.push_back(candidate.name);
    }
  }
  return names;
}

}  // namespace tacet::cli
