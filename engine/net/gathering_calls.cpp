#include <fmt/format.h>

#include <boost/asio/connect.hpp>

#include "engine/net/gathering.h"

namespace tacet::net::gathering {

auto plain(const asio::ip::address& address) -> asio::ip::address {
  return address.is_v6() && address.to_v6().is_v4_mapped()
             ? asio::ip::address(asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()))
             : address;
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

/// Drops one stranger, if there are too many, in favour of a caller from `address`; false if none
/// may be dropped. Of those from its own address, if these are too many, else from the address with
/// the most: the one that is silent for the longest time, else one whose time to show who it is is
/// over.
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
  callee.is_sought = true;
  look_ups_.find(party.host, party.port,
                 [this, &callee, number, connected](error_code error, const LookUps::Found& found) {
                   callee.is_sought = false;
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

}  // namespace tacet::net::gathering
