#include "engine/he_runtime/contributed_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/he/evaluation.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/slot_codec.h"
#include "engine/program/he/contributions.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {

auto contributed_places(const HeProgram& program, const std::string& array) -> std::vector<size_t> {
  std::vector<size_t> places;
  size_t n = 0;
  for (const HeRegister& reg : program.registers) {
    if (reg.kind != HeKind::Cipher || reg.gathers.empty()) {
      continue;
    }
    const std::vector<uint32_t> arrays = contributing_arrays(program, reg);
    const bool is_part = std::any_of(arrays.begin(), arrays.end(), [&](uint32_t each) {
      return program.arrays[each].name == array;
    });
    const size_t end = n + n_elements(reg.dimensions);
    for (; n < end; ++n) {
      if (is_part) {
        places.push_back(n);
      }
    }
  }
  return places;
}

auto encrypt_contribution(const HeProgram& program, const he::Context& context,
                          const he::PublicKey& key, const std::string& array,
                          const std::vector<double>& numbers, he::SecureRandom& random,
                          HeStatistics& statistics) -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_fits(program, context); !status) {
    return status.error();
  }
  const auto found = std::find_if(
      program.arrays.begin(), program.arrays.end(),
      [&](const HeArray& each) { return each.owner == HeOwner::Client && each.name == array; });
  if (found == program.arrays.end()) {
    return std::vector<he::Ciphertext>();  // an input that the program does not use
  }
  const auto number = static_cast<uint32_t>(found - program.arrays.begin());
  if (numbers.size() != static_cast<size_t>(n_elements(found->extents))) {
    return Error{fmt::format("`{}` has {} elements, but got {}", array, n_elements(found->extents),
                             numbers.size())};
  }
  const SlotCodec codec(context);
  const std::vector<HeElement> elements = input_elements(program);
  std::vector<he::Ciphertext> ciphertexts;
  for (const size_t place : contributed_places(program, array)) {
    const HeRegister& reg = program.registers[elements[place].reg];
    HeCounter counter(reg.dimensions);
    for (size_t at = 0; at < elements[place].at; ++at) {
      counter.next();
    }
    const size_t n_primes = reg.n_primes == 0 ? program.n_primes : reg.n_primes;
    Result<he::Plaintext> plaintext = [&] {
      const HeTimer timer(statistics.encode_seconds);
      return codec.encode(contributed_slots(program, reg, counter.values(), number, numbers), 1,
                          n_primes, 0);
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
  }
  statistics.n_encrypted += ciphertexts.size();
  return ciphertexts;
}

auto add_contribution(const HeProgram& program, const he::Context& context,
                      const std::string& array, std::vector<he::Ciphertext> parts,
                      std::vector<std::optional<he::Ciphertext>>& sums) -> Status {
  const std::vector<size_t> places = contributed_places(program, array);
  if (places.size() != parts.size()) {
    return Error{
        fmt::format("`{}` has {} ciphertexts, but got {}", array, places.size(), parts.size())};
  }
  sums.resize(input_elements(program).size());
  for (size_t i = 0; i < parts.size(); ++i) {
    std::optional<he::Ciphertext>& sum = sums[places[i]];
    if (!sum) {
      sum = std::move(parts[i]);
      continue;
    }
    Result<he::Ciphertext> more = he::add(context, std::move(*sum), parts[i]);
    if (!more) {
      return more.error();
    }
    sum = std::move(*more);
  }
  return std::monostate{};
}

auto added_up(std::vector<std::optional<he::Ciphertext>> sums)
    -> Result<std::vector<he::Ciphertext>> {
  std::vector<he::Ciphertext> inputs;
  for (std::optional<he::Ciphertext>& sum : sums) {
    if (!sum) {
      return Error{"an input ciphertext has no part of any input"};
    }
    inputs.push_back(std::move(*sum));
  }
  return inputs;
}

auto encrypt_inputs_jointly(const HeProgram& program, const he::Context& context,
                            const he::PublicKey& key, const HeValues& values,
                            he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>> {
  if (Status status = check_values(program, HeOwner::Client, values); !status) {
    return status.error();
  }
  std::vector<std::optional<he::Ciphertext>> sums(input_elements(program).size());
  for (const HeArray& array : program.arrays) {
    if (array.owner != HeOwner::Client) {
      continue;
    }
    Result<std::vector<he::Ciphertext>> parts = encrypt_contribution(
        program, context, key, array.name, values.find(array.name)->second, random, statistics);
    Status added = parts ? add_contribution(program, context, array.name, std::move(*parts), sums)
                         : Status(parts.error());
    if (!added) {
      return added.error();
    }
  }
  return added_up(std::move(sums));
}

}  // namespace tacet::engine
