#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler/frontend/frontend.h"
#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/lower.h"
#include "linter/apply_fixes.h"
#include "linter/lint_file.h"
#include "linter/rules/rules.h"

namespace tacet::linter {
namespace {

namespace fs = std::filesystem;

auto read_file(const fs::path& path) -> std::string {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Programs with findings of every kind.
auto programs() -> std::vector<fs::path> {
  std::vector<fs::path> paths;
  for (const char* folder :
       {"tests/check/lint", "tests/run", "tests/oblivious/programs", "examples/oblivious"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TACET_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".tacet") {
        paths.push_back(entry.path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// One text, linted and run.
class Source {
 public:
  explicit Source(const std::string& text) : file_(frontend_.set_file("main.tacet", text)) {}

  auto findings() -> std::vector<Diagnostic> {
    return frontend_.snapshot().query().run([&](query::Context& context) {
      return lint_file(context, file_, {}, Wanted::Everything, Fixes::All);
    });
  }
  auto errors() -> std::string {
    std::string all;
    for (const Diagnostic& diagnostic :
         frontend_.snapshot().diagnostics(file_, check::Until::Types)) {
      if (diagnostic.severity == Severity::Error) {
        all += diagnostic.message + "\n";
      }
    }
    return all;
  }
  /// The device functions, by name.
  auto kernels() -> std::map<std::string, kernel::Kernel> {
    std::map<std::string, kernel::Kernel> all;
    const check::FrontendSnapshot snapshot = frontend_.snapshot();
    for (const names::FileItem& item : snapshot.items(file_)->items) {
      if (item.kind == names::ItemKind::Fn && snapshot.signature(item.id)->is_device_function) {
        if (auto lowered = kernel::lower(snapshot, item.id); lowered.kernel) {
          all.emplace(lowered.kernel->name, std::move(*lowered.kernel));
        }
      }
    }
    return all;
  }

 private:
  check::Frontend frontend_;
  FileId file_;
};

/// Fixes until nothing is left to fix.
auto fixed(const std::string& text) -> std::string {
  std::string now = text;
  for (int round = 0; round < 32; ++round) {
    const FixedText next = apply_fixes(now, Source(now).findings());
    if (next.n_applied == 0) {
      return now;
    }
    now = next.text;
  }
  ADD_FAILURE() << "fixes do not come to an end:\n" << now;
  return now;
}

auto random_value(const kernel::Variable& parameter, std::mt19937_64& random) -> kernel::Value {
  kernel::Value value{parameter.type, {}};
  int64_t n = 1;
  for (int64_t extent : parameter.type.extents) {
    n *= extent;
  }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t lower = parameter.bound ? parameter.bound->lower : -3;
    const int64_t upper = parameter.bound ? parameter.bound->upper : 20;
    const auto drawn = std::uniform_int_distribution<int64_t>(lower, upper - 1)(random);
    value.cells.push_back(
        parameter.type.element == engine::kBool
            ? static_cast<uint64_t>(drawn & 1)
            : engine::wrapped(parameter.type.element.kind, static_cast<uint64_t>(drawn)));
  }
  return value;
}

/// Both compute the same wherever the one before does not fail.
void expect_same(const kernel::Kernel& before, const kernel::Kernel& after) {
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
  }
}

TEST(Fixes, LeaveProgramsThatAreRightAndMeanTheSame) {
  size_t n_changed = 0;
  for (const fs::path& path : programs()) {
    const std::string before = read_file(path);
    Source source(before);
    if (!source.errors().empty()) {
      continue;
    }
    const std::string after = fixed(before);
    n_changed += after != before ? 1 : 0;
    Source result(after);
    ASSERT_EQ(result.errors(), "") << path << "\n" << after;
    const auto kernels = result.kernels();
    for (const auto& [name, kernel] : source.kernels()) {
      ASSERT_TRUE(kernels.contains(name)) << path << " " << name;
      expect_same(kernel, kernels.at(name));
    }
  }
  EXPECT_GE(n_changed, 5U);
}

/// What a fix is there for is gone when it was applied.
TEST(Fixes, MendWhatTheyAreFor) {
  for (const char* name :
       {"fail_branches", "fail_loops", "fail_places", "fail_exits", "fail_reads_inside"}) {
    fs::path path = fs::path(TACET_SOURCE_DIR) / "tests/check/lint" / name;
    path.replace_extension("tacet");
    const std::string after = fixed(read_file(path));
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
