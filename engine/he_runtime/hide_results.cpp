#include "engine/he_runtime/hide_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/wipe.h"
#include "engine/he/hiding.h"
#include "engine/he/noise.h"
#include "engine/he_runtime/statistics.h"
#include "engine/program/common/element_type.h"
#include "engine/ring/modulus.h"
#include "engine/secure_random/samplers.h"

namespace tacet::engine {
namespace {

constexpr uint32_t kNotRead = 0xffffffff;

/// Which slots of results are read together: members of `ResultMasks`.
struct ReadSlots {
  std::vector<std::vector<uint32_t>> sum_of;
  std::vector<uint32_t> sizes;
};

/// The slots of results that are read, by the sums that they are read for. An error if two elements
/// share some slots and not all: no mask leaves both sums as they are and nothing else.
auto find_read_slots(const HeProgram& program) -> Result<ReadSlots> {
  const std::vector<HeElement> elements = output_elements(program);
  std::map<HeElement, size_t> places;
  for (size_t i = 0; i < elements.size(); ++i) {
    places.emplace(elements[i], i);
  }
  ReadSlots read;
  read.sum_of.assign(elements.size(), std::vector<uint32_t>(program.n_slots(), kNotRead));
  std::map<std::vector<std::pair<size_t, size_t>>, uint32_t> sums;
  for (const HeOutput& output : program.outputs) {
    std::vector<std::vector<std::pair<size_t, size_t>>> slots(n_elements(output.extents));
    for_each_number(program, output, [&](const HeOutputNumber& number) {
      slots[number.target].emplace_back(places.at({.reg = output.source.reg, .at = number.at}),
                                        number.slot);
    });
    for (std::vector<std::pair<size_t, size_t>>& summed : slots) {
      std::sort(summed.begin(), summed.end());
      bool is_hidden = std::adjacent_find(summed.begin(), summed.end()) == summed.end();
      const auto sum = static_cast<uint32_t>(sums.size());
      const auto [known, is_new] = sums.emplace(std::move(summed), sum);
      if (is_new) {
        read.sizes.push_back(static_cast<uint32_t>(known->first.size()));
        for (const auto& [result, slot] : known->first) {
          is_hidden = is_hidden && read.sum_of[result][slot] == kNotRead;
          read.sum_of[result][slot] = sum;
        }
      }
      if (!is_hidden) {
        return Error{fmt::format(
            "the elements of output `{}` are sums that share slots, so they cannot hide what "
            "else the slots show; `--sums server` adds them up under encryption",
            output.name)};
      }
    }
  }
  return read;
}

/// Whether the number may be one that the type does not have. 64 bits hold every result.
auto may_wrap(const HeField& result) -> bool {
  ElementType type;
  return find_element_type(result.type, type) && is_integer(type.kind) &&
         bit_width(type.kind) != 64 &&
         (result.low < min_integer(type.kind) ||
          result.high > static_cast<int64_t>(max_integer(type.kind)));
}

}  // namespace

/// Makes masks, result by result.
class MaskDrawing {
 public:
  MaskDrawing(const ResultMasks& masks, he::SecureRandom& random)
      : masks_(masks), random_(random), n_left_(masks.sizes_), totals_(masks.sizes_.size()) {}

  [[nodiscard]] auto n_results() const -> size_t { return masks_.sum_of_.size(); }

  /// The mask of the next result: uniform numbers modulo t in slots that are not read, zero in
  /// those that are, each for itself; and where the sum of several is read, uniform numbers whose
  /// sum is zero.
  auto next() -> Result<he::Plaintext> {
    const he::Context& context = *masks_.context_;
    const ring::Modulus& t = context.plain_modulus();
    SecureVector<uint64_t> residues(context.n());
    secure_random::sample_uniform(random_, t.value, residues, context.isa());
    const std::vector<uint32_t>& sum_of = masks_.sum_of_[n_made_++];
    SecureVector<int64_t> slots(context.n());
    for (size_t i = 0; i < slots.size(); ++i) {
      const uint32_t sum = sum_of[i];
      const bool is_last = sum != kNotRead && --n_left_[sum] == 0;
      // No division: how long one takes may depend on the mask.
      const uint64_t residue = is_last ? ring::negate(totals_[sum], t) : residues[i];
      slots[i] = static_cast<int64_t>(residue);
      if (sum != kNotRead) {
        totals_[sum] = ring::add(totals_[sum], residue, t);
      }
    }
    return masks_.encoder_.encode(slots);
  }

 private:
  const ResultMasks& masks_;
  he::SecureRandom& random_;
  std::vector<uint32_t> n_left_;   ///< by sum: its slots that have no number yet
  SecureVector<uint64_t> totals_;  ///< by sum: of the numbers that its slots have, modulo t
  size_t n_made_ = 0;
};

auto ResultMasks::make(const HeProgram& program, const he::Context& context)
    -> Result<ResultMasks> {
  Result<ReadSlots> read = find_read_slots(program);
  if (!read) {
    return read.error();
  }
  ResultMasks masks(context);
  masks.sum_of_ = std::move(read->sum_of);
  masks.sizes_ = std::move(read->sizes);
  return masks;
}

auto ResultMasks::draw(he::SecureRandom& random) const -> Result<std::vector<he::Plaintext>> {
  MaskDrawing drawing(*this, random);
  std::vector<he::Plaintext> made;
  for (size_t i = 0; i < drawing.n_results(); ++i) {
    Result<he::Plaintext> mask = drawing.next();
    if (!mask) {
      return mask.error();
    }
    made.push_back(std::move(*mask));
  }
  return made;
}

auto check_hiding(const HeBundle& bundle) -> Status {
  if (has_joint_key(bundle)) {
    for (const HeBundlePart& part : bundle.parts) {
      if (Result<ReadSlots> read = find_read_slots(part.program); !read) {
        return read.error();
      }
    }
  }
  if (!hides_server_inputs(bundle) && !has_joint_key(bundle)) {
    return std::monostate{};
  }
  if (bundle.scheme == he::Scheme::Ckks) {
    return Error{
        fmt::format("`{}` uses fixed-point inputs of the server, which CKKS cannot hide from the "
                    "client: the noise required would drown the results; use integers, `--device "
                    "mpc`, or `--unhidden` to reveal them",
                    bundle.name)};
  }
  for (const HeField& result : bundle.results) {
    if (may_wrap(result) && has_joint_key(bundle)) {
      return Error{fmt::format(
          "result `{}` of `{}` is in {}..={} before it wraps to `{}`, so decryption would show the "
          "holders of the key more than the result; use a wider result type, or bound the "
          "parameters",
          result.name, bundle.name, result.low, result.high, result.type)};
    }
    if (may_wrap(result)) {
      return Error{
          fmt::format("result `{}` of `{}` is in {}..={} before it wraps to `{}`, so decryption "
                      "would reveal more of the server's inputs to the client; use a wider result "
                      "type, bound the parameters, or pass `--unhidden`",
                      result.name, bundle.name, result.low, result.high, result.type)};
    }
  }
  return std::monostate{};
}

auto hide_results(const ResultMasks& masks, const he::Context& context,
                  std::vector<he::Ciphertext> results, const he::PublicKey& key,
                  he::SecureRandom& random, HidingCosts& costs)
    -> Result<std::vector<he::Ciphertext>> {
  const HeTimer timer(costs.seconds);
  MaskDrawing drawing(masks, random);
  if (results.size() != drawing.n_results()) {
    return Error{fmt::format("the program returns {} ciphertexts, but got {}", drawing.n_results(),
                             results.size())};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const double bits = context.bounds().hiding_bits(results[i].metadata.bound, results.size());
    if (!(bits < context.noise().modulus_bits(results[i].n_primes()))) {
      return Error{fmt::format(
          "the modulus is too small for the noise that hides the server's inputs in result {}", i)};
    }
    costs.distance_bits = std::min(costs.distance_bits, he::kHidingBits);
    const double budget = he::estimated_budget(context, results[i]);
    Result<he::Plaintext> mask = drawing.next();
    if (!mask) {
      return mask.error();
    }
    Result<he::Ciphertext> result =
        he::hide(context, key, std::move(results[i]), *mask, static_cast<unsigned>(bits), random);
    if (!result) {
      return result.error();
    }
    costs.budget_bits =
        std::max(costs.budget_bits, budget - he::estimated_budget(context, *result));
    if (context.parameters().n_key_holders() == 1) {  // several flood what is left
      result = he::without_spare_primes(context, std::move(*result));
    }
    if (!result) {
      return result.error();
    }
    results[i] = std::move(*result);
  }
  costs.n_ciphertexts += results.size();
  return results;
}

}  // namespace tacet::engine
