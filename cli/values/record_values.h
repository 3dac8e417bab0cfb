#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/front/types/columns.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// A parameter of a command line: one column of numbers, or the columns of a tuple or record.
struct ParameterGroup {
  struct Column {
    std::string name;   ///< of the program's parameter
    std::string shown;  ///< in the text: `p.age`
    std::vector<std::string> steps{};
  };

  std::string name;
  std::vector<Column> columns{};

  [[nodiscard]] auto is_record() const -> bool { return !columns.front().steps.empty(); }
};

auto groups_of(const std::vector<interpret::EntryParameter>& parameters)
    -> std::vector<ParameterGroup>;
auto groups_of(const std::vector<types::ParameterColumn>& columns) -> std::vector<ParameterGroup>;

/// What a command line gives: values in order, and `NAME=VALUE` or `@FILE`.
struct GivenTexts {
  std::vector<std::string> values;
  std::vector<std::string> inputs;
};

/// The same with an input for each column instead of those for tuples and records, if there are
/// any. A record is a JSON object, a tuple an array, and an array of records an array of objects or
/// an object of arrays; a table has a column for each field, found by its header.
auto split_records(const GivenTexts& given, const std::vector<ParameterGroup>& groups)
    -> Result<GivenTexts>;

/// In front of a JSON value that was in a file: it is not on the command line.
inline constexpr std::string_view kReadFromFile = "@=";

}  // namespace tacet::cli
