// Functions on tuples and records compute what the same functions with a variable for each column
// do, and show no more: on the reference device, as kernels, and as kernels that were printed and
// read again.

#include "tests/records/random_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "problems/problems.h"
#include "tests/kernel/checked_module.h"

namespace tacet::testing {
namespace {

/// Or as many as the environment says.
auto n_modules() -> uint64_t {
  const char* given = std::getenv("TACET_RECORDS");
  return given == nullptr ? 150 : std::strtoull(given, nullptr, 10);
}

auto random_numbers(std::mt19937_64& random, const std::vector<int64_t>& extents) -> kernel::Value {
  kernel::Value value{{engine::kI64, extents}, {}};
  int64_t n = 1;
  for (const int64_t extent : extents) {
    n *= extent;
  }
  for (int64_t i = 0; i < n; ++i) {
    value.cells.push_back(static_cast<engine::Cell>(random() % 11) - 4);
  }
  return value;
}

TEST(Records, ComputeWhatColumnsDo) {
  for (uint64_t seed = 0; seed < n_modules() && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const RandomRecords records = random_records(random, true);
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + records.text);
    CheckedModule module(records.text);
    if (!module.is_right()) {
      continue;
    }
    const kernel::Kernel of_f = module.lower("f");
    const kernel::Kernel of_g = module.lower("g");
    CheckedModule printed("#version 0.1.0\n\n" + kernel::print(of_f));
    const oblivious::ObliviousForm form = oblivious::make_oblivious(of_f);
    EXPECT_TRUE(form.is_oblivious);
    for (int i = 0; i < 3; ++i) {
      std::vector<kernel::Value> inputs;
      for (const std::vector<int64_t>& extents : records.extents) {
        inputs.push_back(random_numbers(random, extents));
      }
      const std::string expected = outcome_text(module.run("g", inputs));
      EXPECT_EQ(outcome_text(module.run("f", inputs)), expected);
      EXPECT_EQ(outcome_text(run(of_g, inputs)), expected);
      EXPECT_EQ(outcome_text(run(of_f, inputs)), expected) << kernel::print(of_f);
      EXPECT_EQ(outcome_text(run(form.kernel, inputs)), expected) << kernel::print(form.kernel);
      if (printed.is_right()) {
        EXPECT_EQ(outcome_text(printed.run("f", inputs)), expected) << kernel::print(of_f);
      }
    }
  }
}

/// The functions of a module that are refused, as they show a secret.
auto refused(CheckedModule& module) -> std::set<std::string> {
  const program::FrontendSnapshot snapshot = module.snapshot();
  const FileId file = snapshot.item_key(module.find("f")).file;
  std::set<std::string> names;
  for (const Diagnostic& found : problems::find(snapshot, file, {.lint = linter::LintOptions{}})) {
    if (found.severity != Severity::Error) {
      continue;
    }
    std::string name;
    for (const names::FileItem& item : snapshot.items(file)->items) {
      if (item.name.has_value() && snapshot.item_begin(item.id) <= found.place.range.begin) {
        name = snapshot.interner().text(item.name);
      }
    }
    const bool is_of_secret = found.code == DiagnosticCode::T2019 ||
                              found.code == DiagnosticCode::T5009 ||
                              found.code == DiagnosticCode::T6030;  // the parties' own check
    EXPECT_TRUE(is_of_secret) << code_name(found.code) << ": " << found.message;
    names.insert(name);
  }
  return names;
}

TEST(Records, ShowNoMoreThanColumnsDo) {
  uint64_t n_refused = 0;
  uint64_t n_different = 0;
  uint64_t n_functions = 0;
  for (uint64_t seed = 0; seed < n_modules() && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const RandomRecords records = random_records(random, false);
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + records.text);
    CheckedModule module(records.text, CheckedModule::Errors::Expected);
    std::set<std::string> of_records;
    std::set<std::string> of_columns;
    for (const std::string& name : refused(module)) {
      const size_t flat = name.find("_flat");
      if (name == "g" || flat != std::string::npos) {
        of_columns.insert(name == "g" ? "f" : name.substr(0, flat));
      } else {
        of_records.insert(name);
      }
    }
    // A field that is declared secret stays one, whatever it is given; a variable does not.
    EXPECT_TRUE(
        std::includes(of_records.begin(), of_records.end(), of_columns.begin(), of_columns.end()));
    n_different += of_records == of_columns ? 0 : 1;
    n_refused += of_columns.count("f");
    ++n_functions;
  }
  EXPECT_LT(n_different, n_functions / 4);
  EXPECT_GT(n_refused, n_functions / 10);
  EXPECT_LT(n_refused, n_functions - n_functions / 10);
}

}  // namespace
}  // namespace tacet::testing
