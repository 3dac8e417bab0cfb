#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/front/types/signature.h"
#include "compiler/front/types/type.h"

/// Tuples and records by their columns: numbers or arrays of numbers, one for each member or field,
/// and of those that are tuples or records again one for each of theirs. An array of records has
/// the columns of a record, each an array. Devices see nothing but columns.
namespace tacet::types {

/// Is it a tuple or record, or an array of them? Unit is none.
auto has_columns(const TypeStore& types, TypeId type) -> bool;

/// Is it an array of tuples or records, or has it one inside?
auto has_array_of_columns(const TypeStore& types, TypeId type) -> bool;

/// A type that is no tuple or record is its own column.
auto n_columns(const TypeStore& types, TypeId type) -> size_t;

/// The types of the columns in order. Arrays of records give them the outer dimensions.
auto column_types(TypeStore& types, TypeId type) -> std::vector<TypeId>;

/// How the columns are called from outside, `whole` being the name of all: `p.age`, and `p.0` for
/// members of tuples.
auto column_names(const TypeStore& types, const Interner& names, TypeId type,
                  const std::string& whole) -> std::vector<std::string>;

/// Columns in a row, of a larger type.
struct ColumnRange {
  size_t begin = 0;
  size_t size = 0;
};

/// The columns of a field among those of its record; nothing if there is no such field.
auto columns_of_field(const TypeStore& types, TypeId record, Name field)
    -> std::optional<ColumnRange>;

/// For each column of `wanted`, the number of that column of `given` with the same path; nothing if
/// one is missing. Fields are found by name, members by position.
auto matching_columns(const TypeStore& types, TypeId given, TypeId wanted)
    -> std::optional<std::vector<size_t>>;

/// A column of a parameter.
struct ParameterColumn {
  size_t parameter = 0;  ///< its number
  TypeId type;
  std::string name;   ///< of one word: `p_age`, unique in the signature
  std::string shown;  ///< as the text has it: `p.age`
  /// The way to it from the parameter: fields, numbers of members, and `[]` for dimensions.
  std::vector<std::string> steps{};
};

/// The columns of all parameters in order.
auto parameter_columns(TypeStore& types, const Interner& names, const Signature& signature)
    -> std::vector<ParameterColumn>;

/// Which columns are secret.
auto secret_columns(TypeStore& types, TypeId type) -> std::vector<bool>;

/// Is a column secret?
auto mentions_secret(TypeStore& types, TypeId type) -> bool;

/// The type with exactly these columns secret.
auto with_secret_columns(TypeStore& types, TypeId type, const std::vector<bool>& secret) -> TypeId;

}  // namespace tacet::types
