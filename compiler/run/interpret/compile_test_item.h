#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/run/interpret/interpret.h"
#include "compiler/spec/program/frontend.h"

/// Tests: `test "name" { … }` with the functions that it calls.
namespace tacet::interpret {

/// Which device function the host runs for a call of an item, by a test or a coordinator function;
/// no item if the interpreter evaluates the call.
using HostedFunction = std::function<names::ItemId(names::ItemId callee)>;

/// A condition that a test yields: one of those that it joins by `&&`.
struct TestCondition {
  FileRange place;
  /// It compares two values of the same element type, which are results too.
  bool is_comparison = false;
};

/// A test that can run, or why it cannot in `problem`.
struct TestCompilation {
  /// Its results are, for each condition, whether it holds (by element, of arrays), and then the
  /// two values of a comparison.
  std::optional<Executable> executable;
  std::vector<TestCondition> conditions;
  /// The functions that the host runs, which it must supply by their names as externs.
  std::vector<names::ItemId> hosted;
  std::string problem;
};

/// Makes a test runnable. The files that it reaches have no errors.
auto compile_test(const program::FrontendSnapshot& snapshot, names::ItemId test,
                  const std::set<std::string, std::less<>>& available_externs,
                  HostedFunction hosted_by) -> TestCompilation;

}  // namespace tacet::interpret
