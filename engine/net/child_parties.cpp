#include "engine/net/child_parties.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "engine/net/little_endian.h"
#include "engine/net/orders.h"

extern char** environ;

namespace tacet::net {

namespace {

using Clock = std::chrono::steady_clock;

/// How long the others may take to end after one failed.
constexpr std::chrono::milliseconds kGrace{3000};
/// What a child finds where.
constexpr int kOrdersInChild = 3;
constexpr int kListenerInChild = 4;
constexpr int kFirstFreeInParent = 10;

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  auto operator=(Descriptor&& other) noexcept -> Descriptor& {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (descriptor_ >= 0) {
      ::close(std::exchange(descriptor_, -1));
    }
  }
  /// Out of the way of the numbers that a child uses.
  void move_up() { *this = Descriptor(::fcntl(descriptor_, F_DUPFD_CLOEXEC, kFirstFreeInParent)); }
  [[nodiscard]] auto get() const -> int { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// One party's process, from its parent's side. Killed, if it still lives, and reaped at the end.
struct Child {
  Child() = default;
  Child(Child&& other) noexcept
      : process(std::exchange(other.process, -1)),
        talk(std::move(other.talk)),
        orders(std::move(other.orders)),
        heard(std::move(other.heard)) {}
  ~Child() {
    if (process > 0) {
      ::kill(process, SIGKILL);
      (void)wait();
    }
  }

  /// How it ended.
  auto wait() -> int {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    process = -1;
    return status;
  }

  pid_t process = -1;
  Descriptor talk;
  std::string orders;  ///< what is not sent yet
  std::string heard;
};

/// Starts the process; what it should get is not sent yet.
auto start(const std::vector<std::string>& command, int listener, Child& child) -> Status {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error{std::strerror(errno)};
  }
  child.talk = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  Descriptor listening(listener);
  child.talk.move_up();
  other.move_up();
  listening.move_up();
  ::fcntl(child.talk.get(), F_SETFL, ::fcntl(child.talk.get(), F_GETFL) | O_NONBLOCK);

  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, other.get(), kOrdersInChild);
  ::posix_spawn_file_actions_adddup2(&actions, listening.get(), kListenerInChild);
  int error = ::posix_spawn(&child.process, arguments.front(), &actions, nullptr, arguments.data(),
                            environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    child.process = -1;
    return Error{fmt::format("cannot start `{}`: {}", command.front(), std::strerror(error))};
  }
  return std::monostate();
}

/// Sends and hears what goes without waiting. False when the child says no more.
auto exchange(Child& child) -> bool {
  while (!child.orders.empty()) {
    ssize_t n = ::send(child.talk.get(), child.orders.data(), child.orders.size(), MSG_NOSIGNAL);
    if (n < 0) {
      break;  // later, or never: then there is nothing to hear either
    }
    child.orders.erase(0, static_cast<size_t>(n));
  }
  std::array<char, 65536> buffer;
  while (true) {
    ssize_t n = ::recv(child.talk.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) {
      child.heard.append(buffer.data(), static_cast<size_t>(n));
    } else {
      return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
  }
}

/// The report of a child that said its last.
auto report_of(Child& child, Rank rank) -> PartyReport {
  int status = child.wait();
  Result<PartyReport> report = decode_report(child.heard);
  if (report) {
    return std::move(*report);
  }
  PartyReport lost;
  lost.failure = LinkError{
      rank, WIFSIGNALED(status) ? fmt::format("its process was ended by signal {} ({})",
                                              WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                : fmt::format("its process ended with exit code {} and no report",
                                              WEXITSTATUS(status))};
  return lost;
}

/// Whose failure explains the others: of a process that was lost, of a party that failed by itself,
/// or else the first that was told.
class Verdict {
 public:
  void add(Rank rank, const LinkError& failure, bool was_lost) {
    int weight = was_lost ? 3 : failure.party == rank ? 2 : 1;
    if (weight > weight_) {
      weight_ = weight;
      failure_ = failure;
    }
  }
  [[nodiscard]] auto failure() const -> const LinkStatus& { return failure_; }

 private:
  int weight_ = 0;
  LinkStatus failure_;
};

/// Talks to all children until each has said its last, or one failed and time is over.
auto gather(std::vector<Child>& children) -> ChildOutcome {
  ChildOutcome outcome;
  outcome.results.resize(children.size());
  Verdict verdict;
  std::vector<bool> ended(children.size(), false);
  std::optional<Clock::time_point> end;
  for (size_t n_ended = 0; n_ended < children.size() && (!end || Clock::now() < *end);) {
    std::vector<pollfd> polled;
    for (size_t i = 0; i < children.size(); ++i) {
      short events = children[i].orders.empty() ? POLLIN : POLLIN | POLLOUT;
      polled.push_back({ended[i] ? -1 : children[i].talk.get(), events, 0});
    }
    ::poll(polled.data(), polled.size(), end ? 50 : -1);
    for (size_t i = 0; i < children.size(); ++i) {
      if (ended[i] || polled[i].revents == 0 || exchange(children[i])) {
        continue;
      }
      ended[i] = true;
      ++n_ended;
      bool was_lost = !decode_report(children[i].heard);
      PartyReport report = report_of(children[i], static_cast<Rank>(i));
      if (report.failure) {
        verdict.add(static_cast<Rank>(i), *report.failure, was_lost);
        end = end ? end : Clock::now() + kGrace;
      }
      outcome.results[i] = std::move(report.result);
    }
  }
  outcome.failure = verdict.failure();
  if (outcome.failure) {
    outcome.results.clear();
  }
  return outcome;
}

}  // namespace

auto run_child_parties(ChildRun run) -> ChildOutcome {
  TACET_CHECK(run.plans.size() == run.work.size() && !run.command.empty(),
              "a plan and work for each party");
  std::vector<Child> children(run.plans.size());
  LinkStatus failure;
  for (size_t i = 0; i < children.size(); ++i) {
    MeetingPlan& plan = run.plans[i];
    if (failure) {
      ::close(plan.listening_socket);
      continue;
    }
    if (Status started = start(run.command, plan.listening_socket, children[i]); !started) {
      failure = LinkError{static_cast<Rank>(i), started.error().message};
      continue;
    }
    std::string body = encode_orders({::getpid(), std::move(plan), std::move(run.work[i])});
    std::vector<std::byte> size;
    append_little<uint64_t>(size, body.size());
    children[i].orders = text_of(size) + body;
  }
  return failure ? ChildOutcome{failure} : gather(children);
}

/// Exactly `size` bytes of the parent, or nothing.
static auto read_exactly(uint64_t size) -> std::optional<std::string> {
  std::string bytes;
  std::array<char, 65536> buffer;
  while (bytes.size() < size) {
    ssize_t n = ::recv(kOrdersInChild, buffer.data(),
                       std::min<uint64_t>(buffer.size(), size - bytes.size()), 0);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    bytes.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  return bytes;
}

static auto write_report(const PartyReport& report) -> bool {
  std::string bytes = encode_report(report);
  for (size_t at = 0; at < bytes.size();) {
    ssize_t n = ::send(kOrdersInChild, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    at += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

auto serve_as_child(const PartyBody& body) -> int {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int descriptor : {kOrdersInChild, kListenerInChild}) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  std::optional<std::string> size = read_exactly(sizeof(uint64_t));
  std::optional<std::string> bytes =
      size ? read_exactly(load_little<uint64_t>(bytes_of(*size))) : std::nullopt;
  Result<Orders> orders = bytes ? decode_orders(*bytes) : Result<Orders>(Error{"no orders"});
  if (!orders || orders->parent != ::getppid()) {
    return 1;
  }
  Rank rank = orders->plan.rank;
  orders->plan.listening_socket = kListenerInChild;
  Meeting meeting = meet(std::move(orders->plan));
  PartyReport report;
  if (meeting.links) {
    report = body(*meeting.links, orders->work);
    if (report.failure && report.failure->party == rank) {
      meeting.links->abort(report.failure->reason);
    } else if (!report.failure) {
      report.failure = meeting.links->finish();
    }
    meeting.links.reset();
  } else {
    report.failure = meeting.failure;
  }
  return write_report(report) && !report.failure ? 0 : 1;
}

}  // namespace tacet::net
