#pragma once

#include "engine/he_model/scheme.h"
#include "engine/program/he/program.h"

/// Compiled homomorphic programs as the compiler writes them and the engine reads them. Depends on
/// the names of schemes alone, not on what they do.
namespace tacet::engine {

/// A number of an array or result, as those who fill it in see it.
struct HeField {
  std::string name;
  std::string type;  ///< of an element: `i64`, `bool`, …
  /// What its elements are declared to be in, both included; results are right for those.
  int64_t low = 0;
  int64_t high = 0;
  /// Of an input of fixed-point numbers: the Euclidean norm of all elements, or of each item along
  /// the first of several dimensions, is declared to be at most this.
  std::optional<uint64_t> norm{};
  /// Of a result of fixed-point numbers: how far it may be from what they are where nothing is
  /// encrypted.
  double error = 0;
  /// Of the same: how far it may be from what exact arithmetic gives.
  double tolerance = 0;

  friend auto operator==(const HeField&, const HeField&) -> bool = default;
};

/// A program modulo one prime, and the primes it runs under.
struct HeBundlePart {
  std::vector<unsigned> data_prime_bits;
  std::vector<unsigned> special_prime_bits;
  double budget = 0;        ///< bits of noise left at the end, by the estimate
  double microseconds = 0;  ///< by the estimate, on one thread
  double noise_bound = 0;   ///< of a joint key: log2 of what the noise of results is at most
  HeProgram program;
};

/// What a client and a server must both have to compute a function: everything but numbers and
/// keys. A result that no modulus holds alone is computed in several parts, each modulo a prime.
struct HeBundle {
  std::string name;
  he::Scheme scheme = he::Scheme::Bfv;
  he::Security security = he::Security::Bits128;
  /// Results show the server's numbers to the client, as requested.
  bool is_unhidden = false;
  /// Of integers: the parties that hold the key jointly, if they are several.
  unsigned n_key_holders = 1;
  std::vector<HeField> inputs;  ///< in the order of the function's parameters
  std::vector<HeField> results;
  std::vector<HeBundlePart> parts;
};

/// Whether several parties hold the key.
auto has_joint_key(const HeBundle& bundle) -> bool;

/// Whether the server has numbers, which its results must not show to the client.
auto hides_server_inputs(const HeBundle& bundle) -> bool;

/// `bfv`, `bgv` or `ckks`, as programs and people write it.
auto scheme_word(he::Scheme scheme) -> std::string_view;

/// Lines that begin with `%`, and behind each `%part` a program's text.
/// docs/subsystems/he_program.md has the grammar.
auto to_text(const HeBundle& bundle) -> std::string;

/// Whether a text begins as one of a bundle does.
auto is_bundle(std::string_view text) -> bool;

/// An error names the line. The programs are validated, their parameters are not made yet.
auto parse_bundle(std::string_view text) -> Result<HeBundle>;

}  // namespace tacet::engine
