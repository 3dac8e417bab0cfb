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
constexpr std::chrono::milliseconds kChildGrace{3000};
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
  /// Above the numbers that a child uses.
  void move_up() { *this = Descriptor(::fcntl(descriptor_, F_DUPFD_CLOEXEC, kFirstFreeInParent)); }
  [[nodiscard]] auto get() const -> int { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Messages in both directions follow their sizes.
auto framed(std::string_view message) -> std::string {
  std::vector<std::byte> size;
  append_little<uint64_t>(size, message.size());
  return text_of(size) + std::string(message);
}

/// A child's message starts with its kind.
constexpr char kSaid = 's';
constexpr char kReport = 'r';

/// One party's process, from its parent's side. Killed, if it still lives, and reaped at the end.
struct Child {
  Child() = default;
  Child(Child&& other) noexcept
      : process(std::exchange(other.process, -1)),
        talk(std::move(other.talk)),
        orders(std::move(other.orders)),
        heard(std::move(other.heard)),
        has_ended(other.has_ended) {}
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

  /// The next whole message that was heard, without its size.
  auto next_message() -> std::optional<std::string> {
    constexpr size_t kSize = sizeof(uint64_t);
    if (heard.size() < kSize) {
      return std::nullopt;
    }
    const auto size = load_little<uint64_t>(bytes_of(heard).first(kSize));
    if (heard.size() - kSize < size) {
      return std::nullopt;
    }
    std::string message = heard.substr(kSize, size);
    heard.erase(0, kSize + size);
    return message;
  }

  pid_t process = -1;
  Descriptor talk;
  std::string orders;  ///< what is not sent yet
  std::string heard;
  bool has_ended = false;
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

/// Sends what goes without waiting.
void send_orders(Child& child) {
  while (!child.orders.empty()) {
    ssize_t n = ::send(child.talk.get(), child.orders.data(), child.orders.size(), MSG_NOSIGNAL);
    if (n < 0) {
      break;  // later, or never: then there is nothing to hear either
    }
    child.orders.erase(0, static_cast<size_t>(n));
  }
}

/// Sends and hears what goes without waiting. False when the child says no more.
auto exchange(Child& child) -> bool {
  send_orders(child);
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
auto report_of(Child& child, Rank rank, Verdict& verdict) -> PartyReport {
  const int status = child.wait();
  std::optional<std::string> message = child.next_message();
  while (message && message->front() != kReport) {
    message = child.next_message();
  }
  Result<PartyReport> report =
      message ? decode_report(message->substr(1)) : Result<PartyReport>(Error{"no report"});
  if (report) {
    if (report->failure) {
      verdict.add(rank, *report->failure);
    }
    return std::move(*report);
  }
  PartyReport lost;
  lost.failure = LinkError{
      rank, WIFSIGNALED(status) ? fmt::format("its process was killed by signal {} ({})",
                                              WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                : fmt::format("its process exited with code {} without a report",
                                              WEXITSTATUS(status))};
  verdict.add(rank, *lost.failure, Verdict::ReportedBy::ByNobody);
  return lost;
}

class ChildHost final : public PartyHost {
 public:
  ChildHost(std::vector<Child> children, std::function<void(Rank, const std::string&)> said)
      : children_(std::move(children)), said_(std::move(said)) {
    outcome_.results.resize(children_.size());
  }

  [[nodiscard]] auto n_parties() const -> Rank override {
    return static_cast<Rank>(children_.size());
  }

  void send_order(Rank party, std::string message) override {
    children_[party].orders += framed(message);
    send_orders(children_[party]);
  }

  auto hear(Rank party) -> std::variant<std::string, LinkError> override {
    Child& child = children_[party];
    while (!has_failed() && !child.has_ended) {
      if (std::optional<std::string> message = said_by(child)) {
        return std::move(*message);
      }
      attend();
    }
    if (std::optional<std::string> message = said_by(child)) {
      return std::move(*message);
    }
    const PartiesOutcome outcome = end();
    return outcome.failure ? *outcome.failure : LinkError{party, "it exited too early"};
  }

  auto end() -> PartiesOutcome override {
    is_over_ = true;
    while (!(has_failed() && Clock::now() >= *time_is_over_) &&
           !std::all_of(children_.begin(), children_.end(),
                        [](const Child& child) { return child.has_ended; })) {
      attend();
      listen();
    }
    outcome_.failure = verdict_.failure();
    if (outcome_.failure) {
      outcome_.results.clear();
    }
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] auto has_failed() const -> bool { return time_is_over_.has_value(); }

  static auto said_by(Child& child) -> std::optional<std::string> {
    if (child.heard.size() <= sizeof(uint64_t) || child.heard[sizeof(uint64_t)] != kSaid) {
      return std::nullopt;
    }
    std::optional<std::string> message = child.next_message();
    return message ? std::optional(message->substr(1)) : std::nullopt;
  }

  /// Passes on unsolicited messages of parties.
  void listen() {
    for (size_t i = 0; i < children_.size(); ++i) {
      while (std::optional<std::string> message = said_by(children_[i])) {
        if (said_) {
          said_(static_cast<Rank>(i), *message);
        }
      }
    }
  }

  /// Waits until something happens, or for a while if one has failed, and takes note of it.
  void attend() {
    std::vector<pollfd> polled;
    for (Child& child : children_) {
      if (is_over_ && child.orders.empty() && !child.has_ended) {
        ::shutdown(child.talk.get(), SHUT_WR);
      }
      const short events = child.orders.empty() ? POLLIN : POLLIN | POLLOUT;
      polled.push_back({child.has_ended ? -1 : child.talk.get(), events, 0});
    }
    ::poll(polled.data(), polled.size(), has_failed() ? 50 : -1);
    for (size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      if (child.has_ended || polled[i].revents == 0 || exchange(child)) {
        continue;
      }
      child.has_ended = true;
      PartyReport report = report_of(child, static_cast<Rank>(i), verdict_);
      if (report.failure && !has_failed()) {
        time_is_over_ = Clock::now() + kChildGrace;
      }
      outcome_.results[i] = std::move(report.result);
    }
  }

  std::vector<Child> children_;
  std::function<void(Rank, const std::string&)> said_;
  Verdict verdict_;
  PartiesOutcome outcome_;
  bool is_over_ = false;
  std::optional<Clock::time_point> time_is_over_;  ///< once one has failed
};

}  // namespace

auto start_child_parties(ChildRun run) -> std::variant<std::unique_ptr<PartyHost>, LinkError> {
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
    children[i].orders =
        framed(encode_orders({::getpid(), std::move(plan), std::move(run.work[i])}));
    send_orders(children[i]);
  }
  if (failure) {
    return *failure;
  }
  return std::make_unique<ChildHost>(std::move(children), std::move(run.said));
}

auto run_child_parties(ChildRun run) -> ChildOutcome {
  auto started = start_child_parties(std::move(run));
  if (LinkError* failure = std::get_if<LinkError>(&started)) {
    return {.failure = std::move(*failure)};
  }
  return std::get<0>(started)->end();
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

static auto write_to_parent(char kind, const std::string& message) -> bool {
  const std::string bytes = framed(kind + message);
  for (size_t at = 0; at < bytes.size();) {
    ssize_t n = ::send(kOrdersInChild, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    at += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

namespace {

class ParentConversation final : public Conversation {
 public:
  auto hear() -> std::optional<std::string> override {
    const std::optional<std::string> size = read_exactly(sizeof(uint64_t));
    return size ? read_exactly(load_little<uint64_t>(bytes_of(*size))) : std::nullopt;
  }
  void say(std::string message) override {
    // A parent that does not listen has ended, and so do its children.
    static_cast<void>(write_to_parent(kSaid, message));
  }
};

}  // namespace

auto serve_as_child(const PartyBody& body) -> int {
  return serve_as_child(
      [&](Links& links, const std::string& work, Conversation&) { return body(links, work); });
}

auto serve_as_child(const TalkingBody& body) -> int {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int descriptor : {kOrdersInChild, kListenerInChild}) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  ParentConversation parent;
  const std::optional<std::string> bytes = parent.hear();
  Result<Orders> orders = bytes ? decode_orders(*bytes) : Result<Orders>(Error{"no orders"});
  if (!orders || orders->parent != ::getppid()) {
    return 1;
  }
  Rank rank = orders->plan.rank;
  orders->plan.listening_socket = kListenerInChild;
  Meeting meeting = meet(std::move(orders->plan));
  PartyReport report;
  if (meeting.links) {
    report = body(*meeting.links, orders->work, parent);
    if (report.failure && report.failure->party == rank) {
      meeting.links->abort(report.failure->reason);
    } else if (!report.failure) {
      report.failure = meeting.links->finish();
    }
    meeting.links.reset();
  } else {
    report.failure = meeting.failure;
  }
  return write_to_parent(kReport, encode_report(report)) && !report.failure ? 0 : 1;
}

}  // namespace tacet::net
