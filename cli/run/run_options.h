#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/run_target.h"
#include "compiler/he/circuit/relinearise.h"
#include "engine/he_model/scheme.h"

namespace CLI {
class App;
}

namespace tacet::cli {

class Ranks;

enum class RunDevice : uint8_t { Auto, Ref, He, Mpc, Gpu };
enum class RunFormat : uint8_t { Human, Json };
enum class RunScheme : uint8_t { Auto, Bfv, Bgv, Ckks, Cggi };
enum class RunSecurity : uint8_t { Bits128, Bits192, Bits256 };
/// What layouts and circuits are compared by: times of operations, or published weights.
enum class RunCosts : uint8_t { Measured, Published };
/// Who adds up the slots that make an element of a result.
enum class RunSums : uint8_t { Client, Server };
/// Which side of a computation under encryption this process is.
enum class RunRole : uint8_t { Both, Client, Server };

/// How several parties compute together.
enum class RunProtocol : uint8_t { Ref, Semi2k, Aby3, Rep4, Aby3Active };
/// Where `semi2k` has its correlated randomness from.
enum class RunCorrelations : uint8_t { Bfv, Dealer };
/// How fixed-point products are cut to their fraction bits.
enum class RunTruncation : uint8_t { Exact, Probabilistic };

/// Where products of ciphertexts are relinearised.
enum class RunRelinearise : uint8_t { Exact, Lazy, Eager };

/// What is done with a program for parties: it is run; its costs are shown before any run; or this
/// party allows it besides.
enum class RunPurpose : uint8_t { Run, Plan, Allow };

/// How far one party of several came.
struct PartyBeginning {
  bool has_met = false;  ///< others hear of its failures by its links
  /// The report to the others if it fails earlier. Public: no value of an input.
  std::string excuse = "cannot run its program";
  std::string function{};  ///< that it runs, once that is known
};

/// What the command line of `tacet run` says.
struct RunOptions {
  std::string file;
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  RunTarget target;
  std::vector<std::string> calls;  ///< that go to other functions: `program::CallSwap`
  std::string layout;              ///< of the function, `schedule { … }`; empty: the text's
  RunDevice device = RunDevice::Auto;
  bool names_device = false;  ///< it was given, be it `auto`
  RunFormat format = RunFormat::Human;
  bool wants_statistics = false;
  bool wants_details = false;  ///< of each instruction
  bool is_checked = false;     ///< results are compared with those in plaintext
  std::vector<std::string> extern_libraries;
  std::string seed;
  uint64_t memory_limit_mib = 0;
  /// What keys and plaintexts are planned for: the limit, or without one, of a run on this machine,
  /// what `default_memory_limit` says; 0 if nothing is known.
  uint64_t planned_memory_mib = 0;
  unsigned n_threads = 0;
  RunScheme scheme = RunScheme::Auto;
  RunSecurity security = RunSecurity::Bits128;
  bool names_security = false;  ///< it was given
  RunCosts costs = RunCosts::Measured;
  RunRelinearise relinearise = RunRelinearise::Exact;
  RunSums sums = RunSums::Client;
  double log2_failure = -64;   ///< of a run under CGGI
  bool names_failure = false;  ///< it was given
  double tolerance = 0;        ///< of results of reals, of what they mean; 0 if nothing is said
  double link_megabits = 0;    ///< between client and server; 0 if nothing is said
  bool is_unhidden = false;    ///< results may show the server's numbers
  unsigned n_key_holders = 1;  ///< who have the key together; several: of integers alone
  std::vector<std::string> ranges;
  bool takes_ranges_from_data = false;  ///< of parameters that nothing else bounds
  bool are_values_public = false;       ///< ranges that are taken from them show nothing
  RunRole role = RunRole::Both;
  std::string exchange;              ///< a folder
  std::string secret_file;           ///< the client's key
  bool is_distributed = false;       ///< the server is several processes, as requested
  double interconnect_megabits = 0;  ///< between their machines; 0 if nothing is said
  uint32_t n_ranks = 4;              ///< of `tacet emit --stage distribution`
  std::shared_ptr<Ranks> ranks{};    ///< of a server that is several processes
  /// Which of the parties of `tacet.toml` this process is; empty if it runs all there are.
  std::string party;
  std::string party_key;  ///< the file of its private key, or empty
  std::shared_ptr<PartyBeginning> beginning = std::make_shared<PartyBeginning>();
  RunProtocol protocol = RunProtocol::Aby3;
  bool names_protocol = false;  ///< it was given
  RunCorrelations correlations = RunCorrelations::Bfv;
  bool names_correlations = false;  ///< they were given
  RunTruncation truncation = RunTruncation::Exact;
  bool in_process = false;  ///< parties are threads
  /// Seconds until all parties are there, for a sign of life, and for what is expected of a party;
  /// 0 if nothing is said.
  uint64_t connect_seconds = 0;
  uint64_t silence_seconds = 0;
  uint64_t patience_seconds = 0;
  RunPurpose purpose = RunPurpose::Run;
  /// Of each link between parties, for plans: milliseconds of a message, megabits a second.
  std::optional<double> latency;
  std::optional<double> bandwidth;
  std::string note;                ///< of what is allowed
  bool allows_any_public = false;  ///< whatever the public inputs are
  std::string audit;               ///< a file, or empty
  std::string trace;               ///< a file
  std::string output;              ///< a file for the results, or empty
};

/// Declares the arguments and options of `tacet run`; whether the program must be given is the
/// caller's business.
void add_run_options(CLI::App& app, const std::shared_ptr<RunOptions>& options);

/// Declares `--scheme`, `--security`, `--costs`, `--relinearise`, `--sums`, `--link`, `--unhidden`,
/// `--range` and `--threads`: what compiling and running under encryption share.
void add_he_options(CLI::App& app, RunOptions& options);

/// Declares `--interconnect`: what connects the machines of a server.
void add_interconnect(CLI::App& app, RunOptions& options);

/// Declares `--call`.
void add_calls(CLI::App& app, RunOptions& options);

/// Declares `--size NAME=N`: the sizes of a function that has size parameters.
void add_sizes(CLI::App& app, RunTarget& target);

/// Declares `--range-from-data`, for commands that have the numbers.
void add_range_from_data(CLI::App& app, RunOptions& options);

/// Declares `--protocol`, `--correlations`, `--truncation`, `--in-process`, `--connect`,
/// `--silence`, `--patience` and `--trace`: how several parties compute.
void add_mpc_options(CLI::App& app, const std::shared_ptr<RunOptions>& options);

/// Declares `--plan`, `--latency` and `--bandwidth`.
void add_plan_options(CLI::App& app, const std::shared_ptr<RunOptions>& options);

/// What `--security` says.
auto security_of(RunSecurity security) -> he::Security;

/// What `--scheme` says; nothing for `auto`. An error for those that are not built.
auto scheme_of(RunScheme scheme) -> Result<std::optional<he::Scheme>>;

/// What `--relinearise` says.
auto relinearisation_of(RunRelinearise relinearise) -> circuit::Relinearisation;

/// One `--range NAME=LO..HI`: as in the language, LO is in it and HI is not.
struct GivenRange {
  std::string name;
  std::string low, high;  ///< numbers, for a type to read
};
auto parse_ranges(const std::vector<std::string>& texts) -> Result<std::vector<GivenRange>>;

}  // namespace tacet::cli
