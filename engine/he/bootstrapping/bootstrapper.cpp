#include "engine/he/bootstrapping/bootstrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/he/bootstrapping/sine.h"
#include "engine/he/checks.h"
#include "engine/he/noise.h"
#include "engine/he/parameter_codec.h"
#include "engine/he/sampling.h"

namespace tacet::he {

auto encapsulation_context(const Context& context) -> Result<ContextRef> {
  if (context.scheme() != Scheme::Ckks || context.n_special() == 0) {
    return Error{"bootstrapping requires parameters for CKKS with special primes"};
  }
  const Parameters& parameters = context.parameters();
  Result<Parameters> made =
      ParameterCodec::validated({.scheme = Scheme::Ckks,
                                 .ring_dimension = context.n(),
                                 .data_primes = {parameters.data_primes().front()},
                                 .special_primes = {parameters.special_primes().front()}});
  return made ? Result<ContextRef>(Context::make(
                    std::move(*made), {.isa = context.isa(), .n_threads = context.n_threads()}))
              : made.error();
}

auto check_bootstrapping(const Context& context, const BootstrappingShape& shape,
                         size_t n_result_primes) -> Status {
  const size_t n_stages = static_cast<size_t>(std::log2(static_cast<double>(context.n() / 2)));
  if (context.scheme() != Scheme::Ckks || context.n_special() == 0) {
    return Error{"bootstrapping requires parameters for CKKS with special primes"};
  }
  for (const size_t n_factors : {shape.n_to_coefficients, shape.n_to_slots}) {
    if (n_factors == 0 || n_factors > n_stages) {
      return Error{fmt::format("a transform of {} slots has 1 to {} factors, not {}",
                               context.n() / 2, n_stages, n_factors)};
    }
  }
  if (n_result_primes < shape.n_operand_primes() ||
      context.n_data() != n_result_primes + shape.n_own_primes()) {
    return Error{fmt::format(
        "bootstrapping to {} primes requires parameters with {} data primes, but there are {}; "
        "results must have at least {}",
        n_result_primes, n_result_primes + shape.n_own_primes(), context.n_data(),
        shape.n_operand_primes())};
  }
  const double bits =
      std::log2(context.modulus(0).as_double * context.modulus(context.special(0)).as_double);
  if (context.parameters().security() && (*context.parameters().security() != Security::Bits128 ||
                                          bits > max_encapsulation_bits(context.n()))) {
    return Error{fmt::format(
        "bootstrapping is secure only with 128 bits of security, in rings of dimension 32768 or "
        "more, and if the first data prime and the first special prime have at most {} bits "
        "together; they have {:.1f}",
        max_encapsulation_bits(context.n()), bits)};
  }
  return std::monostate{};
}

auto bootstrapping_rotations(const Context& context, const BootstrappingShape& shape)
    -> std::vector<RotationKeyRequest> {
  const size_t n_slots = context.n() / 2;
  std::vector<RotationKeyRequest> requests;
  const auto append = [&](const std::vector<std::vector<size_t>>& factors, size_t n_primes) {
    for (size_t i = 0; i < factors.size(); ++i) {
      for (const uint64_t element : transform_elements(context, factors[i])) {
        requests.push_back({.galois_element = element, .n_primes = n_primes - i});
      }
    }
  };
  append(diagonals_to_slots(n_slots, shape.n_to_coefficients), shape.n_operand_primes());
  append(diagonals_to_coefficients(n_slots, shape.n_to_slots), context.n_data());
  requests.push_back({.galois_element = galois_element_of_swap(context),
                      .n_primes = bootstrapping_relinearisation_primes(context, shape)});
  return requests;
}

auto bootstrapping_relinearisation_primes(const Context& context, const BootstrappingShape& shape)
    -> size_t {
  return context.n_data() - shape.n_to_slots;
}

auto generate_bootstrapping_keys(const Context& context, const SecretKey& secret,
                                 SecureRandom& random) -> Result<BootstrappingKeys> {
  if (Status status = check_parameters(context, secret.parameters, "secret key"); !status) {
    return status.error();
  }
  const Result<ContextRef> small = encapsulation_context(context);
  if (!small) {
    return small.error();
  }
  const Context& encapsulation = *small.value();
  const SmallPolynomial sparse = SmallPolynomial::sparse(context, kEncapsulationWeight, random);
  const size_t n_rows = context.n_data() + context.n_special();
  Rows sparse_rows = context.rows(n_rows, Wipe::Yes);
  context.for_each(n_rows, [&](size_t i) {
    sparse.residues(context, i, sparse_rows.row(i));
    context.transform(sparse_rows.row(i), i);
  });
  Rows small_secret = encapsulation.rows(2, Wipe::Yes);
  Rows small_sparse = encapsulation.rows(2, Wipe::Yes);
  for (size_t i = 0; i < 2; ++i) {
    const size_t row = i == 0 ? 0 : context.special(0);
    std::copy_n(secret.rows.row(row), context.n(), small_secret.row(i));
    std::copy_n(sparse_rows.row(row), context.n(), small_sparse.row(i));
  }
  return BootstrappingKeys{
      .to_sparse = generate_switch_key(encapsulation, small_secret, small_sparse, 1, random),
      .to_dense = generate_switch_key(context, sparse_rows, secret.rows, context.n_data(), random),
      .key_id = secret.id,
      .parameters = context.parameters().digest()};
}

auto Bootstrapper::make(const Context& context, const Options& options) -> Result<Bootstrapper> {
  if (Status status = check_bootstrapping(context, options.shape, options.n_result_primes);
      !status) {
    return status.error();
  }
  Bootstrapper result;
  result.context_ = &context;
  result.options_ = options;
  Result<ContextRef> encapsulation = encapsulation_context(context);
  if (!encapsulation) {
    return encapsulation.error();
  }
  result.encapsulation_ = std::move(*encapsulation);
  const size_t n_slots = context.n() / 2;
  const auto prime = [&](size_t i) { return context.modulus(i).as_double; };
  const auto add = [&](const DiagonalMatrix& matrix, size_t n_primes, double scale,
                       const auto& store) -> Status {
    Result<LinearTransform> made = LinearTransform::make(context, matrix, n_primes, scale);
    if (!made) {
      return made.error();
    }
    store(std::move(*made));
    return std::monostate{};
  };

  const size_t n_first = options.shape.n_to_coefficients;
  const std::vector<DiagonalMatrix> first = slots_of_coefficients(n_slots, n_first);
  for (size_t i = 0; i + 1 < n_first; ++i) {
    const size_t n_primes = n_first + 1 - i;
    const Status status = add(first[i], n_primes, prime(n_primes - 1), [&](LinearTransform made) {
      result.to_coefficients_.push_back(std::move(made));
    });
    if (!status) {
      return status.error();
    }
  }
  for (const double bound : options.bounds) {
    const int step = step_of_bound(bound);
    if (result.last_to_coefficients_.count(step) != 0) {
      continue;
    }
    const double scale = std::exp2(kMessagePart) * prime(0) / bound_of_step(step);
    const Status status = add(
        first.back(), 2, scale * prime(1) / options.operand_scale,
        [&](LinearTransform made) { result.last_to_coefficients_.emplace(step, std::move(made)); });
    if (!status) {
      return status.error();
    }
  }

  // From numbers up to the first prime times `kSineRange`, of which the conjugate is added.
  const size_t n_second = options.shape.n_to_slots;
  const std::vector<DiagonalMatrix> second = coefficients_of_slots(n_slots, n_second);
  const size_t n_data = context.n_data();
  const double part = std::pow(prime(n_data - n_second - 1) / (2 * kSineRange * prime(0)),
                               1 / static_cast<double>(n_second));
  for (size_t i = 0; i < n_second; ++i) {
    const size_t n_primes = n_data - i;
    const Status status =
        add(second[i], n_primes, part * prime(n_primes - 1),
            [&](LinearTransform made) { result.to_slots_.push_back(std::move(made)); });
    if (!status) {
      return status.error();
    }
  }
  return result;
}

auto Bootstrapper::to_coefficients(Ciphertext a, int bound_step,
                                   const RotationKeys& rotations) const -> Result<Ciphertext> {
  const size_t n_primes = options_.shape.n_operand_primes();
  constexpr double kTolerance = 0x1p-20;
  Result<Ciphertext> value =
      std::abs(a.metadata.scale - options_.operand_scale) <= kTolerance * options_.operand_scale
          ? truncate_to(*context_, std::move(a), n_primes)
          : rescale_to(*context_, std::move(a), n_primes, options_.operand_scale);
  for (const LinearTransform& factor : to_coefficients_) {
    if (value) {
      value = factor.apply(*context_, std::move(*value), rotations);
    }
  }
  const auto last = last_to_coefficients_.find(bound_step);
  if (last == last_to_coefficients_.end()) {
    return Error{fmt::format("bootstrapping was not prepared for numbers up to {:.4g}",
                             bound_of_step(bound_step))};
  }
  return value ? last->second.apply(*context_, std::move(*value), rotations) : std::move(value);
}

/// Modulo all data primes, under the secret that it had: what it stands for is more by a small
/// multiple of the first prime.
auto Bootstrapper::raised(const Ciphertext& a, const BootstrappingKeys& keys) const -> Ciphertext {
  const Context& context = *context_;
  const Ciphertext sparse = switch_secret(*encapsulation_, a, keys.to_sparse);
  Ciphertext result{.parts = {}, .metadata = a.metadata};
  for (const Rows& part : sparse.parts) {
    Rows small = context.rows(1);
    std::copy_n(part.row(0), context.n(), small.row(0));
    context.transform_back(small.row(0), 0);
    Rows& large = result.parts.emplace_back(context.rows(context.n_data()));
    context.for_each(context.n_data(), [&](size_t i) {
      context.kernels().change_modulus(large.row(i), small.row(0), context.n(), context.modulus(0),
                                       context.modulus(i));
      context.transform(large.row(i), i);
    });
  }
  return switch_secret(context, result, keys.to_dense);
}

auto Bootstrapper::bootstrap(Ciphertext a, double bound, const BootstrappingKeys& keys,
                             const RelinearisationKey& relinearisation,
                             const RotationKeys& rotations) const -> Result<Ciphertext> {
  const Context& context = *context_;
  for (const Status& status :
       {check_key(context, keys.parameters, keys.key_id, a, "bootstrapping key"),
        check_key(context, relinearisation.parameters, relinearisation.key_id, a,
                  "relinearisation key"),
        check_key(context, rotations.parameters, rotations.key_id, a, "rotation key")}) {
    if (!status) {
      return status.error();
    }
  }
  if (a.degree() != 1 || a.n_primes() < options_.shape.n_operand_primes()) {
    return Error{fmt::format(
        "bootstrapping requires a ciphertext of degree 1 with at least {} primes; this one has "
        "degree {} and {} primes",
        options_.shape.n_operand_primes(), a.degree(), a.n_primes())};
  }
  const int step = step_of_bound(bound);
  const double error_before = estimated_error(context, a);
  Result<Ciphertext> value = to_coefficients(std::move(a), step, rotations);
  if (!value) {
    return value;
  }
  const double part = value->metadata.scale / context.modulus(0).as_double;
  value = raised(*value, keys);
  value->metadata.scale = 2 * kSineRange * context.modulus(0).as_double;
  for (const LinearTransform& factor : to_slots_) {
    value = factor.apply(context, std::move(*value), rotations);
    if (!value) {
      return value;
    }
  }
  // Twice the real parts, which are the coefficients that slots became.
  const Result<Ciphertext> conjugate = swap_rows(context, *value, rotations);
  if (!conjugate) {
    return conjugate.error();
  }
  value = add(context, std::move(*value), conjugate.value());
  if (!value) {
    return value;
  }
  const double unit = 2 * std::numbers::pi * part;  // the sine of a 1
  value = sine(context, *value, options_.result_scale / unit, relinearisation);
  if (!value) {
    return value;
  }
  const double error =
      bootstrapping_error(context.noise(), options_.n_result_primes, options_.shape,
                          options_.operand_scale, bound_of_step(step));
  CiphertextMetadata& metadata = value->metadata;
  metadata.scale = options_.result_scale;
  metadata.magnitude = bound;
  metadata.n_noise_factors = 1;
  metadata.noise = context.noise().noise_of(error_before + error, metadata.scale);
  metadata.bound = kUnknownBound;
  return value;
}

}  // namespace tacet::he
