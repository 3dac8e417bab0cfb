#include "engine/he/context.h"

#include "engine/he/thread_pool.h"
#include "engine/ring/primes.h"

namespace tacet::he {

using ring::invert;
using ring::multiply;
using ring::negate;
using ring::product_modulo;

auto Context::make(Parameters parameters, const Options& options)
    -> std::shared_ptr<const Context> {
  return std::shared_ptr<const Context>(new Context(std::move(parameters), options));
}

auto Context::make(Parameters parameters) -> std::shared_ptr<const Context> {
  return make(std::move(parameters), Options{});
}

Context::Context(Parameters parameters, const Options& options)
    : parameters_(std::move(parameters)),
      noise_(noise_model_of(parameters_)),
      bounds_(noise_bounds_of(parameters_)),
      kernels_(&ring::kernels_for(options.isa)),
      pool_(std::make_shared<ring::RowPool>()),
      executor_(make_executor(options.n_threads)),
      n_threads_(std::max(1U, options.n_threads)) {
  std::vector<uint64_t> primes = parameters_.data_primes();
  const auto& special = parameters_.special_primes();
  primes.insert(primes.end(), special.begin(), special.end());
  if (scheme() == Scheme::Bfv) {
    // As many of the largest primes have a product that is not much smaller than Q, which is all
    // that the noise of a product asks for.
    std::vector<uint64_t> taken = primes;
    taken.push_back(parameters_.plain_modulus());
    const std::vector<uint64_t> auxiliary =
        ring::largest_primes(ring::kMaxModulusBits, 2 * n(), n_data(), taken);
    primes.insert(primes.end(), auxiliary.begin(), auxiliary.end());
  }
  for (const uint64_t prime : primes) {
    moduli_.emplace_back(prime);
    tables_.emplace_back(n(), moduli_.back(), isa());
  }
  if (scheme() != Scheme::Ckks) {
    plain_modulus_ = Modulus(parameters_.plain_modulus());
    if (parameters_.has_slots()) {
      plain_tables_ = std::make_unique<ring::NttTables>(n(), plain_modulus_, isa());
    }
  }
  for (size_t n_primes = 1; n_primes <= n_data(); ++n_primes) {
    add_level(n_primes);
  }
  if (n_special() != 0) {
    add_key_switching();
  }
}

void Context::add_level(size_t n_primes) {
  LevelTables& level = levels_.emplace_back();
  const std::span<const Modulus> base = std::span(moduli_).first(n_primes);
  const Modulus& last = base.back();
  const Modulus& t = plain_modulus_;
  for (const Modulus& q : base.first(n_primes - 1)) {
    const uint64_t inverse = invert(last.value % q.value, q);
    level.last_inverse.push_back(inverse);
    if (scheme() == Scheme::Bgv) {
      level.last_inverse_times_minus_t.push_back(
          negate(multiply(inverse, t.value % q.value, q), q));
    }
  }
  if (scheme() == Scheme::Ckks) {
    return;
  }
  const std::span<const Modulus> plain(&plain_modulus_, 1);
  if (scheme() == Scheme::Bgv) {
    level.to_plain = std::make_unique<BaseConversion>(base, plain);
    return;
  }
  // Residues modulo the primes of `moduli` of what `residue` says of each.
  const auto residues = [](std::span<const Modulus> moduli, auto residue) {
    std::vector<uint64_t> result;
    for (const Modulus& q : moduli) {
      result.push_back(residue(q));
    }
    return result;
  };
  const std::span<const Modulus> extension = std::span(moduli_).subspan(auxiliary(0), n_primes);
  const auto product = [](std::span<const Modulus> primes) {
    return [primes](const Modulus& q) { return product_modulo(primes, q); };
  };
  const auto plain_residue = [&](const Modulus& q) { return t.value % q.value; };
  level.modulus_modulo_plain = product_modulo(base, t);
  level.from_plain_residue = negate(invert(level.modulus_modulo_plain, t), t);
  level.to_plain = std::make_unique<BaseConversion>(
      base, plain, BaseConversion::Factors{.before = residues(base, plain_residue), .after = {}});
  level.extend = std::make_unique<BaseConversion>(base, extension);
  level.scale_up = std::make_unique<BaseConversion>(
      base, extension,
      BaseConversion::Factors{.before = residues(base, product(extension)),
                              .after = residues(extension, [&](const Modulus& b) {
                                return negate(invert(product_modulo(base, b), b), b);
                              })});
  level.bring_back = std::make_unique<BaseConversion>(extension, base);
  level.scale_down = std::make_unique<BaseConversion>(
      extension, base,
      BaseConversion::Factors{
          .before = residues(extension, plain_residue),
          .after = residues(base, [&](const Modulus& q) { return invert(plain_residue(q), q); })});
  level.scale_down_factor = residues(base, [&](const Modulus& q) {
    return multiply(plain_residue(q), invert(product_modulo(extension, q), q), q);
  });
}

void Context::add_key_switching() {
  const std::span<const Modulus> data = std::span(moduli_).first(n_data());
  const std::span<const Modulus> special = std::span(moduli_).subspan(n_data(), n_special());
  const std::span<const Modulus> both = std::span(moduli_).first(n_data() + n_special());
  for (size_t start = 0; start < n_data(); start += digit_size()) {
    for (size_t size = 1; size <= digit_size() && start + size <= n_data(); ++size) {
      raise_digits_.push_back(std::make_unique<BaseConversion>(data.subspan(start, size), both));
    }
  }
  BaseConversion::Factors factors;
  if (scheme() == Scheme::Bgv) {
    for (const Modulus& p : special) {
      factors.before.push_back(invert(plain_modulus_.value % p.value, p));
    }
    for (const Modulus& q : data) {
      factors.after.push_back(plain_modulus_.value % q.value);
    }
  }
  lower_special_ = std::make_unique<BaseConversion>(special, data, factors);
  for (const Modulus& q : data) {
    special_product_.push_back(product_modulo(special, q));
    special_inverse_.push_back(invert(special_product_.back(), q));
  }
}

}  // namespace tacet::he
