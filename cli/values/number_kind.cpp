#include "cli/values/number_kind.h"

#include <algorithm>

#include "cli/values/data_source.h"
#include "cli/values/json_member.h"
#include "cli/values/npy_header.h"
#include "cli/values/npz_archive.h"

namespace tacet::cli {

using types::DType;
using Kind = std::optional<DType>;

static auto is_digit(char c) -> bool {
  return '0' <= c && c <= '9';
}

/// A point behind a digit, or an exponent.
static auto has_fraction(std::string_view text) -> bool {
  for (size_t i = 1; i < text.size(); ++i) {
    if (!is_digit(text[i - 1])) {
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_exponent =
        (text[i] == 'e' || text[i] == 'E') && (is_digit(next) || next == '-' || next == '+');
    if (text[i] == '.' || is_exponent) {
      return true;
    }
  }
  return false;
}

static auto kind_of_text(std::string_view text) -> Kind {
  if (has_fraction(text)) {
    return DType::Fxp;
  }
  return std::any_of(text.begin(), text.end(), is_digit) ? Kind(DType::I64) : std::nullopt;
}

static auto kind_of_npy(std::string_view bytes) -> Result<Kind> {
  Result<NpyHeader> header = parse_npy_header(bytes);
  if (!header) {
    return header.error();
  }
  if (header->kind == 'f') {
    return Kind(DType::Fxp);
  }
  static constexpr DType kSigned[] = {DType::I8, DType::I16, DType::I32, DType::I64};
  static constexpr DType kUnsigned[] = {DType::U8, DType::U16, DType::U32, DType::U64};
  for (size_t i = 0; i < 4; ++i) {
    if (header->n_bytes == size_t{1} << i && (header->kind == 'i' || header->kind == 'u')) {
      return Kind(header->kind == 'i' ? kSigned[i] : kUnsigned[i]);
    }
  }
  return Kind();
}

static auto kind_in_file(const DataSource& source, std::string_view content) -> Result<Kind> {
  switch (source.format) {
    case DataFormat::Csv:
    case DataFormat::Tsv:
      return kind_of_text(content);
    case DataFormat::Npy:
      return kind_of_npy(content);
    case DataFormat::Npz: {
      Result<NpzMember> member = selected_npz_member(content, source.selection);
      if (!member) {
        return member.error();
      }
      Result<std::string> bytes = npz_bytes(content, *member, kLongestNpyHeader + 16);
      return bytes ? kind_of_npy(*bytes) : bytes.error();
    }
    case DataFormat::Json: {
      Result<std::string_view> member =
          source.selection ? json_member(content, *source.selection) : Result(content);
      return member ? Result<Kind>(kind_of_text(*member)) : member.error();
    }
  }
  return Kind();
}

auto number_kind_of_value(std::string_view text) -> Result<Kind> {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with('@')) {
    return kind_of_text(text);
  }
  text.remove_prefix(1);
  if (text == "random" || text == "-") {
    return Kind();
  }
  Result<DataSource> source = parse_data_source(text);
  if (!source) {
    return source.error();
  }
  Result<std::string> content = read_data_file(source->path);
  return content ? kind_in_file(*source, *content) : content.error();
}

}  // namespace tacet::cli
