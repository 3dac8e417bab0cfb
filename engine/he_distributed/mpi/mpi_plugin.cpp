// The plug-in for MPI: one thread per rank makes all calls of MPI, so that messages travel
// while others compute.
//
// A message is a header, its length, and then pieces of at most kPiece bytes. Two lengths are no
// lengths: a sign of life, and a goodbye.

#include "engine/he_distributed/mpi_plugin.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kHeaderTag = 1;
constexpr int kPieceTag = 2;
constexpr size_t kPiece = size_t{1} << 28;
constexpr uint64_t kSignOfLife = ~uint64_t{0};
constexpr uint64_t kGoodbye = ~uint64_t{1};
constexpr uint32_t kNobody = ~uint32_t{0};

struct Outgoing {
  uint32_t to = 0;
  uint64_t header = 0;  ///< the length, or what it stands for
  const char* bytes = nullptr;
  size_t size = 0;
  std::shared_ptr<void> holder;  ///< of the bytes
  std::vector<MPI_Request> requests;
};

/// What comes from one rank.
struct Incoming {
  uint64_t header = 0;
  MPI_Request header_request = MPI_REQUEST_NULL;
  void* bytes = nullptr;
  std::vector<MPI_Request> pieces;  ///< while a body is being received
  bool is_body = false;
  bool said_goodbye = false;
  Clock::time_point heard = Clock::now();
};

struct Received {
  uint32_t from = 0;
  void* bytes = nullptr;
  size_t size = 0;
};

class MpiSession {
 public:
  explicit MpiSession(double silence_seconds)
      : silence_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(silence_seconds))) {
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<uint32_t>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    incoming_.resize(static_cast<size_t>(number));
    find_hosts();
    thread_ = std::thread([this] { run(); });
  }

  uint32_t rank() const { return rank_; }
  uint32_t n_ranks() const { return static_cast<uint32_t>(incoming_.size()); }
  const char* host(uint32_t rank) const { return hosts_[rank].c_str(); }

  void send(uint32_t to, const void* bytes, size_t size, void (*let_go)(void*), void* holder) {
    post({to,
          size,
          static_cast<const char*>(bytes),
          size,
          std::shared_ptr<void>(holder, let_go),
          {}});
  }

  int receive(Received& received) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return is_closed_ || lost_ != kNobody || !received_.empty(); });
    if (is_closed_) {
      return 0;
    }
    if (received_.empty()) {
      received.from = lost_;
      return -1;
    }
    received = received_.front();
    received_.pop_front();
    return 1;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    arrived_.notify_all();
  }

  /// Whether all ranks said goodbye.
  bool finish() {
    for (uint32_t to = 0; to < n_ranks(); ++to) {
      if (to != rank_) {
        post(word(to, kGoodbye));
      }
    }
    {
      const std::lock_guard lock(mutex_);
      is_finishing_ = true;
      posted_.notify_all();
    }
    thread_.join();
    for (const Received& left : received_) {
      std::free(left.bytes);
    }
    return lost_ == kNobody;
  }

 private:
  void find_hosts() {
    constexpr int kName = MPI_MAX_PROCESSOR_NAME;
    char name[kName] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    std::vector<char> names(n_ranks() * size_t{kName});
    MPI_Allgather(name, kName, MPI_CHAR, names.data(), kName, MPI_CHAR, MPI_COMM_WORLD);
    for (uint32_t rank = 0; rank < n_ranks(); ++rank) {
      hosts_.emplace_back(&names[rank * size_t{kName}]);
    }
  }

  static Outgoing word(uint32_t to, uint64_t header) {
    Outgoing message;
    message.to = to;
    message.header = header;
    return message;
  }

  void post(Outgoing message) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(message));
    posted_.notify_all();
  }

  /// All calls of MPI between `open` and `finish` are here.
  void run() {
    for (uint32_t from = 0; from < n_ranks(); ++from) {
      if (from != rank_) {
        expect_header(from);
      }
    }
    auto pause = std::chrono::microseconds(kLeastPause);
    while (!is_over()) {
      const bool has_started = start_sending();
      const bool has_received = continue_receiving();
      const bool has_sent = continue_sending();
      watch();
      if (has_started || has_received || has_sent) {
        pause = std::chrono::microseconds(kLeastPause);
        continue;
      }
      // The processors belong to those who compute.
      std::unique_lock lock(mutex_);
      posted_.wait_for(lock, pause, [&] { return !queue_.empty(); });
      pause = std::min(2 * pause, std::chrono::microseconds(kMostPause));
    }
  }

  bool is_over() {
    const std::lock_guard lock(mutex_);
    if (lost_ != kNobody) {
      return is_finishing_;
    }
    if (!is_finishing_ || !queue_.empty() || !sending_.empty()) {
      return false;
    }
    for (uint32_t from = 0; from < n_ranks(); ++from) {
      if (from != rank_ && !incoming_[from].said_goodbye) {
        return false;
      }
    }
    return true;
  }

  bool start_sending() {
    std::deque<Outgoing> queue;
    {
      const std::lock_guard lock(mutex_);
      queue.swap(queue_);
    }
    for (Outgoing& message : queue) {
      sending_.push_back(std::move(message));
      Outgoing& sent = sending_.back();
      const int to = static_cast<int>(sent.to);
      sent.requests.resize(1 + (sent.size + kPiece - 1) / kPiece);
      MPI_Isend(&sent.header, sizeof(sent.header), MPI_BYTE, to, kHeaderTag, MPI_COMM_WORLD,
                &sent.requests[0]);
      for (size_t i = 1; i < sent.requests.size(); ++i) {
        const size_t begin = (i - 1) * kPiece;
        const size_t size = std::min(kPiece, sent.size - begin);
        MPI_Isend(sent.bytes + begin, static_cast<int>(size), MPI_BYTE, to, kPieceTag,
                  MPI_COMM_WORLD, &sent.requests[i]);
      }
    }
    return !queue.empty();
  }

  bool continue_sending() {
    bool has_worked = false;
    for (auto sent = sending_.begin(); sent != sending_.end();) {
      int is_done = 0;
      MPI_Testall(static_cast<int>(sent->requests.size()), sent->requests.data(), &is_done,
                  MPI_STATUSES_IGNORE);
      has_worked = has_worked || is_done != 0;
      sent = is_done != 0 ? sending_.erase(sent) : std::next(sent);
    }
    return has_worked;
  }

  void expect_header(uint32_t from) {
    Incoming& in = incoming_[from];
    MPI_Irecv(&in.header, sizeof(in.header), MPI_BYTE, static_cast<int>(from), kHeaderTag,
              MPI_COMM_WORLD, &in.header_request);
  }

  void expect_body(uint32_t from) {
    Incoming& in = incoming_[from];
    in.is_body = true;
    in.bytes = std::malloc(std::max<size_t>(in.header, 1));
    if (in.bytes == nullptr) {
      std::fprintf(stderr, "tacet: error: rank %u on %s has not enough memory for a message\n",
                   rank_, host(rank_));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    in.pieces.assign((in.header + kPiece - 1) / kPiece, MPI_REQUEST_NULL);
    for (size_t i = 0; i < in.pieces.size(); ++i) {
      const size_t begin = i * kPiece;
      MPI_Irecv(static_cast<char*>(in.bytes) + begin,
                static_cast<int>(std::min<size_t>(kPiece, in.header - begin)), MPI_BYTE,
                static_cast<int>(from), kPieceTag, MPI_COMM_WORLD, &in.pieces[i]);
    }
  }

  bool continue_receiving() {
    bool has_worked = false;
    for (uint32_t from = 0; from < n_ranks(); ++from) {
      has_worked = (from != rank_ && receive_from(from)) || has_worked;
    }
    return has_worked;
  }

  bool receive_from(uint32_t from) {
    Incoming& in = incoming_[from];
    int is_done = 0;
    if (in.is_body) {
      MPI_Testall(static_cast<int>(in.pieces.size()), in.pieces.data(), &is_done,
                  MPI_STATUSES_IGNORE);
      if (is_done != 0) {
        in.is_body = false;
        in.heard = Clock::now();
        deliver({from, in.bytes, in.header});
        expect_header(from);
      }
      return is_done != 0;
    }
    if (in.said_goodbye) {
      return false;
    }
    MPI_Test(&in.header_request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) {
      return false;
    }
    in.heard = Clock::now();
    if (in.header == kGoodbye) {
      in.said_goodbye = true;
    } else if (in.header == kSignOfLife) {
      expect_header(from);
      return false;
    } else {
      expect_body(from);
    }
    return true;
  }

  void deliver(Received message) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) {
      std::free(message.bytes);
      return;
    }
    received_.push_back(message);
    arrived_.notify_all();
  }

  /// Gives signs of life, between the root and every other rank, and misses those of others.
  void watch() {
    const Clock::time_point now = Clock::now();
    if (now >= next_sign_) {
      next_sign_ = now + std::min<Clock::duration>(silence_ / 4, std::chrono::seconds(1));
      for (uint32_t to = 0; to < n_ranks(); ++to) {
        if (to != rank_ && (rank_ == 0 || to == 0) && !has_finished()) {
          post(word(to, kSignOfLife));
        }
      }
    }
    // A process that did not run itself, as its machine was suspended, has heard nothing either.
    const bool was_away = now - last_watch_ > silence_ / 2;
    last_watch_ = now;
    for (uint32_t from = 0; from < n_ranks(); ++from) {
      Incoming& in = incoming_[from];
      if (was_away) {
        in.heard = now;
      }
      const bool is_watched = from != rank_ && (rank_ == 0 || from == 0) && !in.said_goodbye;
      if (is_watched && now - in.heard > silence_) {
        const std::lock_guard lock(mutex_);
        lost_ = std::min(lost_, from);
        arrived_.notify_all();
      }
    }
  }

  bool has_finished() {
    const std::lock_guard lock(mutex_);
    return is_finishing_;
  }

  static constexpr int kLeastPause = 20;  // microseconds
  static constexpr int kMostPause = 1000;

  uint32_t rank_ = 0;
  std::vector<std::string> hosts_;
  Clock::duration silence_;

  std::mutex mutex_;
  std::condition_variable posted_, arrived_;
  std::deque<Outgoing> queue_;
  std::deque<Received> received_;
  uint32_t lost_ = kNobody;
  bool is_closed_ = false;
  bool is_finishing_ = false;

  // Of the thread alone:
  std::list<Outgoing> sending_;
  std::vector<Incoming> incoming_;
  Clock::time_point next_sign_ = Clock::now();
  Clock::time_point last_watch_ = Clock::now();
  std::thread thread_;
};

auto session_of(const void* session) -> const MpiSession& {
  return *static_cast<const MpiSession*>(session);
}

auto session_of(void* session) -> MpiSession& {
  return *static_cast<MpiSession*>(session);
}

void* open_session(double silence_seconds, char* error, size_t error_size) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    std::snprintf(error, error_size, "MPI_Init_thread failed");
    return nullptr;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    std::snprintf(error, error_size, "this MPI does not support threads");
    MPI_Finalize();
    return nullptr;
  }
  return new MpiSession(silence_seconds);
}

void finish_session(void* session) {
  const bool is_complete = session_of(session).finish();
  delete static_cast<MpiSession*>(session);
  if (!is_complete) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

constexpr TacetMpiPlugin kPlugin = {
    .version = TACET_MPI_PLUGIN_VERSION,
    .open = open_session,
    .rank = [](const void* session) { return session_of(session).rank(); },
    .n_ranks = [](const void* session) { return session_of(session).n_ranks(); },
    .host = [](const void* session, uint32_t rank) { return session_of(session).host(rank); },
    .send = [](void* session, uint32_t to, const void* bytes, size_t size, void (*let_go)(void*),
               void* holder) { session_of(session).send(to, bytes, size, let_go, holder); },
    .receive =
        [](void* session, uint32_t* from, void** bytes, size_t* size) {
          Received received;
          const int result = session_of(session).receive(received);
          *from = received.from;
          *bytes = received.bytes;
          *size = received.size;
          return result;
        },
    .release = [](void* bytes) { std::free(bytes); },
    .close = [](void* session) { session_of(session).close(); },
    .finish = finish_session};

}  // namespace

extern "C" __attribute__((visibility("default"))) const TacetMpiPlugin* tacet_mpi_plugin() {
  return &kPlugin;
}
