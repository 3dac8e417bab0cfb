#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/cggi_model/noise_model.h"
#include "engine/program/common/element_type.h"

/// Compiled programs for CGGI, as the compiler writes them and the engine reads them: circuits of
/// bits. Depends on what can be said of the scheme without keys.
namespace tacet::engine {

enum class CggiOwner : uint8_t { Client, Server };

/// What every element is declared to be in, both included.
struct CggiBound {
  __extension__ __int128 low = 0;
  __extension__ __int128 high = 0;

  friend auto operator==(const CggiBound&, const CggiBound&) -> bool = default;
};

/// A parameter or a result: a number or an array of them.
struct CggiField {
  std::string name;
  ElementType type{};
  std::vector<uint64_t> extents;  ///< empty for a scalar
  /// Bits of an element that the circuit has, the lowest ones: of a result those of the type, of a
  /// parameter as many as its bound needs.
  unsigned width = 0;
  CggiOwner owner = CggiOwner::Client;  ///< of a parameter
  std::optional<CggiBound> bound{};     ///< of a parameter

  friend auto operator==(const CggiField&, const CggiField&) -> bool = default;
};

/// A wire, or its inverse: twice the number of the wire, and one more for the inverse. Wire 0 is
/// false; then there are the inputs' bits, field by field, element by element, the lowest bit
/// first; then one wire for each gate.
using CggiSignal = uint32_t;

enum class CggiGateKind : uint8_t {
  Majority,
  Parity,
  XorAnd,  ///< operands[0] ^ (operands[1] & operands[2]); none is constant
  Sum,     ///< of bits of which at most one is set: whether one is, without a bootstrap
};

/// A sum of sums has the terms of all. So noise stays bounded, whatever a file says.
constexpr unsigned kMostSumTerms = 8;

/// Of three earlier signals. With wire 0 as an operand, others than `XorAnd`: AND, OR, XOR, the sum
/// of two.
struct CggiGate {
  CggiGateKind kind{};
  std::array<CggiSignal, 3> operands{};

  friend auto operator==(const CggiGate&, const CggiGate&) -> bool = default;
};

/// All that client and server must both have to compute a function: everything but numbers and
/// keys.
struct CggiProgram {
  std::string name;
  cggi::Parameters parameters{};
  /// log2 of what the probability that any gate decides wrongly is kept below.
  double log2_failure = -64;
  /// Results show the server's numbers to the client, as requested.
  bool is_unhidden = false;
  std::vector<CggiField> inputs;  ///< in the order of the function's parameters
  std::vector<CggiField> results;
  std::vector<CggiGate> gates;
  std::vector<CggiSignal> outputs;  ///< the bits of the results, as those of inputs

  friend auto operator==(const CggiProgram&, const CggiProgram&) -> bool = default;
};

auto n_elements(const CggiField& field) -> size_t;
/// Of all fields together.
auto n_bits(std::span<const CggiField> fields) -> size_t;

/// Whether the server has numbers, which its results could show to the client.
auto has_server_inputs(const CggiProgram& program) -> bool;

/// Whether the operand is wire 0: false, or true.
constexpr auto is_constant(CggiSignal signal) -> bool {
  return signal < 2;
}

auto n_bootstraps(const CggiProgram& program) -> size_t;

/// How often the gates of a program decide, and who decrypts its results, by kinds of decisions.
/// The noise of a sum is that of its terms together.
auto decisions_of(const CggiProgram& program) -> std::vector<cggi::DecisionCount>;

/// By gate, how many bootstraps follow one another at most up to it, itself included.
auto levels_of(const CggiProgram& program) -> std::vector<uint32_t>;

/// An error if something in a program refers to what is not there, its sizes disagree, its
/// parameters are not secure, or its gates fail with more than the probability promised.
auto validate(const CggiProgram& program) -> Status;

/// What the outputs are for the inputs' bits. The program must be valid. O(gates).
auto run_in_the_clear(const CggiProgram& program, std::span<const uint8_t> inputs)
    -> std::vector<uint8_t>;

}  // namespace tacet::engine
