#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/cancellation.h"
#include "cli/service/admitted_clients.h"
#include "cli/service/client_account.h"
#include "cli/service/evaluation_pool.h"
#include "cli/service/event_log.h"
#include "cli/service/key_cache.h"
#include "cli/service/metrics.h"
#include "cli/service/served_program.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

/// What the connections of a service share. All of it is of the thread of the loop, but where it
/// says otherwise.
namespace tacet::service {

/// An amount that is counted somewhere for as long as this lives.
template <class Count>
class Held {
 public:
  Held() = default;
  Held(Count& count, Count amount) : count_(&count), amount_(amount) { count += amount; }
  Held(Held&& other) noexcept
      : count_(std::exchange(other.count_, nullptr)), amount_(other.amount_) {}
  auto operator=(Held&& other) noexcept -> Held& {
    std::swap(count_, other.count_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~Held() {
    if (count_ != nullptr) {
      *count_ -= amount_;
    }
  }
  void change(Count amount) {
    *count_ += amount - amount_;
    amount_ = amount;
  }

 private:
  Count* count_ = nullptr;
  Count amount_{};
};

/// Bytes that are set aside for keys.
class KeySpace {
 public:
  KeySpace() = default;
  KeySpace(KeyCache& cache, uint64_t n_bytes) : cache_(&cache), n_bytes_(n_bytes) {}
  KeySpace(KeySpace&& other) noexcept
      : cache_(std::exchange(other.cache_, nullptr)), n_bytes_(other.n_bytes_) {}
  auto operator=(KeySpace&& other) noexcept -> KeySpace& {
    std::swap(cache_, other.cache_);
    std::swap(n_bytes_, other.n_bytes_);
    return *this;
  }
  ~KeySpace() {
    if (cache_ != nullptr) {
      cache_->give_back(n_bytes_);
    }
  }
  /// The number, which the caller gives back.
  auto release() -> uint64_t {
    cache_ = nullptr;
    return n_bytes_;
  }

 private:
  KeyCache* cache_ = nullptr;
  uint64_t n_bytes_ = 0;
};

class Connection;

/// A message of a client that was accepted: keys or a request.
struct Job {
  std::weak_ptr<Connection> connection{};
  std::shared_ptr<ClientAccount> client{};
  MessageHeader header{};
  size_t program = 0;           ///< its number
  cli::FileDigest digest{};     ///< of the keys
  Nonce nonce{};                ///< of a request
  KeyCache::Keys keys{};        ///< a request's, until it is evaluated; or those that came
  Clock::time_point arrival{};  ///< of its last byte

  // Its share of memory and places.
  Held<uint64_t> bytes{};
  Held<uint32_t> slot{};
  Held<uint32_t> client_slot{};
  KeySpace key_space{};
  std::unique_ptr<std::byte[]> payload{};

  // For the thread that evaluates, too.
  CancellationToken token{};
  std::atomic<Clock::time_point> started = Clock::time_point{};
  std::atomic<bool> is_late = false;  ///< it was cancelled for its time

  // What it came to, once it is done.
  he::Bytes results{};  ///< the whole message
  std::optional<Refusal> refusal{};
  double seconds = 0;
};

/// Who may connect, and how TLS knows them.
struct Admission {
  net::TlsContext tls;
  std::vector<AdmittedClient> clients;  ///< in the order of the context's certificates
};

struct Hub {
  Hub(const Limits& limits_, EventLog& log_, boost::asio::io_context& context_);
  Hub(const Hub&) = delete;
  auto operator=(const Hub&) -> Hub& = delete;
  ~Hub();

  const Limits limits;
  EventLog& log;
  boost::asio::io_context& context;
  Metrics metrics{};
  std::vector<std::unique_ptr<const ServedProgram>> programs{};
  std::shared_ptr<const Admission> admission{};
  std::map<std::string, std::shared_ptr<ClientAccount>> accounts{};  ///< by fingerprint
  KeyCache keys;
  uint64_t message_bytes = 0;
  uint32_t n_requests = 0;
  bool is_draining = false;
  bool is_admitting = false;  ///< the next event goes through those that wait
  uint64_t n_connections = 0;
  std::set<std::shared_ptr<Job>> jobs{};
  std::map<uint64_t, std::shared_ptr<Connection>> connections{};  ///< by number
  std::list<uint64_t> waiting{};  ///< numbers of connections whose message is not accepted yet
  EvaluationPool pool;            ///< ends first
};

/// The memory of keys of so many bytes, until it is known: half of them is a seed where they are
/// stored, and where they are used all of it is whole words (2.7 times as much), and numbers of
/// Fourier transforms under CGGI (5.2 times).
constexpr auto estimated_key_memory(uint64_t size) -> uint64_t {
  return 6 * size;
}

/// The number of a program; nothing if it is not served.
auto find_program(const Hub& hub, const cli::FileDigest& digest) -> std::optional<size_t>;

/// Has a job done by some thread; its connection gets it back, if it still exists.
void submit_job(Hub& hub, std::shared_ptr<Job> job);

/// Has messages accepted that wait for it, soon.
void admit_waiting(Hub& hub);

/// Cancels jobs that take too long, and closes connections that do.
void check_times(Hub& hub, Clock::time_point now);

/// What is to be counted now.
auto current_metrics(Hub& hub) -> Metrics;

}  // namespace tacet::service
