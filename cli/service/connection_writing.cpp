#include <fmt/format.h>

#include <boost/asio/post.hpp>

#include "cli/service/served_connection.h"

namespace tacet::service {

namespace asio = boost::asio;
using boost::system::error_code;
using State = net::IoResult::State;

/// That a service does not hold keys is how clients find out.
void ServedConnection::report_refusal(uint64_t id, const Refusal& refusal) {
  ++hub_.metrics.n_refusals[static_cast<size_t>(refusal.reason) - 1];
  const bool is_usual = refusal.reason == RefusalReason::UnknownKeys;
  hub_.log.write(is_usual ? LogLevel::Info : LogLevel::Warning, "refused",
                 {{"connection", number_},
                  {"client", client_ ? client_->name : ""},
                  {"message", id},
                  {"refusal", std::string(reason_name(refusal.reason))},
                  {"reason", refusal.text}});
}

/// Answers the message that is being read with a refusal.
void ServedConnection::refuse(const Refusal& refusal, AfterIt after) {
  report_refusal(header_.id, refusal);
  if (after == AfterIt::End) {
    phase_ = Phase::Ending;
    incoming_.reset();
    end_deadline_ = Clock::now() + hub_.limits.handshake;
  }
  send(MessageKind::Refusal, header_.id, encode_refusal(refusal));
  if (after == AfterIt::Continue) {
    skip_rest();
  }
}

void ServedConnection::send(MessageKind kind, uint64_t id, std::span<const std::byte> payload) {
  const auto header = encode_header({.kind = kind, .id = id, .size = payload.size()});
  Outgoing message;
  message.bytes.assign(header.begin(), header.end());
  message.bytes.insert(message.bytes.end(), payload.begin(), payload.end());
  send(std::move(message));
}

void ServedConnection::send(Outgoing message) {
  unsent_.push_back(std::move(message));
  if (unsent_.size() == 1) {
    write_deadline_ = Clock::now() + transfer_time(unsent_.front().bytes.size());
  }
  asio::post(hub_.context, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->is_closed_) {
      self->write_some();
    }
  });
}

void ServedConnection::deliver(const std::shared_ptr<Job>& job) {
  jobs_.erase(job);
  if (is_closed_) {
    return;
  }
  last_activity_ = Clock::now();
  if (job->refusal) {
    report_refusal(job->header.id, *job->refusal);
    send(MessageKind::Refusal, job->header.id, encode_refusal(*job->refusal));
  } else if (job->header.kind == MessageKind::Keys) {
    send(MessageKind::Stored, job->header.id, {});
  } else {
    he::Bytes results = std::move(job->results);
    send({.bytes = std::move(results), .job = job});
  }
  end_if_drained();
}

void ServedConnection::write_some() {
  const auto self = shared_from_this();
  size_t left = kBytesAtOnce;
  while (!is_closed_ && !waits_to_write_ && !unsent_.empty() && left > 0) {
    Outgoing& message = unsent_.front();
    const net::IoResult result =
        channel_.write(std::span<const std::byte>(message.bytes).subspan(message.n_written));
    switch (result.state) {
      case State::Moved:
        left -= std::min(left, result.n);
        message.n_written += result.n;
        hub_.metrics.n_bytes_sent += result.n;
        last_activity_ = Clock::now();
        if (message.n_written == message.bytes.size()) {
          unsent_.pop_front();
          admit_waiting(hub_);
          if (!unsent_.empty()) {
            write_deadline_ = Clock::now() + transfer_time(unsent_.front().bytes.size());
          }
        }
        break;
      case State::WouldBlock:
        wait_to_write();
        break;
      case State::Closed:
      case State::Failed:
        lose(result);
        return;
    }
  }
  if (is_closed_) {
    return;
  }
  if (!unsent_.empty() && !waits_to_write_) {
    asio::post(hub_.context, [weak = weak_from_this()] {
      if (const auto again = weak.lock(); again && !again->is_closed_) {
        again->write_some();
      }
    });
  }
  end_if_written();
  if (!waits_to_read_) {
    read_some();  // which may have waited for answers to be read
  }
}

/// Who is still sending would not get the last answer if the socket were closed at once.
void ServedConnection::end_if_written() {
  if (phase_ == Phase::Ending && unsent_.empty() && jobs_.empty() && !has_ended_writing_) {
    has_ended_writing_ = true;
    channel_.end_writing();
  }
}

void ServedConnection::wait_to_write() {
  if (waits_to_write_) {
    return;
  }
  waits_to_write_ = true;
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_write,
                         [weak = weak_from_this()](error_code error) {
                           if (const auto self = weak.lock(); self && !error) {
                             self->waits_to_write_ = false;
                             if (!self->is_closed_) {
                               self->step();
                             }
                           }
                         });
}

}  // namespace tacet::service
