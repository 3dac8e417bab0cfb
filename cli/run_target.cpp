#include "cli/run_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/diagnostics/closest_name.h"
#include "project/manifest.h"
#include "project/read_source.h"

namespace tacet::cli {

using names::FileItem;
using names::ItemId;
using names::ItemKind;

namespace {

/// Adds files to a front end until nothing that they import is missing.
class ProgramLoader {
 public:
  ProgramLoader(check::Frontend& frontend, SourceSet& sources, std::vector<std::string> folders)
      : frontend_(frontend), sources_(sources), folders_(std::move(folders)) {}

  auto add(const std::string& path, std::string text) -> FileId {
    auto shared = std::make_shared<const std::string>(text);
    FileId file = frontend_.set_file(path, std::move(text));
    sources_.add(file, path, std::move(shared));
    files_.push_back(file);
    paths_.insert(path);
    return file;
  }

  void add_imports() {
    for (size_t i = 0; i < files_.size(); ++i) {
      check::FrontendSnapshot snapshot = frontend_.snapshot();
      std::filesystem::path folder = std::filesystem::path(frontend_.path(files_[i])).parent_path();
      for (const FileItem& item : snapshot.items(files_[i])->items) {
        if (item.kind == ItemKind::Import && item.name.has_value()) {
          add_module(folder, std::string(snapshot.interner().text(item.name)));
        }
      }
    }
  }

  auto take_files() -> std::vector<FileId> { return std::move(files_); }

 private:
  void add_module(const std::filesystem::path& importing_folder, const std::string& name) {
    std::vector<std::filesystem::path> folders = {importing_folder};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const std::filesystem::path& folder : folders) {
      for (const char* ending : {".tacet", ".cm"}) {
        std::string path = (folder / (name + ending)).generic_string();
        if (paths_.count(path) != 0) {
          return;
        }
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) {
          continue;
        }
        if (Result<std::string> text = project::read_source(path)) {
          add(path, std::move(*text));
          return;
        }
      }
    }
  }

  check::Frontend& frontend_;
  SourceSet& sources_;
  std::vector<std::string> folders_;
  std::vector<FileId> files_;
  std::set<std::string> paths_;
};

/// An item that could run, by its name.
struct Candidate {
  std::string name;
  ItemId item;
};

auto items_of(const check::FrontendSnapshot& snapshot, FileId file,
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
  std::string message = fmt::format("there is no {} `{}`", what, name);
  if (auto meant = closest_name(name, names)) {
    return Error{fmt::format("{}; did you mean `{}`?", message, *meant)};
  }
  if (candidates.empty()) {
    return Error{fmt::format("{}; the file has none", message)};
  }
  return Error{fmt::format("{}; there is {}", message, fmt::join(names_of(candidates), ", "))};
}

/// The function that a pipeline names.
auto entry_of(const check::FrontendSnapshot& snapshot, ItemId pipeline) -> Result<ItemId> {
  names::ItemTree tree = snapshot.tree(pipeline);
  syntax::Node entry = names::item_node(*tree).child(syntax::Field::Entry);
  ItemId item = snapshot.body(pipeline)->names.item(entry.index());
  if (!item.has_value()) {
    return Error{fmt::format("the pipeline's function `{}` is unknown", entry.text())};
  }
  return item;
}

}  // namespace

auto load_program(const std::string& path, check::Frontend& frontend, SourceSet& sources)
    -> Result<LoadedProgram> {
  Result<std::string> text =
      path == project::kStdinPath ? project::read_stdin() : project::read_source(path);
  if (!text) {
    return text.error();
  }
  std::error_code ignored;
  std::filesystem::path folder =
      std::filesystem::absolute(path == project::kStdinPath ? "." : path, ignored).parent_path();
  std::vector<std::string> warnings;
  Result<std::optional<project::Workspace>> workspace =
      project::find_workspace(folder.string(), warnings);
  if (!workspace) {
    return workspace.error();
  }
  std::vector<std::string> folders =
      *workspace ? (*workspace)->source_folders() : std::vector<std::string>{};
  frontend.set_source_folders(folders);
  ProgramLoader loader(frontend, sources, std::move(folders));
  LoadedProgram program;
  program.file = loader.add(path == project::kStdinPath ? "<stdin>.tacet" : path, std::move(*text));
  loader.add_imports();
  program.files = loader.take_files();
  return program;
}

auto find_target(const check::FrontendSnapshot& snapshot, FileId file, const RunTarget& target)
    -> Result<ItemId> {
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
    return Error{fmt::format("the file has {} pipelines: say `--pipeline` and one of {}",
                             pipelines.size(), fmt::join(names_of(pipelines), ", "))};
  }
  if (functions.size() == 1) {
    return functions.front().item;
  }
  return Error{functions.empty() ? std::string("the file has nothing that could run")
                                 : fmt::format("the file has no pipeline: say `--fn` and one of {}",
                                               fmt::join(names_of(functions), ", "))};
}

auto extern_names(const check::FrontendSnapshot& snapshot, const std::vector<FileId>& files)
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
