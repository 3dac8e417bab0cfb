#include "cli/values/data_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace tacet::cli {
namespace {

auto parsed(std::string_view text) -> std::string {
  const Result<DataSource> source = parse_data_source(text);
  return source
             ? fmt::format("{} {} {}", source.value().path, static_cast<int>(source.value().format),
                           source.value().selection.value_or("-"))
             : source.error().message;
}

TEST(DataSources, AFileAndASelection) {
  EXPECT_EQ(parsed("people.csv"), "people.csv 1 -");
  EXPECT_EQ(parsed("people.csv:age,income"), "people.csv 1 age,income");
  EXPECT_EQ(parsed("a:b/people.CSV:\"a:b\",c"), "a:b/people.CSV 1 \"a:b\",c");
  EXPECT_EQ(parsed("a.csv.tsv"), "a.csv.tsv 2 -");
  EXPECT_EQ(parsed("data.npz:weights"), "data.npz 4 weights");
  EXPECT_EQ(parsed("out.json:a:b"), "out.json 0 a:b");
}

TEST(DataSources, WhatIsNotReadIsConverted) {
  EXPECT_EQ(parsed("a.csv:"), "`a.csv:`: expected a name behind the colon");
  EXPECT_EQ(parsed("a.npy:x"), "a.npy has one array and no name `x`; remove `:x`");
  EXPECT_EQ(parsed("a.txt:x"), "a.txt:x is not a `.json`, `.csv`, `.tsv`, `.npy` or `.npz` file");
  EXPECT_EQ(parsed("a.parquet"),
            "a.parquet is a Parquet file; convert it to `.csv` or `.npy`: with pandas, "
            "`pd.read_parquet(FILE).to_csv(\"data.csv\", index=False)`");
  EXPECT_EQ(
      parsed("A.XLSX"),
      "A.XLSX is a spreadsheet; convert it to `.csv` or `.npy`: save the sheet as CSV, UTF-8");
}

TEST(DataSources, NamesNearest) {
  const std::vector<std::string> few = {"name", "wage", "age"};
  EXPECT_EQ(missing_name("column", "agge", few).message,
            "no column `agge`; the columns are `age`, `wage`, `name`");
  const std::vector<std::string> many = {"zip", "name", "Income", "city", "wage", "age", "street"};
  EXPECT_EQ(
      missing_name("column", "income", many).message,
      "no column `income`; of its 7 columns, the nearest are `Income`, `name`, `city`, `wage`, "
      "`age`");
  EXPECT_EQ(missing_name("array", "w", {"weights"}).message,
            "no array `w`; the only array is `weights`");
  EXPECT_EQ(missing_name("array", "w\x1b[31m", {std::string(1'000'000, 'a')}).message.substr(0, 12),
            "no array `w\xE2");
}

}  // namespace
}  // namespace tacet::cli
