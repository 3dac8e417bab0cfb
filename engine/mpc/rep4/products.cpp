#include <algorithm>
#include <array>

#include "engine/mpc/rep4/rep4_protocol.h"

namespace tacet::mpc {

namespace {

/// By pair of parts, those of one split beside each other: no party sends to another one twice.
constexpr std::array<JointStep, 6> kSteps{{{.sent = 0, .keyed = 1, .sender = 2, .voucher = 3},
                                           {.sent = 2, .keyed = 3, .sender = 0, .voucher = 1},
                                           {.sent = 1, .keyed = 2, .sender = 3, .voucher = 0},
                                           {.sent = 3, .keyed = 0, .sender = 1, .voucher = 2},
                                           {.sent = 0, .keyed = 2, .sender = 1, .voucher = 3},
                                           {.sent = 1, .keyed = 3, .sender = 2, .voucher = 0}}};

/// A product of arrays of parts, which is linear in both.
template <class Multiply>
auto cross_by(const Party& party, const JointStep& step, const Share& x, const Share& y,
              Multiply multiply) -> RingArray {
  const size_t i = slot_of(party.rank(), step.sent);
  const size_t j = slot_of(party.rank(), step.keyed);
  return add(multiply(x.parts[i], y.parts[j]), multiply(x.parts[j], y.parts[i]));
}

/// The sum of all products of parts: those of equal parts are local, and the others are shared.
template <class Multiply>
auto multiply_by(Party& party, JointMessages& messages, const Share& x, const Share& y,
                 Multiply multiply) -> Task<Share> {
  JointSharing<WordsForm> sharing(party, messages);
  Share squares;
  squares.n_parts = x.n_parts;
  for (size_t slot = 0; slot < x.n_parts; ++slot) {
    squares.parts[slot] = multiply(x.parts[slot], y.parts[slot]);
  }
  const WordsForm form = WordsForm::of(squares.ring(), squares.size());
  const size_t product = sharing.begin(std::move(squares));
  for (const JointStep& step : kSteps) {
    const RingArray cross =
        step.knows(party.rank()) ? cross_by(party, step, x, y, multiply) : RingArray();
    sharing.add(product, step, cross, form);
  }
  std::vector<Share> results = co_await sharing.finish();
  co_return std::move(results[0]);
}

}  // namespace

auto product_steps() -> std::span<const JointStep> {
  return kSteps;
}

auto cross_steps(const Split& split) -> std::vector<JointStep> {
  std::vector<JointStep> steps;
  for (const JointStep& step : kSteps) {
    if (step != split.first && step != split.second) {
      steps.push_back(step);
    }
  }
  return steps;
}

auto Rep4::next_split() -> Split {
  const size_t i = 2 * (n_splits_++ % 3);
  return {.first = kSteps[i], .second = kSteps[i + 1]};
}

auto cross_product(const Party& party, const JointStep& step, const Share& x, const Share& y)
    -> RingArray {
  return cross_by(party, step, x, y,
                  [](const RingArray& a, const RingArray& b) { return multiply(a, b); });
}

auto cross_conjunction(const Party& party, const JointStep& step, const Bits& x, const Bits& y)
    -> BitPlanes {
  const size_t i = slot_of(party.rank(), step.sent);
  const size_t j = slot_of(party.rank(), step.keyed);
  return exclusive_or(mpc::conjunction(x.parts[i], y.parts[j]),
                      mpc::conjunction(x.parts[j], y.parts[i]));
}

namespace {

/// Large arrays are multiplied in pieces that stay in the cache.
constexpr size_t kPieceBytes = size_t{1} << 15;

template <class T>
struct Products {
  static auto square(T x, T y) -> T { return x * y; }
  static auto cross(T x0, T y0, T x1, T y1) -> T { return x0 * y1 + x1 * y0; }
  static auto plus(T x, T y) -> T { return x + y; }
  static auto minus(T x, T y) -> T { return x - y; }
};

struct Conjunctions {
  static auto square(uint64_t x, uint64_t y) -> uint64_t { return x & y; }
  static auto cross(uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1) -> uint64_t {
    return (x0 & y1) ^ (x1 & y0);
  }
  static auto plus(uint64_t x, uint64_t y) -> uint64_t { return x ^ y; }
  static auto minus(uint64_t x, uint64_t y) -> uint64_t { return x ^ y; }
};

/// The words of all parts.
template <class T>
struct Factor {
  std::array<const T*, 3> parts;
};

/// Products of arrays of words as `multiply_by` has them, piece by piece.
template <class T, class Op>
class PiecewiseProduct {
 public:
  PiecewiseProduct(Party& party, JointMessages& messages, Factor<T> x, Factor<T> y,
                   std::array<std::span<T>, 3> z)
      : party_(party), messages_(messages), x_(x), y_(y), z_(z), size_(z[0].size()) {
    for (size_t i = 0; i < kSteps.size(); ++i) {
      if (party.rank() == kSteps[i].voucher || party.rank() == kSteps[i].keyed) {
        noted_[i] = RingArray(Ring::Z64, (size_ * sizeof(T) + 7) / 8, party.memory());
      }
    }
  }

  auto run() -> Task<> {
    send();
    std::vector<Receipt> receipts;
    for (size_t i = 0; i < kSteps.size(); ++i) {
      if (kSteps[i].keyed == party_.rank()) {
        receipts.push_back({.from = kSteps[i].sender, .into = bytes_of(i)});
      }
    }
    co_await party_.receive(std::move(receipts));
    for (size_t i = 0; i < kSteps.size(); ++i) {
      if (noted_[i].size() > 0) {
        messages_.note(kSteps[i].message(), bytes_of(i));
      }
      if (kSteps[i].keyed == party_.rank()) {
        add_to(z_[slot_of(party_.rank(), kSteps[i].sent)], words_of(i));
      }
    }
    co_return kDone;
  }

 private:
  auto bytes_of(size_t step) -> std::span<std::byte> {
    return noted_[step].edit_bytes().first(size_ * sizeof(T));
  }
  auto words_of(size_t step) -> T* {
    return reinterpret_cast<T*>(noted_[step].edit_bytes().data());
  }

  static void add_to(std::span<T> sum, const T* words) {
    T* to = sum.data();
    for (size_t i = 0; i < sum.size(); ++i) {
      to[i] = Op::plus(to[i], words[i]);
    }
  }

  void send() {
    const size_t piece = std::min(size_, kPieceBytes / sizeof(T));
    std::vector<T> mask(piece);
    std::vector<T> rest(piece);
    for (size_t begin = 0; begin < size_; begin += piece) {
      const size_t n = std::min(piece, size_ - begin);
      for (size_t slot = 0; slot < 3; ++slot) {
        square(slot, begin, n);
      }
      for (size_t i = 0; i < kSteps.size(); ++i) {
        if (kSteps[i].keyed != party_.rank()) {
          messages_.key(kSteps[i].keyed).fill(std::as_writable_bytes(std::span(mask.data(), n)));
          share_piece(i, begin, n, mask.data(), rest.data());
        }
      }
    }
  }

  void square(size_t slot, size_t begin, size_t n) {
    const T* x = x_.parts[slot] + begin;
    const T* y = y_.parts[slot] + begin;
    T* z = z_[slot].data() + begin;
    for (size_t i = 0; i < n; ++i) {
      z[i] = Op::square(x[i], y[i]);
    }
  }

  void share_piece(size_t step_index, size_t begin, size_t n, const T* mask, T* rest) {
    const JointStep& step = kSteps[step_index];
    const Rank own = party_.rank();
    const size_t keyed = slot_of(own, step.keyed);
    T* z_keyed = z_[keyed].data() + begin;
    if (!step.knows(own)) {
      return add_to({z_keyed, n}, mask);
    }
    const size_t sent = slot_of(own, step.sent);
    T* z_sent = z_[sent].data() + begin;
    const T* x0 = x_.parts[sent] + begin;
    const T* x1 = x_.parts[keyed] + begin;
    const T* y0 = y_.parts[sent] + begin;
    const T* y1 = y_.parts[keyed] + begin;
    T* out = own == step.voucher ? words_of(step_index) + begin : rest;
    for (size_t i = 0; i < n; ++i) {
      const T masked = Op::minus(Op::cross(x0[i], y0[i], x1[i], y1[i]), mask[i]);
      out[i] = masked;
      z_sent[i] = Op::plus(z_sent[i], masked);
      z_keyed[i] = Op::plus(z_keyed[i], mask[i]);
    }
    if (own == step.sender) {
      party_.send(step.keyed, std::as_bytes(std::span(out, n)));
    }
  }

  Party& party_;
  JointMessages& messages_;
  Factor<T> x_;
  Factor<T> y_;
  std::array<std::span<T>, 3> z_;
  size_t size_;
  std::array<RingArray, kSteps.size()> noted_;  ///< by step, at its voucher and its receiver
};

template <class T>
auto multiply_words(Party& party, JointMessages& messages, Share x, Share y) -> Task<Share> {
  Share z(x.parts[0].like(), x.parts[0].like(), x.parts[0].like());
  const auto factor_of = [](const Share& factor) {
    return Factor<T>{{factor.parts[0].words<T>().data(), factor.parts[1].words<T>().data(),
                      factor.parts[2].words<T>().data()}};
  };
  PiecewiseProduct<T, Products<T>> product(
      party, messages, factor_of(x), factor_of(y),
      {z.parts[0].edit<T>(), z.parts[1].edit<T>(), z.parts[2].edit<T>()});
  co_await product.run();
  co_return z;
}

/// Of planes that fill words.
auto multiply_planes(Party& party, JointMessages& messages, Bits x, Bits y) -> Task<Bits> {
  const BitPlanes empty(x.width(), x.size(), party.memory());
  Bits z(empty, empty, empty);
  const auto factor_of = [](const Bits& factor) {
    return Factor<uint64_t>{{factor.parts[0].words().data(), factor.parts[1].words().data(),
                             factor.parts[2].words().data()}};
  };
  PiecewiseProduct<uint64_t, Conjunctions> product(
      party, messages, factor_of(x), factor_of(y),
      {z.parts[0].edit(), z.parts[1].edit(), z.parts[2].edit()});
  co_await product.run();
  co_return z;
}

}  // namespace

auto Rep4::multiply(Party& party, Share x, Share y) -> Task<Share> {
  const Party::Scope scope = party.scope("mul_ss");
  TACET_CHECK(x.ring() == y.ring() && x.size() == y.size(), "operands of different shapes");
  Task<Share> product = with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    return multiply_words<T>(party, *messages_, x, y);
  });
  co_return co_await std::move(product);
}

auto Rep4::dot(Party& party, Share x, Share y, size_t length) -> Task<Share> {
  const Party::Scope scope = party.scope("dot_ss");
  const auto multiply = [length](const RingArray& a, const RingArray& b) {
    return dot_rows(a, b, length);
  };
  co_return co_await multiply_by(party, *messages_, x, y, multiply);
}

auto Rep4::multiply_matrices(Party& party, Share x, Share y, MatrixShape shape) -> Task<Share> {
  const Party::Scope scope = party.scope("matmul_ss");
  const auto multiply = [shape](const RingArray& a, const RingArray& b) {
    return mpc::multiply_matrices(a, b, shape);
  };
  co_return co_await multiply_by(party, *messages_, x, y, multiply);
}

auto Rep4::conjunction(Party& party, Bits x, Bits y) -> Task<Bits> {
  const Party::Scope scope = party.scope("and_ss");
  TACET_CHECK(x.width() == y.width() && x.size() == y.size(), "bits of different shapes");
  if (x.size() % 64 == 0) {
    co_return co_await multiply_planes(party, *messages_, std::move(x), std::move(y));
  }
  const PlanesForm form{.width = x.width(), .n = x.size()};
  Bits squares;
  squares.n_parts = x.n_parts;
  for (size_t slot = 0; slot < x.n_parts; ++slot) {
    squares.parts[slot] = mpc::conjunction(x.parts[slot], y.parts[slot]);
  }
  JointSharing<PlanesForm> sharing(party, *messages_);
  const size_t product = sharing.begin(std::move(squares));
  for (const JointStep& step : kSteps) {
    const BitPlanes cross =
        step.knows(party.rank()) ? cross_conjunction(party, step, x, y) : BitPlanes();
    sharing.add(product, step, cross, form);
  }
  std::vector<Bits> results = co_await sharing.finish();
  co_return std::move(results[0]);
}

}  // namespace tacet::mpc
