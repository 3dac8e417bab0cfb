#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tacet {

namespace {

constexpr size_t kMostOutput = size_t{1} << 20;
/// How often a cancellation is looked for.
constexpr int kPollMilliseconds = 50;

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  auto operator=(const Descriptor&) -> Descriptor& = delete;

  [[nodiscard]] auto get() const -> int { return fd_; }
  void set(int fd) { fd_ = fd; }
  void close() {
    if (fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
    }
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  auto open() -> bool {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      return false;
    }
    read.set(ends[0]);
    write.set(ends[1]);
    return true;
  }
};

/// Takes what there is to read; closes at the end of it.
void take(Descriptor& from, std::string& to) {
  std::array<char, 4096> bytes{};
  const ssize_t n = read(from.get(), bytes.data(), bytes.size());
  if (n > 0) {
    to.append(bytes.data(), std::min(static_cast<size_t>(n), kMostOutput - to.size()));
  } else if (n == 0 || errno != EINTR) {
    from.close();
  }
}

/// Another process can be limited from outside, so that it need not be trusted to limit itself.
void limit(pid_t child, __rlimit_resource resource, uint64_t most, uint64_t grace = 0) {
  if (most != 0) {
    const rlimit bound{most, most + grace};
    prlimit(child, resource, &bound, nullptr);
  }
}

void apply(const ChildLimits& limits, pid_t child) {
  limit(child, RLIMIT_CPU, limits.cpu_seconds, 1);  // distinguished from being killed by others
  limit(child, RLIMIT_DATA, limits.memory_bytes);
  limit(child, RLIMIT_FSIZE, limits.file_bytes);
}

}  // namespace

auto run_child(const std::vector<std::string>& arguments, const std::string& folder,
               const CancellationToken& token, const ChildLimits& limits) -> Result<ChildOutput> {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) {
    return Error{fmt::format("cannot create a pipe: {}", std::strerror(errno))};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Error{fmt::format("cannot start `{}`: {}", arguments[0], std::strerror(failed))};
  }
  apply(limits, child);
  out.write.close();
  err.write.close();
  ChildOutput result;
  const auto end = std::chrono::steady_clock::now() + limits.time;
  while (out.read.get() >= 0 || err.read.get() >= 0) {
    std::array<pollfd, 2> wanted{{{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
    poll(wanted.data(), wanted.size(), kPollMilliseconds);
    result.is_out_of_time = limits.time.count() != 0 && std::chrono::steady_clock::now() >= end;
    if (token.is_cancelled() || result.is_out_of_time) {
      kill(child, SIGKILL);
      break;
    }
    if (wanted[0].revents != 0) {
      take(out.read, result.output);
    }
    if (wanted[1].revents != 0) {
      take(err.read, result.errors);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tacet
