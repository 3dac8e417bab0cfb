#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_options.h"
#include "cli/source_set.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// Where a test runs: all of it on the reference interpreter, or the functions of a device that it
/// calls on that device.
enum class TestDevice : uint8_t { Ref, He, Mpc };

/// `ref`, `he`, `mpc`.
auto device_name(TestDevice device) -> std::string_view;

/// The result of one test on one device.
struct TestOutcome {
  bool is_passed = false;
  std::string message;  ///< why it failed; may be empty if there are diagnostics
  std::vector<Diagnostic> diagnostics;
  double seconds = 0;
};

/// What a test needs besides its text.
struct TestSetting {
  SourceSet& sources;
  /// Of the devices. Their ranges are taken from the values, which are written in the program.
  const RunOptions& options;
  const HostFunctions& externs;
  engine::PublicRandomKey random_key;
  Invocation& invocation;
};

/// Runs a test of a program without errors. On `he` and `mpc`, a call of a specification or class
/// by the test runs the first function of the class on that device, if it has one. Nothing if the
/// test calls no function of the device.
auto run_test(const program::FrontendSnapshot& snapshot, names::ItemId test, TestDevice device,
              const TestSetting& setting) -> std::optional<TestOutcome>;

}  // namespace tacet::cli
