#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/he_model/scheme.h"

namespace tacet::he {

/// What the engine does to ciphertexts, and to make and open them.
enum class Operation : uint8_t {
#define TACET_HE_OPERATION(Name, text, is_key_switch) Name,
#include "engine/he_model/operations.def"
};

inline constexpr size_t kOperations = 0
#define TACET_HE_OPERATION(Name, text, is_key_switch) +1
#include "engine/he_model/operations.def"
    ;

auto operation_name(Operation operation) -> std::string_view;

/// What the time of an operation depends on.
struct OperationPlace {
  Scheme scheme = Scheme::Bfv;
  size_t ring_dimension = 0;
  size_t n_primes = 1;   ///< of the operands
  size_t n_special = 1;  ///< of the parameters: the primes of a digit of key switching

  friend auto operator==(const OperationPlace&, const OperationPlace&) -> bool = default;
};

/// How long operations take, on one thread. Between the places that were measured times are
/// estimated: linearly in the number of primes, and by the number of butterflies of the transforms
/// that an operation takes where a ring dimension, a number of special primes or more primes were
/// not measured.
class OperationTimes {
 public:
  void set(Operation operation, const OperationPlace& place, double microseconds);

  /// In microseconds. There must be one measurement of the operation at least.
  [[nodiscard]] auto of(Operation operation, const OperationPlace& place) const -> double;

  [[nodiscard]] auto is_empty() const -> bool { return series_.empty(); }

  /// Lines that `parse_operation_times` reads back: the scheme, N, the number of special primes,
  /// the operation, and `primes:microseconds` pairs.
  [[nodiscard]] auto text() const -> std::string;

 private:
  struct Key {
    Operation operation;
    Scheme scheme;
    size_t ring_dimension;
    size_t n_special;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] auto nearest(Operation operation, const OperationPlace& place) const -> Key;

  std::map<Key, std::map<size_t, double>> series_;  ///< by number of primes
};

/// An error names the line that is none of `OperationTimes::text`.
auto parse_operation_times(std::string_view text) -> Result<OperationTimes>;

/// Measured with one thread and AVX-512 on a server processor of 2023; what counts where nothing
/// was measured.
auto default_operation_times() -> const OperationTimes&;

}  // namespace tacet::he
