// The portable kernels: one word at a time.

#include "engine/ring/kernels.h"
#include "engine/ring/ntt_passes.h"

namespace tacet::ring {
namespace {

/// Values grow by 2q a stage in the forward transform, which 17 stages of 50 bits bear; in the
/// inverse transform they are below 4q between passes, and below 16q within.
class ScalarArithmetic {
 public:
  static constexpr size_t kLanes = 1;
  static constexpr size_t kTailWords = 4;
  static constexpr unsigned kMaxStages = 2;
  static constexpr unsigned kLazyStages = 17;
  static constexpr auto width(unsigned stages) -> size_t { return stages == 2 ? 1 : 2; }
  static constexpr auto n_large(unsigned /*stages*/) -> size_t { return 1; }
  using Vector = uint64_t;
  using Root = Factor;

  explicit ScalarArithmetic(const NttTables& tables)
      : tables_(&tables),
        q_(tables.modulus.value),
        two_q_(2 * q_),
        ratio_(tables.modulus.ratio_high) {}

  auto load(const uint64_t* p) const -> uint64_t { return *p; }
  void store(uint64_t* p, uint64_t v) const { *p = v; }
  auto enter(const uint64_t* p) const -> uint64_t { return *p; }
  /// Below 2q, for any word.
  auto tame(uint64_t v) const -> uint64_t { return v - multiply_high(v, ratio_) * q_; }

  auto forward_root(size_t node) const -> Root {
    return {tables_->forward.roots[node], tables_->forward.quotients[node]};
  }
  auto inverse_root(size_t node) const -> Root {
    return {tables_->inverse.roots[node], tables_->inverse.quotients[node]};
  }

  template <size_t kPairs>
  TACET_RING_INLINE void forward(uint64_t* const (&u)[kPairs], uint64_t* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const uint64_t product = multiply_lazily(*v[i], *roots[i], q_);
      *v[i] = *u[i] + two_q_ - product;
      *u[i] = *u[i] + product;
    }
  }
  template <size_t kPairs>
  TACET_RING_INLINE void inverse(uint64_t* const (&u)[kPairs], uint64_t* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const uint64_t difference = *u[i] + 8 * two_q_ - *v[i];
      *u[i] = *u[i] + *v[i];
      *v[i] = multiply_lazily(difference, *roots[i], q_);
    }
  }

  auto scale(uint64_t v) const -> uint64_t {
    return multiply_lazily(v, {tables_->scale, tables_->scale_quotient}, q_);
  }
  void leave(uint64_t* p, uint64_t v) const { *p = subtract_if_above(v, q_); }

  void forward_tails(uint64_t* x, size_t n_blocks, size_t node, Tame /*tame*/) const {
    const ScalarArithmetic a = *this;  // which no store can change
    for (size_t i = 0; i < n_blocks; ++i, x += kTailWords) {
      uint64_t v[1][4] = {{x[0], x[1], x[2], x[3]}};
      const RootsBelow roots[] = {{&a.tables_->forward, node + i}};
      forward_stages<2>(a, v, roots);
      TACET_RING_UNROLL
      for (size_t k = 0; k < 4; ++k) {
        a.leave(x + k, a.tame(v[0][k]));
      }
    }
  }
  void inverse_tails(uint64_t* x, size_t n_blocks, size_t node) const {
    const ScalarArithmetic a = *this;
    for (size_t i = 0; i < n_blocks; ++i, x += kTailWords) {
      uint64_t v[1][4] = {{x[0], x[1], x[2], x[3]}};
      const RootsBelow roots[] = {{&a.tables_->inverse, node + i}};
      inverse_stages<2>(a, v, roots);
      TACET_RING_UNROLL
      for (size_t k = 0; k < 4; ++k) {
        x[k] = v[0][k];
      }
    }
  }

 private:
  /// The roots of a node and of the two below it.
  struct RootsBelow {
    TACET_RING_INLINE auto operator[](size_t below) const -> Root {
      const size_t i = node_below(node, below);
      return {table->roots[i], table->quotients[i]};
    }
    const RootTable* table;
    size_t node;
  };

  const NttTables* tables_;
  uint64_t q_;
  uint64_t two_q_;
  uint64_t ratio_;  ///< floor(2^64 / q)
};

void forward_ntt(uint64_t* x, const NttTables& tables) {
  NttPasses<ScalarArithmetic>(tables).forward(x);
}

void inverse_ntt(uint64_t* x, const NttTables& tables) {
  NttPasses<ScalarArithmetic>(tables).inverse(x);
}

void add_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n, const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = add(a[i], b[i], q);
  }
}

void subtract_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = subtract(a[i], b[i], q);
  }
}

void negate_row(uint64_t* out, const uint64_t* a, size_t n, const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = negate(a[i], q);
  }
}

void multiply_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = multiply(a[i], b[i], q);
  }
}

void multiply_add(uint64_t* out, const uint64_t* a, const uint64_t* b, const uint64_t* c, size_t n,
                  const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = reduce_products(static_cast<Uint128>(a[i]) * b[i] + c[i], q);
  }
}

void multiply_constant(uint64_t* out, const uint64_t* a, uint64_t c, size_t n, const Modulus& q) {
  const Factor f = factor(c, q);
  for (size_t i = 0; i < n; ++i) {
    out[i] = multiply(a[i], f, q);
  }
}

void subtract_multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c, size_t n,
                       const Modulus& q) {
  const Factor f = factor(c, q);
  for (size_t i = 0; i < n; ++i) {
    out[i] = multiply(a[i] + q.value - b[i], f, q);
  }
}

void tensor(uint64_t* const* out, const uint64_t* const* a, const uint64_t* const* b, size_t n,
            const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    const uint64_t a0 = a[0][i], a1 = a[1][i], b0 = b[0][i], b1 = b[1][i];
    out[0][i] = multiply(a0, b0, q);
    out[1][i] = reduce_products(static_cast<Uint128>(a0) * b1 + static_cast<Uint128>(a1) * b0, q);
    out[2][i] = multiply(a1, b1, q);
  }
}

void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants, size_t n_terms,
             size_t n, const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    Uint128 sum = 0;
    for (size_t k = 0; k < n_terms; ++k) {
      sum += static_cast<Uint128>(terms[k][i]) * constants[k];
    }
    out[i] = reduce_products(sum, q);
  }
}

void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                    const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms, size_t n,
                    const Modulus& q) {
  for (size_t i = 0; i < n; ++i) {
    Uint128 sum0 = 0;
    Uint128 sum1 = 0;
    for (size_t k = 0; k < n_terms; ++k) {
      sum0 += static_cast<Uint128>(a[k][i]) * b0[k][i];
      sum1 += static_cast<Uint128>(a[k][i]) * b1[k][i];
    }
    out0[i] = reduce_products(sum0, q);
    out1[i] = reduce_products(sum1, q);
  }
}

void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                    const Modulus& q) {
  if (p.value / 2 < q.value) {
    for (size_t i = 0; i < n; ++i) {
      out[i] = a[i] + ((q.value - p.value) & (uint64_t{0} - ((p.value / 2 - a[i]) >> 63)));
    }
    return;
  }
  // An odd or even p's half, rounded down, is the last that stays positive; p is added in
  // multiples of q so that the word to reduce is not negative.
  const uint64_t multiple = (p.value / q.value + 1) * q.value;
  for (size_t i = 0; i < n; ++i) {
    out[i] = reduce(static_cast<uint64_t>(centred(a[i], p)) + multiple, q);
  }
}

void round_sum(uint64_t* out, const uint64_t* const* a, const double* inverses, size_t n_terms,
               size_t n) {
  constexpr double kRounding = 0x1.8p52;  // its last bit is worth one
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t k = 0; k < n_terms; ++k) {
      sum += static_cast<double>(static_cast<int64_t>(a[k][i])) * inverses[k];
    }
    out[i] = static_cast<uint64_t>(static_cast<int64_t>((sum + kRounding) - kRounding));
  }
}

constexpr Kernels kKernels = {
    .isa = Isa::Scalar,
    .forward_ntt = forward_ntt,
    .inverse_ntt = inverse_ntt,
    .add = add_rows,
    .subtract = subtract_rows,
    .negate = negate_row,
    .multiply = multiply_rows,
    .multiply_add = multiply_add,
    .multiply_constant = multiply_constant,
    .subtract_multiply = subtract_multiply,
    .tensor = tensor,
    .combine = combine,
    .inner_products = inner_products,
    .change_modulus = change_modulus,
    .round_sum = round_sum,
    .permute = permute_words,
};

}  // namespace

auto scalar_kernels() -> const Kernels& {
  return kKernels;
}

auto scalar_root(uint64_t root, const Modulus& q) -> RootWords {
  const Factor f = factor(root, q);
  return {f.value, f.quotient};
}

}  // namespace tacet::ring
