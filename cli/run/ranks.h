#pragma once

#include <memory>

#include "cli/command.h"
#include "cli/run/exchange_files.h"
#include "cli/run/he_device.h"
#include "cli/run/run_options.h"

/// A server whose evaluation is spread over several processes, which a launcher of MPI started
/// together: rank 0, the root, has the files and answers; the others do what it says.
namespace tacet::cli {

/// Whether a run is one of several ranks: by `--distributed`, or because a launcher started several
/// servers.
auto is_distributed(const RunOptions& options) -> bool;

/// What is wrong with a command that was started several times, or is to be; empty if nothing is.
auto mistake_of_ranks(const RunOptions& options) -> std::string;

/// The ranks of this run.
class Ranks {
 public:
  /// Joins the others. An error that rank 0 alone should print.
  static auto join(const RunOptions& options) -> Result<std::shared_ptr<Ranks>>;

  ~Ranks();
  [[nodiscard]] auto is_root() const -> bool;
  /// Does what the root says. Errors are the root's to print.
  auto serve(const RunOptions& options) -> ExitCode;
  /// The results of encrypted inputs, as `ArithmeticServer` gives them. For the root, once.
  auto answer(const engine::HeBundle& bundle, const engine::HeIntegers& values,
              const GivenFiles& files, const RunOptions& options, HeCosts& costs, PhaseLine& line)
      -> Result<he::Bytes>;

 private:
  struct State;
  explicit Ranks(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Whether this process is the one of several that prints.
auto is_first_process() -> bool;

/// How a bundle's work would be spread over `options.n_ranks` machines.
auto distribution_text(const engine::HeBundle& bundle, const RunOptions& options)
    -> Result<std::string>;

}  // namespace tacet::cli
