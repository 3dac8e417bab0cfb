#include "compiler/run/interpret/failure_diagnostic.h"

#include <fmt/format.h>

#include "base/check.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/run/interpret/value.h"

namespace tacet::interpret {

static auto bytes_text(uint64_t bytes) -> std::string {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  if (bytes >= kMebibyte << 10 && bytes % (kMebibyte << 10) == 0) {
    return fmt::format("{} GiB", bytes / (kMebibyte << 10));
  }
  return bytes >= kMebibyte ? fmt::format("{} MiB", bytes / kMebibyte)
                            : fmt::format("{} bytes", bytes);
}

static auto code_of(Fault fault) -> DiagnosticCode {
  switch (fault) {
    case Fault::DivisionByZero:
      return DiagnosticCode::T8001;
    case Fault::ShiftOutOfRange:
      return DiagnosticCode::T8002;
    case Fault::IndexOutOfRange:
      return DiagnosticCode::T8003;
    case Fault::OutOfMemory:
      return DiagnosticCode::T8004;
    case Fault::DanglingReference:
      return DiagnosticCode::T8005;
    case Fault::MissingExtern:
      return DiagnosticCode::T8006;
    case Fault::FailedExtern:
      return DiagnosticCode::T8007;
    case Fault::BadStep:
      return DiagnosticCode::T8008;
    case Fault::Hole:
      return DiagnosticCode::T8009;
    case Fault::Unsupported:
      return DiagnosticCode::T8010;
    case Fault::EmptyDraw:
      return DiagnosticCode::T8012;
    case Fault::BrokenBound:
    case Fault::BrokenNorm:
      return DiagnosticCode::T8020;
    case Fault::CyclicDefinition:
    case Fault::Cancelled:
      break;
  }
  TACET_CHECK(false, "definitions in a cycle are found by the check; cancelling is no failure");
}

static auto message_of(const FailureStory& story, uint64_t limit) -> std::string {
  switch (story.fault) {
    case Fault::DivisionByZero:
      return fmt::format("division by zero: `{} {} {}`", element_text(story.type, story.left),
                         story.is_remainder ? "%" : "/", element_text(story.type, story.right));
    case Fault::ShiftOutOfRange:
      return fmt::format("`{}` has {} bits and cannot be shifted by {}",
                         element_type_name(story.type), bit_width(story.type.kind),
                         element_text(story.type, story.right));
    case Fault::IndexOutOfRange:
      return fmt::format("write to index {} is out of bounds for a dimension of size {}",
                         static_cast<int64_t>(story.left), story.right);
    case Fault::OutOfMemory:
      return fmt::format("the run needs more than its {} of memory", bytes_text(limit));
    case Fault::DanglingReference:
      return "the reference outlives the variable that it refers to";
    case Fault::MissingExtern:
      return fmt::format("the extern `{}` has no implementation", story.subject);
    case Fault::FailedExtern:
      if (story.reason.empty()) {
        return fmt::format("the extern `{}` failed with status {}", story.subject,
                           static_cast<int64_t>(story.left));
      }
      return story.subject.empty()
                 ? fmt::format("the GPU failed: {}", story.reason)
                 : fmt::format("the kernel `{}` failed: {}", story.subject, story.reason);
    case Fault::BadStep:
      return "the step of the loop is not positive";
    case Fault::Hole:
      return "execution reached a hole";
    case Fault::Unsupported:
      return fmt::format("{} is not supported on the reference device", story.subject);
    case Fault::EmptyDraw:
      return fmt::format("random draw from the empty range 0..{}",
                         element_text(story.type, story.left));
    case Fault::BrokenNorm:
      return fmt::format("the norm of the argument's item {} exceeds its bound {}",
                         static_cast<int64_t>(story.left), element_text(story.type, story.right));
    case Fault::BrokenBound:
      return fmt::format("the argument is {}, but its bound allows at {} {}",
                         element_text(story.type, story.left), story.is_above ? "most" : "least",
                         element_text(story.type, story.right));
    case Fault::CyclicDefinition:
    case Fault::Cancelled:
      break;
  }
  return {};
}

auto failure_story(const Program& program, const Failure& failure) -> FailureStory {
  const Instruction& at = program.instructions[failure.instruction];
  FailureStory story;
  story.fault = failure.fault;
  story.place = program.places[failure.instruction];
  story.type = at.type;
  story.is_remainder = at.opcode == Opcode::Rem;
  story.is_above = at.opcode == Opcode::CheckMost;
  story.left = failure.left;
  story.right = failure.right;
  if (failure.fault == Fault::MissingExtern || failure.fault == Fault::FailedExtern) {
    story.subject = program.externs[at.operands[0]].name;
  } else if (failure.fault == Fault::Unsupported) {
    story.subject = program.messages[at.operands[1]];
  }
  for (uint32_t caller : failure.callers) {
    // The host's own call has no name.
    const Function* function = function_at(program, caller);
    story.callers.push_back({program.places[caller], function == nullptr ? "" : function->name});
  }
  story.n_inner_callers = failure.n_inner_callers;
  story.n_calls_left_out = failure.n_calls_left_out;
  return story;
}

auto failure_diagnostic(const FailureStory& story, uint64_t memory_limit_bytes) -> Diagnostic {
  Diagnostic diagnostic =
      make_diagnostic(code_of(story.fault), story.place, message_of(story, memory_limit_bytes));
  for (size_t i = 0; i < story.callers.size(); ++i) {
    const FailureStory::Caller& caller = story.callers[i];
    if (caller.function.empty()) {
      continue;
    }
    if (i == story.n_inner_callers && story.n_calls_left_out > 0) {
      diagnostic.notes.push_back(
          fmt::format("{} calls in between are not shown", story.n_calls_left_out));
    }
    diagnostic.labels.push_back({caller.place, fmt::format("called in `{}`", caller.function)});
  }
  if (story.fault == Fault::OutOfMemory) {
    uint64_t n_calls = story.callers.size() + story.n_calls_left_out;
    diagnostic.notes.push_back(n_calls > 1 ? fmt::format("the call stack is {} calls deep", n_calls)
                                           : "the arrays of one call are too large");
  }
  if (story.fault == Fault::MissingExtern) {
    diagnostic.notes.emplace_back(
        "load a shared object that implements it (`--extern LIB.so`), or add another member to the "
        "extern's class");
  }
  return diagnostic;
}

auto remark_diagnostic(const Program& program, uint32_t instruction) -> Diagnostic {
  return make_diagnostic(DiagnosticCode::T8011, program.places[instruction],
                         "the loop was stopped at its `max`, but would have continued");
}

}  // namespace tacet::interpret
