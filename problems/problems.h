#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "compiler/spec/program/frontend.h"
#include "linter/lint_file.h"

/// The list of what is wrong with a file: the only place where the results of the compiler's phases
/// and of the linter are merged and put in order.
namespace tacet::problems {

/// How far the compiler looks; each includes those before it.
enum class Until : uint8_t {
  Syntax,
  Names,
  Types,
  Specifications,  ///< which of their nodes functions compute
  Functions,       ///< whether device functions compute what they implement
  Devices,         ///< whether they run on ciphertexts and on secret shares
};

/// Query: everything that the compiler finds wrong with a file, in the order of reports.
struct ProblemsOfFile {
  static constexpr std::string_view kName = "problems_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::vector<Diagnostic>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// What is asked about files.
struct Question {
  /// Nothing: the linter's findings alone.
  std::optional<Until> until = Until::Devices;
  /// How they are linted; nothing: not at all.
  std::optional<linter::LintOptions> lint{};
};

/// What is wrong with a file, by offsets in the file, in the order of reports.
auto find(const program::FrontendSnapshot& snapshot, FileId file, const Question& question)
    -> std::vector<Diagnostic>;

/// The same of `files`, in that order, found on as many cores as `executor` has.
auto find(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
          const Question& question, Executor& executor) -> std::vector<std::vector<Diagnostic>>;

/// What is called for each problem before they are put in order, those of the compiler first. It
/// may add the fix of a finding by `linter::add_fix`.
using Visit = std::function<void(query::Context&, linter::FoundInFile&)>;

/// Everything that the compiler and the linter find, but with the fixes that `visit` adds alone of
/// those that have to be looked for.
auto find(const program::FrontendSnapshot& snapshot, FileId file, const linter::Settings& settings,
          const Visit& visit) -> std::vector<Diagnostic>;

/// Adds findings from elsewhere to `all`, in the order of reports.
void merge(std::vector<Diagnostic> more, std::vector<Diagnostic>& all);

}  // namespace tacet::problems
