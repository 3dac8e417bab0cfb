#include "cli/import_files.h"

#include <filesystem>

#include "cli/source_file.h"

namespace tacet::cli {

/// The file that holds the module, if it is there and not yet known.
static auto find_module(const check::Frontend& frontend, const std::filesystem::path& folder,
                        const std::string& name, bool& is_known) -> std::string {
  for (const char* ending : {".tacet", ".cm"}) {
    std::string path = (folder / (name + ending)).generic_string();
    if (frontend.find_file(path)) {
      is_known = true;
      return {};
    }
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
      return path;
    }
  }
  return {};
}

static auto read_module(check::Frontend& frontend, const std::string& importer,
                        const std::string& name, const std::vector<std::string>& source_folders,
                        SourceSet& sources) -> std::optional<FileId> {
  std::vector<std::filesystem::path> folders = {std::filesystem::path(importer).parent_path()};
  folders.insert(folders.end(), source_folders.begin(), source_folders.end());
  for (const std::filesystem::path& folder : folders) {
    bool is_known = false;
    std::string path = find_module(frontend, folder, name, is_known);
    if (is_known) {
      return std::nullopt;
    }
    if (path.empty()) {
      continue;
    }
    if (Result<std::string> text = read_source(path)) {
      FileId file = frontend.set_file(path, std::move(*text), query::Durability::Medium);
      sources.add(file, path, frontend.text(file));
      return file;
    }
  }
  return std::nullopt;
}

auto import_files(check::Frontend& frontend, std::vector<FileId> files,
                  const std::vector<std::string>& source_folders, SourceSet& sources)
    -> std::vector<FileId> {
  const size_t n_given = files.size();
  for (size_t i = 0; i < files.size(); ++i) {
    std::vector<std::string> modules;
    {
      check::FrontendSnapshot snapshot = frontend.snapshot();
      for (const names::FileItem& item : snapshot.items(files[i])->items) {
        if (item.kind == names::ItemKind::Import && item.name.has_value()) {
          modules.emplace_back(snapshot.interner().text(item.name));
        }
      }
    }
    for (const std::string& module : modules) {
      if (std::optional<FileId> added =
              read_module(frontend, frontend.path(files[i]), module, source_folders, sources)) {
        files.push_back(*added);
      }
    }
  }
  files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(n_given));
  return files;
}

}  // namespace tacet::cli
