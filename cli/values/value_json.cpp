#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/values/element_values.h"
#include "cli/values/json_member.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

using nlohmann::json;

namespace {

/// Takes the elements as the parser meets them, so that a large array is held once.
class JsonElements : public nlohmann::json_sax<json> {
 public:
  JsonElements(ElementReader& reader, std::string_view text)
      : reader_(reader), text_(text), shape_(reader.parameter().shape), counts_(shape_.size(), 0) {}

  auto null() -> bool override { return wrong("null"); }
  auto boolean(bool value) -> bool override { return element(value); }
  auto number_integer(number_integer_t value) -> bool override {
    bool is_negative = value < 0;
    auto magnitude = static_cast<uint64_t>(value);
    return element(WholeNumber{is_negative, is_negative ? 0 - magnitude : magnitude});
  }
  auto number_unsigned(number_unsigned_t value) -> bool override {
    return element(WholeNumber{false, value});
  }
  auto number_float(number_float_t /*value*/, const string_t& text) -> bool override {
    return element(std::string_view(text));
  }
  auto string(string_t& value) -> bool override {
    if (interpret::is_float(reader_.parameter().type.kind) &&
        (value == "inf" || value == "-inf" || value == "nan")) {
      return element(value == "nan"   ? std::numeric_limits<double>::quiet_NaN()
                     : value == "inf" ? std::numeric_limits<double>::infinity()
                                      : -std::numeric_limits<double>::infinity());
    }
    return wrong(fmt::format("the string {}",
                             json(value).dump(-1, ' ', false, json::error_handler_t::replace)));
  }
  auto binary(binary_t& /*value*/) -> bool override { return wrong("binary data"); }
  auto start_object(std::size_t /*n*/) -> bool override { return wrong("an object"); }
  auto key(string_t& /*value*/) -> bool override { return false; }
  auto end_object() -> bool override { return false; }

  auto start_array(std::size_t /*n*/) -> bool override {
    if (depth_ == shape_.size()) {
      return wrong("an array");
    }
    if (!enter()) {
      return false;
    }
    counts_[depth_++] = 0;
    return true;
  }

  auto end_array() -> bool override {
    --depth_;
    if (counts_[depth_] != shape_[depth_]) {
      reader_.fail(fmt::format("{} has {} elements instead of {}", row_name(), counts_[depth_],
                               shape_[depth_]));
      return false;
    }
    return true;
  }

  auto parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) -> bool override {
    std::string_view reason = error.what();
    size_t colon = reason.rfind(": ", reason.find("; "));
    if (names_value()) {
      reader_.fail(fmt::format("a value by its name is given as `--input {}`", text_));
      return false;
    }
    reader_.fail(fmt::format("invalid JSON at {}: {}", place_of(position),
                             colon == std::string_view::npos ? reason : reason.substr(colon + 2)));
    return false;
  }

 private:
  /// Is it `name=[1, 2]`?
  [[nodiscard]] auto names_value() const -> bool {
    static constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t end = text_.find_first_not_of(kLetters);
    return end != std::string_view::npos && end > 0 && text_[end] == '=' && text_.size() < 100;
  }

  /// Of the byte with this number, from 1: `line 2, column 3`, or `column 3` of a single line.
  [[nodiscard]] auto place_of(size_t position) const -> std::string {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto n_lines = std::count(before.begin(), before.end(), '\n');
    const size_t begin = before.rfind('\n') + 1;  // 0 if there is no such line end
    const auto column =
        std::count_if(before.begin() + static_cast<int64_t>(begin), before.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    return text_.find('\n') == std::string_view::npos
               ? fmt::format("column {}", column + 1)
               : fmt::format("line {}, column {}", n_lines + 1, column + 1);
  }

  /// Something begins at this depth: it must be wanted here.
  auto enter() -> bool {
    if (depth_ == 0) {
      return true;
    }
    if (counts_[depth_ - 1] == shape_[depth_ - 1]) {
      reader_.fail(
          fmt::format("{} has more than {} elements", row_name(depth_ - 1), shape_[depth_ - 1]));
      return false;
    }
    ++counts_[depth_ - 1];
    return true;
  }

  auto element(const OutsideNumber& number) -> bool {
    if (depth_ != shape_.size()) {
      return wrong(number_text(number));
    }
    return enter() && reader_.add(number);
  }

  auto wrong(std::string_view found) -> bool {
    std::vector<uint64_t> rest(shape_.begin() + static_cast<int64_t>(depth_), shape_.end());
    reader_.fail(fmt::format("{} is {} instead of `{}`", place_name(), found,
                             interpret::type_text(reader_.parameter().type, rest)));
    return false;
  }

  /// The array that is being read at `depth`.
  [[nodiscard]] auto row_name(size_t depth) const -> std::string {
    if (depth == 0) {
      return "it";
    }
    std::string indices;
    for (size_t i = 0; i < depth; ++i) {
      indices += fmt::format("[{}]", counts_[i] - 1);
    }
    return "element " + indices;
  }
  [[nodiscard]] auto row_name() const -> std::string { return row_name(depth_); }

  /// What begins at this depth.
  [[nodiscard]] auto place_name() const -> std::string {
    if (depth_ == 0) {
      return "it";
    }
    std::string indices;
    for (size_t i = 0; i < depth_; ++i) {
      indices += fmt::format("[{}]", i + 1 == depth_ ? counts_[i] : counts_[i] - 1);
    }
    return "element " + indices;
  }

  ElementReader& reader_;
  std::string_view text_;
  const std::vector<uint64_t>& shape_;
  std::vector<uint64_t> counts_;
  size_t depth_ = 0;
};

}  // namespace

auto value_of_json(const interpret::EntryParameter& parameter, std::string_view text,
                   const std::optional<std::string>& name) -> Result<interpret::Value> {
  ElementReader reader(parameter);
  if (name) {
    Result<std::string_view> member = json_member(text, *name);
    if (!member) {
      reader.fail(member.error().message);
      return reader.finish();
    }
    text = *member;
  }
  reader.reserve(text.size() / 2 + 1);
  JsonElements elements(reader, text);
  json::sax_parse(text.begin(), text.end(), &elements);
  return reader.finish();
}

}  // namespace tacet::cli
