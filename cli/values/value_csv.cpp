#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "cli/report.h"
#include "cli/values/csv_table.h"
#include "cli/values/element_values.h"
#include "cli/values/value_formats.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

using interpret::ElementType;

/// What programs write where there is no value.
static auto is_missing(std::string_view field, ElementType type) -> bool {
  constexpr std::string_view kMarks[] = {"",     "NA",   "N/A",  "n/a",  "na",  "NULL",
                                         "null", "None", "none", "#N/A", "NaN", "nan",
                                         "NAN",  "?",    "-",    "--",   ".",   "missing"};
  const bool is_not_a_number = field.size() == 3 && (field[0] == 'N' || field[0] == 'n') &&
                               (field[2] == 'N' || field[2] == 'n');
  return std::find(std::begin(kMarks), std::end(kMarks), field) != std::end(kMarks) &&
         !(is_not_a_number && interpret::is_float(type.kind));
}

/// `35.0` is an integer, as programs write columns that once lacked a value.
static auto without_zeros_behind_point(std::string_view field) -> std::string_view {
  const size_t point = field.find('.');
  const std::string_view whole = field.substr(0, point);
  const bool has_zeros = point != std::string_view::npos &&
                         field.find_first_not_of('0', point + 1) == std::string_view::npos;
  return has_zeros && whole.find_first_of("0123456789") != std::string_view::npos &&
                 whole.find_first_not_of("-0123456789") == std::string_view::npos
             ? whole
             : field;
}

static auto number_of_field(std::string_view field, ElementType type) -> OutsideNumber {
  if (field == "true" || field == "True" || field == "TRUE") {
    return true;
  }
  if (field == "false" || field == "False" || field == "FALSE") {
    return false;
  }
  if (field.size() > 1 && field[0] == '+' &&
      (field[1] == '.' || (field[1] >= '0' && field[1] <= '9'))) {
    field.remove_prefix(1);
  }
  if (interpret::is_integer(type.kind)) {
    field = without_zeros_behind_point(field);
  }
  WholeNumber whole;
  std::string_view digits = field;
  if (digits.starts_with("-")) {
    whole.is_negative = true;
    digits.remove_prefix(1);
  }
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, whole.magnitude);
  if (error == std::errc() && stop == end) {
    return whole;
  }
  return field;
}

/// What to change in a number that is written as people of some countries do.
static auto advice_on(std::string_view field) -> std::string_view {
  const bool is_number = field.find_first_of("0123456789") != std::string_view::npos &&
                         field.find_first_not_of("+-0123456789.,' ") == std::string_view::npos;
  return is_number && field.find_first_of(",' ") != std::string_view::npos
             ? "; write decimals with a point, and thousands without separators"
             : "";
}

/// Adds the elements of a row; false if one of them is wrong.
static auto read_row(const CsvTable& table, ElementReader& reader) -> bool {
  const ElementType type = reader.parameter().type;
  for (size_t i = 0; i < table.n_columns(); ++i) {
    const std::string_view field = table.field(i);
    if (reader.add(number_of_field(field, type))) [[likely]] {
      continue;
    }
    if (is_missing(field, type)) {
      const std::string name = element_name(reader.parameter().shape, reader.n_elements());
      reader.fail(field.empty() ? fmt::format("{} is missing", name)
                                : fmt::format("{} is missing: `{}`", name, one_line(field)));
    }
    reader.add_place(table.place(i));
    reader.add_advice(advice_on(field));
    return false;
  }
  return true;
}

/// What is wrong with a row before its elements are read; empty if nothing is.
static auto misfit_of_row(const CsvTable& table, const ElementReader& reader) -> std::string {
  const interpret::EntryParameter& parameter = reader.parameter();
  const std::vector<uint64_t>& shape = parameter.shape;
  const uint64_t n_columns = shape.empty() ? 1 : shape.back();
  const bool is_column = shape.size() == 1 && table.n_columns() == 1;
  if (reader.n_elements() == interpret::n_elements(shape)) {
    return fmt::format("line {}: more rows than `{}` has", table.line(),
                       interpret::type_text(parameter.type, shape));
  }
  return table.n_columns() == n_columns || is_column
             ? std::string()
             : fmt::format("line {} has {} instead of {}", table.line(),
                           counted(table.n_columns(), "column"), n_columns);
}

/// People forget that a line of headers is no row.
static auto looks_like_headers(const CsvTable& table) -> bool {
  for (size_t i = 0; i < table.n_columns(); ++i) {
    const std::string_view field = table.field(i);
    if (field.find_first_of("0123456789") != std::string_view::npos || field.size() < 2) {
      return false;
    }
  }
  return true;
}

auto value_of_csv(const interpret::EntryParameter& parameter, std::string_view text, CsvKind kind,
                  const std::optional<std::string>& selection) -> Result<interpret::Value> {
  ElementReader reader(parameter);
  Result<CsvTable> table = CsvTable::open(text, kind, selection);
  if (!table) {
    reader.fail(table.error().message);
    return reader.finish();
  }
  reader.reserve(text.size() / 2 + 1);
  while (table->next()) {
    const bool may_be_headers = reader.n_elements() == 0 && !selection;
    if (std::string misfit = misfit_of_row(*table, reader); !misfit.empty()) {
      reader.fail(std::move(misfit));
      return reader.finish();
    }
    if (!read_row(*table, reader)) {
      if (may_be_headers && looks_like_headers(*table)) {
        reader.add_advice(
            "; if the line has headers, append the names of columns, as in `:age,income`, or `:*`");
      }
      return reader.finish();
    }
  }
  if (!table->problem().empty()) {
    reader.fail(table->problem());
  }
  return reader.finish();
}

}  // namespace tacet::cli
