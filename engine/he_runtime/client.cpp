#include "engine/he_runtime/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/slot_codec.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

/// In bits. Noise that is as good as random leaves less than 2^-8 of one.
constexpr double kLeastBudget = 0.25;

template <class Key>
auto encrypt_with(const HeProgram& program, const he::Context& context, const Key& key,
                  const HeValues& values, he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_fits(program, context); !status) {
    return status.error();
  }
  if (Status status = check_values(program, HeOwner::Client, values); !status) {
    return status.error();
  }
  const SlotCodec codec(context);
  const std::vector<double> scales = scales_of(program, context);
  std::vector<he::Ciphertext> ciphertexts;
  for (const HeRegister& reg : program.registers) {
    if (reg.kind != HeKind::Cipher || reg.gathers.empty()) {
      continue;
    }
    const size_t n_primes = reg.n_primes == 0 ? program.n_primes : reg.n_primes;
    HeCounter counter(reg.dimensions);
    do {
      Result<he::Plaintext> plaintext = [&] {
        const HeTimer timer(statistics.encode_seconds);
        return codec.encode(gather_slots(program, reg, counter.values(), values),
                            scales[n_primes - 1], n_primes, gather_bound(program, reg));
      }();
      if (!plaintext) {
        return plaintext.error();
      }
      const HeTimer timer(statistics.encrypt_seconds);
      Result<he::Ciphertext> ciphertext = he::encrypt(context, key, *plaintext, random, n_primes);
      if (!ciphertext) {
        return ciphertext.error();
      }
      ciphertexts.push_back(std::move(*ciphertext));
    } while (counter.next());
  }
  statistics.n_encrypted += ciphertexts.size();
  return ciphertexts;
}

}  // namespace

auto input_elements(const HeProgram& program) -> std::vector<HeElement> {
  std::vector<HeElement> elements;
  for (uint32_t reg = 0; reg < program.registers.size(); ++reg) {
    const HeRegister& declared = program.registers[reg];
    if (declared.kind == HeKind::Cipher && !declared.gathers.empty()) {
      for (size_t at = 0; at < n_elements(declared.dimensions); ++at) {
        elements.push_back({.reg = reg, .at = at});
      }
    }
  }
  return elements;
}

auto output_elements(const HeProgram& program) -> std::vector<HeElement> {
  std::vector<HeElement> elements;
  std::set<HeElement> known;
  for (const HeOutput& output : program.outputs) {
    for_each_number(program, output, [&](const HeOutputNumber& number) {
      const HeElement element{.reg = output.source.reg, .at = number.at};
      if (known.insert(element).second) {
        elements.push_back(element);
      }
    });
  }
  return elements;
}

auto encrypt_inputs(const HeProgram& program, const he::Context& context, const he::SecretKey& key,
                    const HeValues& values, he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>> {
  return encrypt_with(program, context, key, values, random, statistics);
}

auto encrypt_inputs(const HeProgram& program, const he::Context& context, const he::PublicKey& key,
                    const HeValues& values, he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>> {
  return encrypt_with(program, context, key, values, random, statistics);
}

auto outputs_of_slots(const HeProgram& program, std::vector<HeSlots> slots) -> HeValues {
  const std::vector<HeElement> elements = output_elements(program);
  std::map<HeElement, HeSlots> by_element;
  for (size_t i = 0; i < elements.size(); ++i) {
    by_element[elements[i]] = std::move(slots[i]);
  }
  HeValues values;
  for (const HeOutput& output : program.outputs) {
    values[output.name] = read_output(program, output, [&](size_t at) -> const HeSlots& {
      return by_element.find(HeElement{.reg = output.source.reg, .at = at})->second;
    });
  }
  return values;
}

auto decrypt_outputs(const HeProgram& program, const he::Context& context,
                     const he::SecretKey& secret, const std::vector<he::Ciphertext>& ciphertexts,
                     he::SecureRandom& random, HeStatistics& statistics,
                     const he::CkksAudience& audience) -> Result<HeValues> {
  if (Status status = check_fits(program, context); !status) {
    return status.error();
  }
  const std::vector<HeElement> elements = output_elements(program);
  if (ciphertexts.size() != elements.size()) {
    return Error{fmt::format("the program returns {} ciphertexts, but got {}", elements.size(),
                             ciphertexts.size())};
  }
  const HeTimer timer(statistics.decrypt_seconds);
  const SlotCodec codec(context);
  std::vector<HeSlots> slots;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Result<he::Plaintext> plaintext =
        he::decrypt(context, secret, ciphertexts[i], random, audience);
    if (!plaintext) {
      return plaintext.error();
    }
    Result<double> budget = he::measured_budget(context, secret, ciphertexts[i]);
    if (!budget) {
      return budget.error();
    }
    if (*budget < kLeastBudget) {
      return Error{fmt::format(
          "result {} cannot be decrypted because its noise exceeds the modulus; it was "
          "computed from other ciphertexts or with other keys{}",
          i,
          program.is_integer()
              ? ""
              : ", or the argument of a function was beyond the bounds declared for it")};
    }
    statistics.budget_left = std::min(statistics.budget_left, *budget);
    Result<HeSlots> decoded = codec.decode(plaintext.value());
    if (!decoded) {
      return decoded.error();
    }
    slots.push_back(std::move(*decoded));
  }
  statistics.n_decrypted += elements.size();
  for (const HeOutput& output : program.outputs) {
    for_each_number(program, output, [&](const HeOutputNumber&) { ++statistics.n_added; });
    statistics.n_added -= n_elements(output.extents);
  }
  return outputs_of_slots(program, std::move(slots));
}

}  // namespace tacet::engine
