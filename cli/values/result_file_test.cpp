#include "cli/values/result_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/values/value_formats.h"

namespace tacet::cli {
namespace {

using interpret::Cell;
using interpret::ElementKind;
using interpret::ElementType;
using interpret::EntryResult;
using interpret::Value;

constexpr ElementType kResultTypes[] = {
    {ElementKind::Bool, 0}, {ElementKind::I8, 0},   {ElementKind::I16, 0}, {ElementKind::I32, 0},
    {ElementKind::I64, 0},  {ElementKind::U8, 0},   {ElementKind::U16, 0}, {ElementKind::U32, 0},
    {ElementKind::U64, 0},  {ElementKind::Fxp, 18}, {ElementKind::Fxp, 4}, {ElementKind::F32, 0},
    {ElementKind::F64, 0}};

/// Cells of every magnitude, and the ends of the type.
auto some_cell(ElementType type, std::mt19937_64& random) -> Cell {
  const uint64_t bits = random() >> random() % 64;
  switch (random() % 6) {
    case 0:
      return interpret::wrapped(type.kind,
                                uint64_t{1} << 63 >> (64 - interpret::bit_width(type.kind)));
    case 1:
      return type.kind == ElementKind::Bool ? 1
             : interpret::is_integer(type.kind)
                 ? interpret::wrapped(type.kind, interpret::max_integer(type.kind))
                 : bits;
    default:
      return type.kind == ElementKind::Bool ? bits & 1
             : type.kind == ElementKind::Fxp || type.kind == ElementKind::F64
                 ? bits
                 : interpret::wrapped(type.kind, bits);
  }
}

auto result_of(ElementType type, std::vector<uint64_t> shape, std::string name = "out")
    -> EntryResult {
  return {std::move(name), type, std::move(shape)};
}

auto some_value(const EntryResult& result, std::mt19937_64& random) -> Value {
  Value value{result.type, result.shape, {}};
  for (uint64_t i = 0; i < interpret::n_elements(result.shape); ++i) {
    value.cells.push_back(result.type.kind == ElementKind::F32
                              ? interpret::cell_of_f32(static_cast<float>(random()) *
                                                       (random() % 2 == 0 ? 1e-30F : -1.0F))
                              : some_cell(result.type, random));
  }
  return value;
}

/// The value that a file with it reads as, or the error.
auto read_back(const std::string& path, const EntryResult& result, const std::string& content)
    -> Result<Value> {
  const interpret::EntryParameter parameter{"x", result.type, result.shape, {}};
  const std::string selection = result.shape.size() == 2 ? "*" : result.name;
  return path == "a.npy"    ? value_of_npy(parameter, content)
         : path == "a.npz"  ? value_of_npz(parameter, content, result.name)
         : path == "a.json" ? value_of_json(parameter, content, result.name)
         : path == "a.csv"  ? value_of_csv(parameter, content, CsvKind::Detected, selection)
                            : value_of_csv(parameter, content, CsvKind::Tabs, selection);
}

/// NaNs are all the same outside.
auto is_same(const Value& one, const Value& other) -> bool {
  return one == other || interpret::value_text(one) == interpret::value_text(other);
}

TEST(ResultFiles, ReadBackAsTheSame) {
  std::mt19937_64 random(1);
  size_t n_inexact = 0;
  for (const ElementType type : kResultTypes) {
    for (const std::vector<uint64_t>& shape :
         {std::vector<uint64_t>{}, {1}, {7}, {3, 2}, {2, 1}, {2, 3, 4}}) {
      for (const std::string path : {"a.npy", "a.npz", "a.json", "a.csv", "a.tsv"}) {
        const EntryResult result = result_of(type, shape);
        const bool is_table = path == "a.csv" || path == "a.tsv";
        if (is_table && shape.size() > 2) {
          EXPECT_FALSE(check_result_file(path, {result}));
          continue;
        }
        ASSERT_TRUE(check_result_file(path, {result}));
        const Value value = some_value(result, random);
        Result<std::string> content = result_file_content(path, {result}, {value});
        if (!content) {
          ++n_inexact;
          EXPECT_EQ(type.kind, ElementKind::Fxp) << content.error().message;
          continue;
        }
        const Result<Value> again = read_back(path, result, *content);
        ASSERT_TRUE(again) << again.error().message << path << *content;
        EXPECT_TRUE(is_same(again.value(), value))
            << path << interpret::type_text(type, shape) << interpret::value_text(value)
            << interpret::value_text(again.value());
      }
    }
  }
  EXPECT_GT(n_inexact, 0U);
}

auto refusal(const std::string& path, const std::vector<EntryResult>& results) -> std::string {
  const Status fits = check_result_file(path, results);
  return fits ? "" : fits.error().message;
}

TEST(ResultFiles, WhatDoesNotFitIsRefused) {
  const EntryResult three = result_of(interpret::kI64, {3}, "a");
  const EntryResult two = result_of(interpret::kI64, {2}, "b");
  const EntryResult cube = result_of(interpret::kI64, {2, 2, 2}, "c");
  EXPECT_EQ(refusal("out.txt", {three}),
            "`--output out.txt`: the name must end with `.csv`, `.tsv`, `.json`, `.npy` or `.npz`");
  EXPECT_EQ(refusal("out.csv", {three, two}),
            "`--output out.csv`: `a` would have 3 rows, and `b` 2; use `.npz` or `.json`");
  EXPECT_EQ(refusal("out.csv", {cube}),
            "`--output out.csv`: a table has rows and columns, and `c` is `[i64; 2, 2, 2]`; use "
            "`.npy`, `.npz` or `.json`");
  EXPECT_EQ(refusal("out.npy", {three, two}),
            "`--output out.npy`: it would have one array, and there are 2 results; use `.npz`");
  EXPECT_EQ(refusal("out.json", {three, three}), "`--output out.json`: two results are named `a`");
  EXPECT_EQ(refusal("out.json", {}), "`--output out.json`: there are no results to write");
  EXPECT_EQ(refusal("/no/such/out.json", {three}),
            "`--output /no/such/out.json`: there is no folder /no/such");
  EXPECT_EQ(refusal("out.npz", {three, two, cube}), "");
  EXPECT_EQ(refusal("out.json", {three, two, cube}), "");
}

TEST(ResultFiles, ATableOfSeveralResults) {
  const std::vector<EntryResult> results = {result_of(interpret::kI64, {2}, "a"),
                                            result_of({ElementKind::Fxp, 18}, {2, 2}, "b")};
  const std::vector<Value> values = {{interpret::kI64, {2}, {1, ~Cell{0}}},
                                     {{ElementKind::Fxp, 18}, {2, 2}, {1 << 17, 0, 1 << 18, 1}}};
  EXPECT_EQ(result_file_content("out.csv", results, values).value(),
            "a,b[0],b[1]\n1,0.5,0.0\n-1,1.0,0.000004\n");
  EXPECT_EQ(result_file_content("out.json", results, values).value(),
            "{\"a\": [1,-1],\n \"b\": [[0.5,0.0],[1.0,0.000004]]}\n");
  const Value wide{{ElementKind::Fxp, 18}, {}, {(Cell{1} << 60) + 1}};
  const Result<std::string> array =
      result_file_content("out.npy", {result_of(wide.type, {}, "w")}, {wide});
  EXPECT_EQ(
      array.error().message,
      "`w` is 4398046511104.000004, which float64 cannot hold exactly; use `.csv` or `.json`");
}

}  // namespace
}  // namespace tacet::cli
