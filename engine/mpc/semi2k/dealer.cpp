// The dealer's side: it expands everybody's shares and sends what the last party, or the owner of a
// permutation, must have instead.

#include <algorithm>
#include <string>

#include "base/cpu.h"
#include "base/wipe.h"
#include "engine/mpc/semi2k/correlations.h"
#include "engine/mpc/semi2k/dealer_request.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {
namespace {

using secure_random::PublicSeed;
using secure_random::SeedExpander;
using Kind = DealerRequest::Kind;

/// Elements that are made before they are sent: a quarter of a megabyte of words of 64 bits.
constexpr size_t kPiece = size_t{1} << 15;

class Dealer {
 public:
  Dealer(net::Links& links, secure_random::SecureRandom random)
      : links_(links), random_(std::move(random)), n_(links.n_parties() - 1) {}

  Dealer(const Dealer&) = delete;
  auto operator=(const Dealer&) -> Dealer& = delete;
  ~Dealer() { wipe(std::span(seeds_)); }

  auto run() -> net::LinkStatus {
    seeds_.reserve(n_);  // growing would leave copies behind
    for (Rank party = 0; party < n_; ++party) {
      seeds_.push_back(PublicSeed::draw(random_));
      links_.send(party, std::as_bytes(std::span(seeds_.back().bytes)));
    }
    while (true) {
      if (net::LinkStatus failure = links_.flush()) {
        return failure;
      }
      std::array<std::byte, DealerRequest::kSize> bytes;
      if (net::LinkStatus failure = links_.receive(0, bytes)) {
        return failure;
      }
      const std::optional<DealerRequest> request = DealerRequest::from_bytes(bytes, n_);
      if (!request) {
        links_.abort("received an invalid request");
        return links_.flush();
      }
      if (request->kind == Kind::Finish) {
        return std::nullopt;
      }
      serve(*request);
      ++number_;
    }
  }

 private:
  void serve(const DealerRequest& request) {
    switch (request.kind) {
      case Kind::Finish:
        break;
      case Kind::Triples:
        return in_pieces(request.n, [&](size_t n) { deal_products(request.ring, n); });
      case Kind::Squares:
        return in_pieces(request.n, [&](size_t n) { deal_squares(request.ring, n); });
      case Kind::BitTriples:
        return in_pieces(request.n, [&](size_t n) { deal_conjunctions(n); });
      case Kind::CrossProducts:
        return in_pieces(request.n, [&](size_t n) { deal_cross_products(n); });
      case Kind::RandomBits:
        open_streams(2);
        return deal_bits(request.ring, request.n);
      case Kind::Matrix:
        open_streams(3);
        return deal_matrix(request.ring, request.shape);
      case Kind::Permute:
        return deal_permutation(request);
    }
  }

  /// The streams of this request: part `part` of party i is streams_[part][i].
  void open_streams(unsigned n_streams) {
    streams_.clear();
    for (unsigned part = 0; part < n_streams; ++part) {
      streams_.emplace_back();
      for (const PublicSeed& seed : seeds_) {
        streams_[part].emplace_back(seed, dealer_stream(number_, part), best_isa());
      }
    }
  }

  template <class Deal>
  void in_pieces(size_t n, Deal deal) {
    open_streams(3);
    for (size_t begin = 0; begin < n; begin += kPiece) {
      deal(std::min(kPiece, n - begin));
    }
  }

  /// The sum of the next elements of the first `n_summands` parties' streams.
  auto sum_of(unsigned part, Rank n_summands, Ring ring, size_t n) -> RingArray {
    RingArray sum = RingArray::zeros(ring, n, memory_);
    RingArray share(ring, n, memory_);
    for (Rank party = 0; party < n_summands; ++party) {
      streams_[part][party].fill(share.edit_bytes());
      sum = add(sum, share);
    }
    return sum;
  }

  /// What the last party needs for its share of `value` if the others take theirs from streams.
  auto rest_of(const RingArray& value, unsigned part) -> RingArray {
    return subtract(value, sum_of(part, n_ - 1, value.ring(), value.size()));
  }

  void send_to_last(const RingArray& numbers) { links_.send(n_ - 1, numbers.bytes()); }

  void deal_products(Ring ring, size_t n) {
    const RingArray a = sum_of(0, n_, ring, n);
    const RingArray b = sum_of(1, n_, ring, n);
    send_to_last(rest_of(mpc::multiply(a, b), 2));
  }

  void deal_squares(Ring ring, size_t n) {
    const RingArray a = sum_of(0, n_, ring, n);
    send_to_last(rest_of(mpc::multiply(a, a), 2));
  }

  void deal_conjunctions(size_t n_words) {
    std::vector<uint64_t> sums[3];
    std::vector<uint64_t> share(n_words);
    for (unsigned part = 0; part < 3; ++part) {
      sums[part].assign(n_words, 0);
      for (Rank party = 0; party < (part == 2 ? n_ - 1 : n_); ++party) {
        streams_[part][party].fill(std::as_writable_bytes(std::span(share)));
        for (size_t i = 0; i < n_words; ++i) {
          sums[part][i] ^= share[i];
        }
      }
    }
    for (size_t i = 0; i < n_words; ++i) {
      sums[2][i] ^= sums[0][i] & sums[1][i];
    }
    links_.send(n_ - 1, std::as_bytes(std::span(sums[2])));
  }

  /// Of the first party's words and the last one's.
  void deal_cross_products(size_t n_words) {
    std::vector<uint64_t> words[3] = {std::vector<uint64_t>(n_words),
                                      std::vector<uint64_t>(n_words),
                                      std::vector<uint64_t>(n_words)};
    streams_[0].front().fill(std::as_writable_bytes(std::span(words[0])));
    streams_[0].back().fill(std::as_writable_bytes(std::span(words[1])));
    streams_[2].front().fill(std::as_writable_bytes(std::span(words[2])));
    for (size_t i = 0; i < n_words; ++i) {
      words[2][i] ^= words[0][i] & words[1][i];
    }
    links_.send(n_ - 1, std::as_bytes(std::span(words[2])));
  }

  void deal_bits(Ring ring, size_t n) {
    BitPlanes bits = BitPlanes::zeros(1, n, memory_);
    BitPlanes share(1, n, memory_);
    for (SeedExpander& stream : streams_[0]) {
      stream.fill(std::as_writable_bytes(share.edit()));
      bits = exclusive_or(bits, share);
    }
    send_to_last(rest_of(from_planes(bits, ring), 1));
  }

  void deal_matrix(Ring ring, MatrixShape shape) {
    const RingArray a = sum_of(0, n_, ring, shape.rows * shape.inner);
    const RingArray b = sum_of(1, n_, ring, shape.inner * shape.columns);
    send_to_last(rest_of(multiply_matrices(a, b, shape), 2));
  }

  void deal_permutation(const DealerRequest& request) {
    open_streams(2);
    RingArray before = RingArray::zeros(request.ring, request.n, memory_);
    RingArray after = RingArray::zeros(request.ring, request.n, memory_);
    RingArray share(request.ring, request.n, memory_);
    for (Rank party = 0; party < n_; ++party) {
      if (party != request.owner) {
        streams_[0][party].fill(share.edit_bytes());
        before = add(before, share);
        streams_[1][party].fill(share.edit_bytes());
        after = add(after, share);
      }
    }
    SeedExpander stream(seeds_[request.owner], dealer_stream(request.permutation, 0), best_isa());
    const std::vector<uint32_t> places = uniform_permutation(stream, request.n);
    const bool is_forward = request.direction == Direction::Forward;
    const RingArray moved = is_forward ? scatter(before, places) : gather(before, places);
    links_.send(request.owner, subtract(moved, after).bytes());
  }

  net::Links& links_;
  secure_random::SecureRandom random_;
  Rank n_;  ///< parties, without the dealer
  std::vector<PublicSeed> seeds_;
  std::vector<std::vector<SeedExpander>> streams_;
  uint64_t number_ = 1;  ///< of the request
  Memory memory_ = std::make_shared<ring::RowPool>(ring::Wipe::Yes);
};

}  // namespace

auto run_dealer(net::Links& all, secure_random::SecureRandom random) -> net::LinkStatus {
  return Dealer(all, std::move(random)).run();
}

}  // namespace tacet::mpc
