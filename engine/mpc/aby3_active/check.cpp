#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "base/declassify.h"
#include "engine/mpc/aby3_active/active_protocol.h"
#include "engine/mpc/aby3_active/digest.h"
#include "engine/mpc/aby3_active/prime_check.h"
#include "engine/mpc/aby3_active/product_check.h"

/// The check of all that is recorded, for each ring and for bits at the same time.
namespace tacet::mpc {

namespace {

/// So many words of factors are checked at a time: enough that messages and rounds of a check
/// weigh little, and few enough for its memory, which is about a hundred bytes for each.
constexpr size_t kManyWords = size_t{1} << 18;

using RingCheck32 = ProductCheck<GaloisRing<uint32_t, 47, 5>>;
using RingCheck64 = ProductCheck<GaloisRing<uint64_t, 47, 5>>;
using RingCheck128 = ProductCheck<GaloisRing<Word128, 47, 5>>;
using BitCheck = ProductCheck<BinaryField<64>>;
/// Dot products of 32 and 64 bits are checked as whole numbers, products of matrices and words of
/// 128 bits in Galois rings.
using Checks = std::tuple<RingCheck32, RingCheck64, RingCheck128, BitCheck, PrimeCheck>;

template <class T>
auto parts_of(const Share& x) -> PartsOf<T> {
  return {x.parts[0].words<T>().data(), x.parts[1].words<T>().data()};
}

/// The words of all planes, of which those that belong to no number are zero.
auto whole_words(const BitPlanes& planes) -> std::vector<uint64_t> {
  const std::span<const uint64_t> words = planes.words();
  std::vector<uint64_t> out(words.begin(), words.end());
  const size_t n_last = planes.size() % 64;
  if (n_last != 0) {
    const uint64_t mask = (uint64_t{1} << n_last) - 1;
    for (size_t last = planes.stride() - 1; last < out.size(); last += planes.stride()) {
      out[last] &= mask;
    }
  }
  return out;
}

struct WholeBits {
  std::array<std::vector<uint64_t>, 2> words;
  explicit WholeBits(const Bits& x) : words{whole_words(x.parts[0]), whole_words(x.parts[1])} {}
  [[nodiscard]] auto of() const -> PartsOf<uint64_t> { return {words[0].data(), words[1].data()}; }
};

template <class T>
auto check_of(Checks& checks) -> ProductCheck<GaloisRing<T, 47, 5>>& {
  return std::get<ProductCheck<GaloisRing<T, 47, 5>>>(checks);
}

/// Bits are copied to `whole`, which outlives the checks.
void add_claims(Checks& checks, const Claims& claims, std::deque<WholeBits>& whole) {
  for (const Claims::Dots& dots : claims.dots()) {
    with_word(dots.x.ring(), [&]<class T>(std::type_identity<T>) {
      const PartsOf<T> x = parts_of<T>(dots.x);
      const PartsOf<T> y = parts_of<T>(dots.y);
      const PartsOf<T> z = parts_of<T>(dots.z);
      if constexpr (sizeof(T) <= sizeof(uint64_t)) {
        std::get<PrimeCheck>(checks).add_dots<T>(x, y, z, dots.origins->data() + dots.first_origin,
                                                 dots.z.size(), dots.length);
      } else {
        check_of<T>(checks).add_dots(x, y, z, dots.z.size(), dots.length);
      }
    });
  }
  for (const Claims::MatrixProduct& product : claims.matrix_products()) {
    with_word(product.x.ring(), [&]<class T>(std::type_identity<T>) {
      check_of<T>(checks).add_matrix_product(parts_of<T>(product.x), parts_of<T>(product.y),
                                             parts_of<T>(product.z), product.shape);
    });
  }
  for (const Claims::Conjunctions& bits : claims.conjunctions()) {
    const WholeBits& x = whole.emplace_back(bits.x);
    const WholeBits& y = whole.emplace_back(bits.y);
    const WholeBits& z = whole.emplace_back(bits.z);
    std::get<BitCheck>(checks).add_dots(x.of(), y.of(), z.of(), x.words[0].size(), 1);
  }
}

/// Calls `body` with each check that has claims.
template <class Body>
void for_each_check(Checks& checks, Body body) {
  auto call = [&](auto& check) {
    if (!check.is_empty()) {
      body(check);
    }
  };
  std::apply([&](auto&... check) { (call(check), ...); }, checks);
}

/// Another coin for each of the algebras.
auto coin_for(const Coin& coin, size_t number) -> Coin {
  secure_random::AesBlock counter{};
  counter[0] = static_cast<std::byte>(number);
  secure_random::AesCtr stream(coin, counter, best_isa());
  Coin out{};
  stream.fill(out);
  return out;
}

template <class Value>
void append_value(std::vector<std::byte>& to, const Value& value) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// One run of checks by a party.
///
/// Coins are sums of one part of each key. Party i shows part i, which only it and party i - 1
/// know: to party i + 1, and after it has received all that the coin is for. The one who could
/// alter what it sends for a coin that it knows would need the part that is shown by the very party
/// that it sends to. Party i - 1 confirms part i with the next message, by a digest.
class CheckRun {
 public:
  /// Claims outlive it.
  CheckRun(Party& party, ActiveKeys& keys, const Claims& claims) : party_(party), keys_(keys) {
    add_claims(checks_, claims, whole_);
  }

  auto run() -> Task<>;

 private:
  auto toss() -> Task<Coin>;
  /// `sent` to the previous party, with what confirms the last coin; its size of the next one's.
  auto exchange(std::vector<std::byte> sent) -> Task<std::vector<std::byte>>;
  auto open() -> Task<>;
  auto fail(std::string_view check) -> Task<>;

  Party& party_;
  ActiveKeys& keys_;
  std::deque<WholeBits> whole_;
  Checks checks_;
  Digest shown_digest_{};  ///< of the part of the last coin that this party was shown
  Digest own_digest_{};    ///< of the one that it confirms
};

auto CheckRun::fail(std::string_view check) -> Task<> {
  party_.accuse({.check = check, .first = party_.other(1), .second = party_.other(2)});
  co_await party_.next_round();
  co_return kDone;
}

auto CheckRun::toss() -> Task<Coin> {
  std::array<Coin, 3> parts{};
  keys_.of_part(0).fill(parts[0]);
  keys_.of_part(1).fill(parts[1]);
  party_.send(party_.other(1), parts[0]);
  co_await party_.receive(party_.other(2), parts[2]);
  own_digest_ = digest_of(parts[1]);
  shown_digest_ = digest_of(parts[2]);
  Coin coin{};
  for (size_t i = 0; i < coin.size(); ++i) {
    coin[i] = parts[0][i] ^ parts[1][i] ^ parts[2][i];
  }
  co_return coin;
}

auto CheckRun::exchange(std::vector<std::byte> sent) -> Task<std::vector<std::byte>> {
  party_.send(party_.other(2), own_digest_);
  party_.send(party_.other(2), sent);
  Digest confirmed{};
  std::vector<std::byte> received(sent.size());
  std::vector<Receipt> receipts;
  receipts.push_back({.from = party_.other(1), .into = confirmed});
  receipts.push_back({.from = party_.other(1), .into = received});
  co_await party_.receive(std::move(receipts));
  if (!are_equal(confirmed, shown_digest_)) {
    co_await fail("coins");
  }
  co_return received;
}

auto CheckRun::run() -> Task<> {
  // Everybody has received everything.
  std::array<std::byte, 2> heard{};
  std::vector<Receipt> receipts;
  for (Rank distance = 1; distance < kActiveParties; ++distance) {
    party_.send(party_.other(distance), std::array<std::byte, 1>{});
    receipts.push_back(
        {.from = party_.other(distance), .into = std::span(heard).subspan(distance - 1, 1)});
  }
  co_await party_.receive(std::move(receipts));

  Coin coin = co_await toss();
  size_t number = 0;
  for_each_check(checks_, [&](auto& check) { check.weigh(coin_for(coin, number++)); });
  const KeyBytes keys = [this](size_t part, std::span<std::byte> bytes) {
    keys_.of_part(part).fill(bytes);
  };
  for (;;) {
    std::vector<std::byte> message;
    std::vector<size_t> sizes;
    for_each_check(checks_, [&](auto& check) {
      if (!check.is_done()) {
        const std::vector<std::byte> bytes = check.message(keys);
        sizes.push_back(bytes.size());
        message.insert(message.end(), bytes.begin(), bytes.end());
      }
    });
    // Of the last coin, too.
    const std::vector<std::byte> received = co_await exchange(std::move(message));
    if (sizes.empty()) {
      break;
    }
    coin = co_await toss();
    std::span<const std::byte> rest = received;
    number = 0;
    size_t i = 0;
    for_each_check(checks_, [&](auto& check) {
      const Coin own_coin = coin_for(coin, number++);
      if (check.awaits()) {
        check.receive(rest.first(sizes[i]));
        rest = rest.subspan(sizes[i++]);
        check.fold(own_coin);
      }
    });
  }
  co_await open();
  co_return kDone;
}

// Both others send the part that this party lacks.
auto CheckRun::open() -> Task<> {
  std::array<std::vector<std::byte>, 2> parts;
  for_each_check(checks_, [&](auto& check) {
    for (size_t part = 0; part < 2; ++part) {
      append_value(parts[part], check.opening(part));
    }
  });
  party_.send(party_.other(1), parts[0]);
  party_.send(party_.other(2), parts[1]);
  std::vector<std::byte> third(parts[0].size());
  std::vector<std::byte> again(parts[0].size());
  std::vector<Receipt> receipts;
  receipts.push_back({.from = party_.other(1), .into = third});
  receipts.push_back({.from = party_.other(2), .into = again});
  co_await party_.receive(std::move(receipts));
  if (!are_equal(third, again)) {
    co_await fail("products");
  }
  bool holds = true;
  const std::byte* missing = third.data();
  for_each_check(checks_, [&](const auto& check) {
    auto sums = check.opening(0);
    const auto own = check.opening(1);
    auto theirs = own;
    std::memcpy(&theirs, missing, sizeof(theirs));
    missing += sizeof(theirs);
    for (size_t i = 0; i < sums.size(); ++i) {
      check.add(sums[i], own[i]);
      check.add(sums[i], theirs[i]);
    }
    // Two uniform factors, and what is their product but for errors that a liar knows.
    declassify(&sums, sizeof(sums));
    holds = check.holds(sums) && holds;
  });
  if (!holds) {
    co_await fail("products");
  }
  co_return kDone;
}

/// Awaited: the end of the check that runs.
class EndOfCheck {
 public:
  explicit EndOfCheck(std::vector<WaitingForCheck>& all) : all_(all) {}

  auto await_ready() const noexcept -> bool { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> task) {
    state_ = task.promise().state;
    label_ = state_->label;
    all_.push_back({.task = task, .state = state_});
  }
  void await_resume() const noexcept { state_->label = label_; }

 private:
  std::vector<WaitingForCheck>& all_;
  TaskState* state_ = nullptr;
  uint32_t label_ = 0;
};

}  // namespace

auto Aby3Active::check_if_much(Party& party) -> Task<> {
  if (claims_.n_words() >= kManyWords) {
    co_await check(party);
  }
  co_return kDone;
}

// Everything that was recorded before, and what other tasks record in this round. What they record
// while it is checked is not waited for.
auto Aby3Active::check(Party& party) -> Task<> {
  const Party::Scope scope = party.scope("check");
  const uint64_t n_wanted = claims_.n_added();
  while (n_checked_ < n_wanted) {
    if (is_checking_) {
      co_await EndOfCheck(waiting_for_check_);
      continue;
    }
    co_await party.quiet();
    if (is_checking_ || n_checked_ >= n_wanted) {
      continue;
    }
    is_checking_ = true;
    const uint64_t n_added = claims_.n_added();
    Claims all = claims_.take_all();
    while (!all.is_empty()) {
      const Claims claims = all.take(kManyWords);
      CheckRun run(party, *keys_, claims);
      co_await run.run();
    }
    n_checked_ = n_added;
    is_checking_ = false;
    for (const WaitingForCheck& waiting : std::exchange(waiting_for_check_, {})) {
      waiting.state->ready.insert(waiting.state->ready.begin(), waiting.task);
    }
  }
  co_return kDone;
}

}  // namespace tacet::mpc
