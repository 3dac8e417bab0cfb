#include "project/read_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "compiler/core/syntax/file_syntax.h"

namespace tacet::project {

static constexpr size_t kMaxSize = syntax::kMaxFileSize;

static auto reason(int error) -> std::string {
  switch (error) {
    case ENOENT:
      return "no such file or folder";
    case EACCES:
    case EPERM:
      return "permission denied";
    case ELOOP:
      return "too many levels of symbolic links";
    case ENOTDIR:
      return "a component of the path is not a folder";
    default:
      return std::strerror(error);
  }
}

static auto too_large(std::string_view name) -> Error {
  return Error{
      fmt::format("{}: larger than {} MiB, the limit for a source file", name, kMaxSize >> 20)};
}

/// Reads to the end. `expected` is a guess of the size.
static auto read_all(int descriptor, std::string_view name, size_t expected)
    -> Result<std::string> {
  std::string text;
  size_t n_read = 0;
  text.resize(std::min(expected, kMaxSize) + 1);
  while (true) {
    if (n_read == text.size()) {
      text.resize(text.size() * 2);
    }
    ssize_t n = ::read(descriptor, text.data() + n_read, text.size() - n_read);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return Error{fmt::format("{}: {}", name, reason(errno))};
    }
    if (n == 0) {
      text.resize(n_read);
      return text;
    }
    n_read += static_cast<size_t>(n);
    if (n_read > kMaxSize) {
      return too_large(name);
    }
  }
}

/// Why an open file is not read, or nothing.
static auto refusal(const struct stat& status, const std::string& path) -> std::string {
  if (S_ISDIR(status.st_mode)) {
    return fmt::format("{}: is a folder", path);
  }
  // A pipe is what a shell makes of `<(command)`.
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    return fmt::format("{}: is not a regular file", path);
  }
  return "";
}

auto read_source(const std::string& path) -> Result<std::string> {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return Error{fmt::format("{}: {}", path, reason(errno))};
  }
  if (std::string refused = refusal(status, path); !refused.empty()) {
    return Error{refused};
  }
  if (static_cast<uint64_t>(status.st_size) > kMaxSize) {
    return too_large(path);
  }
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return Error{fmt::format("{}: {}", path, reason(errno))};
  }
  Result<std::string> text = read_all(descriptor, path, static_cast<size_t>(status.st_size));
  ::close(descriptor);
  return text;
}

auto read_stdin() -> Result<std::string> {
  return read_all(STDIN_FILENO, "standard input", size_t{64} << 10);
}

}  // namespace tacet::project
