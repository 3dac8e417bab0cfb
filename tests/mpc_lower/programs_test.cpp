// Functions beside the programs that they become: tests/mpc_lower/programs/NAME.tacet and
// NAME.tmpc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

namespace fs = std::filesystem;

auto text_of(const fs::path& path) -> std::string {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Programs, AreAsTheyWere) {
  const fs::path folder = fs::path(TACET_SOURCE_DIR) / "tests/mpc_lower/programs";
  std::vector<fs::path> sources;
  size_t n_programs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".tacet") {
      sources.push_back(entry.path());
    }
    n_programs += entry.path().extension() == ".tmpc" ? 1 : 0;
  }
  std::sort(sources.begin(), sources.end());
  ASSERT_FALSE(sources.empty());
  for (const fs::path& path : sources) {
    SCOPED_TRACE(path);
    const std::string source = text_of(path);
    LowerOptions options;
    options.line_of = [&](FileRange place) {
      return 1 + static_cast<uint32_t>(std::count(
                     source.begin(),
                     source.begin() + static_cast<std::ptrdiff_t>(place.range.begin), '\n'));
    };
    const auto form = oblivious::make_oblivious(oblivious::kernel_of(source));
    const Lowering lowering = lower(form.kernel, options);
    ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
    const auto fault = engine::find_fault(*lowering.program);
    EXPECT_FALSE(fault) << fault->message;
    const std::string text = engine::to_text(*lowering.program);
    fs::path expected = path;
    expected.replace_extension(".tmpc");
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(expected) << text;
    }
    EXPECT_EQ(text, text_of(expected));
  }
  EXPECT_EQ(n_programs == 0 ? sources.size() : n_programs, sources.size());
}

TEST(Programs, OfThePageAreToldOrNot) {
  size_t n_programs = 0;
  for (const PageProgram& program : page_programs(explanation(DiagnosticCode::T6030))) {
    ++n_programs;
    const auto form = oblivious::make_oblivious(oblivious::kernel_of(program.text));
    const Lowering lowering = lower(form.kernel);
    EXPECT_EQ(lowering.program.has_value(), program.expectation != Expectation::Fails)
        << program.text;
    for (const Diagnostic& diagnostic : lowering.diagnostics) {
      EXPECT_EQ(diagnostic.code == DiagnosticCode::T6030, diagnostic.severity == Severity::Error)
          << diagnostic.message;
    }
  }
  EXPECT_EQ(n_programs, 11U);
}

}  // namespace
}  // namespace tacet::mpc_lower
