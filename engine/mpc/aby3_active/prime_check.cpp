#include "engine/mpc/aby3_active/prime_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "base/cpu.h"

namespace tacet::mpc {

namespace {

/// Rows of terms: few are less work, many are fewer rounds.
constexpr size_t kVeryManyTerms = 4096;
constexpr size_t kFewTermRows = 4;
constexpr size_t kManyTermRows = 16;
/// Sums of pairs stay below 2^128 for so many blocks.
constexpr size_t kBlocksToReduce = 2048;
/// G have one byte less than a number, so that sums have their sign.
constexpr uint64_t kMaskOfTop = ~uint64_t{0} >> 8;

auto stream_of_coin(const Coin& coin) -> secure_random::AesCtr {
  return {coin, secure_random::AesBlock{}, best_isa()};
}

template <class T>
void append_bytes(std::vector<std::byte>& to, std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Elements from a key stream.
auto uniform_elements(const PrimeField& field, const KeyBytes& keys, size_t part, size_t n)
    -> std::vector<uint64_t> {
  SecureVector<Word128> bits(n);
  keys(part, std::as_writable_bytes(std::span(bits)));
  std::vector<uint64_t> out(n);
  std::transform(bits.begin(), bits.end(), out.begin(),
                 [&](Word128 x) { return field.reduced(x); });
  return out;
}

}  // namespace

template <class Body>
void PrimeCheck::for_each_claims(Body body) {
  std::apply([&](auto&... of_word) { (std::for_each(of_word.begin(), of_word.end(), body), ...); },
             claims_);
}

template <class Word>
void PrimeCheck::add_dots(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z,
                          const ClaimOrigin* origins, size_t n, size_t length) {
  auto& all = std::get<std::vector<PrimeClaims<Word>>>(claims_);
  auto claims = std::find_if(all.begin(), all.end(), [&](const PrimeClaims<Word>& known) {
    return known.length() == length;
  });
  if (claims == all.end()) {
    all.emplace_back(length);
    claims = all.end() - 1;
  }
  claims->add(x, y, z, origins, n);
}

void PrimeCheck::weigh(const Coin& coin) {
  secure_random::AesCtr coins = stream_of_coin(coin);
  for_each_claims([&](auto& claims) {
    claims.draw_bits(coins);
    claims.sum_carries();
  });
}

auto PrimeCheck::carries_message(const KeyBytes& keys) -> std::vector<std::byte> {
  std::vector<std::byte> bytes;
  for_each_claims([&](auto& claims) {
    std::vector<Whole>& sums = claims.sums[0];
    for (size_t part = 0; part < 2; ++part) {
      SecureVector<Whole> masks(sums.size());
      keys(part, std::as_writable_bytes(std::span(masks)));
      for (size_t i = 0; i < sums.size(); ++i) {
        masks[i].back() &= kMaskOfTop;
        sums[i] = mpc::add(sums[i], part == 0 ? masks[i] : negate(masks[i]));
      }
    }
    append_bytes(bytes, std::span<const Whole>(sums));
  });
  return bytes;
}

void PrimeCheck::receive_carries(std::span<const std::byte> bytes) {
  for_each_claims([&](auto& claims) {
    std::vector<Whole>& received = claims.sums[1];
    received.resize(claims.sums[0].size());
    const std::span<std::byte> into = std::as_writable_bytes(std::span(received));
    TACET_CHECK(bytes.size() >= into.size(), "a message of another size");
    std::memcpy(into.data(), bytes.data(), into.size());
    bytes = bytes.subspan(into.size());
  });
}

auto PrimeCheck::drawn(secure_random::AesCtr& coins, size_t n) const -> std::vector<uint64_t> {
  std::vector<uint64_t> out(n);
  std::generate(out.begin(), out.end(), [&] { return draw_element(*field_, coins); });
  return out;
}

// Few terms are stored at once; of many there are pairs of rows first.
void PrimeCheck::start_folding(secure_random::AesCtr& coins) {
  field_.emplace(draw_prime(coins));
  stage_ = Stage::Terms;
  for_each_claims([&](auto& claims) {
    claims.draw_weights(*field_, coins);
    if (claims.rows() > 1) {
      stage_ = Stage::Claims;
      return;
    }
    append_terms(claims, {field_->one()});
    const SharedElement claimed = claims.claimed(*field_);
    for (size_t part = 0; part < 2; ++part) {
      w_[part] = field_->add(w_[part], claimed[part]);
    }
  });
}

template <class Word>
auto PrimeCheck::pairs_of_claims(const PrimeClaims<Word>& claims) -> Pairs {
  using OfWord = PrimeClaims<Word>;
  Pairs pairs{.rows = claims.rows(),
              .row_weights = claims.row_weights(),
              .claimed = claims.claimed(*field_),
              .values = {}};
  std::vector<Word128> sums(n_pairs(pairs.rows));
  const auto block = std::make_unique<typename OfWord::TermBlock>();
  const ScopedWipe wiped(*block);
  const TermRows rows{.u0 = block->u0[0].data(),
                      .u1 = block->u1[0].data(),
                      .v0 = block->v0[0].data(),
                      .vs = block->vs[0].data(),
                      .stride = OfWord::kTermColumns,
                      .rows = pairs.rows};
  size_t n_blocks = 0;
  for (size_t begin = 0; begin < claims.columns(); begin += OfWord::kTermColumns) {
    const size_t n = std::min(OfWord::kTermColumns, claims.columns() - begin);
    claims.load_terms(*field_, begin, n, *block);
    add_pairs(rows, n, sums.data());
    if (++n_blocks % kBlocksToReduce == 0) {
      for (Word128& sum : sums) {
        sum = field_->reduced(sum);
      }
    }
  }
  for (const Word128 sum : sums) {
    pairs.values[0].push_back(field_->reduced(sum));
  }
  return pairs;
}

template <class Word>
void PrimeCheck::append_terms(const PrimeClaims<Word>& claims,
                              const std::vector<uint64_t>& weights) {
  using OfWord = PrimeClaims<Word>;
  const auto block = std::make_unique<typename OfWord::TermBlock>();
  const ScopedWipe wiped(*block);
  const size_t n_had = terms_[0].size();
  for (SecureVector<Element>& elements : terms_) {
    elements.resize(n_had + claims.columns());
  }
  for (size_t begin = 0; begin < claims.columns(); begin += OfWord::kTermColumns) {
    const size_t n = std::min(OfWord::kTermColumns, claims.columns() - begin);
    claims.load_terms(*field_, begin, n, *block);
    const std::array from{&block->u0, &block->u1, &block->v0, &block->vs};
    for (size_t i = 0; i < terms_.size(); ++i) {
      combine_elements(*field_, (*from[i])[0].data(), OfWord::kTermColumns, claims.rows(),
                       weights.data(), n, terms_[i].data() + n_had + begin);
    }
  }
}

auto PrimeCheck::sums_of_pairs(size_t rows, size_t columns) const -> std::vector<Element> {
  constexpr size_t kColumns = 128;
  std::vector<Word128> sums(n_pairs(rows));
  size_t n_blocks = 0;
  for (size_t begin = 0; begin < columns; begin += kColumns) {
    add_pairs({.u0 = terms_[0].data() + begin,
               .u1 = terms_[1].data() + begin,
               .v0 = terms_[2].data() + begin,
               .vs = terms_[3].data() + begin,
               .stride = columns,
               .rows = rows},
              std::min(kColumns, columns - begin), sums.data());
    if (++n_blocks % kBlocksToReduce == 0) {
      for (Word128& sum : sums) {
        sum = field_->reduced(sum);
      }
    }
  }
  std::vector<Element> out;
  out.reserve(sums.size());
  for (const Word128 sum : sums) {
    out.push_back(field_->reduced(sum));
  }
  return out;
}

// The last time, one row more is random: so that both factors can be opened.
auto PrimeCheck::pairs_of_terms(const KeyBytes& keys) -> Pairs {
  const size_t n = terms_[0].size();
  is_last_ = n <= kManyTermRows;
  term_rows_ = is_last_ ? n + 1 : n > kVeryManyTerms ? kFewTermRows : kManyTermRows;
  const size_t columns = is_last_ ? 1 : (n + term_rows_ - 1) / term_rows_;
  for (SecureVector<Element>& elements : terms_) {
    elements.resize(term_rows_ * columns);
  }
  Pairs pairs{.rows = term_rows_,
              .row_weights = std::vector<uint64_t>(term_rows_, field_->one()),
              .claimed = w_,
              .values = {}};
  if (is_last_) {
    const std::array first = {uniform_elements(*field_, keys, 0, 2),
                              uniform_elements(*field_, keys, 1, 2)};
    terms_[0][n] = first[0][0];
    terms_[1][n] = first[1][0];
    terms_[2][n] = first[0][1];
    terms_[3][n] = field_->add(first[0][1], first[1][1]);
    pairs.row_weights[n] = 0;
  }
  pairs.values[0] = sums_of_pairs(term_rows_, columns);
  return pairs;
}

// The first pair of each is not sent: the claim says what it is.
auto PrimeCheck::message(const KeyBytes& keys) -> std::vector<std::byte> {
  awaits_ = true;
  ++n_folds_;
  if (stage_ == Stage::Carries) {
    return carries_message(keys);
  }
  pairs_.clear();
  if (stage_ == Stage::Claims) {
    for_each_claims([&](auto& claims) {
      if (claims.rows() > 1) {
        pairs_.push_back(pairs_of_claims(claims));
      }
    });
  } else {
    pairs_.push_back(pairs_of_terms(keys));
  }
  std::vector<std::byte> bytes;
  for (Pairs& pairs : pairs_) {
    const std::span<Element> values = std::span(pairs.values[0]).subspan(1);
    const std::vector<Element> plus = uniform_elements(*field_, keys, 0, values.size());
    const std::vector<Element> minus = uniform_elements(*field_, keys, 1, values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = field_->subtract(field_->add(values[i], plus[i]), minus[i]);
    }
    append_bytes(bytes, std::span<const Element>(values));
  }
  return bytes;
}

void PrimeCheck::receive(std::span<const std::byte> bytes) {
  if (stage_ == Stage::Carries) {
    receive_carries(bytes);
    return;
  }
  for (Pairs& pairs : pairs_) {
    std::vector<Element>& values = pairs.values[1];
    values.resize(n_pairs(pairs.rows));
    const std::span<std::byte> into = std::as_writable_bytes(std::span(values).subspan(1));
    TACET_CHECK(bytes.size() >= into.size(), "a message of another size");
    std::memcpy(into.data(), bytes.data(), into.size());
    bytes = bytes.subspan(into.size());
    for (Element& value : values) {
      value = field_->reduced(value);
    }
  }
}

/// The claim of the row that the weights make of all.
auto PrimeCheck::folded(Pairs& pairs, const std::vector<uint64_t>& weights) const -> SharedElement {
  SharedElement sums{};
  for (size_t part = 0; part < 2; ++part) {
    std::vector<Element>& values = pairs.values[part];
    Element first = pairs.claimed[part];
    for (size_t a = 1; a < pairs.rows; ++a) {
      first =
          field_->subtract(first, field_->times(pairs.row_weights[a], values[pair_index(a, a)]));
    }
    values[0] = first;
    for (size_t c = 0; c < pairs.rows; ++c) {
      Element row = 0;
      for (size_t a = 0; a <= c; ++a) {
        Element& value = values[pair_index(a, c)];
        if (a != c) {
          value = field_->subtract(value, values[pair_index(a, a)]);
          value = field_->subtract(value, values[pair_index(c, c)]);
        }
        row = field_->add(row, field_->times(weights[a], value));
      }
      sums[part] = field_->add(sums[part], field_->times(weights[c], row));
    }
  }
  return sums;
}

void PrimeCheck::fold_claims(secure_random::AesCtr& coins) {
  size_t next = 0;
  for_each_claims([&](auto& claims) {
    if (claims.rows() == 1) {
      return;
    }
    const std::vector<uint64_t> weights = drawn(coins, claims.rows());
    const SharedElement sum = folded(pairs_[next++], weights);
    for (size_t part = 0; part < 2; ++part) {
      w_[part] = field_->add(w_[part], sum[part]);
    }
    append_terms(claims, weights);
  });
  stage_ = Stage::Terms;
}

void PrimeCheck::fold_terms(secure_random::AesCtr& coins) {
  std::vector<uint64_t> weights = drawn(coins, term_rows_);
  weights[0] = field_->one();
  if (is_last_) {
    // So that what is opened is masked: nothing but zero is no unit.
    weights.back() = std::max<uint64_t>(weights.back(), 1);
  }
  w_ = folded(pairs_[0], weights);
  const size_t columns = terms_[0].size() / term_rows_;
  for (SecureVector<Element>& elements : terms_) {
    combine_elements(*field_, elements.data(), columns, term_rows_, weights.data(), columns,
                     elements.data());
    elements.resize(columns);
  }
  stage_ = is_last_ ? Stage::Done : Stage::Terms;
}

void PrimeCheck::fold(const Coin& coin) {
  secure_random::AesCtr coins = stream_of_coin(coin);
  awaits_ = false;
  switch (stage_) {
    case Stage::Carries:
      start_folding(coins);
      break;
    case Stage::Claims:
      fold_claims(coins);
      break;
    case Stage::Terms:
      fold_terms(coins);
      break;
    case Stage::Done:
      break;
  }
  pairs_.clear();
}

auto PrimeCheck::opening(size_t part) const -> std::array<Element, 3> {
  const Element v0 = terms_[2][0];
  return {terms_[part][0], part == 0 ? v0 : field_->subtract(terms_[3][0], v0), w_[part]};
}

auto PrimeCheck::holds(const std::array<Element, 3>& sums) const -> bool {
  return field_->reduced(Word128{sums[0]} * sums[1]) == sums[2];
}

auto PrimeCheck::log_error(size_t n_folds) -> double {
  const double bits = std::exp2(-static_cast<double>(kCarrySums));
  const double prime = 6 * std::exp2(-44.8);
  // Weights of rows and sums, and a quadratic form in each fold; the last weight of all is 1 twice
  // as often as others.
  const double weights = 3.0 + 2.0 * static_cast<double>(n_folds);
  return std::log2(bits + prime + weights * std::exp2(-50));
}

template void PrimeCheck::add_dots<uint32_t>(PartsOf<uint32_t>, PartsOf<uint32_t>,
                                             PartsOf<uint32_t>, const ClaimOrigin*, size_t, size_t);
template void PrimeCheck::add_dots<uint64_t>(PartsOf<uint64_t>, PartsOf<uint64_t>,
                                             PartsOf<uint64_t>, const ClaimOrigin*, size_t, size_t);

}  // namespace tacet::mpc
