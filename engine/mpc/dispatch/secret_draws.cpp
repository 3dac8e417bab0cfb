#include "engine/mpc/dispatch/secret_draws.h"

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/wipe.h"
#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/dispatch/integer_type.h"
#include "engine/mpc/dispatch/normal_quantile.h"
#include "engine/mpc/movement/permutations.h"
#include "engine/program/mpc/draw.h"

namespace tacet::mpc {

using engine::Cell;
using engine::DrawFunction;
using engine::ElementType;
using engine::MpcDraw;
using engine::MpcRunFault;
using secure_random::AesKey;

namespace {

/// So that the sum of what all parties draw is below 2^62.
constexpr uint64_t kMostNumbers = uint64_t{1} << 56;
constexpr Rank kMostParts = 64;

/// The next key of a cascade (Bellare, Canetti and Krawczyk, "Pseudorandom Functions Revisited: The
/// Cascade Construction and Its Concrete Security"): the first bytes of the key stream that the
/// word begins. Words end in 64 zero bits of the counter, so that streams do not meet.
auto next_key(const AesKey& key, uint64_t word) -> AesKey {
  secure_random::AesBlock counter{};
  for (size_t i = 0; i < 8; ++i) {
    counter[i] = static_cast<std::byte>(word >> (56 - 8 * i));
  }
  AesKey next;
  secure_random::AesCtr(key, counter, best_isa()).fill(next);
  return next;
}

/// The key of a place. Both strings follow their lengths, so that none is the beginning of another
/// one.
auto key_of_static(AesKey key, const engine::BitString& bits) -> AesKey {
  key = next_key(key, bits.size());
  for (const uint64_t word : bits.words()) {
    key = next_key(key, word);
  }
  return key;
}

/// Behind the calls that the program is run by.
auto key_of_call(AesKey key, const engine::DynamicRngState& call) -> AesKey {
  key = next_key(key, call.n_words);
  if (call.n_words > 0) {
    for (const engine::Block& block : {call.sum, call.last}) {
      for (const uint64_t word : block) {
        key = next_key(key, word);
      }
    }
  }
  return key;
}

auto key_of_dynamic(AesKey key, std::span<const Cell> words) -> AesKey {
  key = next_key(key, words.size());
  for (const Cell word : words) {
    key = next_key(key, word);
  }
  return key;
}

/// The random words of one place, of one part.
class Words {
 public:
  explicit Words(const AesKey& key) : stream_(key, {}, best_isa()) {}

  auto next() -> uint64_t {
    uint64_t word = 0;
    stream_.fill(std::as_writable_bytes(std::span(&word, 1)));
    return word;
  }

  /// Below n. What is rejected says nothing of what is given.
  auto below(uint64_t n) -> uint64_t {
    const uint64_t least = (0 - n) % n;
    for (;;) {
      const Word128 product = static_cast<Word128>(next()) * n;
      if (static_cast<uint64_t>(product) >= least) {
        return static_cast<uint64_t>(product >> 64);
      }
    }
  }

 private:
  secure_random::AesCtr stream_;
};

/// One `draw_secret`.
class SecretDraw {
 public:
  SecretDraw(Context& context, const Operation& operation)
      : context_(context),
        operation_(operation),
        draw_(*engine::find_draw(operation.instruction->numbers, operation.operands.size())),
        n_(operation.type.extents.empty() || draw_.function != DrawFunction::Permutation
               ? static_cast<size_t>(engine::n_elements(operation.type))
               : static_cast<size_t>(engine::n_elements(operation.type) /
                                     operation.type.extents.back())) {}

  auto run() -> Task<Value>;

 private:
  [[nodiscard]] auto cell(size_t operand, size_t i) const -> Cell {
    const engine::MpcCells& cells = *operation_.operands[operand].cells;
    return cells[cells.size() == 1 ? 0 : i];
  }
  [[nodiscard]] auto argument(size_t k, size_t i) const -> Cell {
    return cell(draw_.n_words + k, i);
  }
  [[nodiscard]] auto type_of_argument() const -> ElementType {
    return operation_.operands[draw_.n_words].element();
  }
  [[nodiscard]] auto n_parts() const -> Rank { return context_.draw_keys->n_parts_of_secret; }
  void fail(MpcRunFault fault) {
    if (context_.fault == MpcRunFault::None) {
      context_.fault = fault;
    }
  }

  /// Each part by `make(words, element)`.
  template <class Make>
  auto parts(const Make& make) const -> Share;
  auto below(const std::vector<uint64_t>& n) -> Task<Share>;
  auto integers() -> Task<Share>;
  auto uniform() -> Task<Share>;
  auto truth() -> Task<Bits>;
  auto normal() -> Share;
  auto permutations() -> Task<Share>;
  [[nodiscard]] auto words(const std::vector<uint64_t>& values) const -> RingArray {
    return RingArray::of(values, context_.party.memory());
  }

  Context& context_;
  const Operation& operation_;
  MpcDraw draw_;
  size_t n_;  ///< places
};

template <class Make>
auto SecretDraw::parts(const Make& make) const -> Share {
  const DrawKeys& keys = *context_.draw_keys;
  Share drawn;
  drawn.n_parts = static_cast<uint8_t>(keys.parts.size());
  std::vector<Cell> place(draw_.n_words);
  for (size_t part = 0; part < keys.parts.size(); ++part) {
    const AesKey key = key_of_call(key_of_static(keys.parts[part], draw_.bits), context_.call);
    RingArray values(Ring::Z64, n_, context_.party.memory());
    const std::span<uint64_t> out = values.edit<uint64_t>();
    for (size_t i = 0; i < n_; ++i) {
      for (size_t k = 0; k < place.size(); ++k) {
        place[k] = cell(k, i);
      }
      Words stream(key_of_dynamic(key, place));
      out[i] = make(stream, i);
    }
    drawn.parts[part] = std::move(values);
  }
  return drawn;
}

/// The sum of the parts is below N n: less n for each multiple of n that it is not below.
auto SecretDraw::below(const std::vector<uint64_t>& n) -> Task<Share> {
  Share sum = parts([&](Words& stream, size_t i) { return stream.below(n[i]); });
  const Protocol& protocol = context_.protocol();
  std::vector<Task<Bits>> comparisons;
  for (Rank k = 1; k < n_parts(); ++k) {
    std::vector<uint64_t> multiples;
    for (const uint64_t each : n) {
      multiples.push_back(each * k);
    }
    comparisons.push_back(less(context_.party, sum,
                               protocol.public_share(context_.party, words(multiples)),
                               {64, Signedness::Signed}, Distance::Fits));
  }
  const std::vector<Bits> is_below = co_await all(std::move(comparisons));
  std::vector<Task<Share>> conversions;
  for (const Bits& bits : is_below) {
    conversions.push_back(to_number(context_.party, bits, Ring::Z64));
  }
  const std::vector<Share> numbers = co_await all(std::move(conversions));
  std::vector<uint64_t> most;
  for (const uint64_t each : n) {
    most.push_back(0 - each * (n_parts() - 1U));
  }
  sum = protocol.add_public(context_.party, std::move(sum), words(most));
  for (const Share& number : numbers) {
    sum = add(sum, multiply_public(number, words(n)));
  }
  co_return sum;
}

auto SecretDraw::integers() -> Task<Share> {
  const bool is_signed = engine::is_signed_integer(type_of_argument().kind);
  std::vector<uint64_t> n(n_);
  for (size_t i = 0; i < n_; ++i) {
    n[i] = argument(0, i);
    const bool is_empty = is_signed ? static_cast<int64_t>(n[i]) < 1 : n[i] == 0;
    if (is_empty || n[i] > kMostNumbers) {
      fail(is_empty ? MpcRunFault::EmptyDraw : MpcRunFault::WideDraw);
      n[i] = 1;
    }
  }
  co_return co_await below(n);
}

auto SecretDraw::uniform() -> Task<Share> {
  std::vector<uint64_t> n(n_);
  std::vector<uint64_t> signs(n_);
  std::vector<uint64_t> from(n_);
  for (size_t i = 0; i < n_; ++i) {
    from[i] = argument(0, i);
    const uint64_t to = argument(1, i);
    const bool is_upwards = static_cast<int64_t>(from[i]) <= static_cast<int64_t>(to);
    signs[i] = is_upwards ? 1 : ~uint64_t{0};
    n[i] = std::max<uint64_t>(is_upwards ? to - from[i] : from[i] - to, 1);
    if (n[i] > kMostNumbers) {
      fail(MpcRunFault::WideDraw);
      n[i] = 1;
    }
  }
  const Share drawn = co_await below(n);
  co_return context_.protocol().add_public(context_.party, multiply_public(drawn, words(signs)),
                                           words(from));
}

auto SecretDraw::truth() -> Task<Bits> {
  const unsigned bits = type_of_argument().fraction_bits;
  if ((uint64_t{1} << bits) > kMostNumbers) {
    fail(MpcRunFault::WideDraw);
  }
  const std::vector<uint64_t> whole(n_, std::min(uint64_t{1} << bits, kMostNumbers));
  Share drawn = co_await below(whole);
  std::vector<uint64_t> wanted(n_);
  for (size_t i = 0; i < n_; ++i) {
    const auto p = static_cast<int64_t>(argument(0, i));
    wanted[i] = p <= 0 ? 0 : std::min(static_cast<uint64_t>(p), whole[i]);
  }
  co_return co_await less(context_.party, std::move(drawn),
                          context_.protocol().public_share(context_.party, words(wanted)),
                          {64, Signedness::Signed}, Distance::Fits);
}

auto SecretDraw::normal() -> Share {
  const double one_part = 1 / std::sqrt(static_cast<double>(n_parts()));
  std::vector<double> deviations(n_);
  std::vector<uint64_t> means(n_);
  for (size_t i = 0; i < n_; ++i) {
    means[i] = argument(0, i);
    // In units of the last place, as the result is.
    deviations[i] = static_cast<double>(static_cast<int64_t>(argument(1, i))) * one_part;
    if (std::abs(deviations[i]) > static_cast<double>(kMostNumbers)) {
      fail(MpcRunFault::WideDraw);
      deviations[i] = 0;
    }
  }
  const Share noise = parts([&](Words& stream, size_t i) {
    const double part = deviations[i] * normal_of_bits(stream.next());
    return static_cast<uint64_t>(static_cast<int64_t>(part + std::copysign(0.5, part)));
  });
  return context_.protocol().add_public(context_.party, noise, words(means));
}

/// Each by the protocol's own secret permutation.
auto SecretDraw::permutations() -> Task<Share> {
  const auto width = static_cast<size_t>(operation_.type.extents.back());
  std::vector<uint64_t> order(width);
  for (size_t i = 0; i < width; ++i) {
    order[i] = i;
  }
  std::vector<Task<std::vector<Share>>> shuffles;
  for (size_t i = 0; i < n_; ++i) {
    std::vector<Share> columns;
    columns.push_back(context_.protocol().public_share(context_.party, words(order)));
    shuffles.push_back(shuffle(context_.party, std::move(columns)));
  }
  const std::vector<std::vector<Share>> shuffled = co_await all(std::move(shuffles));
  std::vector<Share> rows;
  for (const std::vector<Share>& columns : shuffled) {
    rows.push_back(columns.front());
  }
  co_return concatenate(rows);
}

auto SecretDraw::run() -> Task<Value> {
  Value result;
  const ElementType element = operation_.type.element;
  switch (draw_.function) {
    case DrawFunction::U64:
      result = secret_value(parts([](Words& stream, size_t) { return stream.next(); }));
      break;
    case DrawFunction::Int: {
      const Share drawn = co_await integers();
      result = secret_value(narrow(drawn, context_.ring_of(element)));
      break;
    }
    case DrawFunction::Uniform:
      result = secret_value(co_await uniform());
      break;
    case DrawFunction::Normal:
      result = secret_value(normal());
      break;
    case DrawFunction::Bool:
      result = secret_value(co_await truth());
      break;
    case DrawFunction::Permutation:
      result = secret_value(co_await permutations());
      break;
  }
  if (result.secret->share && context_.ring_of(element) == Ring::Z128) {
    // Fixed point was drawn modulo 2^64.
    result = secret_value(co_await cast_integer(context_.party, *result.secret->share,
                                                {64, Signedness::Signed}, 128, Ring::Z128));
  }
  result.type.element = element;
  co_return result;
}

}  // namespace

DrawKeys::~DrawKeys() {
  for (AesKey& key : parts) {
    wipe(std::span(key));
  }
}

auto make_draw_keys(Party& party) -> Task<DrawKeys> {
  // A part of a uniform share is known to who holds the part, and to nobody else.
  const Share share = co_await party.protocol().random_share(party, Ring::Z64, 4);
  DrawKeys keys;
  // `ref` shares nothing: its one part is the secret, which all hold.
  const bool is_shared = party.protocol().name() != "ref";
  keys.n_parts_of_secret = is_shared ? party.n_parties() : Rank{1};
  TACET_CHECK(keys.n_parts_of_secret <= kMostParts, "too many parties for one sum");
  for (size_t part = 0; part < share.n_parts; ++part) {
    const std::span<const uint64_t> words = share.parts[part].words<uint64_t>();
    AesKey& key = keys.parts.emplace_back();
    static_assert(sizeof(key) == 4 * sizeof(uint64_t));
    std::memcpy(key.data(), words.data(), key.size());
  }
  co_return keys;
}

auto draw_secretly(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("draw_secret");
  SecretDraw draw(context, operation);
  co_return co_await draw.run();
}

}  // namespace tacet::mpc
