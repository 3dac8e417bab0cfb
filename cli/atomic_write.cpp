#include "cli/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

auto write_or_create(const std::string& path, std::string_view text) -> Status {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return failure(path);
  }
  ::close(descriptor);
  return write_atomically(path, text);
}

auto write_atomically(const std::string& path, std::string_view text) -> Status {
  std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr), &std::free);
  struct stat original = {};
  if (!target || ::stat(target.get(), &original) != 0 || ::access(target.get(), W_OK) != 0) {
    return failure(path);
  }
  if (!S_ISREG(original.st_mode)) {
    return Error{fmt::format("{}: could not write: it is not a regular file", path)};
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
    return std::monostate{};
  }
  errno = is_filled ? errno : error;
  Status failed = failure(path);
  ::unlink(temporary.c_str());
  return failed;
}

}  // namespace tacet::cli
