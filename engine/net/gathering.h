#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>

#include "engine/net/look_ups.h"
#include "engine/net/meeting.h"

/// How parties meet. Private to this folder: the only header that brings Boost.Asio along.
namespace tacet::net::gathering {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using State = IoResult::State;
using Clock = std::chrono::steady_clock;
using Descriptor = asio::posix::stream_descriptor;

/// So many callers that have not shown yet who they are, are heard at a time: in all, and of one
/// address, so that one address does not keep others out.
constexpr size_t kMaxStrangers = 256;
constexpr size_t kMaxStrangersOfAddress = 64;
/// How long who has begun to show who it is keeps its place though others want it.
constexpr std::chrono::seconds kHandshakeLife{5};
/// How long a called party may take to answer before it is called again.
constexpr std::chrono::seconds kAttempt{5};
/// How long after a failure late parties are informed.
constexpr std::chrono::milliseconds kGrace{1000};
/// How long a party that cannot start informs the others.
constexpr std::chrono::milliseconds kReportTime{2000};
/// How long a party is waited for of which somebody says, without proof, that it cannot begin.
constexpr std::chrono::milliseconds kDoubt{1500};
constexpr std::chrono::milliseconds kFirstPause{10};
constexpr std::chrono::milliseconds kLongestPause{500};
/// How much is read ahead of a party that has begun while this one still waits for others.
constexpr size_t kMostAhead = size_t{1} << 20;

constexpr std::string_view kClosed = "the connection was closed";

/// Watches a socket that somebody else closes.
class Watch {
 public:
  Watch(asio::io_context& context, int socket) : descriptor_(context, socket) {}
  Watch(Watch&&) = default;
  auto operator=(Watch&&) -> Watch& = delete;
  ~Watch() {
    if (descriptor_.is_open()) {
      descriptor_.release();
    }
  }
  [[nodiscard]] auto descriptor() -> Descriptor& { return descriptor_; }

 private:
  Descriptor descriptor_;
};

/// Somebody at the other end of a new connection.
struct Newcomer {
  Newcomer(asio::io_context& context, uint64_t id_, int socket, asio::ip::address address_)
      : id(id_),
        address(std::move(address_)),
        channel(std::make_unique<Channel>(socket)),
        watch(context, socket) {}

  uint64_t id;
  asio::ip::address address;
  std::unique_ptr<Channel> channel;
  Watch watch;
  bool is_called = false;                    ///< by this party
  std::optional<Rank> rank{};                ///< who this must be, or has shown to be
  std::optional<Rank> blamed{};              ///< whom its abort names
  std::optional<Clock::time_point> began{};  ///< when it first said something
  bool knows_each_other = false;
  bool disagrees = false;            ///< its greeting does not fit
  std::vector<std::byte> opening{};  ///< what is not written yet
  FrameReader reader{};

  [[nodiscard]] auto is_stranger() const -> bool { return !is_called && !rank; }
};

/// A party that this one calls.
struct Callee {
  Callee(asio::io_context& context, Rank rank_)
      : rank(rank_), socket(context), pause(context), attempt(context) {}
  Rank rank;
  tcp::socket socket;
  asio::steady_timer pause;
  asio::steady_timer attempt;  ///< until it is given up
  uint64_t n_attempts = 0;
  bool is_sought = false;  ///< where it is, is being looked up
  bool is_slow = false;    ///< this attempt took too long
  std::chrono::milliseconds next_pause = kFirstPause;
};

/// A party that is there, while others are waited for.
struct Arrival {
  std::unique_ptr<Connection> connection{};
  std::optional<Watch> watch{};
  uint64_t id = 0;  ///< of the newcomer
};

/// The address, as IPv4 where that is meant.
auto plain(const asio::ip::address& address) -> asio::ip::address;

auto frame_of(FrameKind kind, std::span<const std::byte> payload) -> std::vector<std::byte>;

/// One meeting, from the first call to the last arrival.
class Gathering {
 public:
  explicit Gathering(MeetingPlan plan)
      : plan_(std::move(plan)),
        n_parties_(static_cast<Rank>(plan_.parties.size())),
        look_ups_(context_),
        acceptor_(context_),
        accept_pause_(context_),
        deadline_(context_),
        arrived_(n_parties_),
        trouble_(n_parties_),
        is_doubted_(n_parties_),
        greetings_(n_parties_) {
    std::string names;
    for (const PartyAddress& party : plan_.parties) {
      names += names.empty() ? party.name : ", " + party.name;
      names += party.dialling == Dialling::Out  ? " (dials out)"
               : party.dialling == Dialling::In ? " (is dialled)"
                                                : "";
    }
    plan_.agreement.emplace_back("list of parties", names);
    greetings_[plan_.rank] = Greeting{kLinkVersion, plan_.rank, n_parties_, plan_.agreement};
  }

  auto run() -> Meeting;

 private:
  [[nodiscard]] auto calls_party(Rank rank) const -> bool {
    return calls(plan_.parties, plan_.rank, rank);
  }
  [[nodiscard]] auto is_called_by(Rank rank) const -> bool {
    return calls(plan_.parties, rank, plan_.rank);
  }
  [[nodiscard]] auto calls_any() const -> bool;
  [[nodiscard]] auto is_called_by_any() const -> bool;
  void prepare();
  [[nodiscard]] auto set_up_tls() -> LinkStatus;
  [[nodiscard]] auto listen() -> Status;
  [[nodiscard]] auto may_talk_to(const asio::ip::address& address) const -> bool {
    return plan_.encryption == Encryption::Tls || address.is_loopback();
  }
  /// This party meets the others only to report that it cannot start.
  [[nodiscard]] auto only_reports() const -> bool { return !opening_.empty(); }

  void accept_next();
  [[nodiscard]] auto make_room(const asio::ip::address& address) -> bool;
  [[nodiscard]] auto busiest_address() const -> asio::ip::address;
  void call(Callee& callee);
  void give_up_attempt(Callee& callee);
  void call_again(Callee& callee, std::string trouble);
  [[nodiscard]] auto callee_of(Rank rank) -> Callee*;
  void welcome(int socket, const asio::ip::address& address, std::optional<Rank> called);
  [[nodiscard]] auto find(uint64_t id) -> Newcomer*;
  void forget(const Newcomer& newcomer);
  void step(uint64_t id);
  void wait(Newcomer& newcomer, Descriptor::wait_type what);
  [[nodiscard]] static auto look_for_notice(Newcomer& newcomer) -> std::optional<Rank>;
  void hear_notice(const Newcomer& newcomer, Rank rank);
  void doubt(Rank rank);
  [[nodiscard]] auto advance(Newcomer& newcomer) -> IoResult;
  [[nodiscard]] auto identify(Newcomer& newcomer) -> std::string;
  [[nodiscard]] auto read_greeting(Newcomer& newcomer) -> IoResult;
  void lose(const Newcomer& newcomer);
  void reject(Newcomer& newcomer, std::string reason);
  void arrive(Newcomer& newcomer);
  void keep(Newcomer& newcomer);
  void watch(Rank rank);
  void look_at(Rank rank);
  void stop_if_complete();
  void fail(LinkError error);
  void wait_no_longer_than(std::chrono::milliseconds time);
  void give_up_waiting();

  MeetingPlan plan_;
  Rank n_parties_;
  std::optional<TlsContext> tls_;
  bool has_no_proof_ = false;  ///< that it is this party
  bool listens_ = false;
  std::vector<std::byte> opening_;  ///< what a party that cannot begin says

  asio::io_context context_;
  LookUps look_ups_;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  asio::steady_timer deadline_;
  std::list<asio::steady_timer> doubts_;
  std::list<Callee> callees_;
  std::list<Newcomer> newcomers_;
  uint64_t last_id_ = 0;
  std::string stranger_;  ///< why the last one who could not say who it is was turned away

  std::vector<Arrival> arrived_;                    ///< by rank
  std::vector<std::string> trouble_;                ///< by rank: of the last attempt
  std::vector<bool> is_doubted_;                    ///< by rank
  std::vector<std::optional<Greeting>> greetings_;  ///< by rank, the own one too
  Rank n_informed_ = 0;                             ///< without proof
  LinkStatus failure_;
  bool is_disagreement_ = false;  ///< the failure
};

}  // namespace tacet::net::gathering
