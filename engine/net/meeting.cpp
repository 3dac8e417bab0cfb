#include "engine/net/meeting.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <list>
#include <map>

#include "base/check.h"
#include "engine/net/unproven_notice.h"

namespace tacet::net {

namespace {

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
/// How long after a failure those who still come are told of it.
constexpr std::chrono::milliseconds kGrace{1000};
/// How long a party that cannot begin tells it to those who come.
constexpr std::chrono::milliseconds kTellTime{2000};
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

/// A party of lower rank, which this one calls.
struct Callee {
  Callee(asio::io_context& context, Rank rank_)
      : rank(rank_), socket(context), pause(context), attempt(context) {}
  Rank rank;
  tcp::socket socket;
  asio::steady_timer pause;
  asio::steady_timer attempt;  ///< until it is given up
  uint64_t n_attempts = 0;
  bool is_slow = false;  ///< this attempt took too long
  std::chrono::milliseconds next_pause = kFirstPause;
};

/// A party that is there, while others are waited for.
struct Arrival {
  std::unique_ptr<Connection> connection{};
  std::optional<Watch> watch{};
  uint64_t id = 0;  ///< of the newcomer
};

/// Written as IPv4 where that is meant.
auto plain(const asio::ip::address& address) -> asio::ip::address {
  return address.is_v6() && address.to_v6().is_v4_mapped()
             ? asio::ip::address(asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()))
             : address;
}

auto frame_of(FrameKind kind, std::span<const std::byte> payload) -> std::vector<std::byte> {
  const FrameHeader header = encode_frame_header(kind, payload.size(), 0);
  std::vector<std::byte> frame(header.size() + payload.size());
  std::copy(payload.begin(), payload.end(), std::copy(header.begin(), header.end(), frame.begin()));
  return frame;
}

class Gathering {
 public:
  explicit Gathering(MeetingPlan plan)
      : plan_(std::move(plan)),
        n_parties_(static_cast<Rank>(plan_.parties.size())),
        resolver_(context_),
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
    }
    plan_.agreement.emplace_back("list of parties", names);
    greetings_[plan_.rank] = Greeting{kLinkVersion, plan_.rank, n_parties_, plan_.agreement};
  }

  auto run() -> Meeting;

 private:
  void prepare();
  [[nodiscard]] auto set_up_tls() -> LinkStatus;
  [[nodiscard]] auto listen() -> Status;
  [[nodiscard]] auto may_talk_to(const asio::ip::address& address) const -> bool {
    return plan_.encryption == Encryption::Tls || address.is_loopback();
  }
  /// This party meets the others only to tell that it cannot begin.
  [[nodiscard]] auto only_tells() const -> bool { return !opening_.empty(); }

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
  void turn_away(Newcomer& newcomer, std::string reason);
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
  tcp::resolver resolver_;
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
  Rank n_told_ = 0;                                 ///< without proof
  LinkStatus failure_;
  bool is_disagreement_ = false;  ///< the failure
};

auto Gathering::run() -> Meeting {
  prepare();
  if (failure_ && (plan_.encryption == Encryption::None || (!listens_ && plan_.rank == 0))) {
    return {nullptr, failure_};  // there is nobody who could be told
  }
  wait_no_longer_than(failure_ ? std::min(kTellTime, plan_.times.connect) : plan_.times.connect);
  if (listens_) {
    accept_next();
  }
  for (Rank rank = 0; rank < plan_.rank; ++rank) {
    call(callees_.emplace_back(context_, rank));
  }
  if (n_parties_ > 1) {
    context_.run();
  }
  newcomers_.clear();
  std::vector<std::unique_ptr<Connection>> connections;
  for (Arrival& arrival : arrived_) {
    arrival.watch.reset();
    connections.push_back(std::move(arrival.connection));
  }
  if (failure_) {
    if (LinkStatus judged = is_disagreement_
                                ? blame_for_disagreement(plan_.rank, n_parties_, greetings_)
                                : std::nullopt) {
      failure_ = std::move(judged);
    }
    tell_failure(connections, *failure_);
    return {nullptr, failure_};
  }
  std::vector<std::string> names;
  for (const PartyAddress& party : plan_.parties) {
    names.push_back(party.name);
  }
  return {make_network_links(plan_.rank, std::move(names), std::move(connections), plan_.times,
                             plan_.buffers)};
}

/// Finds out whether this party can begin; if not, what it has to tell.
void Gathering::prepare() {
  if (plan_.encryption == Encryption::Tls) {
    failure_ = set_up_tls();
  }
  if (!plan_.failure.empty() && !has_no_proof_) {
    failure_ = LinkError{plan_.rank, plan_.failure};
  }
  if (plan_.rank + 1 < n_parties_) {
    const Status listening = listen();
    listens_ = listening.has_value();
    if (!listening && !failure_) {
      failure_ = LinkError{plan_.rank, listening.error().message};
    }
  }
  if (has_no_proof_) {
    const auto notice = encode_unproven_notice(plan_.rank);
    opening_.resize(notice.size());
    std::copy(notice.begin(), notice.end(), opening_.begin());
  } else if (failure_) {
    opening_ = frame_of(FrameKind::Abort, encode_abort({failure_->party, failure_->reason}));
  }
}

auto Gathering::set_up_tls() -> LinkStatus {
  std::vector<std::string> certificates;
  for (const PartyAddress& party : plan_.parties) {
    certificates.push_back(party.certificate);
  }
  Result<TlsContext> tls = TlsContext::make(plan_.credentials, certificates);
  if (!tls) {
    has_no_proof_ = true;
    return LinkError{plan_.rank, tls.error().message};
  }
  tls_ = std::move(*tls);
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (std::string problem = validity_problem(certificates[rank]); !problem.empty()) {
      return LinkError{rank, std::move(problem)};
    }
  }
  return std::nullopt;
}

auto Gathering::listen() -> Status {
  error_code error;
  if (plan_.listening_socket >= 0) {
    acceptor_.assign(tcp::v4(), plan_.listening_socket, error);
    return error ? Status(Error{fmt::format("cannot listen: {}", error.message())})
                 : Status(std::monostate());
  }
  const PartyAddress& own = plan_.parties[plan_.rank];
  const std::string& host = plan_.listen_host.empty() ? own.host : plan_.listen_host;
  auto found = resolver_.resolve(host, std::to_string(own.port), error);
  if (!error && !may_talk_to(found.begin()->endpoint().address())) {
    return Error{fmt::format("`{}` is not on this machine, but the links are not encrypted", host)};
  }
  tcp::endpoint endpoint = error ? tcp::endpoint() : found.begin()->endpoint();
  if (!error) {
    acceptor_.open(endpoint.protocol(), error);
  }
  if (!error) {
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  }
  if (!error) {
    acceptor_.bind(endpoint, error);
  }
  if (!error) {
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
  }
  if (error) {
    return Error{fmt::format("cannot listen on {}:{}: {}", host, own.port, error.message())};
  }
  return std::monostate();
}

void Gathering::accept_next() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) {
      return;
    }
    if (error == asio::error::no_descriptors || error == asio::error::no_memory ||
        error == asio::error::no_buffer_space ||
        error == boost::system::errc::too_many_files_open_in_system) {
      accept_pause_.expires_after(kFirstPause);
      accept_pause_.async_wait([this](error_code stopped) {
        if (!stopped) {
          accept_next();
        }
      });
      return;
    }
    if (error && error != asio::error::connection_aborted) {
      fail({plan_.rank, fmt::format("cannot accept connections: {}", error.message())});
      return;
    }
    error_code unknown;
    tcp::endpoint from = error ? tcp::endpoint() : socket.remote_endpoint(unknown);
    const asio::ip::address address = plain(from.address());
    if (!error && !unknown && may_talk_to(address) && make_room(address)) {
      welcome(socket.release(), address, std::nullopt);
    }
    accept_next();
  });
}

/// Lets one stranger go, if there are too many, to make room for a caller from `address`; false if
/// none may go. Of those from its own address, if these are too many, else from the address with
/// the most: the one that is silent for the longest time, else one whose time to show who it is
/// is over.
auto Gathering::make_room(const asio::ip::address& address) -> bool {
  const auto n_from = [&](const auto& is_meant) {
    return static_cast<size_t>(std::count_if(
        newcomers_.begin(), newcomers_.end(),
        [&](const Newcomer& other) { return other.is_stranger() && is_meant(other); }));
  };
  const bool is_crowded = n_from([&](const Newcomer& other) { return other.address == address; }) >=
                          kMaxStrangersOfAddress;
  if (!is_crowded && n_from([](const Newcomer&) { return true; }) < kMaxStrangers) {
    return true;
  }
  const asio::ip::address from = is_crowded ? address : busiest_address();
  const Clock::time_point now = Clock::now();
  const Newcomer* leaves = nullptr;
  for (const Newcomer& other : newcomers_) {  // the oldest first
    if (!other.is_stranger() || other.address != from) {
      continue;
    }
    if (!other.began) {
      leaves = &other;
      break;
    }
    if (leaves == nullptr && now - *other.began > kHandshakeLife) {
      leaves = &other;
    }
  }
  if (leaves == nullptr) {
    return false;
  }
  forget(*leaves);
  return true;
}

/// From which most strangers have come.
auto Gathering::busiest_address() const -> asio::ip::address {
  std::map<asio::ip::address, size_t> counts;
  for (const Newcomer& newcomer : newcomers_) {
    counts[newcomer.address] += newcomer.is_stranger() ? 1 : 0;
  }
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void Gathering::call(Callee& callee) {
  const PartyAddress& party = plan_.parties[callee.rank];
  const uint64_t number = ++callee.n_attempts;
  callee.is_slow = false;
  auto connected = [this, &callee](error_code error, const tcp::endpoint& endpoint) {
    if (error) {
      call_again(callee, callee.is_slow ? "no answer" : error.message());
    } else if (!may_talk_to(endpoint.address())) {
      fail({callee.rank, "is on another machine, but the links are not encrypted"});
    } else {
      welcome(callee.socket.release(), plain(endpoint.address()), callee.rank);
    }
  };
  resolver_.async_resolve(party.host, std::to_string(party.port),
                          [this, &callee, number, connected](
                              error_code error, const tcp::resolver::results_type& found) {
                            if (error) {
                              call_again(callee, error.message());
                              return;
                            }
                            callee.attempt.expires_after(kAttempt);
                            callee.attempt.async_wait([this, &callee, number](error_code stopped) {
                              if (!stopped && number == callee.n_attempts) {
                                give_up_attempt(callee);
                              }
                            });
                            asio::async_connect(callee.socket, found, connected);
                          });
}

/// Nothing came of a call in all the time it had.
void Gathering::give_up_attempt(Callee& callee) {
  if (arrived_[callee.rank].connection) {
    return;
  }
  callee.is_slow = true;
  for (const Newcomer& newcomer : newcomers_) {
    if (newcomer.is_called && newcomer.rank == callee.rank) {
      forget(newcomer);
      call_again(callee, "no answer");
      return;
    }
  }
  error_code ignored;
  callee.socket.close(ignored);  // which ends the attempt to connect
}

void Gathering::call_again(Callee& callee, std::string trouble) {
  trouble_[callee.rank] = std::move(trouble);
  ++callee.n_attempts;
  error_code ignored;
  callee.socket.close(ignored);
  callee.pause.expires_after(callee.next_pause);
  callee.next_pause = std::min(2 * callee.next_pause, kLongestPause);
  callee.pause.async_wait([this, &callee](error_code error) {
    if (!error) {
      call(callee);
    }
  });
}

auto Gathering::callee_of(Rank rank) -> Callee* {
  const auto found = std::find_if(callees_.begin(), callees_.end(),
                                  [&](const Callee& callee) { return callee.rank == rank; });
  return found == callees_.end() ? nullptr : &*found;
}

/// Begins to talk; with `called`, this party called that one.
void Gathering::welcome(int socket, const asio::ip::address& address, std::optional<Rank> called) {
  Newcomer& newcomer = newcomers_.emplace_back(context_, ++last_id_, socket, address);
  newcomer.rank = called;
  newcomer.is_called = called.has_value();
  newcomer.opening = only_tells()
                         ? opening_
                         : frame_of(FrameKind::Hello, encode_greeting(*greetings_[plan_.rank]));
  if (tls_) {
    ssl_st* tls =
        tls_->new_connection(called ? TlsContext::Role::Connects : TlsContext::Role::Accepts);
    if (tls == nullptr) {
      fail({plan_.rank, "is out of memory"});
      return;
    }
    newcomer.channel->start_tls(tls);
  }
  step(newcomer.id);
}

/// Others may have gone while an event was on its way.
auto Gathering::find(uint64_t id) -> Newcomer* {
  const auto found = std::find_if(newcomers_.begin(), newcomers_.end(),
                                  [&](const Newcomer& newcomer) { return newcomer.id == id; });
  return found == newcomers_.end() ? nullptr : &*found;
}

void Gathering::forget(const Newcomer& newcomer) {
  newcomers_.remove_if([id = newcomer.id](const Newcomer& other) { return other.id == id; });
}

void Gathering::wait(Newcomer& newcomer, Descriptor::wait_type what) {
  newcomer.watch.descriptor().async_wait(what, [this, id = newcomer.id](error_code error) {
    if (!error) {
      step(id);
    }
  });
}

/// Goes on with a newcomer as far as that is possible now.
void Gathering::step(uint64_t id) {
  Newcomer* newcomer = find(id);
  if (newcomer == nullptr) {
    return;
  }
  const std::optional<Rank> notice = look_for_notice(*newcomer);
  if (notice && tls_) {
    hear_notice(*newcomer, *notice);
    return;
  }
  if ((tls_ || has_no_proof_) && !newcomer->is_called && !newcomer->began) {
    wait(*newcomer, Descriptor::wait_read);
    return;
  }
  // The first bytes are looked at before TLS takes them.
  newcomer->channel->hold_reading(!newcomer->began);
  IoResult result = advance(*newcomer);
  if (result.may_pass && newcomer->is_called && !newcomer->knows_each_other) {
    const Rank rank = *newcomer->rank;
    forget(*newcomer);
    call_again(*callee_of(rank), std::move(result.reason));
    return;
  }
  switch (result.state) {
    case State::WouldBlock:
      wait(*newcomer, newcomer->knows_each_other && !newcomer->opening.empty()
                          ? Descriptor::wait_write
                          : Descriptor::wait_read);
      break;
    case State::Closed:
      lose(*newcomer);
      break;
    case State::Failed:
      turn_away(*newcomer, std::move(result.reason));
      break;
    case State::Moved:
      arrive(*newcomer);
      break;
  }
}

/// Looks at the first bytes, which stay where they are.
auto Gathering::look_for_notice(Newcomer& newcomer) -> std::optional<Rank> {
  if (newcomer.began) {
    return std::nullopt;
  }
  std::array<std::byte, kUnprovenNoticeSize> bytes{};
  const ssize_t n =
      ::recv(newcomer.channel->socket(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return std::nullopt;
  }
  newcomer.began = Clock::now();
  if (n <= 0) {
    return std::nullopt;  // reading finds out why
  }
  return decode_unproven_notice(std::span(bytes).first(static_cast<size_t>(n)));
}

/// Somebody says that a party's private key is of no use, which nobody can prove. It counts from
/// the party's address alone.
void Gathering::hear_notice(const Newcomer& newcomer, Rank rank) {
  const bool is_called = newcomer.is_called;
  const std::optional<Rank> called = newcomer.rank;
  const asio::ip::address address = newcomer.address;
  forget(newcomer);
  if (is_called) {
    if (rank == *called) {
      doubt(rank);
    }
    call_again(*callee_of(*called),
               "reported without authentication that it cannot use its private key");
    return;
  }
  if (rank <= plan_.rank || rank >= n_parties_) {
    return;
  }
  const PartyAddress& party = plan_.parties[rank];
  resolver_.async_resolve(
      party.host, std::to_string(party.port),
      [this, rank, address](error_code error, const tcp::resolver::results_type& found) {
        if (!error && std::any_of(found.begin(), found.end(), [&](const auto& entry) {
              return plain(entry.endpoint().address()) == address;
            })) {
          doubt(rank);
        }
      });
}

void Gathering::doubt(Rank rank) {
  if (is_doubted_[rank]) {
    return;
  }
  is_doubted_[rank] = true;
  doubts_.emplace_back(context_, kDoubt).async_wait([this, rank](error_code error) {
    if (!error && !arrived_[rank].connection) {
      fail({rank, "cannot use its private key (reported from its address without authentication)"});
    }
  });
}

/// `Moved` when the newcomer's greeting is read and all is well.
auto Gathering::advance(Newcomer& newcomer) -> IoResult {
  if (!newcomer.knows_each_other && !has_no_proof_) {
    IoResult result = newcomer.channel->handshake();
    if (result.state != State::Moved) {
      return result;
    }
    if (std::string problem = identify(newcomer); !problem.empty()) {
      return {State::Failed, 0, problem};
    }
  }
  newcomer.knows_each_other = true;
  while (!newcomer.opening.empty()) {
    IoResult result = newcomer.channel->write(newcomer.opening);
    if (result.state != State::Moved) {
      return result;
    }
    auto begin = newcomer.opening.begin();
    newcomer.opening.erase(begin, begin + static_cast<std::ptrdiff_t>(result.n));
    if (newcomer.opening.empty() && has_no_proof_) {
      newcomer.channel->end_writing();
    }
  }
  while (has_no_proof_) {
    std::array<std::byte, kMaxControlPayload> ignored;
    IoResult result = newcomer.channel->read(ignored);
    if (result.state != State::Moved) {
      return result;
    }
  }
  return read_greeting(newcomer);
}

/// Who it is, by its certificate; empty if that is as it should be.
auto Gathering::identify(Newcomer& newcomer) -> std::string {
  if (!tls_) {
    return "";
  }
  auto shown = static_cast<Rank>(tls_->peer_of(newcomer.channel->tls()));
  if (newcomer.rank ? shown != *newcomer.rank : shown <= plan_.rank || shown >= n_parties_) {
    return shown >= n_parties_
               ? "presented a certificate that is not in the configuration"
               : fmt::format("presented the certificate of {}", plan_.parties[shown].name);
  }
  newcomer.rank = shown;
  return "";
}

/// Reads the greeting, and nothing that follows it.
auto Gathering::read_greeting(Newcomer& newcomer) -> IoResult {
  while (true) {
    std::array<std::byte, kMaxControlPayload> buffer;
    std::span<std::byte> into =
        std::span(buffer).first(std::min(newcomer.reader.n_missing(), buffer.size()));
    IoResult result = newcomer.channel->read(into);
    if (result.state != State::Moved) {
      return result;
    }
    std::span<const std::byte> bytes = into.first(result.n);
    while (!bytes.empty()) {
      Result<std::optional<FramePiece>> piece = newcomer.reader.next(bytes);
      if (!piece) {
        return {State::Failed, 0, piece.error().message};
      }
      if (!*piece) {
        continue;
      }
      if ((*piece)->kind == FrameKind::Abort) {
        Result<AbortNotice> notice = decode_abort((*piece)->bytes, n_parties_);
        newcomer.blamed = notice ? std::optional(notice->party) : std::nullopt;
        return {State::Failed, 0, notice ? notice->reason : notice.error().message};
      }
      Result<Greeting> theirs = decode_greeting((*piece)->bytes);
      if (!theirs) {
        return {State::Failed, 0, theirs.error().message};
      }
      const bool is_readable = theirs->version == kLinkVersion;
      if (std::optional<std::string> problem =
              find_disagreement(*greetings_[plan_.rank], *theirs)) {
        if (!newcomer.rank && is_readable) {
          newcomer.rank = theirs->rank;
        }
        if (newcomer.rank && is_readable && theirs->rank == *newcomer.rank &&
            theirs->rank < n_parties_ && theirs->rank != plan_.rank) {
          greetings_[theirs->rank] = *theirs;
          newcomer.disagrees = true;
        }
        return {State::Failed, 0, *problem};
      }
      if (newcomer.rank ? theirs->rank != *newcomer.rank
                        : theirs->rank <= plan_.rank || theirs->rank >= n_parties_) {
        return {State::Failed, 0, fmt::format("claims to be party {}", theirs->rank)};
      }
      newcomer.rank = theirs->rank;
      greetings_[theirs->rank] = *theirs;
      return {State::Moved, result.n};
    }
  }
}

/// The connection ended before it was one between two parties that know each other. Whoever it was
/// may come again.
void Gathering::lose(const Newcomer& newcomer) {
  if (has_no_proof_ && newcomer.opening.empty()) {
    forget(newcomer);
    if (++n_told_ + 1 >= n_parties_) {
      context_.stop();
    }
    return;
  }
  const bool is_called = newcomer.is_called;
  const std::optional<Rank> rank = newcomer.rank;
  if (!rank) {
    stranger_ =
        fmt::format("a connection from {} was rejected: {}", newcomer.address.to_string(), kClosed);
  }
  forget(newcomer);
  if (is_called) {
    call_again(*callee_of(*rank), std::string(kClosed));
  } else if (rank) {
    trouble_[*rank] = kClosed;
  }
}

/// A party that is who it should be, and yet does not fit, ends the run; a stranger does not.
void Gathering::turn_away(Newcomer& newcomer, std::string reason) {
  if (newcomer.rank && *newcomer.rank < n_parties_ && *newcomer.rank != plan_.rank) {
    const Rank rank = *newcomer.rank;
    const Rank blamed = newcomer.blamed.value_or(rank);
    is_disagreement_ = is_disagreement_ || (newcomer.disagrees && !failure_);
    if (newcomer.knows_each_other && !arrived_[rank].connection) {
      keep(newcomer);
    } else {
      forget(newcomer);
    }
    fail({blamed, std::move(reason)});
    stop_if_complete();
    return;
  }
  stranger_ =
      fmt::format("a connection from {} was rejected: {}", newcomer.address.to_string(), reason);
  forget(newcomer);
}

void Gathering::arrive(Newcomer& newcomer) {
  const Rank rank = *newcomer.rank;
  if (arrived_[rank].connection) {
    look_at(rank);  // it may have gone, and come again
  }
  if (arrived_[rank].connection) {
    std::vector<std::unique_ptr<Connection>> again;
    again.push_back(std::make_unique<Connection>(std::move(newcomer.channel), newcomer.reader, 1,
                                                 rank, n_parties_));
    newcomer.watch.descriptor().release();
    forget(newcomer);
    tell_failure(again, {rank, "is already connected; two processes claim to be this party"});
    return;
  }
  keep(newcomer);
  watch(rank);
  stop_if_complete();
}

/// From now on the newcomer is a party that is there.
void Gathering::keep(Newcomer& newcomer) {
  Arrival& arrival = arrived_[*newcomer.rank];
  arrival.id = newcomer.id;
  arrival.watch.emplace(std::move(newcomer.watch));
  arrival.connection = std::make_unique<Connection>(std::move(newcomer.channel), newcomer.reader, 1,
                                                    *newcomer.rank, n_parties_);
  forget(newcomer);
}

/// Waits for what a party that is there says while others are still missing.
void Gathering::watch(Rank rank) {
  Arrival& arrival = arrived_[rank];
  arrival.watch->descriptor().async_wait(
      Descriptor::wait_read, [this, rank, id = arrival.id](error_code error) {
        if (!error && arrived_[rank].connection && arrived_[rank].id == id) {
          look_at(rank);
          if (arrived_[rank].connection && !failure_ &&
              arrived_[rank].connection->wants_more(kMostAhead)) {
            watch(rank);
          }
        }
      });
}

/// It may have begun to compute; it may say that the run is over; or it has gone, and may come
/// again.
void Gathering::look_at(Rank rank) {
  Connection& connection = *arrived_[rank].connection;
  std::span<std::byte> nothing;
  Progress progress{.moved = true};
  while (progress.moved && !progress.failure && connection.wants_more(kMostAhead)) {
    progress = connection.pull(nothing, kMostAhead);
  }
  if (!progress.failure) {
    return;
  }
  if (!progress.is_gone || connection.counters().messages_received > 0 || failure_) {
    fail(std::move(*progress.failure));
    return;
  }
  arrived_[rank].watch.reset();
  arrived_[rank].connection.reset();
  greetings_[rank].reset();
  trouble_[rank] = kClosed;
  if (Callee* callee = callee_of(rank)) {
    call_again(*callee, std::string(kClosed));
  }
}

void Gathering::stop_if_complete() {
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (rank != plan_.rank && !arrived_[rank].connection) {
      return;
    }
  }
  context_.stop();
}

/// The first failure counts. Those who are not there yet are waited for a little longer, to be
/// told.
void Gathering::fail(LinkError error) {
  if (!failure_) {
    failure_ = std::move(error);
    wait_no_longer_than(kGrace);
  }
}

void Gathering::wait_no_longer_than(std::chrono::milliseconds time) {
  deadline_.expires_after(time);
  deadline_.async_wait([this](error_code error) {
    if (!error) {
      give_up_waiting();
    }
  });
}

/// The time is over: the first party that is not there is to blame, and others that are not there
/// either are named with it.
void Gathering::give_up_waiting() {
  context_.stop();
  if (failure_) {
    return;
  }
  std::optional<Rank> missing;
  std::string others;
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (rank == plan_.rank || arrived_[rank].connection) {
      continue;
    }
    if (missing) {
      others += (others.empty() ? ", nor did " : ", ") + plan_.parties[rank].name;
    } else {
      missing = rank;
    }
  }
  const std::string& why =
      trouble_[*missing].empty() && *missing > plan_.rank ? stranger_ : trouble_[*missing];
  fail({*missing, fmt::format("did not connect within {}{}{}{}", describe(plan_.times.connect),
                              others, why.empty() ? "" : "; ", why)});
}

}  // namespace

auto meet(MeetingPlan plan) -> Meeting {
  TACET_CHECK(plan.rank < plan.parties.size(), "a party of the run");
  return Gathering(std::move(plan)).run();
}

}  // namespace tacet::net
