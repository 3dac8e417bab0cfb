#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "engine/net/gathering.h"
#include "engine/net/unproven_notice.h"

namespace tacet::net::gathering {

/// Lets the system find out that the other machine is no longer there, in half a minute, while
/// nothing is sent: parties wait for others for days, and what is between them forgets them.
static void probe(int socket) {
  constexpr int kIdleSeconds = 10;
  constexpr int kBetweenSeconds = 5;
  constexpr int kProbes = 4;
  const auto set = [socket](int level, int option, int value) {
    static_cast<void>(::setsockopt(socket, level, option, &value, sizeof(value)));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kBetweenSeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

/// Begins to talk; with `called`, this party called that one.
void Gathering::welcome(int socket, const asio::ip::address& address, std::optional<Rank> called) {
  probe(socket);
  Newcomer& newcomer = newcomers_.emplace_back(context_, ++last_id_, socket, address);
  newcomer.rank = called;
  newcomer.is_called = called.has_value();
  newcomer.opening = only_reports()
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

/// Others may have disconnected before an event was handled.
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

/// Advances a newcomer as far as possible now.
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
  // The first bytes are checked before TLS takes them.
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
      reject(*newcomer, std::move(result.reason));
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
  if (rank >= n_parties_ || !is_called_by(rank)) {
    return;
  }
  const PartyAddress& party = plan_.parties[rank];
  if (party.host.empty()) {
    return;  // nobody knows where it is
  }
  look_ups_.find(party.host, party.port,
                 [this, rank, address](error_code error, const LookUps::Found& found) {
                   if (!error && std::any_of(found.begin(), found.end(), [&](const auto& endpoint) {
                         return plain(endpoint.address()) == address;
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
  if (newcomer.rank ? shown != *newcomer.rank : shown >= n_parties_ || !is_called_by(shown)) {
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
                        : theirs->rank >= n_parties_ || !is_called_by(theirs->rank)) {
        return {State::Failed, 0, fmt::format("claims to be party {}", theirs->rank)};
      }
      newcomer.rank = theirs->rank;
      greetings_[theirs->rank] = *theirs;
      return {State::Moved, result.n};
    }
  }
}

/// The connection ended before it was one between two parties that know each other. The peer may
/// come again.
void Gathering::lose(const Newcomer& newcomer) {
  if (has_no_proof_ && newcomer.opening.empty()) {
    forget(newcomer);
    if (++n_informed_ + 1 >= n_parties_) {
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
void Gathering::reject(Newcomer& newcomer, std::string reason) {
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
    look_at(rank);  // it may have left, and come again
  }
  if (arrived_[rank].connection) {
    std::vector<std::unique_ptr<Connection>> again;
    again.push_back(std::make_unique<Connection>(std::move(newcomer.channel), newcomer.reader, 1,
                                                 rank, n_parties_));
    newcomer.watch.descriptor().release();
    forget(newcomer);
    report_failure(again, {rank, "is already connected; two processes claim to be this party"});
    return;
  }
  keep(newcomer);
  if (plan_.on_arrival) {
    plan_.on_arrival(rank);
  }
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

/// It may have begun to compute; it may say that the run is over; or it has left, and may come
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
  if (!progress.is_disconnected || connection.counters().messages_received > 0 || failure_) {
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

}  // namespace tacet::net::gathering
