#include "cli/find_files.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

namespace tacet::cli {

namespace {

/// What makes a folder itself, whatever path led to it.
using FolderIdentity = std::pair<dev_t, ino_t>;

class Walk {
 public:
  explicit Walk(FoundFiles& found) : found_(&found) {}

  void add_file(const std::string& path) {
    std::string absolute = absolute_path(path);
    if (seen_.insert(absolute).second) {
      found_->files.push_back({path, absolute});
    }
  }

  /// `path` is a folder with this identity.
  void add_folder(const std::string& path, FolderIdentity identity);

 private:
  void add_entry(const std::string& folder, const std::string& name);

  FoundFiles* found_;
  std::set<std::string> seen_;
  std::vector<FolderIdentity> around_;
};

}  // namespace

static auto ends_with(std::string_view text, std::string_view end) -> bool {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

auto is_source_name(const std::string& path) -> bool {
  return ends_with(path, ".tacet") || ends_with(path, ".cm") || ends_with(path, ".tlhe");
}

auto absolute_path(const std::string& path) -> std::string {
  std::error_code ignored;
  std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  return absolute.lexically_normal().string();
}

auto path_from_here(const std::string& absolute) -> std::string {
  std::filesystem::path here = absolute_path(".");
  if (!here.has_filename()) {
    here = here.parent_path();
  }
  std::string path = std::filesystem::path(absolute).lexically_relative(here).string();
  bool is_far = path.empty() || path.substr(0, 9) == "../../../";
  return is_far ? absolute : path;
}

static auto joined(const std::string& folder, const std::string& name) -> std::string {
  if (folder == ".") {
    return name;
  }
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

static auto is_left_out(const std::string& name) -> bool {
  return name.front() == '.' || name == "build" || name == "node_modules";
}

/// The names in a folder, sorted, or the `errno` that kept us out.
static auto list_folder(const std::string& path, int& error) -> std::vector<std::string> {
  std::vector<std::string> names;
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) {
    error = errno;
    return names;
  }
  while (const dirent* entry = ::readdir(folder)) {
    names.emplace_back(entry->d_name);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

void Walk::add_entry(const std::string& folder, const std::string& name) {
  std::string path = joined(folder, name);
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    // A link that leads nowhere matters only if it calls itself a source.
    if (is_source_name(name)) {
      add_file(path);
    }
  } else if (S_ISDIR(status.st_mode)) {
    if (!is_left_out(name)) {
      add_folder(path, {status.st_dev, status.st_ino});
    }
  } else if (S_ISREG(status.st_mode) && is_source_name(name)) {
    add_file(path);
  }
}

void Walk::add_folder(const std::string& path, FolderIdentity identity) {
  if (std::find(around_.begin(), around_.end(), identity) != around_.end()) {
    return;
  }
  int error = 0;
  std::vector<std::string> names = list_folder(path, error);
  if (error != 0) {
    found_->errors.push_back(
        fmt::format("{}: could not read the folder: {}", path, std::strerror(error)));
    return;
  }
  around_.push_back(identity);
  for (const std::string& name : names) {
    add_entry(path, name);
  }
  around_.pop_back();
}

auto find_files(const std::vector<std::string>& paths) -> FoundFiles {
  FoundFiles found;
  Walk walk(found);
  for (const std::string& path : paths) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      size_t n_before = found.files.size() + found.errors.size();
      walk.add_folder(path, {status.st_dev, status.st_ino});
      if (found.files.size() + found.errors.size() == n_before) {
        found.empty.push_back(path);
      }
    } else {
      walk.add_file(path);
    }
  }
  return found;
}

}  // namespace tacet::cli
