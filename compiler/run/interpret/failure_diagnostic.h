#pragma once

#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/run/interpret/machine.h"
#include "compiler/run/interpret/program.h"

namespace tacet::interpret {

/// Why a run failed, without the program that ran: for machines that run the same text without it.
struct FailureStory {
  struct Caller {
    FileRange place;
    std::string function;
  };
  Fault fault{};
  FileRange place;
  ElementType type;           ///< of the operation, if the fault is about one
  bool is_remainder = false;  ///< the operation is `%`
  bool is_above = false;      ///< what leaves a bound is greater than all in it
  Cell left = 0;              ///< operands; the status of an extern that failed
  Cell right = 0;
  std::string subject;  ///< the extern, or what is not built; empty if a device as such failed
  std::string reason;   ///< why an extern or device failed; empty if it only gave a status
  /// Who called, innermost first; of many the inner and the outer ones.
  std::vector<Caller> callers;
  uint32_t n_inner_callers = 0;
  uint64_t n_calls_left_out = 0;
};

/// How many callers of a deep stack are shown.
inline constexpr size_t kShownInnerCallers = 6;
inline constexpr size_t kShownOuterCallers = 2;

auto failure_story(const Program& program, const Failure& failure) -> FailureStory;

/// The report about a run that failed: where, on which values, and who called.
auto failure_diagnostic(const FailureStory& story, uint64_t memory_limit_bytes) -> Diagnostic;

/// The report about an instruction of `note` that was reached.
auto remark_diagnostic(const Program& program, uint32_t instruction) -> Diagnostic;

}  // namespace tacet::interpret
