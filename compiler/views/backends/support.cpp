#include "compiler/views/backends/support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "base/primes.h"
#include "engine/he_model/level_primes.h"
#include "engine/program/common/element_type.h"

namespace tacet::backends {

using engine::HeBundle;
using engine::HeField;

/// Whether a text calls the method of this name.
static auto calls(std::string_view text, std::string_view name) -> bool {
  for (const std::string_view object : {"he.", "this.", "this->"}) {
    if (text.find(fmt::format("{}{}(", object, name)) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

auto used_pieces(std::span<const SupportPiece> pieces, std::string_view code) -> std::string {
  std::vector<bool> is_used(pieces.size());
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (size_t i = 0; i < pieces.size(); ++i) {
      bool is_called = calls(code, pieces[i].name);
      for (size_t j = 0; j < pieces.size() && !is_called; ++j) {
        is_called = j != i && is_used[j] && calls(pieces[j].text, pieces[i].name);
      }
      if (is_called && !is_used[i]) {
        is_used[i] = is_new = true;
      }
    }
  }
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    text += is_used[i] ? pieces[i].text : std::string_view();
  }
  return text;
}

auto with_replacements(std::string_view text, const Replacements& replacements) -> std::string {
  std::string result;
  while (!text.empty()) {
    const size_t begin = std::min(text.find('@'), text.size());
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    bool is_replaced = false;
    for (const auto& [name, value] : replacements) {
      const std::string mark = fmt::format("@{}@", name);
      if (text.starts_with(mark)) {
        result += value;
        text.remove_prefix(mark.size());
        is_replaced = true;
        break;
      }
    }
    if (!is_replaced && !text.empty()) {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

auto source_comment(const Origin& origin, std::string_view mark) -> std::string {
  std::string text;
  for (size_t at = 0; at < origin.source.size();) {
    const size_t end = std::min(origin.source.find('\n', at), origin.source.size());
    const std::string line = origin.source.substr(at, end - at);
    text += line.empty() ? fmt::format("{}\n", mark) : fmt::format("{}     {}\n", mark, line);
    at = end + 1;
  }
  return text;
}

auto header_comment(const Origin& origin, const HeBundle& bundle, Target target,
                    std::string_view mark) -> std::string {
  std::string text = fmt::format(
      "{0} `{1}` of {2} on encrypted numbers, by {3} ({4}).\n"
      "{0} Written by `tacet emit --to`; it can be changed like any other source.\n",
      mark, bundle.name, origin.file, display_name(target), he::scheme_name(bundle.scheme));
  if (!origin.source.empty()) {
    text += fmt::format("{0}\n{1}{0}\n", mark, source_comment(origin, mark));
  }
  if (engine::has_server_inputs(bundle.parts.front().program)) {
    text += fmt::format(
        "{0} Results are not hidden: what the client decrypts can show numbers of the server.\n",
        mark);
  }
  return text;
}

auto extents_of_input(const HeBundle& bundle, const HeField& field) -> std::vector<int64_t> {
  for (const engine::HeArray& array : bundle.parts.front().program.arrays) {
    if (array.name == field.name) {
      return array.extents;
    }
  }
  return {};
}

auto extents_of_result(const HeBundle& bundle, const HeField& field) -> std::vector<int64_t> {
  for (const engine::HeBundlePart& part : bundle.parts) {
    for (const engine::HeOutput& output : part.program.outputs) {
      if (output.name == field.name) {
        return output.extents;
      }
    }
  }
  return {};
}

auto is_client_input(const HeBundle& bundle, const HeField& field) -> bool {
  const auto& arrays = bundle.parts.front().program.arrays;
  return std::any_of(arrays.begin(), arrays.end(), [&](const engine::HeArray& array) {
    return array.name == field.name && array.owner == engine::HeOwner::Client;
  });
}

auto type_of(const HeField& field) -> FieldType {
  engine::ElementType type;
  FieldType result;
  if (!engine::find_element_type(field.type, type)) {
    return result;
  }
  result.bits = engine::bit_width(type.kind);
  result.is_bool = type.kind == engine::ElementKind::Bool;
  result.is_fixed = type.kind == engine::ElementKind::Fxp;
  result.fraction_bits = result.is_fixed ? type.fraction_bits : 0;
  result.is_signed = result.is_fixed || engine::is_signed_integer(type.kind);
  return result;
}

auto shown_type(const HeField& field, const std::vector<int64_t>& extents) -> std::string {
  return extents.empty() ? field.type
                         : fmt::format("[{}; {}]", field.type, fmt::join(extents, ", "));
}

auto rotation_steps(const engine::HeFacts& facts) -> std::vector<int64_t> {
  std::vector<int64_t> steps;
  for (const auto& [step, n_primes] : facts.rotations) {
    steps.push_back(step);
  }
  return steps;
}

/// The most bits of a modulus that SEAL accepts.
static auto most_seal_bits(size_t ring_dimension, he::Security security) -> unsigned {
  struct Row {
    size_t n;
    unsigned bits128, bits192, bits256;
  };
  constexpr Row kRows[] = {{1024, 27, 19, 14},    {2048, 54, 37, 29},     {4096, 109, 75, 58},
                           {8192, 218, 152, 118}, {16384, 438, 305, 237}, {32768, 881, 611, 476}};
  for (const Row& row : kRows) {
    if (row.n == ring_dimension) {
      return security == he::Security::Bits128   ? row.bits128
             : security == he::Security::Bits192 ? row.bits192
                                                 : row.bits256;
    }
  }
  return 0;
}

/// The least size of a prime that is one modulo 2N and not among the others.
static auto least_prime_bits(size_t ring_dimension, const std::vector<uint64_t>& taken)
    -> unsigned {
  for (auto bits = static_cast<unsigned>(std::bit_width(2 * ring_dimension)); bits < 60; ++bits) {
    if (!largest_primes(bits, 2 * ring_dimension, 1, taken).empty()) {
      return bits;
    }
  }
  return 60;
}

/// Bits that each prime of integers gets in addition, where there is space: noise of other
/// libraries grows faster than the engine's, and squares of noise square that.
static auto margin_bits(const std::vector<unsigned>& bits, bool has_keys, unsigned most,
                        bool is_integer) -> unsigned {
  const unsigned most_margin = is_integer ? 8 : 3;
  // Of reals they are chosen as the engine chooses them.
  const unsigned most_bits = is_integer ? 60 : he::kMaxPrimeBits;
  const unsigned total = std::accumulate(bits.begin(), bits.end(), 0U);
  const unsigned largest = *std::max_element(bits.begin(), bits.end());
  const auto n_larger = static_cast<unsigned>(bits.size() - (has_keys ? 0 : 1));
  unsigned margin = 0;
  while (margin < most_margin && total + (margin + 1) * n_larger <= most &&
         largest + margin < most_bits) {
    ++margin;
  }
  return margin;
}

/// The largest primes of these sizes but the last one, none of them in `taken`.
static auto data_primes(const std::vector<unsigned>& bits, size_t ring_dimension,
                        std::vector<uint64_t> taken) -> std::vector<uint64_t> {
  std::vector<uint64_t> primes;
  for (size_t i = 0; i + 1 < bits.size(); ++i) {
    primes.push_back(largest_primes(bits[i], 2 * ring_dimension, 1, taken).front());
    taken.push_back(primes.back());
  }
  return primes;
}

/// Likewise those that keep scales near a power of two, from the one that is dropped first.
static auto level_primes(const std::vector<unsigned>& bits, size_t ring_dimension)
    -> std::vector<uint64_t> {
  std::map<unsigned, std::pair<he::LevelPrimes, size_t>> of_size;
  std::vector<uint64_t> primes(bits.size() - 1);
  for (size_t i = primes.size(); i-- > 0;) {
    auto& [level, n_used] =
        of_size
            .try_emplace(bits[i],
                         std::pair(he::LevelPrimes(bits[i], 2 * ring_dimension), size_t{0}))
            .first->second;
    primes[i] = level.at(n_used++);
  }
  return primes;
}

auto seal_primes(const HeBundle& bundle, const HeCode& code, std::string_view library)
    -> Result<SealPrimes> {
  const size_t n = code.program().ring_dimension();
  const unsigned most = most_seal_bits(n, bundle.security);
  if (most == 0) {
    return Error{fmt::format("{} has no secure parameters for rings of dimension {}", library, n)};
  }
  const bool has_keys =
      code.facts.needs_relinearisation || code.facts.needs_swap || !code.facts.rotations.empty();
  SealPrimes result{.bits = code.part->data_prime_bits, .primes = code.primes.data};
  std::vector<uint64_t> taken = result.primes;
  taken.push_back(code.program().modulus);
  result.bits.push_back(has_keys ? *std::max_element(result.bits.begin(), result.bits.end())
                                 : least_prime_bits(n, taken));
  const unsigned margin = margin_bits(result.bits, has_keys, most, code.program().is_integer());
  if (margin > 0) {
    for (unsigned& bits : result.bits) {
      bits += has_keys || &bits != &result.bits.back() ? margin : 0;
    }
    result.primes = code.program().is_integer() ? data_primes(result.bits, n, taken)
                                                : level_primes(result.bits, n);
    taken.insert(taken.end(), result.primes.begin(), result.primes.end());
  }
  result.scale_bits = code.program().is_integer() ? 0 : code.program().scale_bits + margin;
  result.primes.push_back(largest_primes(result.bits.back(), 2 * n, 1, taken).front());
  const unsigned total = std::accumulate(result.bits.begin(), result.bits.end(), 0U);
  if (total > most) {
    return Error{fmt::format(
        "{} reserves a prime for keys, with which the modulus has {} bits; in a ring of dimension "
        "{} it allows {}",
        library, total, n, most)};
  }
  return result;
}

auto level_scale_bits(const SealPrimes& chosen) -> std::vector<double> {
  std::vector<double> primes(chosen.primes.begin(), chosen.primes.end() - 1);
  std::vector<double> bits;
  for (const double scale : he::level_scales(std::exp2(chosen.scale_bits), primes)) {
    bits.push_back(std::round(1000 * std::log2(scale)) / 1000);
  }
  return bits;
}

}  // namespace tacet::backends
