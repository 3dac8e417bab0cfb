#include "cli/add_imports.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>

#include "cli/find_files.h"
#include "compiler/front/names/workspace.h"
#include "project/read_source.h"

namespace tacet::cli {

namespace {

/// Modules to be added, by their absolute paths.
using NewModules = std::map<std::string, std::string>;

}  // namespace

static auto folder_of(const std::string& path) -> std::string {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

static auto is_file(const std::string& path) -> bool {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// The names that each of `files` imports.
static auto imported_names(program::Frontend& frontend, const std::vector<FileId>& files,
                           Executor& executor) -> std::vector<std::vector<std::string>> {
  std::vector<std::vector<std::string>> names(files.size());
  program::FrontendSnapshot snapshot = frontend.snapshot();
  executor.for_each(files.size(), [&](size_t i) {
    // Most files import nothing, and are not parsed to find out.
    if (frontend.text(files[i])->find("import") == std::string::npos) {
      return;
    }
    program::FrontendSnapshot own = snapshot;
    for (const names::FileItem& item : own.items(files[i])->items) {
      if (item.kind == names::ItemKind::Import && item.name.has_value()) {
        names[i].emplace_back(own.interner().text(item.name));
      }
    }
  });
  return names;
}

/// Notes the first file that `import name` may mean, unless it is known already; for a module of
/// the library a file that has the same name.
static void find_module(const program::Frontend& frontend, const std::string& name,
                        const std::vector<std::string>& folders, NewModules& modules) {
  for (const std::string& folder : folders) {
    for (const char* ending : {".tacet", ".cm"}) {
      std::string path = fmt::format("{}/{}{}", folder, names::unquoted_module(name), ending);
      if (frontend.find_file(path) || modules.count(path) > 0) {
        return;
      }
      if (!name.empty() && is_file(path)) {
        if (Result<std::string> text = project::read_source(path)) {
          modules[path] = std::move(*text);
        }
        return;
      }
    }
  }
}

/// Diagnostics may refer to functions of the library.
static void show_library(const program::Frontend& frontend, SourceSet& sources) {
  for (const FileId file : frontend.library_files()) {
    const std::string path = frontend.path(file);
    sources.add(file, path.substr(names::kLibraryFolder.size()), frontend.text(file));
  }
}

static auto add(program::Frontend& frontend, NewModules modules, SourceSet& sources)
    -> std::vector<FileId> {
  std::vector<std::pair<std::string, std::string>> files;
  for (auto& [path, text] : modules) {
    files.emplace_back(path, std::move(text));
  }
  std::vector<FileId> ids = frontend.set_files(std::move(files));
  for (FileId id : ids) {
    sources.add(id, path_from_here(std::string(frontend.path(id))), frontend.text(id));
  }
  return ids;
}

auto add_imports(program::Frontend& frontend, std::vector<FileId> files,
                 const std::vector<std::string>& source_folders, Executor& executor,
                 SourceSet& sources) -> std::vector<FileId> {
  frontend.add_library();
  std::vector<FileId> added;
  while (!files.empty()) {
    NewModules modules;
    std::vector<std::vector<std::string>> names = imported_names(frontend, files, executor);
    for (size_t i = 0; i < files.size(); ++i) {
      std::vector<std::string> folders = {folder_of(std::string(frontend.path(files[i])))};
      folders.insert(folders.end(), source_folders.begin(), source_folders.end());
      for (const std::string& name : names[i]) {
        find_module(frontend, name, folders, modules);
      }
    }
    files = modules.empty() ? std::vector<FileId>() : add(frontend, std::move(modules), sources);
    added.insert(added.end(), files.begin(), files.end());
  }
  show_library(frontend, sources);
  return added;
}

}  // namespace tacet::cli
