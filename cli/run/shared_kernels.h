#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cli/run/compile_mpc.h"
#include "cli/run/run_options.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/runtime/kernel.h"

namespace tacet::cli {

/// Functions of `mpc` that a host calls with values, each call a run by all parties in this
/// process.
class SharedKernels {
 public:
  /// All but the options must outlive it.
  SharedKernels(const program::FrontendSnapshot& snapshot, SourceSet& sources, RunOptions options,
                const Invocation& invocation)
      : snapshot_(snapshot),
        sources_(sources),
        options_(std::move(options)),
        invocation_(invocation) {}

  /// What computes each of the functions. An error if one cannot run on secret shares;
  /// `diagnostics` may say more. To be called once.
  auto kernels(std::span<const names::ItemId> items) -> Result<std::vector<engine::Kernel>>;

  /// Why the last call failed, if it did.
  [[nodiscard]] auto failure() const -> const std::string& { return failure_; }
  [[nodiscard]] auto diagnostics() const -> const std::vector<Diagnostic>& { return diagnostics_; }

 private:
  struct Kernel {
    std::string name;
    std::vector<interpret::EntryParameter> parameters;
    engine::MpcProgram program;
  };

  auto compiled(names::ItemId item) -> Result<Kernel>;
  auto run(const Kernel& kernel, std::span<const int64_t> inputs, std::span<int64_t> outputs)
      -> Status;

  const program::FrontendSnapshot& snapshot_;
  SourceSet& sources_;
  RunOptions options_;
  const Invocation& invocation_;
  std::deque<Kernel> kernels_;  ///< which do not move
  std::string failure_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tacet::cli
