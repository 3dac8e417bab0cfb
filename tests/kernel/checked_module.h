#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/spec/program/frontend.h"

/// Runs functions of a module by two evaluators.
namespace tacet::testing {

/// What a run gave: results, or at what it failed.
struct Outcome {
  std::vector<kernel::Value> results;
  std::optional<kernel::Fault> fault;
  bool was_cut_short = false;  ///< a loop stopped at its `max`

  friend auto operator==(const Outcome&, const Outcome&) -> bool = default;
};

/// `[1, 2][0]`, `fault 2`, with `, cut short` behind it.
auto outcome_text(const Outcome& outcome) -> std::string;

/// The program's own results, after checking. Problems are failures of the running test.
class CheckedModule {
 public:
  /// Whether errors in the text are failures.
  enum class Errors : uint8_t { Failures, Expected };

  explicit CheckedModule(std::string text, Errors errors = Errors::Failures);

  /// False if the text has errors, which have been reported.
  [[nodiscard]] auto is_right() const -> bool { return is_right_; }
  [[nodiscard]] auto snapshot() -> program::FrontendSnapshot { return frontend_.snapshot(); }
  auto find(std::string_view function) -> names::ItemId;
  /// The function's kernel, verified.
  auto lower(std::string_view function) -> kernel::Kernel;
  /// On the reference device.
  auto run(std::string_view function, const std::vector<kernel::Value>& inputs) -> Outcome;

 private:
  program::Frontend frontend_;
  FileId file_;
  bool is_right_ = true;
};

/// Runs a kernel. Calls fail.
auto run(const kernel::Kernel& kernel, const std::vector<kernel::Value>& inputs) -> Outcome;

}  // namespace tacet::testing
