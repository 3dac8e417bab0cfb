#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/store.h"

/// Where products of ciphertexts are relinearised: as a problem on graphs that know nothing of
/// circuits, programs or schemes, with exact answers.
///
/// A ciphertext of degree d is d + 1 polynomials. Products add the degrees of their factors, sums
/// take the largest, and a relinearisation goes back to one, by a key switch for each degree above
/// one. Some uses need degree one, and no ciphertext may have a degree above the engine's largest.
namespace tacet::relinearise {

using ValueId = Id<struct ValueTag>;

enum class ValueKind : uint8_t {
  Fresh,    ///< of degree one, whatever it is made of: inputs, rotations
  Product,  ///< of two operands, which may be the same
  Sum,  ///< of one operand or more, or what else keeps the degree: copies, plain products, drops
};

/// What is paid, in any one unit, none of it negative. What stands for many ciphertexts, or where a
/// prime more makes everything more expensive, costs more.
struct Costs {
  double relinearisation = 1;  ///< once, from whatever degree
  double key_switch = 0;       ///< besides, for each degree above one that it had
  double computing = 0;        ///< for each degree above one with which the value is computed
  double keeping = 0;          ///< for each degree above one that it keeps

  friend auto operator==(const Costs&, const Costs&) -> bool = default;
};

struct Value {
  ValueKind kind = ValueKind::Fresh;
  std::vector<ValueId> operands{};  ///< none of fresh values
  Costs costs{};
  /// Somebody needs it with degree one: a rotation of it, a result that must be small.
  bool is_used_linearly = false;

  friend auto operator==(const Value&, const Value&) -> bool = default;
};

/// Operands may follow their users where a loop hands them on.
struct Graph {
  Store<ValueId, Value> values;

  friend auto operator==(const Graph&, const Graph&) -> bool = default;
};

/// Which operands a sum takes.
enum class Agreement : uint8_t {
  Mixed,   ///< of any degrees
  Strict,  ///< of equal degrees
};

/// Who gets what a relinearisation gives.
enum class Uses : uint8_t {
  Together,  ///< all that use the value
  Apart,     ///< those that want it; others take the value as it was
};

/// What a back end allows.
struct Rules {
  uint32_t max_degree = 2;
  Agreement agreement = Agreement::Mixed;
  Uses uses = Uses::Together;

  friend auto operator==(const Rules&, const Rules&) -> bool = default;
};

}  // namespace tacet::relinearise
