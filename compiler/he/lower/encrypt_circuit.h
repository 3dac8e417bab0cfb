#pragma once

#include "compiler/device/array/program.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/choose_encryption.h"

namespace tacet::he_lower {

/// Why there is none for a joint key: scales have at most 49 bits, and shares of decryptions are
/// flooded by more.
inline constexpr std::string_view kNoJointReals =
    "fixed-point numbers cannot be decrypted by several key holders: CKKS results have at most 49 "
    "bits, and the noise that each holder adds to its share has more than 53; use integers, or "
    "`--device mpc`";

/// A circuit whose result is in `result`, encrypted in one plain modulus, or in several smaller
/// ones where that is faster or the only possibility: an `Encryption` for each, all in one scheme.
/// An error says what does not fit.
auto encrypt_circuit(const circuit::Circuit& circuit, array::Interval result,
                     const ChoiceOptions& options) -> Result<std::vector<Encryption>>;

/// The same in one plain modulus, for circuits that mean something in that alone.
auto encrypt_circuit(const circuit::Circuit& circuit, uint64_t modulus,
                     const ChoiceOptions& options) -> Result<std::vector<Encryption>>;

/// A circuit of reals, whose results encryption puts off by at most `precision`. With the ranges of
/// inputs, numbers in between are bounded by them (`bound_registers.h`).
auto encrypt_real_circuit(const circuit::Circuit& circuit, double precision,
                          const InputRanges* ranges, const ChoiceOptions& options,
                          const InputParts& parts = {}) -> Result<std::vector<Encryption>>;

/// The estimated time of all parts, in microseconds.
auto time_of(const std::vector<Encryption>& parts) -> double;

/// How long a link of so many megabits a second takes for what client and server send each other in
/// a run, in microseconds. One half of a fresh ciphertext is a seed; of results one prime is left.
auto sending_time(const std::vector<Encryption>& parts, double link_megabits) -> double;

}  // namespace tacet::he_lower
