#include "compiler/front/names/workspace.h"

#include <algorithm>
#include <utility>

namespace tacet::names {

namespace {

auto has_ending(std::string_view path, std::string_view ending) -> bool {
  return path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
}

/// `src/rec_sum` of `src/rec_sum.tacet`.
auto without_ending(std::string_view path) -> std::string_view {
  for (std::string_view ending : {".tacet", ".tlhe", ".cm"}) {
    if (has_ending(path, ending)) {
      return path.substr(0, path.size() - ending.size());
    }
  }
  return path;
}

/// `src/` of `src/rec_sum.tacet`; empty if there is no folder.
auto folder_of(std::string_view path) -> std::string_view {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

/// A folder with its closing slash.
auto as_prefix(std::string_view folder) -> std::string {
  std::string prefix(folder);
  if (!prefix.empty() && prefix.back() != '/') {
    prefix += '/';
  }
  return prefix;
}

}  // namespace

auto is_library_path(std::string_view path) -> bool {
  return path.starts_with(kLibraryFolder);
}

auto unquoted_module(std::string_view name) -> std::string_view {
  const bool is_quoted = name.size() >= 2 && name.front() == '"' && name.back() == '"';
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

static auto is_quoted_module(std::string_view name) -> bool {
  return name.starts_with('"');
}

Workspace::Workspace(std::vector<WorkspaceFile> files, std::vector<std::string> source_folders)
    : files_(std::move(files)), source_folders_(std::move(source_folders)) {
  for (uint32_t i = 0; i < files_.size(); ++i) {
    const WorkspaceFile& file = files_[i];
    if (file.path.empty() || file.language != syntax::Language::Module) {
      continue;
    }
    if (is_library_path(file.path)) {
      const std::string_view stem = without_ending(file.path);
      std::string name = "\"";
      name += stem.substr(kLibraryFolder.size());
      name += '"';
      library_.emplace(std::move(name), FileId{i});
      continue;
    }
    auto [place, is_new] = modules_.emplace(std::string(without_ending(file.path)), FileId{i});
    if (!is_new && has_ending(file.path, ".tacet")) {
      place->second = FileId{i};  // `name.tacet` goes before `name.cm`
    }
  }
}

auto Workspace::language(FileId file) const -> syntax::Language {
  return file.index < files_.size() ? files_[file.index].language : syntax::Language::Module;
}

auto Workspace::path(FileId file) const -> std::string_view {
  return file.index < files_.size() ? std::string_view(files_[file.index].path)
                                    : std::string_view();
}

auto Workspace::module_name(FileId file) const -> std::string_view {
  if (is_library_path(path(file))) {
    const auto found = std::find_if(library_.begin(), library_.end(),
                                    [&](const auto& module) { return module.second == file; });
    return found == library_.end() ? std::string_view() : std::string_view(found->first);
  }
  const std::string_view stem = without_ending(path(file));
  return stem.substr(folder_of(stem).size());
}

auto Workspace::find_module(FileId from, std::string_view name) const -> std::optional<FileId> {
  if (!is_quoted_module(name)) {
    return find_in_folders(from, name);
  }
  const auto found = library_.find(name);
  return found == library_.end() ? std::nullopt : std::optional(found->second);
}

auto Workspace::find_namesake(FileId from, std::string_view name) const -> std::optional<FileId> {
  return is_quoted_module(name) && !is_library_path(path(from))
             ? find_in_folders(from, unquoted_module(name))
             : std::nullopt;
}

auto Workspace::library() const -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const auto& [name, file] : library_) {
    names.emplace_back(name);
  }
  return names;
}

auto Workspace::find_in_folders(FileId from, std::string_view name) const -> std::optional<FileId> {
  std::string wanted(folder_of(path(from)));
  wanted += name;
  if (auto found = modules_.find(wanted); found != modules_.end()) {
    return found->second;
  }
  for (const std::string& folder : source_folders_) {
    wanted = as_prefix(folder);
    wanted += name;
    if (auto found = modules_.find(wanted); found != modules_.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

auto Workspace::importable(FileId from) const -> std::vector<std::string_view> {
  std::vector<std::string> prefixes = {std::string(folder_of(path(from)))};
  for (const std::string& folder : source_folders_) {
    prefixes.push_back(as_prefix(folder));
  }
  std::vector<std::string_view> names;
  for (const auto& [name, file] : library_) {
    if (file != from) {
      names.emplace_back(name);
    }
  }
  for (const auto& [stem, file] : modules_) {
    const std::string_view folder = folder_of(stem);
    if (file != from && std::find(prefixes.begin(), prefixes.end(), folder) != prefixes.end()) {
      names.push_back(std::string_view(stem).substr(folder.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tacet::names
