#pragma once

#include <memory>
#include <vector>

#include "base/cpu.h"
#include "base/executor.h"
#include "engine/he/parameters.h"
#include "engine/he_model/noise_bounds.h"
#include "engine/he_model/noise_model.h"
#include "engine/ring/base_conversion.h"
#include "engine/ring/kernels.h"
#include "engine/ring/row_pool.h"

namespace tacet::he {

using ring::BaseConversion;
using ring::Rows;
using ring::Wipe;

/// What is precomputed for ciphertexts modulo the first m data primes; Q is their product.
struct LevelTables {
  /// (Q's last prime)^-1 modulo each other one; for BGV also that times -t.
  std::vector<uint64_t> last_inverse, last_inverse_times_minus_t;
  /// To t: for BGV x, for BFV t x.
  std::unique_ptr<BaseConversion> to_plain;
  /// What x modulo t is multiplied by for the message: -Q^-1 for BFV, 1 for BGV.
  uint64_t from_plain_residue = 1;
  /// BFV. Q modulo t, for round(Q m / t) = -[Q m]_t t^-1.
  uint64_t modulus_modulo_plain = 0;
  /// BFV's product; B is a base of m auxiliary primes, P its product:
  std::unique_ptr<BaseConversion> extend;      ///< Q to B: x
  std::unique_ptr<BaseConversion> scale_up;    ///< Q to B: round(P x / Q) = -[P x]_Q Q^-1
  std::unique_ptr<BaseConversion> bring_back;  ///< B to Q: x
  std::unique_ptr<BaseConversion> scale_down;  ///< B to Q: t^-1 [t x]_P
  std::vector<uint64_t> scale_down_factor;     ///< t P^-1 modulo the primes of Q
};

/// Parameters with everything that is computed from them once, the kernels of this processor, the
/// memory and the threads to work with. Immutable but for the pool of memory; any number of threads
/// may use it.
class Context {
 public:
  struct Options {
    Isa isa = best_isa();
    unsigned n_threads = 1;
  };

  static auto make(Parameters parameters, const Options& options) -> std::shared_ptr<const Context>;
  static auto make(Parameters parameters) -> std::shared_ptr<const Context>;

  [[nodiscard]] auto parameters() const -> const Parameters& { return parameters_; }
  [[nodiscard]] auto noise() const -> const NoiseModel& { return noise_; }
  [[nodiscard]] auto bounds() const -> const NoiseBounds& { return bounds_; }
  [[nodiscard]] auto scheme() const -> Scheme { return parameters_.scheme(); }
  [[nodiscard]] auto n() const -> size_t { return parameters_.ring_dimension(); }
  [[nodiscard]] auto n_data() const -> size_t { return parameters_.data_primes().size(); }
  [[nodiscard]] auto n_special() const -> size_t { return parameters_.special_primes().size(); }

  /// Data primes, special primes, and BFV's auxiliary ones, in this order.
  [[nodiscard]] auto modulus(size_t prime) const -> const Modulus& { return moduli_[prime]; }
  [[nodiscard]] auto special(size_t i) const -> size_t { return n_data() + i; }
  [[nodiscard]] auto auxiliary(size_t i) const -> size_t { return n_data() + n_special() + i; }
  /// The prime of row `i` of a polynomial over the first `n_primes` data primes and the special
  /// ones.
  [[nodiscard]] auto prime_of_row(size_t n_primes, size_t i) const -> size_t {
    return i < n_primes ? i : special(i - n_primes);
  }
  /// t; has the value 0 for CKKS.
  [[nodiscard]] auto plain_modulus() const -> const Modulus& { return plain_modulus_; }

  [[nodiscard]] auto level(size_t n_primes) const -> const LevelTables& {
    return levels_[n_primes - 1];
  }

  /// Data primes of a digit of key switching; the last digit may have fewer.
  [[nodiscard]] auto digit_size() const -> size_t { return n_special(); }
  [[nodiscard]] auto n_digits(size_t n_primes) const -> size_t {
    return (n_primes + digit_size() - 1) / digit_size();
  }
  /// From the first `size` primes of a digit to all data and special primes.
  [[nodiscard]] auto raise_digit(size_t digit, size_t size) const -> const BaseConversion& {
    return *raise_digits_[digit * digit_size() + size - 1];
  }
  /// From the special primes to the data primes: x, or t [x t^-1] for BGV.
  [[nodiscard]] auto lower_special() const -> const BaseConversion& { return *lower_special_; }
  /// The product of the special primes modulo a data prime, and its inverse.
  [[nodiscard]] auto special_product(size_t prime) const -> uint64_t {
    return special_product_[prime];
  }
  [[nodiscard]] auto special_inverse(size_t prime) const -> uint64_t {
    return special_inverse_[prime];
  }

  [[nodiscard]] auto kernels() const -> const ring::Kernels& { return *kernels_; }
  [[nodiscard]] auto isa() const -> Isa { return kernels_->isa; }
  [[nodiscard]] auto pool() const -> const std::shared_ptr<ring::RowPool>& { return pool_; }

  [[nodiscard]] auto rows(size_t n_rows, Wipe wipe = Wipe::No) const -> Rows {
    return {pool_, n_rows, n(), wipe};
  }
  void transform(uint64_t* row, size_t prime) const { kernels_->forward_ntt(row, tables_[prime]); }
  void transform_back(uint64_t* row, size_t prime) const {
    kernels_->inverse_ntt(row, tables_[prime]);
  }
  /// Of Z_t, where there are slots for integers.
  [[nodiscard]] auto plain_tables() const -> const ring::NttTables* { return plain_tables_.get(); }

  [[nodiscard]] auto n_threads() const -> unsigned { return n_threads_; }
  /// The context's threads. Work that runs on them may itself use `for_each`.
  [[nodiscard]] auto executor() const -> Executor& { return *executor_; }

  /// Calls `body(0) … body(n - 1)`, on the context's threads.
  template <class Body>
  void for_each(size_t n, const Body& body) const {
    if (n_threads_ == 1 || n == 1) {
      for (size_t i = 0; i < n; ++i) {
        body(i);
      }
    } else {
      executor_->for_each(n, body);
    }
  }

 private:
  Context(Parameters parameters, const Options& options);

  void add_level(size_t n_primes);
  void add_key_switching();

  Parameters parameters_;
  NoiseModel noise_;
  NoiseBounds bounds_;
  std::vector<Modulus> moduli_;
  Modulus plain_modulus_;
  std::vector<ring::NttTables> tables_;
  std::unique_ptr<ring::NttTables> plain_tables_;
  std::vector<LevelTables> levels_;
  std::vector<std::unique_ptr<BaseConversion>> raise_digits_;
  std::unique_ptr<BaseConversion> lower_special_;
  std::vector<uint64_t> special_product_, special_inverse_;
  const ring::Kernels* kernels_;
  std::shared_ptr<ring::RowPool> pool_;
  std::shared_ptr<Executor> executor_;
  unsigned n_threads_;
};

using ContextRef = std::shared_ptr<const Context>;

}  // namespace tacet::he
