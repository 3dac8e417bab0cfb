#include "engine/net/meeting.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>

#include "base/check.h"

namespace tacet::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using State = IoResult::State;
using Descriptor = asio::posix::stream_descriptor;

/// So many callers that have not shown yet who they are, are heard at a time.
constexpr size_t kMaxStrangers = 32;
/// How long after a failure those who still come are told of it.
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::chrono::milliseconds kFirstPause{10};
constexpr std::chrono::milliseconds kLongestPause{500};

/// Somebody at the other end of a new connection.
struct Newcomer {
  Newcomer(asio::io_context& context, int socket, std::string where_from)
      : where(std::move(where_from)),
        channel(std::make_unique<Channel>(socket)),
        readiness(context, socket) {}
  ~Newcomer() {
    if (readiness.is_open()) {
      readiness.release();  // the channel closes it
    }
  }

  std::string where;
  std::unique_ptr<Channel> channel;
  Descriptor readiness;
  std::optional<Rank> rank{};    ///< who this must be, or has shown to be
  std::optional<Rank> blamed{};  ///< whom its abort names
  bool knows_each_other = false;
  std::vector<std::byte> greeting{};  ///< what is not written yet
  FrameReader reader{};
};

/// A party of lower rank, which this one calls.
struct Callee {
  Callee(asio::io_context& context, Rank rank_) : rank(rank_), socket(context), pause(context) {}
  Rank rank;
  tcp::socket socket;
  asio::steady_timer pause;
  std::chrono::milliseconds next_pause = kFirstPause;
  std::string trouble{};  ///< of the last attempt
};

class Gathering {
 public:
  explicit Gathering(MeetingPlan plan)
      : plan_(std::move(plan)),
        n_parties_(static_cast<Rank>(plan_.parties.size())),
        resolver_(context_),
        acceptor_(context_),
        deadline_(context_),
        arrived_(n_parties_) {
    std::string names;
    for (const PartyAddress& party : plan_.parties) {
      names += names.empty() ? party.name : ", " + party.name;
    }
    plan_.agreement.emplace_back("list of parties", names);
    ours_ = {kLinkVersion, plan_.rank, n_parties_, plan_.agreement};
  }

  auto run() -> Meeting;

 private:
  using NewcomerRef = std::list<Newcomer>::iterator;

  [[nodiscard]] auto prepare() -> Status;
  [[nodiscard]] auto listen() -> Status;
  [[nodiscard]] auto may_talk_to(const asio::ip::address& address) const -> bool {
    return plan_.encryption == Encryption::Tls || address.is_loopback();
  }

  void accept_next();
  void forget_oldest_stranger();
  void call(Callee& callee);
  void call_again(Callee& callee, std::string trouble);
  void welcome(int socket, std::string where, std::optional<Rank> rank);
  void step(NewcomerRef newcomer);
  void wait(NewcomerRef newcomer, Descriptor::wait_type what);
  [[nodiscard]] auto advance(Newcomer& newcomer) -> IoResult;
  [[nodiscard]] auto identify(Newcomer& newcomer) -> std::string;
  [[nodiscard]] auto read_greeting(Newcomer& newcomer) -> IoResult;
  void turn_away(NewcomerRef newcomer, std::string reason);
  void arrive(NewcomerRef newcomer);
  void count_arrival();
  void fail(LinkError error);
  void wait_no_longer_than(std::chrono::milliseconds time);
  void give_up_waiting();

  MeetingPlan plan_;
  Rank n_parties_;
  Greeting ours_;
  std::optional<TlsContext> tls_;

  asio::io_context context_;
  tcp::resolver resolver_;
  tcp::acceptor acceptor_;
  asio::steady_timer deadline_;
  std::list<Callee> callees_;
  std::list<Newcomer> newcomers_;
  std::string stranger_;  ///< why the last one who could not say who it is was turned away

  std::vector<std::unique_ptr<Connection>> arrived_;  ///< by rank
  Rank n_arrived_ = 0;
  LinkStatus failure_;
};

auto Gathering::run() -> Meeting {
  if (Status prepared = prepare(); !prepared) {
    return {nullptr, LinkError{plan_.rank, prepared.error().message}};
  }
  wait_no_longer_than(plan_.times.connect);
  if (plan_.rank + 1 < n_parties_) {
    accept_next();
  }
  for (Rank rank = 0; rank < plan_.rank; ++rank) {
    call(callees_.emplace_back(context_, rank));
  }
  if (n_parties_ > 1) {
    context_.run();
  }
  if (failure_) {
    tell_failure(arrived_, *failure_);
    return {nullptr, failure_};
  }
  newcomers_.clear();
  std::vector<std::string> names;
  for (const PartyAddress& party : plan_.parties) {
    names.push_back(party.name);
  }
  return {make_network_links(plan_.rank, std::move(names), std::move(arrived_), plan_.times,
                             plan_.buffers)};
}

auto Gathering::prepare() -> Status {
  if (plan_.encryption == Encryption::Tls) {
    std::vector<std::string> certificates;
    for (const PartyAddress& party : plan_.parties) {
      certificates.push_back(party.certificate);
    }
    Result<TlsContext> tls = TlsContext::make(plan_.credentials, certificates);
    if (!tls) {
      return tls.error();
    }
    tls_ = std::move(*tls);
  }
  return plan_.rank + 1 < n_parties_ ? listen() : Status(std::monostate());
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
    return Error{fmt::format("`{}` is not on this machine, and the links are not encrypted", host)};
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
    return Error{fmt::format("cannot listen at {}:{}: {}", host, own.port, error.message())};
  }
  return std::monostate();
}

void Gathering::accept_next() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) {
      return;
    }
    if (error && error != asio::error::connection_aborted) {
      fail({plan_.rank, fmt::format("cannot take calls: {}", error.message())});
      return;
    }
    error_code unknown;
    tcp::endpoint from = error ? tcp::endpoint() : socket.remote_endpoint(unknown);
    if (!error && !unknown && may_talk_to(from.address())) {
      forget_oldest_stranger();
      welcome(socket.release(), from.address().to_string(), std::nullopt);
    }
    accept_next();
  });
}

/// Callers that say nothing must not keep others out.
void Gathering::forget_oldest_stranger() {
  if (newcomers_.size() >= kMaxStrangers) {
    auto oldest = std::find_if(newcomers_.begin(), newcomers_.end(),
                               [](const Newcomer& newcomer) { return !newcomer.rank; });
    if (oldest != newcomers_.end()) {
      newcomers_.erase(oldest);
    }
  }
}

void Gathering::call(Callee& callee) {
  const PartyAddress& party = plan_.parties[callee.rank];
  auto connected = [this, &callee](error_code error, const tcp::endpoint& endpoint) {
    if (error) {
      call_again(callee, error.message());
    } else if (!may_talk_to(endpoint.address())) {
      fail({callee.rank, "is on another machine, and the links are not encrypted"});
      count_arrival();
    } else {
      welcome(callee.socket.release(), endpoint.address().to_string(), callee.rank);
    }
  };
  resolver_.async_resolve(
      party.host, std::to_string(party.port),
      [this, &callee, connected](error_code error, const tcp::resolver::results_type& found) {
        if (error) {
          call_again(callee, error.message());
        } else {
          asio::async_connect(callee.socket, found, connected);
        }
      });
}

void Gathering::call_again(Callee& callee, std::string trouble) {
  callee.trouble = std::move(trouble);
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

/// Begins to talk; `rank` if this party called.
void Gathering::welcome(int socket, std::string where, std::optional<Rank> rank) {
  newcomers_.emplace_back(context_, socket, std::move(where));
  NewcomerRef newcomer = std::prev(newcomers_.end());
  newcomer->rank = rank;
  if (tls_) {
    ssl_st* tls =
        tls_->new_connection(rank ? TlsContext::Role::Connects : TlsContext::Role::Accepts);
    if (tls == nullptr) {
      fail({plan_.rank, "is out of memory"});
      return;
    }
    newcomer->channel->start_tls(tls);
  }
  std::vector<std::byte> payload = encode_greeting(ours_);
  FrameHeader header = encode_frame_header(FrameKind::Hello, payload.size(), 0);
  newcomer->greeting.assign(header.begin(), header.end());
  newcomer->greeting.insert(newcomer->greeting.end(), payload.begin(), payload.end());
  step(newcomer);
}

void Gathering::wait(NewcomerRef newcomer, Descriptor::wait_type what) {
  newcomer->readiness.async_wait(what, [this, newcomer](error_code error) {
    if (!error) {
      step(newcomer);
    }
  });
}

/// Goes on with a newcomer as far as that is possible now.
void Gathering::step(NewcomerRef newcomer) {
  IoResult result = advance(*newcomer);
  switch (result.state) {
    case State::WouldBlock:
      wait(newcomer, newcomer->knows_each_other && !newcomer->greeting.empty()
                         ? Descriptor::wait_write
                         : Descriptor::wait_read);
      break;
    case State::Closed:
      turn_away(newcomer, "the connection was closed");
      break;
    case State::Failed:
      turn_away(newcomer, std::move(result.reason));
      break;
    case State::Moved:
      arrive(newcomer);
      break;
  }
}

/// `Moved` when the newcomer's greeting is read and all is well.
auto Gathering::advance(Newcomer& newcomer) -> IoResult {
  if (!newcomer.knows_each_other) {
    IoResult result = newcomer.channel->handshake();
    if (result.state != State::Moved) {
      return result;
    }
    if (std::string problem = identify(newcomer); !problem.empty()) {
      return {State::Failed, 0, problem};
    }
    newcomer.knows_each_other = true;
  }
  while (!newcomer.greeting.empty()) {
    IoResult result = newcomer.channel->write(newcomer.greeting);
    if (result.state != State::Moved) {
      return result;
    }
    auto begin = newcomer.greeting.begin();
    newcomer.greeting.erase(begin, begin + static_cast<std::ptrdiff_t>(result.n));
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
               ? "showed a certificate that is not in the configuration"
               : fmt::format("showed the certificate of {}", plan_.parties[shown].name);
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
      if (std::optional<std::string> problem = find_disagreement(ours_, *theirs)) {
        if (!newcomer.rank && theirs->version == kLinkVersion) {
          newcomer.rank = theirs->rank;
        }
        return {State::Failed, 0, *problem};
      }
      if (newcomer.rank ? theirs->rank != *newcomer.rank
                        : theirs->rank <= plan_.rank || theirs->rank >= n_parties_) {
        return {State::Failed, 0, fmt::format("says that it is party {}", theirs->rank)};
      }
      newcomer.rank = theirs->rank;
      return {State::Moved, result.n};
    }
  }
}

/// A party that is who it should be, and yet does not fit, ends the run; a stranger does not.
void Gathering::turn_away(NewcomerRef newcomer, std::string reason) {
  if (newcomer->rank && *newcomer->rank < n_parties_ && *newcomer->rank != plan_.rank) {
    Rank rank = *newcomer->rank;
    Rank blamed = newcomer->blamed.value_or(rank);
    if (newcomer->knows_each_other && !arrived_[rank]) {
      newcomer->readiness.release();
      arrived_[rank] = std::make_unique<Connection>(std::move(newcomer->channel), newcomer->reader,
                                                    1, rank, n_parties_);
    }
    fail({blamed, std::move(reason)});
    return;
  }
  stranger_ = fmt::format("a caller from {} was turned away: {}", newcomer->where, reason);
  newcomers_.erase(newcomer);
}

void Gathering::arrive(NewcomerRef newcomer) {
  Rank rank = *newcomer->rank;
  if (arrived_[rank]) {
    stranger_ = fmt::format("{} came twice", plan_.parties[rank].name);
    newcomers_.erase(newcomer);
    return;
  }
  newcomer->readiness.release();
  arrived_[rank] = std::make_unique<Connection>(std::move(newcomer->channel), newcomer->reader, 1,
                                                rank, n_parties_);
  newcomers_.erase(newcomer);
  count_arrival();
}

void Gathering::count_arrival() {
  if (++n_arrived_ + 1 == n_parties_) {
    context_.stop();
  }
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

/// The time is over: the first party that is not there is to blame.
void Gathering::give_up_waiting() {
  context_.stop();
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (rank == plan_.rank || arrived_[rank]) {
      continue;
    }
    std::string why = stranger_;
    for (const Callee& callee : callees_) {
      if (callee.rank == rank) {
        why = callee.trouble;
      }
    }
    fail({rank, fmt::format("did not come within {}{}{}", describe(plan_.times.connect),
                            why.empty() ? "" : "; ", why)});
    return;
  }
}

}  // namespace

auto meet(MeetingPlan plan) -> Meeting {
  TACET_CHECK(plan.rank < plan.parties.size(), "a party of the run");
  return Gathering(std::move(plan)).run();
}

}  // namespace tacet::net
