#include "cli/service/connection.h"

#include <fmt/format.h>

#include "cli/service/served_connection.h"
#include "engine/net/credentials.h"

namespace tacet::service {

namespace asio = boost::asio;
using boost::system::error_code;
using State = net::IoResult::State;

/// After every event.
void ServedConnection::step() {
  if (phase_ == Phase::Handshake) {
    shake_hands();
  }
  if (phase_ != Phase::Handshake && !is_closed_) {
    write_some();  // and reads
  }
}

void ServedConnection::shake_hands() {
  const net::IoResult result = channel_.handshake();
  switch (result.state) {
    case State::Moved:
      meet_client();
      break;
    case State::WouldBlock:
      wait_to_read();
      break;
    case State::Closed:
    case State::Failed:
      ++hub_.metrics.n_handshakes_failed;
      close(result.state == State::Closed ? "closed before it authenticated" : result.reason);
      break;
  }
}

void ServedConnection::meet_client() {
  const size_t place = admission_->tls.peer_of(channel_.tls());
  if (place >= admission_->clients.size()) {
    ++hub_.metrics.n_handshakes_failed;
    close("presented a certificate that is not among the clients'");
    return;
  }
  const AdmittedClient& shown = admission_->clients[place];
  std::shared_ptr<ClientAccount>& account = hub_.accounts[shown.fingerprint];
  if (!account) {
    account = std::make_shared<ClientAccount>(shown.name, shown.fingerprint, hub_.limits);
  }
  client_ = account;
  ++client_->n_connections;
  phase_ = Phase::Greeting;
  hub_.log.write(LogLevel::Debug, "connected",
                 {{"connection", number_}, {"client", client_->name}, {"address", address_}});
  header_ = {};
  if (const std::string problem = net::validity_problem(shown.certificate); !problem.empty()) {
    refuse({.reason = RefusalReason::NotAdmitted, .text = "this client " + problem}, AfterIt::End);
  } else if (client_->n_connections > hub_.limits.client_connections) {
    refuse(
        {.reason = RefusalReason::Busy,
         .retry_milliseconds = kRetryBusy,
         .text = fmt::format("a client may have {} connections", hub_.limits.client_connections)},
        AfterIt::End);
  }
}

void ServedConnection::wait_to_read() {
  if (waits_to_read_) {
    return;
  }
  waits_to_read_ = true;
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [weak = weak_from_this()](error_code error) {
                           if (const auto self = weak.lock(); self && !error) {
                             self->waits_to_read_ = false;
                             if (!self->is_closed_) {
                               self->step();
                             }
                           }
                         });
}

void ServedConnection::lose(const net::IoResult& result) {
  close(result.state == State::Failed ? result.reason : std::string("closed by the client"));
}

void ServedConnection::close(std::string_view reason) {
  if (is_closed_) {
    return;
  }
  is_closed_ = true;
  const bool is_client = client_ != nullptr;
  hub_.log.write(is_client ? LogLevel::Debug : LogLevel::Info,
                 is_client ? "disconnected" : "connection_failed",
                 {{"connection", number_},
                  {"client", is_client ? client_->name : ""},
                  {"address", address_},
                  {"reason", std::string(reason)}});
  for (const std::shared_ptr<Job>& job : jobs_) {
    job->token.cancel();
  }
  jobs_.clear();
  incoming_.reset();
  unsent_.clear();
  error_code ignored;
  descriptor_.cancel(ignored);
  pause_.cancel();
  admit_waiting(hub_);
  hub_.connections.erase(number_);
}

void ServedConnection::check_times(Clock::time_point now) {
  if (is_closed_) {
    return;
  }
  const auto times_out = [&](std::string text) {
    refuse({.reason = RefusalReason::TimedOut, .text = std::move(text)}, AfterIt::End);
  };
  if (phase_ == Phase::Ending) {
    if (now > end_deadline_ && jobs_.empty() && unsent_.empty()) {
      close("ended");
      return;
    }
  } else if (phase_ != Phase::Open && now > opened_ + hub_.limits.handshake) {
    if (phase_ == Phase::Handshake) {
      ++hub_.metrics.n_handshakes_failed;
      close("did not authenticate in time");
    } else {
      times_out("the greeting took too long");
    }
    return;
  }
  if (!unsent_.empty() && now > write_deadline_) {
    close("did not read its answers in time");
    return;
  }
  if (phase_ != Phase::Open || is_draining_) {
    return;
  }
  if (reading_ == Reading::Waiting) {
    if (now > accept_deadline_) {
      refuse({.reason = RefusalReason::Busy,
              .retry_milliseconds = kRetryBusy,
              .text = "the service is busy"});
    }
    return;
  }
  if (reading_ != Reading::Header || n_read_ > 0) {
    if (now > read_deadline_ && wants_to_read()) {
      times_out("the message took too long to arrive");
    }
    return;
  }
  if (jobs_.empty() && unsent_.empty() && now > last_activity_ + hub_.limits.idle) {
    times_out("the connection was idle for too long");
  }
}

void ServedConnection::drain() {
  is_draining_ = true;
  if (phase_ == Phase::Handshake) {
    close("the service ends");
    return;
  }
  end_if_drained();
}

/// What was accepted whole is answered; what is still arriving is not.
void ServedConnection::end_if_drained() {
  if (is_draining_ && phase_ != Phase::Ending && jobs_.empty()) {
    const bool is_reading = reading_ != Reading::Header;
    header_.id = is_reading ? header_.id : 0;
    refuse({.reason = RefusalReason::Draining, .text = "the service is shutting down"},
           AfterIt::End);
  }
}

void ServedConnection::check_admission() {
  const auto& clients = hub_.admission->clients;
  const bool is_admitted =
      client_ == nullptr ||
      std::any_of(clients.begin(), clients.end(), [&](const AdmittedClient& client) {
        return client.fingerprint == client_->fingerprint;
      });
  if (!is_admitted && phase_ != Phase::Ending) {
    for (const std::shared_ptr<Job>& job : jobs_) {
      job->token.cancel();
    }
    refuse({.reason = RefusalReason::NotAdmitted, .text = "this client is not admitted any more"},
           AfterIt::End);
  }
}

void start_connection(int fd, std::string address, Hub& hub) {
  const uint64_t number = ++hub.n_connections;
  ++hub.metrics.n_connections;
  const auto connection = std::make_shared<ServedConnection>(fd, std::move(address), number, hub);
  hub.connections.emplace(number, connection);
  connection->start();
}

}  // namespace tacet::service
