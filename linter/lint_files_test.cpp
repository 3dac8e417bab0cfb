#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "compiler/spec/program/frontend.h"
#include "linter/lint_file.h"

namespace tacet::linter {
namespace {

/// Begins all pieces at once.
class ThreadForEach final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < n; ++i) {
      threads.emplace_back([&body, i] { body(i); });
    }
  }
};

/// Functions that secrets steer, functions that call those in front of them, a mistake here and
/// there, comments that allow, and deny, what is found.
auto text_of(size_t n_functions) -> std::string {
  std::string text = "#version 0.1.0\n";
  for (size_t i = 0; i < n_functions; ++i) {
    text += i % 7 == 3 ? "// tacet: allow(T5003) known\n" : "";
    text += i % 11 == 5 ? "// tacet: deny(dead-code)\n" : "";
    text += fmt::format(
        "fn(mpc) f{0}(t: secret [i64; 8], k: secret i64) -> secret i64 {{\n"
        "    let unused = {1};\n"
        "    var best = t[k];\n"
        "    if best > k {{ best = k; }}\n"
        "    {2}\n"
        "}}\n"
        "fn c{0}(x: i64) -> i64 {{ {3} }}\n",
        i, i % 13 == 7 ? "missing" : "1",
        i > 0 && i % 3 == 0 ? fmt::format("f{}(t, best)", i - 1) : "best",
        i > 0 ? fmt::format("c{}(x) * 1", i - 1) : "x");
  }
  return text;
}

class LintFiles : public ::testing::Test {
 protected:
  /// Of a large file between two small ones, from nothing on.
  static auto lint(const LintOptions& options, Executor& executor)
      -> std::vector<std::vector<Diagnostic>> {
    program::Frontend frontend;
    const std::vector<FileId> files = frontend.set_files(
        {{"a.tacet", text_of(3)}, {"b.tacet", text_of(200)}, {"c.tacet", text_of(2)}});
    return lint_files(frontend.snapshot().query(), files, options, executor);
  }

  /// The same by `lint_file`.
  static auto lint_one_by_one(const LintOptions& options) -> std::vector<std::vector<Diagnostic>> {
    program::Frontend frontend;
    std::vector<std::vector<Diagnostic>> found;
    for (const FileId file : frontend.set_files(
             {{"a.tacet", text_of(3)}, {"b.tacet", text_of(200)}, {"c.tacet", text_of(2)}})) {
      found.push_back(frontend.snapshot().query().run(
          [&](query::Context& context) { return lint_file(context, file, options); }));
    }
    return found;
  }
};

TEST_F(LintFiles, FindInPiecesWhatIsFoundAtOnce) {
  ThreadForEach threads;
  for (const Wanted wanted : {Wanted::Everything, Wanted::Errors}) {
    for (const Fixes fixes : {Fixes::AsFound, Fixes::All}) {
      const LintOptions options{.wanted = wanted, .fixes = fixes};
      const auto found = lint(options, threads);
      EXPECT_EQ(found, lint_one_by_one(options));
      EXPECT_FALSE(found[1].empty());
    }
  }
}

TEST_F(LintFiles, FindsTheFixesOfWhatIsSelected) {
  SequentialExecutor executor;
  const LintOptions options{.fixes = Fixes::All, .selects = [](DiagnosticCode code) {
                              return code_name(code) == "T5003";
                            }};
  const auto found = lint(options, executor);
  size_t n_fixes = 0;
  for (const Diagnostic& finding : found[1]) {
    EXPECT_EQ(code_name(finding.code), "T5003");
    n_fixes += finding.fixes.size();
  }
  EXPECT_GE(n_fixes, 100U);
}

}  // namespace
}  // namespace tacet::linter
