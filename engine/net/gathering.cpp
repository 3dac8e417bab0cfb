#include "engine/net/gathering.h"

#include <fmt/format.h>

#include "base/cancellation.h"
#include "engine/net/unproven_notice.h"

namespace tacet::net::gathering {

auto frame_of(FrameKind kind, std::span<const std::byte> payload) -> std::vector<std::byte> {
  const FrameHeader header = encode_frame_header(kind, payload.size(), 0);
  std::vector<std::byte> frame(header.size() + payload.size());
  std::copy(payload.begin(), payload.end(), std::copy(header.begin(), header.end(), frame.begin()));
  return frame;
}

auto Gathering::calls_any() const -> bool {
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (calls_party(rank)) {
      return true;
    }
  }
  return false;
}

auto Gathering::is_called_by_any() const -> bool {
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (is_called_by(rank)) {
      return true;
    }
  }
  return false;
}

auto Gathering::run() -> Meeting {
  prepare();
  if (failure_ && (plan_.encryption == Encryption::None || (!listens_ && !calls_any()))) {
    return {nullptr, failure_};  // there is nobody to inform
  }
  wait_no_longer_than(failure_ ? std::min(kReportTime, plan_.times.connect) : plan_.times.connect);
  if (listens_) {
    accept_next();
  }
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (calls_party(rank)) {
      call(callees_.emplace_back(context_, rank));
    }
  }
  if (n_parties_ > 1) {
    while (!context_.stopped() && !is_cancelled()) {
      context_.run_until(next_look());
    }
  }
  if (is_cancelled()) {
    failure_ = LinkError{plan_.rank, std::string(kCancelled)};
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
    report_failure(connections, *failure_);
    return {nullptr, failure_};
  }
  std::vector<std::string> names;
  for (const PartyAddress& party : plan_.parties) {
    names.push_back(party.name);
  }
  return {make_network_links(plan_.rank, std::move(names), std::move(connections), plan_.times,
                             plan_.buffers)};
}

/// Finds out whether this party can start; if not, what to report.
void Gathering::prepare() {
  if (plan_.encryption == Encryption::Tls) {
    failure_ = set_up_tls();
  }
  if (!plan_.failure.empty() && !has_no_proof_) {
    failure_ = LinkError{plan_.rank, plan_.failure};
  }
  if (const auto pair = unconnectable(plan_.parties); pair && !failure_) {
    failure_ = LinkError{
        plan_.rank, fmt::format("{} and {} cannot connect: neither can call the other",
                                plan_.parties[pair->first].name, plan_.parties[pair->second].name)};
  }
  if (is_called_by_any()) {
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
  const LookUps::Found found = LookUps::find_within(host, own.port, plan_.times.connect, error);
  if (!error && !may_talk_to(found.front().address())) {
    return Error{fmt::format("`{}` is not on this machine, but the links are not encrypted", host)};
  }
  tcp::endpoint endpoint = error ? tcp::endpoint() : found.front();
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

void Gathering::stop_if_complete() {
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    if (rank != plan_.rank && !arrived_[rank].connection) {
      return;
    }
  }
  context_.stop();
}

/// The first failure counts. Waits a little longer for missing parties, to inform them.
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
  const Callee* callee = callee_of(*missing);
  const std::string why =
      callee != nullptr && callee->is_sought
          ? fmt::format("the look-up of `{}` has no answer", plan_.parties[*missing].host)
      : trouble_[*missing].empty() && is_called_by(*missing) ? stranger_
                                                             : trouble_[*missing];
  fail({*missing, fmt::format("did not connect within {}{}{}{}", describe(plan_.times.connect),
                              others, why.empty() ? "" : "; ", why)});
}

}  // namespace tacet::net::gathering
