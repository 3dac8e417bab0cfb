#include "compiler/interpret/failure_diagnostic.h"

#include <fmt/format.h>

#include "base/check.h"
#include "compiler/diagnostics/code.h"
#include "compiler/interpret/value.h"

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
    case Fault::CyclicDefinition:
    case Fault::Cancelled:
      break;
  }
  TACET_CHECK(false, "definitions in a cycle are found by the check; cancelling is no failure");
}

static auto message_of(const Program& program, const Failure& failure, uint64_t limit)
    -> std::string {
  const Instruction& at = program.instructions[failure.instruction];
  switch (failure.fault) {
    case Fault::DivisionByZero:
      return fmt::format("division by zero: `{} {} {}`", element_text(at.type, failure.left),
                         at.opcode == Opcode::Rem ? "%" : "/",
                         element_text(at.type, failure.right));
    case Fault::ShiftOutOfRange:
      return fmt::format("`{}` has {} bits and cannot be shifted by {}", element_type_name(at.type),
                         bit_width(at.type.kind), element_text(at.type, failure.right));
    case Fault::IndexOutOfRange:
      return fmt::format("element {} is written of a dimension of {}",
                         static_cast<int64_t>(failure.left), failure.right);
    case Fault::OutOfMemory:
      return fmt::format("the run needs more than its {} of memory", bytes_text(limit));
    case Fault::DanglingReference:
      return "the reference outlives the variable that it refers to";
    case Fault::MissingExtern:
      return fmt::format("nothing supplies the extern `{}`", program.externs[at.operands[0]].name);
    case Fault::FailedExtern:
      return fmt::format("the extern `{}` failed with status {}",
                         program.externs[at.operands[0]].name, static_cast<int64_t>(failure.left));
    case Fault::BadStep:
      return "the step of the loop is not positive";
    case Fault::Hole:
      return "the run reached a hole";
    case Fault::Unsupported:
      return fmt::format("{} is not built yet on the reference device",
                         program.messages[at.operands[1]]);
    case Fault::CyclicDefinition:
    case Fault::Cancelled:
      break;
  }
  return {};
}

auto failure_diagnostic(const Program& program, const Failure& failure, uint64_t memory_limit_bytes)
    -> Diagnostic {
  auto place = [&](uint32_t instruction) { return program.places[instruction]; };
  Diagnostic diagnostic = make_diagnostic(code_of(failure.fault), place(failure.instruction),
                                          message_of(program, failure, memory_limit_bytes));
  for (size_t i = 0; i < failure.callers.size(); ++i) {
    const Function* caller = function_at(program, failure.callers[i]);
    if (caller == nullptr || caller->name.empty()) {
      continue;  // the host's own call
    }
    if (i == failure.n_inner_callers && failure.n_calls_left_out > 0) {
      diagnostic.notes.push_back(fmt::format(
          "{} calls between the inner and the outer ones are not shown", failure.n_calls_left_out));
    }
    diagnostic.labels.push_back(
        {place(failure.callers[i]), fmt::format("called in `{}`", caller->name)});
  }
  if (failure.fault == Fault::OutOfMemory) {
    uint64_t n_calls = failure.callers.size() + failure.n_calls_left_out;
    diagnostic.notes.push_back(n_calls > 1
                                   ? fmt::format("{} calls are waiting for a result", n_calls)
                                   : "the arrays of one call are too large");
  }
  if (failure.fault == Fault::MissingExtern) {
    diagnostic.notes.emplace_back(
        "a run takes externs from shared objects (`--extern LIB.so`), or any other member of the "
        "extern's class");
  }
  return diagnostic;
}

auto remark_diagnostic(const Program& program, uint32_t instruction) -> Diagnostic {
  return make_diagnostic(DiagnosticCode::T8011, program.places[instruction],
                         "the loop would have gone on after its `max`, and was stopped");
}

}  // namespace tacet::interpret
