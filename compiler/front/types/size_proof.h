#pragma once

#include <utility>
#include <vector>

#include "compiler/front/types/size_arithmetic.h"

namespace tacet::types {

/// What is known of sizes, and of locals in them: each of the forms is at least 0. Size parameters
/// are at least 1 without being mentioned.
struct SizeFacts {
  std::vector<SizeForm> at_least_zero;
  std::vector<SizeForm> unequal_zero;
  /// The parameters in the order in which counterexamples have them.
  std::vector<Name> sizes;

  void add(const SizeConstraint& constraint);
};

enum class SizeVerdict : uint8_t { Proven, Refuted, Unknown };

struct SizeProof {
  SizeVerdict verdict = SizeVerdict::Unknown;
  /// If it was refuted: values for which the facts hold and the claim does not, by parameter and
  /// local.
  std::vector<std::pair<SizeAtom, int64_t>> counterexample = {};
};

/// Is `form` at least 0 wherever the facts hold? Elimination after Fourier and Motzkin over the
/// rationals, which proves what follows linearly, also from facts times sizes where products of
/// sizes occur; then a search of small sizes, which finds counterexamples.
auto prove_at_least_zero(const TypeStore& types, const SizeFacts& facts, const SizeForm& form)
    -> SizeProof;
/// Does a constraint hold wherever the facts do?
auto prove(const TypeStore& types, const SizeFacts& facts, const SizeConstraint& constraint)
    -> SizeProof;

/// Does a constraint on numbers hold?
auto holds(const SizeConstraint& constraint) -> bool;

/// `n = 1, k = 2`.
auto example_text(const Interner& names, const SizeProof& proof) -> std::string;

}  // namespace tacet::types
