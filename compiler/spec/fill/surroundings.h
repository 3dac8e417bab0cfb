#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::fill {

enum class HoleKind : uint8_t {
  Expression,  ///< `?`, or `???` where no statements may be
  Value,       ///< `???` that a block yields: statements may precede the value
  Statements,  ///< `???;`
};

/// A variable that the hole sees.
struct Variable {
  std::string name;
  bool is_var = false;
  bool is_reference = false;
  bool is_encoder = false;
  bool is_future = false;
  /// A future that is awaited elsewhere, or an encoder that is submitted elsewhere.
  bool is_spent = false;
  /// Of a record.
  std::vector<std::string> fields = {};
};

/// A name that is used behind the hole and declared nowhere, and what it is used as.
struct WantedName {
  std::string name;
  bool is_encoder = false;
  bool is_future = false;
  bool is_record = false;
  /// It is assigned, or referred to.
  bool is_changed = false;
};

/// An encoder, and the names on it.
struct Encoder {
  std::string name;
  /// Encoded in front of the hole.
  std::vector<std::string> encoded;
  /// Used and encoded nowhere; then those that are encoded elsewhere, but not in front of the hole,
  /// and those that may be read once the function has ended.
  std::vector<std::string> missing;
  /// Read once the work is done.
  std::vector<std::string> read;
};

/// What may be called: on the coordinator, or on a device.
struct Callable {
  std::string name;
  std::string device;
  size_t n_dims = 0;
  size_t n_results = 0;
  /// By parameter: is it a reference, an encoder or future, or a value?
  enum class Passed : uint8_t { Value, Reference, Encoder, Future, Record };
  std::vector<Passed> parameters = {};
  /// Its only result is a reference, or an encoder, future or record.
  bool gives_reference = false;
  bool gives_handle = false;
  /// The specification of the function calls its class.
  bool is_specified = false;
};

/// What a hole of a function has around it.
struct Surroundings {
  HoleKind kind = HoleKind::Statements;
  names::ItemId item = {};
  /// Of a device: then nothing else is known of it but the places.
  bool is_device_function = false;
  /// The body is the hole and nothing else.
  bool is_whole_body = false;
  TextRange hole;      ///< in the file
  TextRange function;  ///< in the file
  std::string indent;
  /// The nearest first, parameters last.
  std::vector<Variable> variables;
  std::vector<WantedName> wanted;
  std::vector<Encoder> encoders;
  std::vector<Callable> kernels;
  std::vector<Callable> callees;
  /// Grids, as in `f'<1, 1>(x)`: those of the specification and of the function.
  std::vector<std::vector<std::string>> grids;
  /// Names of fields of record types.
  std::vector<std::string> fields;
  /// Literals of the specification.
  std::vector<std::string> literals;
  /// How many values the block of the hole yields: those of the function, for the last block.
  size_t n_values = 1;
};

/// The first hole of the file that begins in `within`; nothing if there is none.
auto surroundings_of(const program::FrontendSnapshot& snapshot, FileId file, TextRange within)
    -> std::optional<Surroundings>;

/// The holes of a file in the order of the text.
auto hole_ranges(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<TextRange>;

}  // namespace tacet::fill
