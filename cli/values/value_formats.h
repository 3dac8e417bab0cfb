#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/values/csv_table.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/random/public_random.h"

/// The forms in which values come from outside. Each reads the whole text of a value and checks
/// it against a parameter; an error names the parameter and the first element that is wrong.
namespace tacet::cli {

/// A JSON number, boolean, or array of arrays of them. Numbers are taken as they are written:
/// fixed point is read from the decimal without a detour through floats. `"inf"`, `"-inf"` and
/// `"nan"` are floats. With a `name`, `text` is an object, and its member of that name is meant.
auto value_of_json(const interpret::EntryParameter& parameter, std::string_view text,
                   const std::optional<std::string>& name = std::nullopt)
    -> Result<interpret::Value>;

/// The selected columns of a CSV file, or all of its lines. A vector is one line or one column; an
/// array of more dimensions has its rows one below the other.
auto value_of_csv(const interpret::EntryParameter& parameter, std::string_view text,
                  CsvKind kind = CsvKind::Detected,
                  const std::optional<std::string>& selection = std::nullopt)
    -> Result<interpret::Value>;

/// NumPy's array format, versions 1 to 3, of booleans, integers and floats in either byte order
/// and either element order.
auto value_of_npy(const interpret::EntryParameter& parameter, std::string_view bytes)
    -> Result<interpret::Value>;

/// The array of this name in an archive of `np.savez` or `np.savez_compressed`, or the only one.
auto value_of_npz(const interpret::EntryParameter& parameter, std::string_view archive,
                  const std::optional<std::string>& name) -> Result<interpret::Value>;

/// Random elements, each a function of the key, the parameter's name and the element's index alone
/// (static bit string: the bytes of `input ` and the name; dynamic: 2^64 - 1 and the index).
/// Integers are drawn from their bound, or from all of their type; numbers with fractions from 0 to
/// 1, without 1.
auto value_of_random(const interpret::EntryParameter& parameter, const engine::PublicRandomKey& key)
    -> interpret::Value;

/// True if `bytes` begin as an `.npy` file does.
auto is_npy(std::string_view bytes) -> bool;

}  // namespace tacet::cli
