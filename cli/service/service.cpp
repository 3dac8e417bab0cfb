#include "cli/service/service.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>

#include "cli/service/connection.h"
#include "cli/service/listener.h"
#include "cli/service/status_server.h"

namespace tacet::service {

namespace asio = boost::asio;

namespace {

/// How exact time limits are.
constexpr milliseconds kTick(50);
/// Some send a signal to a process and to its group, which is not a second request.
constexpr milliseconds kSameSignal(1000);
/// Of descriptors that are no connections of clients.
constexpr rlim_t kOtherDescriptors = 128;

/// Who may connect now; `own` is the service's.
auto make_admission(const net::Credentials& own, const std::string& folder)
    -> Result<std::shared_ptr<const Admission>> {
  Result<std::vector<AdmittedClient>> clients = read_admitted_clients(folder);
  if (!clients) {
    return clients.error();
  }
  std::vector<std::string> certificates;
  for (const AdmittedClient& client : *clients) {
    certificates.push_back(client.certificate);
  }
  Result<net::TlsContext> tls =
      net::TlsContext::make(own, certificates, net::TlsContext::Buffers::Small);
  if (!tls) {
    return tls.error();
  }
  return std::shared_ptr<const Admission>(
      std::make_shared<Admission>(Admission{std::move(*tls), std::move(*clients)}));
}

/// As many connections as the limits have, or the system allows.
void allow_descriptors(Limits& limits, EventLog& log) {
  rlimit allowed{};
  if (::getrlimit(RLIMIT_NOFILE, &allowed) != 0) {
    return;
  }
  allowed.rlim_cur = allowed.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &allowed));
  const rlim_t most =
      allowed.rlim_cur > kOtherDescriptors ? allowed.rlim_cur - kOtherDescriptors : rlim_t{1};
  if (limits.most_connections > most) {
    limits.most_connections = static_cast<uint32_t>(most);
    log.write(LogLevel::Warning, "fewer_connections",
              {{"connections", uint64_t{limits.most_connections}},
               {"reason", "the system's limit of open files (`ulimit -n`)"}});
  }
}

/// One service, from its start to its end.
class RunningService {
 public:
  RunningService(asio::io_context& context, ServiceSetup setup, EventLog& log)
      : context_(context),
        setup_(std::move(setup)),
        log_(log),
        hub_(setup_.limits, log, context),
        listener_(context),
        stops_(context, SIGINT, SIGTERM),
        reloads_(context, SIGHUP),
        tick_(context) {}

  auto run() -> Result<ServiceEnd> {
    Result<std::shared_ptr<const Admission>> admission =
        make_admission(setup_.own, setup_.clients_folder);
    if (!admission) {
      return admission.error();
    }
    hub_.admission = std::move(*admission);
    for (auto& program : setup_.programs) {
      hub_.metrics.programs.push_back(
          {.name = program->name(), .digest = short_digest(program->digest())});
      hub_.programs.push_back(std::move(program));
    }
    if (setup_.status) {
      Result<std::unique_ptr<StatusServer>> status =
          StatusServer::open(context_, *setup_.status, setup_.limits.handshake,
                             [this] { return current_metrics(hub_); });
      if (!status) {
        return status.error();
      }
      status_ = std::move(*status);
    }
    Result<ServiceAddress> address = listener_.open(setup_.listen);
    if (!address) {
      return address.error();
    }
    report_start(*address);
    listener_.start([this] { return may_accept(); },
                    [this](asio::ip::tcp::socket socket) { accept(std::move(socket)); });
    wait_for_stop();
    wait_for_reload();
    check_times_later();
    context_.run();
    return finish();
  }

 private:
  void report_start(const ServiceAddress& address) {
    for (const auto& program : hub_.programs) {
      log_.write(LogLevel::Info, "program",
                 {{"program", program->name()}, {"digest", short_digest(program->digest())}});
    }
    log_.write(LogLevel::Info, "listening",
               {{"address", address_text(address)},
                {"status", status_ ? address_text(status_->address()) : "off"},
                {"clients", uint64_t{hub_.admission->clients.size()}},
                {"workers", uint64_t{hub_.limits.n_workers}}});
  }

  /// When there are as many connections as may be, who has not authenticated makes space.
  auto may_accept() -> bool {
    if (hub_.connections.size() < hub_.limits.most_connections) {
      return true;
    }
    std::shared_ptr<Connection> oldest;
    for (const auto& [number, connection] : hub_.connections) {
      const auto since = connection->unproven_since();
      if (since && (!oldest || *since < *oldest->unproven_since())) {
        oldest = connection;
      }
    }
    if (!oldest) {
      return false;
    }
    oldest->close("made space for others");
    return true;
  }

  void accept(asio::ip::tcp::socket socket) {
    boost::system::error_code failed;
    const auto peer = socket.remote_endpoint(failed);
    const std::string address =
        failed ? std::string() : address_text({peer.address().to_string(), peer.port()});
    start_connection(socket.release(), address, hub_);
  }

  void wait_for_stop() {
    stops_.async_wait([this](boost::system::error_code error, int) {
      if (error) {
        return;
      }
      if (!hub_.is_draining) {
        drain();
      } else if (Clock::now() - drain_begin_ > kSameSignal) {
        is_cut_ = hub_.n_requests > 0;
        context_.stop();
        return;
      }
      wait_for_stop();
    });
  }

  void drain() {
    hub_.is_draining = true;
    drain_begin_ = Clock::now();
    drain_deadline_ = drain_begin_ + hub_.limits.drain;
    log_.write(LogLevel::Info, "draining",
               {{"connections", uint64_t{hub_.connections.size()}},
                {"requests", uint64_t{hub_.n_requests}}});
    listener_.close();
    for (const std::shared_ptr<Connection>& connection : all_connections()) {
      connection->drain();
    }
  }

  void wait_for_reload() {
    reloads_.async_wait([this](boost::system::error_code error, int) {
      if (!error) {
        reload();
        wait_for_reload();
      }
    });
  }

  void reload() {
    Result<std::shared_ptr<const Admission>> admission =
        make_admission(setup_.own, setup_.clients_folder);
    if (!admission) {
      log_.write(LogLevel::Error, "clients_not_reloaded", {{"reason", admission.error().message}});
      return;
    }
    hub_.admission = std::move(*admission);
    std::set<std::string> admitted;
    for (const AdmittedClient& client : hub_.admission->clients) {
      admitted.insert(client.fingerprint);
    }
    for (auto account = hub_.accounts.begin(); account != hub_.accounts.end();) {
      if (admitted.count(account->first) != 0) {
        ++account;
        continue;
      }
      hub_.keys.forget(account->first);
      account = hub_.accounts.erase(account);
    }
    for (const std::shared_ptr<Connection>& connection : all_connections()) {
      connection->check_admission();
    }
    log_.write(LogLevel::Info, "clients_reloaded",
               {{"clients", uint64_t{hub_.admission->clients.size()}}});
  }

  [[nodiscard]] auto all_connections() const -> std::vector<std::shared_ptr<Connection>> {
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto& [number, connection] : hub_.connections) {
      all.push_back(connection);
    }
    return all;
  }

  void check_times_later() {
    tick_.expires_after(kTick);
    tick_.async_wait([this](boost::system::error_code error) {
      if (error) {
        return;
      }
      check_times(hub_, Clock::now());
      if (hub_.is_draining && hub_.connections.empty()) {
        context_.stop();
        return;
      }
      if (hub_.is_draining && Clock::now() > drain_deadline_) {
        is_cut_ = hub_.n_requests > 0;
        context_.stop();
        return;
      }
      check_times_later();
    });
  }

  /// Nothing of what threads still compute is sent.
  auto finish() -> ServiceEnd {
    const uint64_t n_lost = is_cut_ ? hub_.n_requests : 0;
    for (const std::shared_ptr<Connection>& connection : all_connections()) {
      connection->close("the service ends");
    }
    for (const std::shared_ptr<Job>& job : hub_.jobs) {
      job->token.cancel();
    }
    hub_.pool.end();
    context_.restart();
    context_.poll();  // jobs come back, to nobody
    hub_.jobs.clear();
    log_.write(is_cut_ ? LogLevel::Warning : LogLevel::Info, "ended", {{"unanswered", n_lost}});
    return is_cut_ ? ServiceEnd::Cut : ServiceEnd::Drained;
  }

  asio::io_context& context_;
  ServiceSetup setup_;
  EventLog& log_;
  Hub hub_;
  Listener listener_;
  std::unique_ptr<StatusServer> status_;
  asio::signal_set stops_;
  asio::signal_set reloads_;
  asio::steady_timer tick_;
  Clock::time_point drain_begin_{};
  Clock::time_point drain_deadline_{};
  bool is_cut_ = false;
};

}  // namespace

auto serve(ServiceSetup setup, EventLog& log) -> Result<ServiceEnd> {
  // Who closes a connection is met as an error of `send`.
  std::signal(SIGPIPE, SIG_IGN);
  allow_descriptors(setup.limits, log);
  asio::io_context context(1);
  return RunningService(context, std::move(setup), log).run();
}

}  // namespace tacet::service
