#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/values/value_formats.h"
#include "cli/values/value_shape.h"

namespace tacet::cli {
namespace {

using interpret::ElementKind;
using interpret::ElementType;
using interpret::EntryParameter;

constexpr ElementType kCsvFxp{ElementKind::Fxp, 18};
constexpr ElementType kCsvF64{ElementKind::F64, 0};

auto csv_parameter(ElementType type, std::vector<uint64_t> shape) -> EntryParameter {
  return {"x", type, std::move(shape), {}};
}

/// What a selection of a table reads as.
auto selected(ElementType type, std::vector<uint64_t> shape, std::string_view text,
              std::string_view selection, CsvKind kind = CsvKind::Detected) -> std::string {
  const Result<interpret::Value> value =
      value_of_csv(csv_parameter(type, std::move(shape)), text, kind, std::string(selection));
  return value ? interpret::value_text(value.value()) : value.error().message;
}

constexpr std::string_view kPeople =
    "name,age,income\n"
    "\"Smith, A.\",31,2500.5\n"
    "\"O\"\"Hara\",47,3100\n"
    "Li,28,0\n";

TEST(CsvColumns, AreSelectedByTheirHeader) {
  EXPECT_EQ(selected(interpret::kI64, {3}, kPeople, "age"), "[31, 47, 28]");
  EXPECT_EQ(selected(kCsvFxp, {3, 2}, kPeople, "income,age"),
            "[[2500.5, 31.0], [3100.0, 47.0], [0.0, 28.0]]");
  EXPECT_EQ(selected(kCsvFxp, {3, 1}, kPeople, " income "), "[[2500.5], [3100.0], [0.0]]");
  EXPECT_EQ(selected(interpret::kI64, {2, 2}, "a,b\n1,2\n3,4\n", "*"), "[[1, 2], [3, 4]]");
  EXPECT_EQ(selected(interpret::kI64, {2}, "\"last, first\",b\n1,2\n3,4\n", "\"last, first\""),
            "[1, 3]");
  EXPECT_EQ(selected(interpret::kI64, {}, "a\n7\n", "a"), "7");
}

TEST(CsvColumns, InEveryDialect) {
  for (const std::string_view text : {
           "\xEF\xBB\xBF"
           "âge;b\r\n1;2\r\n3;4\r\n",
           "âge\tb\n1\t2\n3\t4",
           "sep=|\nâge|b\n1|2\n3|4\n",
           "âge,b\r1,2\r3,4\r",
           "\n âge , b \n\n 1 , 2 \n \n3,4\n\n",
           "\"âge\",\"b\"\n\"1\", \"2\" \n\"3\",4\n",
           "âge,\"b\nc\"\n1,\"x\ny\"\n3,\"\"\n",
       }) {
    EXPECT_EQ(selected(interpret::kI64, {2}, text, "âge"), "[1, 3]") << text;
  }
  EXPECT_EQ(selected(interpret::kI64, {2}, "a,b\tc\n1\t2\n3\t4\n", "c", CsvKind::Tabs), "[2, 4]");
  EXPECT_EQ(selected(kCsvF64, {2}, "a;b\n1,5;2\n3,5;4\n", "b"), "[2.0, 4.0]");
}

TEST(CsvColumns, NumbersAsProgramsWriteThem) {
  EXPECT_EQ(selected(interpret::kI64, {4}, "a\n35.0\n+3\n-0\n-12.\n", "a"), "[35, 3, 0, -12]");
  EXPECT_EQ(selected(interpret::kBool, {4}, "a\nTrue\nFALSE\n1\nfalse\n", "a"),
            "[true, false, true, false]");
  EXPECT_EQ(selected(kCsvF64, {6}, "a\n1e3\n-0\nnan\n-inf\n.5\n+.5\n", "a"),
            "[1000.0, -0.0, nan, -inf, 0.5, 0.5]");
  EXPECT_EQ(selected(kCsvFxp, {2}, "a\n1.5e2\n+0.25\n", "a"), "[150.0, 0.25]");
}

TEST(CsvColumns, MistakesHaveTheirPlace) {
  const auto of_age = [](std::string_view rows) {
    return selected({ElementKind::U8, 0}, {2}, fmt::format("age,n\n{}", rows), "age");
  };
  EXPECT_EQ(of_age("1,2\n,3\n"), "parameter `x`: line 3, column `age`: element [1] is missing");
  EXPECT_EQ(of_age("1,2\nNA,3\n"),
            "parameter `x`: line 3, column `age`: element [1] is missing: `NA`");
  EXPECT_EQ(of_age("1,2\n\"x\ny\",3\n"),
            "parameter `x`: line 3, column `age`: element [1] is `x y`, expected `u8`");
  EXPECT_EQ(of_age("256,2\n1,3\n"),
            "parameter `x`: line 2, column `age`: element [0] is 256, out of range for `u8`; its "
            "range is 0 to 255");
  EXPECT_EQ(of_age("1.5,2\n1,3\n"),
            "parameter `x`: line 2, column `age`: element [0] is 1.5, expected `u8`");
  EXPECT_EQ(of_age("1,2\n3\n"), "parameter `x`: line 3 has 1 column instead of 2");
  EXPECT_EQ(of_age("1,2\n\"3,4\n"), "parameter `x`: line 3, column 1: no closing quote");
  EXPECT_EQ(of_age("1,2\n\"3\"4,5\n"),
            "parameter `x`: line 3, column 1: text behind the closing quote");
  EXPECT_EQ(of_age("1,2\n"), "parameter `x`: found 1 element; `[u8; 2]` has 2");
  EXPECT_EQ(of_age("1,2\n3,4\n5,6\n"), "parameter `x`: line 4: more rows than `[u8; 2]` has");
  EXPECT_EQ(
      selected(kCsvFxp, {2}, "a;b\n1,5;2\n3,5;4\n", "a"),
      "parameter `x`: line 2, column `a`: element [0] is `1,5`, expected `fxp`; write decimals "
      "with a point, and thousands without separators");
  EXPECT_EQ(selected(kCsvF64, {2}, "a\n1\n\n3\n", "a"),
            "parameter `x`: line 3, column `a`: the value is missing");
  EXPECT_EQ(selected(kCsvF64, {2}, "a\n1\n\"\"\n", "a"),
            "parameter `x`: line 3, column `a`: element [1] is missing");
  EXPECT_EQ(selected(kCsvF64, {1}, "a\nNULL\n", "a"),
            "parameter `x`: line 2, column `a`: element [0] is missing: `NULL`");
}

TEST(CsvColumns, HeadersThatAreNotThere) {
  EXPECT_EQ(selected(interpret::kI64, {3}, kPeople, "aeg"),
            "parameter `x`: no column `aeg`; the columns are `age`, `name`, `income`");
  EXPECT_EQ(selected(interpret::kI64, {3}, kPeople, "age,"),
            "parameter `x`: expected a name of a column between the commas");
  EXPECT_EQ(selected(interpret::kI64, {1}, "a,b,a\n1,2,3\n", "a"),
            "parameter `x`: columns 1 and 3 are both named `a`; rename one");
  EXPECT_EQ(selected(interpret::kI64, {1, 3}, "a,b,a\n1,2,3\n", "*"), "[[1, 2, 3]]");
  EXPECT_EQ(selected(interpret::kI64, {1}, "", "a"), "parameter `x`: it has no line of headers");
  EXPECT_EQ(selected(interpret::kI64, {1},
                     "\xFF\xFE"
                     "a\0",
                     "a"),
            "parameter `x`: it is not UTF-8 text; save it as CSV in UTF-8");
  const Result<interpret::Value> plain =
      value_of_csv(csv_parameter(interpret::kI64, {3, 3}), "name,age,income\n1,2,3\n");
  EXPECT_EQ(
      plain.error().message,
      "parameter `x`: line 1, column 1: element [0][0] is `name`, expected `i64`; if the line "
      "has headers, append the names of columns, as in `:age,income`, or `:*`");
}

/// A table that the test has written, with what each of its columns holds.
class RandomTable {
 public:
  explicit RandomTable(uint64_t seed) : random_(seed) {
    n_columns_ = 1 + pick(5);
    n_rows_ = 1 + pick(6);
    separator_ = std::string_view(",;\t")[pick(3)];
    line_end_ = pick(3) == 0 ? "\r\n" : pick(2) == 0 ? "\r" : "\n";
  }

  auto pick(uint64_t n) -> uint64_t { return random_() % n; }

  auto text() -> std::string {
    std::string text = pick(2) == 0 ? "\xEF\xBB\xBF" : "";
    for (uint64_t i = 0; i < n_columns_; ++i) {
      headers_.push_back(
          fmt::format("{}{}{}", words()[pick(words().size())], i, i == 0 ? "" : " z"));
    }
    append(text, headers_);
    for (uint64_t row = 0; row < n_rows_; ++row) {
      std::vector<std::string> fields;
      for (uint64_t i = 0; i < n_columns_; ++i) {
        fields.push_back(numbers()[pick(numbers().size())]);
      }
      append(text, fields);
      rows_.push_back(std::move(fields));
    }
    return text;
  }

  /// Some columns, and what their values look like.
  auto selection(std::string& names, std::string& values, uint64_t& n) -> void {
    std::vector<uint64_t> columns;
    n = 1 + pick(n_columns_);
    for (uint64_t i = 0; i < n; ++i) {
      columns.push_back(pick(n_columns_));
      names += fmt::format("{}{}", i == 0 ? "" : ",", quoted(headers_[columns.back()]));
    }
    for (uint64_t row = 0; row < n_rows_; ++row) {
      std::string text;
      for (const uint64_t column : columns) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", rows_[row][column]);
      }
      values += fmt::format("{}[{}]", values.empty() ? "" : ", ", text);
    }
    values = fmt::format("[{}]", values);
  }

  [[nodiscard]] auto n_rows() const -> uint64_t { return n_rows_; }

 private:
  static auto words() -> const std::vector<std::string>& {
    static const std::vector<std::string> kWords = {"age",        "Ünï,cødé",   "a;b", "tab\tbed",
                                                    "two\nlines", "\"quoted\"", "42",  "日本"};
    return kWords;
  }
  static auto numbers() -> const std::vector<std::string>& {
    static const std::vector<std::string> kNumbers = {
        "0", "-1", "7", "9223372036854775807", "-9223372036854775808", "12345678"};
    return kNumbers;
  }

  static auto quoted(const std::string& field) -> std::string {
    std::string result = "\"";
    for (const char c : field) {
      result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + '"';
  }

  void append(std::string& text, const std::vector<std::string>& fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool must_be_quoted = fields[i].find_first_of(",;\t\n\"") != std::string::npos;
      text += i == 0 ? "" : std::string(1, separator_);
      text += pick(4) == 0 ? " " : "";
      text += must_be_quoted || pick(3) == 0 ? quoted(fields[i]) : fields[i];
      text += pick(4) == 0 ? " " : "";
    }
    text += line_end_;
  }

  std::mt19937_64 random_;
  uint64_t n_columns_ = 0;
  uint64_t n_rows_ = 0;
  char separator_ = ',';
  std::string line_end_;
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

TEST(CsvColumns, RandomTablesReadAsTheyWereWritten) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    RandomTable table(seed);
    const std::string text = table.text();
    std::string names;
    std::string values;
    uint64_t n = 0;
    table.selection(names, values, n);
    EXPECT_EQ(selected(interpret::kI64, {table.n_rows(), n}, text, names), values) << seed << "\n"
                                                                                   << names << "\n"
                                                                                   << text;
    Result<CsvExtents> extents = csv_extents(text, CsvKind::Detected, names);
    ASSERT_TRUE(extents);
    EXPECT_EQ(extents->n_rows, table.n_rows());
    EXPECT_EQ(extents->n_columns, n);
  }
}

}  // namespace
}  // namespace tacet::cli
