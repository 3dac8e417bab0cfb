#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/lower.h"
#include "linter/linted_text_test.h"
#include "linter/rules/rules.h"
#include "tests/harness/files.h"

namespace tacet::linter {
namespace {

namespace fs = std::filesystem;

using harness::read_file;

/// Programs of one module with findings of every kind; not AES, which takes ten seconds until it is
/// known to be no arithmetic.
auto programs() -> std::vector<fs::path> {
  std::vector<fs::path> paths;
  for (const char* folder : {"tests/check", "tests/run", "tests/oblivious/programs",
                             "tests/mpc_lower/programs", "tests/corpus", "examples"}) {
    for (const fs::path& path : harness::find_files({.folder = folder,
                                .endings = {".tacet"},
                                .least = 5,
                                .depth = harness::Depth::Below})) {
      if (read_file(path).find("//- /") == std::string::npos && path.filename() != "aes.tacet") {
        paths.push_back(path);
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// One text, linted and run.
class Source : public LintedText {
 public:
  using LintedText::LintedText;

  /// The device functions, by name.
  auto kernels() -> std::map<std::string, kernel::Kernel> {
    std::map<std::string, kernel::Kernel> all;
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    for (const names::FileItem& item : snapshot.items(file_)->items) {
      if (item.kind == names::ItemKind::Fn && snapshot.signature(item.id)->is_device_function) {
        if (auto lowered = kernel::lower(snapshot, item.id); lowered.kernel) {
          all.emplace(lowered.kernel->name, std::move(*lowered.kernel));
        }
      }
    }
    return all;
  }
};

auto must_fix(const std::string& text, Applicability most = Applicability::Safe) -> std::string {
  const std::optional<std::string> found = fixed(text, most);
  EXPECT_TRUE(found.has_value()) << "fixes do not come to an end:\n" << text;
  return found.value_or(text);
}

auto random_value(const kernel::Variable& parameter, std::mt19937_64& random) -> kernel::Value {
  kernel::Value value{parameter.type, {}};
  int64_t n = 1;
  for (int64_t extent : parameter.type.extents) {
    n *= extent;
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t lower = parameter.bound ? static_cast<int64_t>(parameter.bound->lower) : -3;
    const int64_t upper = parameter.bound ? static_cast<int64_t>(parameter.bound->upper) : 20;
    const auto drawn = std::uniform_int_distribution<int64_t>(lower, upper - 1)(random);
    value.cells.push_back(
        parameter.type.element == engine::kBool
            ? static_cast<uint64_t>(drawn & 1)
            : engine::wrapped(parameter.type.element.kind, static_cast<uint64_t>(drawn)));
  }
  return value;
}

/// Both compute the same wherever the one before does not fail. Counts the runs that are compared.
auto n_same(const kernel::Kernel& before, const kernel::Kernel& after) -> size_t {
  size_t n_compared = 0;
  std::mt19937_64 random(42);
  for (int run = 0; run < 20; ++run) {
    std::vector<kernel::Value> inputs;
    for (kernel::VariableId parameter : before.parameters) {
      inputs.push_back(random_value(before.variables[parameter], random));
    }
    const kernel::Evaluation first = kernel::evaluate(before, inputs);
    if (first.fault || first.was_cut_short) {
      continue;
    }
    const kernel::Evaluation second = kernel::evaluate(after, inputs);
    EXPECT_EQ(first.results, second.results) << before.name;
    EXPECT_FALSE(second.fault.has_value()) << before.name;
    ++n_compared;
  }
  return n_compared;
}

TEST(Fixes, LeaveProgramsThatAreRightAndMeanTheSame) {
  size_t n_changed = 0;
  size_t n_compared = 0;
  for (const fs::path& path : programs()) {
    const std::string before = read_file(path);
    Source source(before);
    if (!source.errors().empty()) {
      continue;
    }
    const std::string after = must_fix(before);
    if (after == before) {
      continue;
    }
    ++n_changed;
    Source result(after);
    ASSERT_EQ(result.errors(), "") << path << "\n" << after;
    const auto kernels = result.kernels();
    for (const auto& [name, kernel] : source.kernels()) {
      ASSERT_TRUE(kernels.contains(name)) << path << " " << name;
      n_compared += n_same(kernel, kernels.at(name));
    }
  }
  EXPECT_GE(n_changed, 60U);
  EXPECT_GE(n_compared, 3500U);
}

/// What is unsafe may change what is computed, and then an implementation is not its specification
/// any more; but it terminates, and keeps names and types valid.
TEST(Fixes, ComeToAnEndAlsoIfTheyAreUnsafe) {
  for (const fs::path& path : programs()) {
    const std::string before = read_file(path);
    if (Source(before).errors().empty()) {
      Source result(must_fix(before, Applicability::Unsafe));
      EXPECT_EQ(result.errors(program::Until::Types), "") << path;
    }
  }
}

/// The page of the book has them all, in their groups.
TEST(Rules, StandInTheBook) {
  const std::string page = read_file(fs::path(TACET_SOURCE_DIR) / "docs/book/linter.md");
  for (const Rule& rule : rules()) {
    const size_t group = page.find(fmt::format("### `{}`", group_name(rule.group)));
    const std::string line = fmt::format("| [{0}](../diagnostics/{0}.md) | `{1}` | {2}{3} |",
                                         code_name(rule.code), rule.name, code_title(rule.code),
                                         rule.level == Level::Allow ? " (off by default)" : "");
    const size_t place = page.find(line);
    ASSERT_NE(group, std::string::npos) << group_name(rule.group);
    EXPECT_NE(place, std::string::npos) << line;
    EXPECT_EQ(page.rfind("### `", place), group) << line;
    EXPECT_EQ(codes_of(rule.name), std::vector{rule.code});
    EXPECT_EQ(codes_of(code_name(rule.code)), std::vector{rule.code});
  }
  EXPECT_GE(rules().size(), 60U);
}

TEST(Settings, LevelOfARuleOverridesThatOfItsGroup) {
  std::vector<std::string> warnings;
  const Settings settings = read_settings({{"all", "allow"},
                                           {"dead-code", "deny"},
                                           {"unused-variable", "warn"},
                                           {"T9201", "deny"},
                                           {"unused-varable", "deny"},
                                           {"style", "loud"}},
                                          "", warnings);
  EXPECT_EQ(level_of(unused_variable().code, settings), Level::Warn);
  EXPECT_EQ(level_of(unused_parameter().code, settings), Level::Deny);
  EXPECT_EQ(level_of(value_name_case().code, settings), Level::Deny);
  EXPECT_EQ(level_of(same_operands().code, settings), Level::Allow);
  EXPECT_EQ(level_of(missing_docs().code, {}), Level::Allow);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[1].find("did you mean `unused-variable`?"), std::string::npos) << warnings[1];
}

TEST(Dates, AreDays) {
  EXPECT_EQ(parse_date("2027-01-31"), 20270131);
  for (const char* text : {"2027-13-01", "2027-00-01", "2027-01-32", "2027-1-31", "27-01-31", "",
                           "2027/01/31", "2027-01-31 "}) {
    EXPECT_FALSE(parse_date(text).has_value()) << text;
  }
}

/// A fix removes its finding.
TEST(Fixes, FixTheirFindings) {
  for (const char* name :
       {"fail_branches", "fail_loops", "fail_places", "fail_exits", "fail_reads_inside"}) {
    fs::path path = fs::path(TACET_SOURCE_DIR) / "tests/check/lint" / name;
    path.replace_extension("tacet");
    const std::string after = must_fix(read_file(path));
    std::string left;
    for (const Diagnostic& finding : Source(after).findings()) {
      const Rule* rule = find_rule(finding.code);
      if (rule != nullptr && rule->kind == RuleKind::Channel) {
        left += fmt::format("{} {} ({})\n", code_name(finding.code), finding.message,
                            fmt::join(finding.notes, "; "));
      }
    }
    EXPECT_EQ(left, "") << name << "\n" << after;
  }
}

auto finding_with(std::vector<TextEdit> edits, Applicability applicability) -> Diagnostic {
  Diagnostic result;
  Fix fix;
  fix.applicability = applicability;
  fix.edits = std::move(edits);
  result.fixes.push_back(std::move(fix));
  return result;
}

auto edit(uint32_t begin, uint32_t end, std::string_view text) -> TextEdit {
  return {{begin, end}, std::string(text)};
}

TEST(ChooseFixes, TakesFixesAsAWhole) {
  std::vector<Diagnostic> all;
  all.push_back(finding_with({edit(0, 1, "x"), edit(4, 5, "y")}, Applicability::Safe));
  // It touches the first.
  all.push_back(finding_with({edit(2, 3, "z"), edit(4, 4, "!")}, Applicability::Safe));
  all.push_back(finding_with({edit(6, 7, "w")}, Applicability::Unsafe));
  EXPECT_EQ(apply_fixes("abcdefg", all).text, "xbcdyfg");
  EXPECT_EQ(apply_fixes("abcdefg", all).n_applied, 1U);
  EXPECT_EQ(apply_fixes("abcdefg", all, Applicability::Unsafe).text, "xbcdyfw");
}

}  // namespace
}  // namespace tacet::linter
