#include "engine/mpc_model/product_checks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tacet::mpc_model {

namespace {

/// What one check takes, in words of factors; and what arrays are recorded in, in pieces.
constexpr uint64_t kManyWords = uint64_t{1} << 18;

/// Bytes of the messages of one party, step by step.
using Messages = std::vector<uint64_t>;

constexpr auto n_pairs(uint64_t rows) -> uint64_t {
  return rows * (rows + 1) / 2;
}
constexpr auto rounded_up(uint64_t n, uint64_t parts) -> uint64_t {
  return (n + parts - 1) / parts;
}

/// Claims by the length of their dot products.
using ByLength = std::map<uint64_t, uint64_t>;

/// Of dot products of an algebra: rows, and the columns that are left of them.
struct Rows {
  uint64_t rows = 1;
  uint64_t columns = 0;
};

/// As `ProductCheck`.
class AlgebraCheck {
 public:
  AlgebraCheck(uint64_t element_bytes, uint64_t word_elements, bool are_elements_short)
      : element_bytes_(element_bytes),
        word_elements_(word_elements),
        many_terms_(are_elements_short ? 4096 : 2048),
        term_rows_(are_elements_short ? 16 : 8) {}

  void add_dots(uint64_t n, uint64_t length) { dots_[length] += n; }
  void add_matrices(uint64_t inner) { n_terms_ += inner; }
  [[nodiscard]] auto is_empty() const -> bool { return dots_.empty() && n_terms_ == 0; }
  [[nodiscard]] auto opening_bytes() const -> uint64_t { return 3 * element_bytes_; }

  [[nodiscard]] auto messages() const -> Messages {
    Messages all;
    uint64_t n_terms = n_terms_;
    uint64_t n_values = 0;
    for (const auto& [length, n] : dots_) {
      const Rows shape = arranged(n, length);
      n_terms += shape.columns * word_elements_;
      n_values += shape.rows == 1 ? 0 : n_pairs(shape.rows) - 1;
    }
    if (n_values > 0) {
      all.push_back(n_values * element_bytes_);
    }
    for (bool is_last = false; !is_last;) {
      is_last = n_terms <= term_rows_;
      const uint64_t rows = is_last ? n_terms + 1 : n_terms > many_terms_ ? 2 : term_rows_;
      n_terms = rounded_up(n_terms, rows);
      all.push_back((n_pairs(rows) - 1) * element_bytes_);
    }
    return all;
  }

 private:
  static auto arranged(uint64_t n, uint64_t length) -> Rows {
    const uint64_t n_words = n * length;
    const uint64_t wanted = n_words < 64 ? 1 : n_words < 4096 ? 8 : n_words < 32768 ? 16 : 32;
    if (n >= wanted || length == 1) {
      const uint64_t claims = rounded_up(n, wanted);
      return {.rows = rounded_up(n, claims), .columns = claims * length};
    }
    const uint64_t columns = rounded_up(length, wanted / n);
    return {.rows = n * rounded_up(length, columns), .columns = columns};
  }

  uint64_t element_bytes_;
  uint64_t word_elements_;
  uint64_t many_terms_;
  uint64_t term_rows_;
  ByLength dots_;
  uint64_t n_terms_ = 0;
};

/// As `PrimeCheck`.
class WholeNumberCheck {
 public:
  void add_dots(unsigned ring, uint64_t n, uint64_t length) { dots_[ring][length] += n; }
  [[nodiscard]] auto is_empty() const -> bool { return dots_.empty(); }
  [[nodiscard]] static constexpr auto opening_bytes() -> uint64_t { return 3 * kElement; }

  [[nodiscard]] auto messages() const -> Messages {
    uint64_t n_carry_rows = 0;
    uint64_t n_values = 0;
    uint64_t n_terms = 0;
    for (const auto& [ring, by_length] : dots_) {
      for (const auto& [length, n] : by_length) {
        const bool are_many = n >= 4096;
        const bool has_rows = n * length >= 512;
        n_carry_rows += are_many ? kRows : 1;
        n_values += has_rows ? n_pairs(kRows) - 1 : 0;
        n_terms +=
            are_many ? rounded_up(n, kRows) * length : rounded_up(n * length, has_rows ? kRows : 1);
      }
    }
    Messages all{n_carry_rows * kSums * kWholeNumber};
    if (n_values > 0) {
      all.push_back(n_values * kElement);
    }
    for (bool is_last = false; !is_last;) {
      is_last = n_terms <= kTermRows;
      const uint64_t rows = is_last ? n_terms + 1 : n_terms > 4096 ? 4 : kTermRows;
      n_terms = rounded_up(n_terms, rows);
      all.push_back((n_pairs(rows) - 1) * kElement);
    }
    return all;
  }

 private:
  static constexpr uint64_t kElement = 8;
  static constexpr uint64_t kWholeNumber = 32;
  static constexpr uint64_t kSums = 48;
  static constexpr uint64_t kRows = 8;
  static constexpr uint64_t kTermRows = 16;

  std::map<unsigned, ByLength> dots_;  ///< by the bits of a word
};

/// One run of checks: all algebras share its coins and rounds.
class CheckRun {
 public:
  void add(const Recorded& recorded) {
    switch (recorded.kind) {
      case Recorded::Kind::Dots:
        if (recorded.ring <= 64) {
          whole_numbers_.add_dots(recorded.ring, recorded.n, recorded.length);
        } else {
          of_ring(recorded.ring).add_dots(recorded.n, recorded.length);
        }
        break;
      case Recorded::Kind::MatrixProducts:
        of_ring(recorded.ring).add_matrices(recorded.length);
        break;
      case Recorded::Kind::Conjunctions:
        bits_.add_dots(recorded.n, 1);
        break;
      case Recorded::Kind::Opening:
        break;
    }
  }

  [[nodiscard]] auto cost() const -> Cost {
    constexpr uint64_t kParties = 3;
    constexpr uint64_t kCoin = 32;
    constexpr uint64_t kDigest = 32;
    Messages messages;
    uint64_t opening_bytes = 0;
    const auto take = [&](const auto& check) {
      if (check.is_empty()) {
        return;
      }
      const Messages of_check = check.messages();
      messages.resize(std::max(messages.size(), of_check.size()));
      for (size_t i = 0; i < of_check.size(); ++i) {
        messages[i] += of_check[i];
      }
      opening_bytes += check.opening_bytes();
    };
    for (const auto& [ring, check] : rings_) {
      take(check);
    }
    take(bits_);
    take(whole_numbers_);
    // A byte to both others; a coin before each message, and what confirms it with the message;
    // the last coin is confirmed alone; openings go to both others.
    const uint64_t n_coins = messages.size() + 1;
    const uint64_t bytes = 2 + n_coins * (kCoin + kDigest) + 2 * opening_bytes +
                           std::accumulate(messages.begin(), messages.end(), uint64_t{0});
    return {.rounds = 2 + 2 * n_coins, .bytes = kParties * bytes};
  }

 private:
  static constexpr uint64_t kDegree = 47;

  auto of_ring(unsigned ring) -> AlgebraCheck& {
    return rings_.try_emplace(ring, kDegree * ring / 8, 1, false).first->second;
  }

  std::map<unsigned, AlgebraCheck> rings_;
  AlgebraCheck bits_{8, 64, true};
  WholeNumberCheck whole_numbers_;
};

/// Moves claims from the end until there are enough.
void take_some(std::vector<Recorded>& from, CheckRun& run, uint64_t& n_taken) {
  while (!from.empty() && n_taken < kManyWords) {
    n_taken += from.back().n_words;
    run.add(from.back());
    from.pop_back();
  }
}

}  // namespace

void UncheckedProducts::add(const Recorded& recorded) {
  switch (recorded.kind) {
    case Recorded::Kind::Dots: {
      const uint64_t piece =
          std::max<uint64_t>(1, kManyWords / std::max<uint64_t>(1, recorded.length));
      for (uint64_t begin = 0; begin < recorded.n; begin += piece) {
        Recorded& part = dots_.emplace_back(recorded);
        part.n = std::min(piece, recorded.n - begin);
        part.n_words = part.n * recorded.length;
      }
      break;
    }
    case Recorded::Kind::MatrixProducts:
      matrices_.push_back(recorded);
      break;
    case Recorded::Kind::Conjunctions:
      conjunctions_.push_back(recorded);
      break;
    case Recorded::Kind::Opening:
      return;
  }
  n_words_ += recorded.n_words;
  ++n_recorded_;
}

auto UncheckedProducts::are_many() const -> bool {
  return n_words_ >= kManyWords;
}

auto UncheckedProducts::check() -> Cost {
  Cost cost;
  while (!dots_.empty() || !matrices_.empty() || !conjunctions_.empty()) {
    cost = then(cost, check_some());
  }
  return cost;
}

/// As many as one run takes.
auto UncheckedProducts::check_some() -> Cost {
  CheckRun run;
  uint64_t n_taken = 0;
  take_some(matrices_, run, n_taken);
  take_some(dots_, run, n_taken);
  take_some(conjunctions_, run, n_taken);
  n_words_ -= n_taken;
  return run.cost();
}

}  // namespace tacet::mpc_model
