#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/run/coordinator_run.h"
#include "cli/run/encrypted_program.h"
#include "engine/runtime/kernel.h"

namespace tacet::cli {

/// What a coordinator function encodes for `he`, computed under encryption. Client and server are
/// this process, and each call is encrypted by itself: a value that one call gives to another is
/// decrypted by the client, whose it is, and encrypted again.
class EncryptedKernels {
 public:
  /// The snapshot, the sources and the invocation must outlive it. `--range` is about the
  /// coordinator function: what does not bound its inputs is an error, unless `--range-from-data`
  /// asks for the range of the numbers that it gets.
  EncryptedKernels(const program::FrontendSnapshot& snapshot, SourceSet& sources,
                   RunOptions options, Invocation& invocation)
      : snapshot_(snapshot),
        sources_(sources),
        options_(std::move(options)),
        invocation_(invocation) {
    options_.ranges.clear();
  }

  /// Whether a grid comes before the inputs of a call.
  enum class Grid : uint8_t { Given, None };

  /// By item: what computes it, or nothing if it is no function of `he`. An error if one cannot be
  /// encrypted whatever its inputs are. To be called once.
  auto kernels(std::span<const names::ItemId> items, Grid grid)
      -> Result<std::vector<engine::Kernel>>;

  /// Why the last call failed, if it did; diagnostics of the kernel in front of it.
  [[nodiscard]] auto failure() const -> const std::string& { return failure_; }
  [[nodiscard]] auto diagnostics() const -> const std::vector<Diagnostic>& { return diagnostics_; }
  /// Of all calls together under arithmetic schemes, and of those under CGGI; nothing if there was
  /// none.
  [[nodiscard]] auto costs() const -> const std::optional<HeCosts>& { return costs_; }
  [[nodiscard]] auto bit_costs() const -> const std::optional<CggiCosts>& { return bit_costs_; }

 private:
  struct Kernel {
    names::ItemId item;
    std::string name;
    uint32_t n_dims = 0;  ///< of the grid, which comes before the inputs
    interpret::Executable executable;
    /// What it was compiled to, if that holds for all inputs that it may have.
    std::optional<EncryptedProgram> program;
  };
  using Values = std::vector<interpret::Value>;

  auto run(Kernel& kernel, std::span<const int64_t> inputs, std::span<int64_t> outputs) -> Status;
  auto compiled(Kernel& kernel, const Values& values) -> Result<EncryptedProgram>;
  void add(const HeCosts& costs);
  void add(const CggiCosts& costs);

  const program::FrontendSnapshot& snapshot_;
  SourceSet& sources_;
  RunOptions options_;
  Invocation& invocation_;
  std::map<size_t, Kernel> kernels_;
  std::string failure_;
  std::vector<Diagnostic> diagnostics_;
  std::optional<HeCosts> costs_;
  std::optional<CggiCosts> bit_costs_;
};

}  // namespace tacet::cli
