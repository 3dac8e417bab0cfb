#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/views/backends/he_code.h"
#include "compiler/views/backends/target.h"

/// What code of several libraries has in common besides the program itself.
namespace tacet::backends {

/// Code that belongs to one method, whose text has it with everything around it.
struct SupportPiece {
  std::string_view name;
  std::string_view text;
};

/// The pieces that `code` calls by `he.NAME(…)`, and those that these call, in the given order.
auto used_pieces(std::span<const SupportPiece> pieces, std::string_view code) -> std::string;

/// Replaces each `@NAME@` in a text.
using Replacements = std::vector<std::pair<std::string_view, std::string>>;
auto with_replacements(std::string_view text, const Replacements& replacements) -> std::string;

/// The comment that every file of code begins with, each line behind `mark`.
auto header_comment(const Origin& origin, const engine::HeBundle& bundle, Target target,
                    std::string_view mark) -> std::string;
/// The text of the program, as a comment.
auto source_comment(const Origin& origin, std::string_view mark) -> std::string;

/// Of a field of a bundle, the array or output that it belongs to.
auto extents_of_input(const engine::HeBundle& bundle, const engine::HeField& field)
    -> std::vector<int64_t>;
auto extents_of_result(const engine::HeBundle& bundle, const engine::HeField& field)
    -> std::vector<int64_t>;
auto is_client_input(const engine::HeBundle& bundle, const engine::HeField& field) -> bool;

/// What drivers need to know of the type of a field.
struct FieldType {
  unsigned bits = 64;
  bool is_signed = true;
  bool is_bool = false;
  unsigned fraction_bits = 0;
  bool is_fixed = false;
};
auto type_of(const engine::HeField& field) -> FieldType;
/// `[i64; 4]`.
auto shown_type(const engine::HeField& field, const std::vector<int64_t>& extents) -> std::string;

/// The steps that there must be rotation keys for, in rising order.
auto rotation_steps(const engine::HeFacts& facts) -> std::vector<int64_t>;

/// The primes of a part for SEAL, which has one special prime, whatever is switched: the last one.
struct SealPrimes {
  std::vector<unsigned> bits;
  std::vector<uint64_t> primes;
  uint32_t scale_bits = 0;  ///< of reals
};
/// An error if SEAL has no secure parameters for these.
auto seal_primes(const engine::HeBundle& bundle, const HeCode& code, std::string_view library)
    -> Result<SealPrimes>;

/// log2 of the scales that messages have, by number of primes, to three digits.
auto level_scale_bits(const SealPrimes& chosen) -> std::vector<double>;

}  // namespace tacet::backends
