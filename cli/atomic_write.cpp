#include "cli/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/interruption.h"

namespace tacet::cli {

static auto failure(const std::string& path) -> Status {
  return Error{fmt::format("{}: could not write: {}", path, std::strerror(errno))};
}

static auto write_all(int descriptor, std::string_view text) -> bool {
  while (!text.empty()) {
    ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
  return true;
}

/// Fills the open temporary file with `text` and everything else that `original` has.
static auto fill(int descriptor, std::string_view text, const struct stat& original) -> bool {
  if (original.st_uid != ::geteuid() || original.st_gid != ::getegid()) {
    // Only root may give files away; for others the file is theirs afterwards.
    (void)!::fchown(descriptor, original.st_uid, original.st_gid);
  }
  return write_all(descriptor, text) && ::fchmod(descriptor, original.st_mode & 07777) == 0 &&
         ::fsync(descriptor) == 0;
}

auto sync_folder_of(const std::string& path) -> bool {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  // Some file systems cannot, and need not.
  const bool is_synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  ::close(descriptor);
  return is_synced;
}

/// Gives `temporary` the name `path`, in one step.
static auto replace(const std::string& temporary, const std::string& path) -> bool {
  return ::rename(temporary.c_str(), path.c_str()) == 0;
}

/// The same if nothing has the name.
static auto take_name(const std::string& temporary, const std::string& path) -> bool {
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    return ::unlink(temporary.c_str()) == 0;
  }
  // A file system whose files have one name each.
  struct stat there = {};
  return (errno == EPERM || errno == ENOTSUP) && ::lstat(path.c_str(), &there) != 0 &&
         errno == ENOENT && replace(temporary, path);
}

/// Writes `text` to a new file, which `move` moves to `path`.
static auto write_new(const std::string& path, std::string_view text, mode_t mode,
                      bool (*move)(const std::string&, const std::string&)) -> Status {
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return failure(path);
  }
  RemoveOnInterruption guard(temporary);
  const bool is_filled =
      write_all(descriptor, text) && ::fchmod(descriptor, mode) == 0 && ::fsync(descriptor) == 0;
  int error = errno;
  const bool is_closed = ::close(descriptor) == 0;
  if (is_filled && is_closed && move(temporary, path)) {
    return sync_folder_of(path) ? Status(std::monostate{}) : failure(path);
  }
  errno = is_filled ? errno : error;
  Status failed = failure(path);
  ::unlink(temporary.c_str());
  return failed;
}

auto write_or_create(const std::string& path, std::string_view text) -> Status {
  struct stat original = {};
  if (::stat(path.c_str(), &original) == 0) {
    return write_atomically(path, text);
  }
  if (errno != ENOENT) {
    return failure(path);
  }
  const mode_t masked = ::umask(0);
  ::umask(masked);
  return write_new(path, text, 0666 & ~masked, replace);
}

auto write_private(const std::string& path, std::string_view text) -> Status {
  return write_new(path, text, 0600, replace);
}

auto write_new_private(const std::string& path, std::string_view text) -> Status {
  struct stat there = {};
  if (::lstat(path.c_str(), &there) == 0) {
    return Error{fmt::format("{}: file exists and is not overwritten", path)};
  }
  return write_new(path, text, 0600, take_name);
}

auto make_private_folder(const std::string& path) -> Status {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path folder(path);
  if (!folder.has_filename()) {  // it ends with a slash
    folder = folder.parent_path();
  }
  if (folder.has_parent_path()) {
    fs::create_directories(folder.parent_path(), failed);
  }
  if (!failed && (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) &&
      fs::is_directory(path, failed)) {
    return std::monostate{};
  }
  const std::string reason = failed ? failed.message() : std::strerror(errno);
  return Error{fmt::format("cannot create the folder `{}`: {}", path, reason)};
}

auto write_atomically(const std::string& path, std::string_view text) -> Status {
  std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr), &std::free);
  struct stat original = {};
  if (!target || ::stat(target.get(), &original) != 0 || ::access(target.get(), W_OK) != 0) {
    return failure(path);
  }
  if (!S_ISREG(original.st_mode)) {
    return Error{fmt::format("{}: could not write: not a regular file", path)};
  }
  std::string temporary = std::string(target.get()) + ".XXXXXX";
  int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return failure(path);
  }
  RemoveOnInterruption guard(temporary);
  bool is_filled = fill(descriptor, text, original);
  int error = errno;
  bool is_closed = ::close(descriptor) == 0;
  if (is_filled && is_closed && ::rename(temporary.c_str(), target.get()) == 0) {
    return sync_folder_of(target.get()) ? Status(std::monostate{}) : failure(path);
  }
  errno = is_filled ? errno : error;
  Status failed = failure(path);
  ::unlink(temporary.c_str());
  return failed;
}

}  // namespace tacet::cli
