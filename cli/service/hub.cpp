#include "cli/service/hub.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <new>

#include "base/check.h"
#include "cli/service/connection.h"

namespace tacet::service {

Hub::Hub(const Limits& limits_, EventLog& log_, boost::asio::io_context& context_)
    : limits(limits_),
      log(log_),
      context(context_),
      keys(limits_.key_bytes, limits_.client_keys, limits_.handshake,
           [this](uint64_t n_bytes) {
             ++metrics.n_keys_evicted;
             log.write(LogLevel::Info, "keys_evicted", {{"bytes", n_bytes}});
           }),
      pool(limits_.n_workers) {}

Hub::~Hub() {
  for (const std::shared_ptr<Job>& job : jobs) {
    job->token.cancel();
  }
}

auto find_program(const Hub& hub, const cli::FileDigest& digest) -> std::optional<size_t> {
  for (size_t i = 0; i < hub.programs.size(); ++i) {
    if (hub.programs[i]->digest() == digest) {
      return i;
    }
  }
  return std::nullopt;
}

namespace {

/// An invariant of ours that failed while a client's message was handled.
struct FailedInvariant {
  std::string text;
};

void throw_failed_invariant(const char* file, int line, const char* condition,
                            const char* message) {
  throw FailedInvariant{fmt::format("{}:{}: {}: {}", file, line, condition, message)};
}

/// The message that answers a request; an error of the evaluation.
auto answer_request(const Job& job) -> Result<he::Bytes> {
  const std::span<const std::byte> payload(job.payload.get(), job.header.size);
  he::Bytes before(kMessageHeaderSize);
  before.insert(before.end(), job.nonce.begin(), job.nonce.end());
  Result<he::Bytes> message = job.keys->answer(payload.subspan(sizeof(Nonce)), std::move(before));
  if (message) {
    const auto header = encode_header({.kind = MessageKind::Results,
                                       .id = job.header.id,
                                       .size = message->size() - kMessageHeaderSize});
    std::copy(header.begin(), header.end(), message->begin());
  }
  return message;
}

/// On a thread of the pool. A client's bytes end its own message at worst.
void do_job(const ServedProgram& program, Job& job) {
  const auto fails = [&](RefusalReason reason, std::string text) {
    job.refusal = Refusal{.reason = reason, .text = std::move(text)};
  };
  if (job.header.kind == MessageKind::Request) {
    Result<he::Bytes> results = answer_request(job);
    if (results) {
      job.results = std::move(*results);
    } else {
      fails(RefusalReason::Failed, results.error().message);
    }
    return;
  }
  const std::span<const std::byte> payload(job.payload.get(), job.header.size);
  Result<std::shared_ptr<const ClientKeys>> keys =
      program.take_keys(payload.subspan(sizeof(cli::FileDigest)));
  if (!keys) {
    fails(RefusalReason::Malformed, keys.error().message);
  } else if ((*keys)->digest() != job.digest) {
    fails(RefusalReason::Malformed,
          "the keys are damaged: their digest differs from the stated one");
  } else {
    job.keys = std::move(*keys);
  }
}

void do_job_safely(const ServedProgram& program, Job& job) {
  const auto begin = Clock::now();
  job.started = begin;
  const CancellationScope scope(&job.token);
  const CheckHandler previous = set_check_handler(throw_failed_invariant);
  try {
    stop_if_cancelled();
    do_job(program, job);
  } catch (const Cancelled&) {
    job.refusal =
        Refusal{.reason = RefusalReason::TimedOut, .text = "the evaluation was cancelled"};
  } catch (const std::bad_alloc&) {
    job.refusal = Refusal{.reason = RefusalReason::Busy,
                          .retry_milliseconds = 1000,
                          .text = "the service is out of memory"};
  } catch (const FailedInvariant& failure) {
    job.refusal = Refusal{.reason = RefusalReason::Internal, .text = failure.text};
  } catch (const std::exception& error) {
    job.refusal = Refusal{.reason = RefusalReason::Internal, .text = error.what()};
  }
  set_check_handler(previous);
  if (job.refusal) {
    job.keys.reset();
  }
  if (job.header.kind == MessageKind::Request) {
    job.keys.reset();
  }
  job.payload.reset();
  job.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
}

auto milliseconds_of(double seconds) -> double {
  return static_cast<double>(static_cast<int64_t>(seconds * 1e5)) / 100;
}

/// Puts keys that were read where they belong.
void store_keys(Hub& hub, Job& job) {
  const uint64_t n_reserved = job.key_space.release();
  if (job.refusal) {
    hub.keys.give_back(n_reserved);
    return;
  }
  const uint64_t size = job.keys->memory();
  if (!hub.keys.put(job.client->fingerprint, job.digest, std::move(job.keys), size, n_reserved)) {
    job.refusal = Refusal{.reason = RefusalReason::Busy,
                          .retry_milliseconds = 1000,
                          .text = "the service has too little memory for the keys"};
    return;
  }
  ++hub.metrics.n_keys_stored;
  hub.log.write(LogLevel::Info, "keys_stored",
                {{"client", job.client->name},
                 {"program", hub.programs[job.program]->name()},
                 {"keys", short_digest(job.digest)},
                 {"bytes", job.header.size},
                 {"memory", size},
                 {"ms", milliseconds_of(job.seconds)}});
}

void count_request(Hub& hub, const Job& job) {
  ProgramMetrics& program = hub.metrics.programs[job.program];
  ++(job.refusal ? program.n_failed : program.n_answered);
  program.evaluation_seconds.add(job.seconds);
  const Clock::time_point started = job.started;
  const double wait = std::chrono::duration<double>(started - job.arrival).count();
  hub.metrics.wait_seconds.add(wait);
  if (!job.refusal) {
    hub.log.write(LogLevel::Info, "request",
                  {{"client", job.client->name},
                   {"program", program.name},
                   {"message", job.header.id},
                   {"received", job.header.size},
                   {"sent", job.results.size() - kMessageHeaderSize},
                   {"wait_ms", milliseconds_of(wait)},
                   {"evaluation_ms", milliseconds_of(job.seconds)}});
  }
}

/// On the thread of the loop.
void finish_job(Hub& hub, const std::shared_ptr<Job>& job) {
  hub.jobs.erase(job);
  if (job->refusal && job->is_late) {
    job->refusal->text = fmt::format("the evaluation took more than {} s",
                                     static_cast<double>(hub.limits.evaluation.count()) / 1000);
  }
  if (job->refusal && job->refusal->reason == RefusalReason::Internal) {
    hub.log.write(LogLevel::Error, "internal_error",
                  {{"client", job->client->name}, {"reason", job->refusal->text}});
    job->refusal->text = "an internal error of the service";
  }
  if (job->header.kind == MessageKind::Keys) {
    store_keys(hub, *job);
  } else {
    count_request(hub, *job);
  }
  job->bytes.change(job->results.size());
  if (const std::shared_ptr<Connection> connection = job->connection.lock()) {
    connection->deliver(job);
  }
  admit_waiting(hub);
}

}  // namespace

void submit_job(Hub& hub, std::shared_ptr<Job> job) {
  hub.jobs.insert(job);
  const ServedProgram& program = *hub.programs[job->program];
  // Neither the hub nor the job is touched on the pool's thread once the loop has it back.
  hub.pool.submit([&hub, &program, job = std::move(job)]() mutable {
    do_job_safely(program, *job);
    boost::asio::post(hub.context, [&hub, job = std::move(job)] { finish_job(hub, job); });
  });
}

void admit_waiting(Hub& hub) {
  if (hub.is_admitting || hub.waiting.empty()) {
    return;
  }
  hub.is_admitting = true;
  boost::asio::post(hub.context, [&hub] {
    hub.is_admitting = false;
    // In the order of arrival; a client at its own limits, and keys that find too little space, do
    // not keep others waiting.
    for (auto place = hub.waiting.begin(); place != hub.waiting.end();) {
      const auto found = hub.connections.find(*place);
      const Accepts accepts =
          found == hub.connections.end() ? Accepts::Yes : found->second->accept_message();
      if (accepts == Accepts::Full) {
        break;
      }
      place = accepts == Accepts::Yes ? hub.waiting.erase(place) : std::next(place);
    }
  });
}

void check_times(Hub& hub, Clock::time_point now) {
  for (const std::shared_ptr<Job>& job : hub.jobs) {
    const Clock::time_point started = job->started;
    if (started != Clock::time_point{} && now - started > hub.limits.evaluation) {
      job->is_late = true;
      job->token.cancel();
    }
  }
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [number, connection] : hub.connections) {
    all.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : all) {
    connection->check_times(now);
  }
  admit_waiting(hub);
}

auto current_metrics(Hub& hub) -> Metrics {
  Metrics metrics = hub.metrics;
  metrics.n_open_connections = hub.connections.size();
  metrics.n_requests = hub.n_requests;
  metrics.n_waiting = hub.waiting.size();
  metrics.n_keys = hub.keys.n_keys();
  metrics.key_bytes = hub.keys.n_bytes();
  metrics.message_bytes = hub.message_bytes;
  metrics.n_clients = hub.admission->clients.size();
  metrics.is_draining = hub.is_draining;
  return metrics;
}

}  // namespace tacet::service
