#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_vector.h"

/// Homomorphic programs: loop nests over arrays of encrypted vectors. Plain data that compilers
/// make and evaluators run; `docs/subsystems/he_program.md` describes its meaning and its text.
///
/// Clear numbers are doubles everywhere, which hold all integers up to 2^53 exactly.
namespace tacet::engine {

enum class HeOpcode : uint8_t {
#define TACET_HE_OPCODE(Name, mnemonic, n_operands, extra) Name,
#include "engine/program/he/opcodes.def"
};

/// What an element of a register holds: a vector that is encrypted, encoded, or in plaintext.
enum class HeKind : uint8_t { Cipher, Plain, Native };

/// What an instruction costs depends on the kinds of its operands.
enum class HeOperationKind : uint8_t { Cipher, CipherPlain, Plain, Native };

/// Who has the numbers of an array. The client's are secret.
enum class HeOwner : uint8_t { Client, Server, Constant };

/// The line of a text that something was read from; 0 if it was not read. Programs are equal
/// wherever they came from.
struct HeLine {
  uint32_t number = 0;

  friend auto operator==(HeLine, HeLine) -> bool { return true; }
};

/// A variable times a number. What the variables are numbered by depends on the place.
struct HeTerm {
  uint32_t variable = 0;
  int64_t factor = 0;

  friend auto operator==(const HeTerm&, const HeTerm&) -> bool = default;
};

/// A sum of variables times numbers, by variable, each once, with factors other than zero.
struct HeAffine {
  int64_t constant = 0;
  std::vector<HeTerm> terms;

  friend auto operator==(const HeAffine&, const HeAffine&) -> bool = default;
};

/// An affine expression, or its remainder in [0, modulus).
struct HeIndex {
  HeAffine value;
  int64_t modulus = 0;  ///< 0 for none

  friend auto operator==(const HeIndex&, const HeIndex&) -> bool = default;
};

/// A dimension with a variable that runs from 0 to below its extent; the name may be empty.
struct HeDimension {
  std::string name;
  int64_t extent = 1;

  friend auto operator==(const HeDimension&, const HeDimension&) -> bool = default;
};

/// Numbers from outside, or constants: row-major.
struct HeArray {
  std::string name;
  std::vector<int64_t> extents;
  HeOwner owner = HeOwner::Client;
  SharedVector<double> values;  ///< of a constant
  /// Of an input of reals: no number is larger. Everyone knows it; estimates of noise rest on it.
  double bound = 1;
  HeLine line;

  friend auto operator==(const HeArray&, const HeArray&) -> bool = default;
};

/// Numbers of steps for rotations in loops.
struct HeTable {
  std::string name;
  std::vector<int64_t> values;
  HeLine line;

  friend auto operator==(const HeTable&, const HeTable&) -> bool = default;
};

/// low <= value < high
struct HeGuard {
  HeAffine value;
  int64_t low = 0;
  int64_t high = 0;

  friend auto operator==(const HeGuard&, const HeGuard&) -> bool = default;
};

/// A variable that others determine: the quotient of an expression by `divisor`, rounded down, and
/// of that the remainder in [0, modulus). So slots are numbered by what is not aligned with them.
struct HeDigit {
  std::string name;
  HeAffine value;
  int64_t divisor = 1;
  int64_t modulus = 0;  ///< 0 for none

  friend auto operator==(const HeDigit&, const HeDigit&) -> bool = default;
};

inline constexpr uint32_t kNoArray = 0xffffffff;

/// A vector of slots gathered from an array. Columns of slots are numbered by dimensions, outermost
/// first; columns behind them are outside, or repeat what precedes.
/// Variables: the register's dimensions, then the row of slots, then the columns' dimensions, then
/// digits, each of which may depend on all variables before it.
struct HeGather {
  uint32_t array = kNoArray;
  double number = 0;             ///< what is in all slots, if there is no array
  std::vector<HeIndex> indices;  ///< of the array
  std::string row;               ///< the row's name; if empty, no expression may use it
  std::vector<HeDimension> columns;
  bool is_repeated = false;
  std::vector<HeDigit> digits;
  std::vector<HeGuard> guards;
  /// What is in slots outside: where an index is outside the array's extent, a guard does not hold,
  /// or no column is. Nothing: any number, and readers of the result must not see it.
  std::optional<double> outside = 0.0;

  friend auto operator==(const HeGather&, const HeGather&) -> bool = default;
};

/// An array of vectors.
struct HeRegister {
  std::string name;
  HeKind kind = HeKind::Cipher;
  std::vector<HeDimension> dimensions;
  /// Of a cipher that is gathered: the primes it is encrypted with, or 0 for the program's.
  uint32_t n_primes = 0;
  /// Of a cipher of reals: no number in any slot of its vectors is larger, whatever was estimated
  /// from operands; 0 if nothing is known.
  double bound = 0;
  /// Of the same: the deviation of the error of a coefficient, divided by the scale, is at most
  /// this, whatever was estimated from operands; 0 if nothing is known.
  double error = 0;
  /// What it holds when the program begins: the sum of these, for each of its elements.
  std::vector<HeGather> gathers;
  HeLine line;

  friend auto operator==(const HeRegister&, const HeRegister&) -> bool = default;
};

/// An element of a register.
struct HeAccess {
  uint32_t reg = 0;
  std::vector<HeAffine> indices;

  friend auto operator==(const HeAccess&, const HeAccess&) -> bool = default;
};

inline constexpr uint32_t kNoTable = 0xffffffff;

/// An instruction, or the begin or end of a loop. Variables: the loops around it, outermost first.
struct HeStatement {
  HeOpcode opcode = HeOpcode::End;
  HeAccess result{};
  std::vector<HeAccess> operands{};
  /// The steps of a rotation: this number, or the number that is there in a table.
  HeAffine steps{};
  uint32_t table = kNoTable;
  uint32_t count = 1;  ///< of primes
  /// A loop's variable and the numbers that it runs through: [low, high).
  std::string variable{};
  int64_t low = 0;
  int64_t high = 0;
  HeLine line{};

  friend auto operator==(const HeStatement&, const HeStatement&) -> bool = default;
};

/// An array of results. Each element is the sum of the slots that are read for it: for all values
/// of `dimensions`, if there is an element at `target`, the slot in `row` and `column` of an
/// element of a register is added to it. So who decrypts the result does the last of its additions,
/// which would take rotations under encryption. Variables: the dimensions.
struct HeOutput {
  std::string name;
  std::vector<int64_t> extents;
  std::vector<HeDimension> dimensions;
  std::vector<HeAffine> target;
  HeAccess source;
  HeAffine row;
  HeAffine column;
  HeLine line;

  friend auto operator==(const HeOutput&, const HeOutput&) -> bool = default;
};

struct HeProgram {
  uint32_t n_rows = 2;  ///< of slots: two for integers, one for reals
  uint32_t n_columns = 0;
  /// Slots are integers modulo this; 0 if they are reals.
  uint64_t modulus = 0;
  uint32_t scale_bits = 0;  ///< of reals: log2 of what they are multiplied by
  uint32_t n_primes = 1;    ///< of a fresh ciphertext
  std::vector<HeArray> arrays;
  std::vector<HeTable> tables;
  std::vector<HeRegister> registers;
  std::vector<HeStatement> body;
  std::vector<HeOutput> outputs;

  [[nodiscard]] auto n_slots() const -> size_t { return size_t{n_rows} * n_columns; }
  /// Of the ring whose slots these are.
  [[nodiscard]] auto ring_dimension() const -> size_t { return size_t{2} * n_columns; }
  [[nodiscard]] auto is_integer() const -> bool { return modulus != 0; }

  friend auto operator==(const HeProgram&, const HeProgram&) -> bool = default;
};

auto he_mnemonic(HeOpcode opcode) -> std::string_view;
auto he_n_operands(HeOpcode opcode) -> size_t;
auto he_kind_name(HeKind kind) -> std::string_view;
auto he_operation_kind_name(HeOperationKind kind) -> std::string_view;

/// The kind of an instruction by its operands. O(1).
auto operation_kind(const HeProgram& program, const HeStatement& instruction) -> HeOperationKind;

/// The number of elements of an array of these extents.
auto n_elements(const std::vector<int64_t>& extents) -> size_t;
auto n_elements(const std::vector<HeDimension>& dimensions) -> size_t;

/// The value of an expression for these variables.
auto evaluate(const HeAffine& affine, const std::vector<int64_t>& variables) -> int64_t;

/// Where an element stands among all elements of its register; nothing if an index is outside.
auto flat_index(const HeProgram& program, const HeAccess& access,
                const std::vector<int64_t>& variables) -> std::optional<size_t>;

/// The element of an output that is given for these values of its dimensions, if there is one.
auto output_target(const HeOutput& output, const std::vector<int64_t>& variables)
    -> std::optional<size_t>;

/// How far a rotation rotates, in [0, n_columns).
auto rotation_steps(const HeProgram& program, const HeStatement& rotation,
                    const std::vector<int64_t>& variables) -> uint32_t;

}  // namespace tacet::engine
