#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/run/interpret/debug_info.h"
#include "compiler/run/interpret/machine.h"
#include "compiler/run/interpret/program.h"
#include "compiler/run/interpret/value.h"
#include "compiler/spec/program/frontend.h"

/// The reference device: evaluates functions, specifications and array programs as the language
/// defines them, one operation after another. What every other device is tested against.
namespace tacet::interpret {

/// A parameter of what runs.
struct EntryParameter {
  std::string name;
  ElementType type;
  std::vector<uint64_t> shape;
  /// `in lo..hi`: a bound on every element.
  std::optional<types::ValueBound> bound;
  /// It must be shown only to its owner.
  bool is_secret = false;
  /// Of a column of a tuple or record, how it is called in the text, `p.age`; its `name` is a word.
  std::string path{};
  /// The way to it from the parameter (`types::ParameterColumn`); empty for a parameter of its own.
  std::vector<std::string> steps{};

  /// How messages call it.
  [[nodiscard]] auto shown() const -> const std::string& { return path.empty() ? name : path; }
};

/// A result of what runs, or one field of it.
struct EntryResult {
  std::string name;
  ElementType type;
  std::vector<uint64_t> shape;
};

/// Something that can be run.
struct Executable {
  Program program;
  std::vector<EntryParameter> parameters;
  std::vector<EntryResult> results;
};

/// An executable, or why there is none in `problem`: a sentence part such as
/// "its parameter `s` is a slice".
struct Compilation {
  std::optional<Executable> executable;
  std::string problem;
};

/// Makes the function, specification, class or array program `entry` runnable. The files that it
/// reaches have no errors. A class with an extern that is in `available_externs` may run it;
/// others are replaced by a member of their class.
///
/// A parameter that is a reference takes the value it refers to, and a result that is one gives
/// it. Throws `query::Cancelled` as everything on a snapshot does.
auto compile(const program::FrontendSnapshot& snapshot, names::ItemId entry,
             const std::set<std::string, std::less<>>& available_externs) -> Compilation;

/// A compilation with what a debugger knows about it.
struct DebugCompilation : Compilation {
  DebugInfo debug;
};

/// The same as `compile`, for a debugger: with a `mark` where statements start. Results, failures
/// and limits of loops are the same; it takes a few instructions more.
auto compile_for_debugger(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                          const std::set<std::string, std::less<>>& available_externs)
    -> DebugCompilation;

/// What `item` is as a kernel, for others to call.
struct KernelCompilation {
  /// Function 0 takes the grid, if the item has one, then the parameters, as cells. Absent if only
  /// the host could supply the kernel, or `problem` says why it cannot.
  std::optional<Program> program;
  std::string problem;
};

/// Makes an extern or device function runnable as a kernel. An extern that the host lacks is
/// replaced by a member of its class.
auto compile_kernel(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    const std::set<std::string, std::less<>>& available_externs)
    -> KernelCompilation;

/// The value of a constant in a type that it fits. Nothing if it cannot be computed.
auto constant_cells(const program::FrontendSnapshot& snapshot, names::ItemId constant,
                    types::TypeId type) -> std::optional<std::vector<Cell>>;

struct RunResult {
  /// One for each `Executable::results`; empty if the run failed.
  std::vector<Value> values;
  /// Why there are no values; also absent if the run was cancelled.
  std::optional<Diagnostic> failure;
  bool is_cancelled = false;
  std::vector<Diagnostic> warnings;
  uint64_t n_steps = 0;
  uint64_t peak_memory_bytes = 0;

  [[nodiscard]] auto is_done() const -> bool { return !failure && !is_cancelled; }
};

/// Runs on `inputs`, which have the types and shapes of the parameters.
auto run(const Executable& executable, const std::vector<Value>& inputs,
         const MachineOptions& options) -> RunResult;

}  // namespace tacet::interpret
