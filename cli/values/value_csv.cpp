#include <fmt/format.h>

#include <charconv>

#include "cli/report.h"
#include "cli/values/element_values.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

static auto trimmed(std::string_view text) -> std::string_view {
  constexpr std::string_view kSpaces = " \t\r";
  size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) {
    return {};
  }
  text = text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
  bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

static auto number_of_field(std::string_view field) -> OutsideNumber {
  if (field == "true" || field == "false") {
    return field == "true";
  }
  WholeNumber whole;
  std::string_view digits = field;
  if (digits.starts_with("-")) {
    whole.is_negative = true;
    digits.remove_prefix(1);
  }
  const char* end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, whole.magnitude);
  if (error == std::errc() && stop == end) {
    return whole;
  }
  return std::string(field);
}

/// Reads the fields of one line; false if one of them is wrong.
static auto read_row(std::string_view row, uint64_t line, ElementReader& reader, uint64_t& n_fields)
    -> bool {
  for (n_fields = 0;; ++n_fields) {
    reader.set_place(fmt::format("line {}, column {}: ", line, n_fields + 1));
    size_t comma = row.find(',');
    std::string_view field = trimmed(row.substr(0, comma));
    if (field.empty()) {
      reader.fail(
          fmt::format("{} is empty", element_name(reader.parameter().shape, reader.n_elements())));
      return false;
    }
    if (!reader.add(number_of_field(field))) {
      return false;
    }
    if (comma == std::string_view::npos) {
      ++n_fields;
      return true;
    }
    row.remove_prefix(comma + 1);
  }
}

auto value_of_csv(const interpret::EntryParameter& parameter, std::string_view text)
    -> Result<interpret::Value> {
  ElementReader reader(parameter);
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  const std::vector<uint64_t>& shape = parameter.shape;
  uint64_t n_columns = shape.empty() ? 1 : shape.back();
  uint64_t n_wanted = interpret::n_elements(shape);
  for (uint64_t line = 1; !text.empty(); ++line) {
    size_t end = text.find('\n');
    std::string_view row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (trimmed(row).empty()) {
      continue;
    }
    if (reader.n_elements() == n_wanted) {
      reader.fail(fmt::format("line {}: more rows than `{}` has", line,
                              interpret::type_text(parameter.type, shape)));
      break;
    }
    uint64_t n_fields = 0;
    if (!read_row(row, line, reader, n_fields)) {
      break;
    }
    reader.set_place({});
    bool is_column = shape.size() == 1 && n_fields == 1;
    if (n_fields != n_columns && !is_column) {
      reader.fail(fmt::format("line {} has {} instead of {}", line, counted(n_fields, "column"),
                              n_columns));
      break;
    }
  }
  return reader.finish();
}

}  // namespace tacet::cli
