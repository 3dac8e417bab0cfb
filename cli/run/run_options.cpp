#include "cli/run/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

#include "cli/choice_option.h"

namespace tacet::cli {

/// `2^-64` or `1e-20`; nothing if it is none that parameters are looked for.
static auto log2_probability(const std::string& text) -> std::optional<double> {
  const bool is_power = text.starts_with("2^");
  const std::string number = is_power ? text.substr(2) : text;
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0') {
    return std::nullopt;
  }
  const double log2 = is_power ? value : std::log2(value);
  constexpr double kLeast = -200;
  constexpr double kMost = -20;
  return log2 >= kLeast && log2 <= kMost ? std::optional(log2) : std::nullopt;
}

void add_he_options(CLI::App& app, RunOptions& options) {
  add_choice(app, "--scheme", {"auto", "bfv", "bgv", "ckks", "cggi"},
             "The homomorphic encryption scheme: bfv and bgv for arithmetic on integers, ckks on "
             "real numbers, cggi for anything, bit by bit; auto selects one that supports the "
             "program, the faster of several",
             &options.scheme);
  app.add_option_function<std::string>(
         "--failure",
         [&options](const std::string& text) {
           const std::optional<double> log2 = log2_probability(text);
           if (!log2) {
             throw CLI::ValidationError(
                 "--failure",
                 fmt::format("`{}` is no probability from 2^-200 to 2^-20; write it as "
                             "`2^-64` or `1e-20`",
                             text));
           }
           options.log2_failure = *log2;
           options.names_failure = true;
         },
         "Under cggi: the probability that a run may fail with, with wrong results, at most "
         "(default: 2^-64)")
      ->type_name("PROBABILITY");
  add_choice(app, "--security", {"128", "192", "256"},
             "Security level of the encryption in bits (default: from tacet.toml, or 128)",
             [&options](size_t bits) {
               options.security = static_cast<RunSecurity>(bits);
               options.names_security = true;
             });
  add_choice(app, "--costs", {"measured", "published"},
             "The cost model for comparing layouts: operation times (see `tacet bench "
             "--calibrate`) or the weights of Recto and Myers",
             &options.costs);
  add_choice(app, "--relinearise", {"exact", "lazy", "eager"},
             "Where to relinearise products: exact minimises the time; lazy (as late as possible) "
             "and eager (at once) are for comparison",
             &options.relinearise);
  add_choice(app, "--sums", {"client", "server"},
             "Who adds up the slots that make an element of a result: the client, after "
             "decryption, or the server, by rotations",
             &options.sums);
  app.add_option("--within", options.tolerance,
                 "Largest error of encrypted `fxp` results, where the function does not say "
                 "(default: one unit of the type, else 2^-10 of the result's range)")
      ->type_name("ERROR")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--link", options.link_megabits,
                 "Bandwidth between client and server in Mbit/s, for comparing layouts (default: "
                 "10000); slower links favour fewer ciphertexts and more rotations")
      ->type_name("MBIT")
      ->check(CLI::Range(0.001, 1e6).description(""));
  app.add_flag(
      "--unhidden", options.is_unhidden,
      "Do not hide the server's inputs in the results: cheaper, but the client can learn them");
  app.add_option("--key-holders", options.n_key_holders,
                 "The number of parties that hold the key together (see `tacet joint`): none of "
                 "them can decrypt alone; for programs of integers")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""));
  app.add_option("--range", options.ranges,
                 "The range of a parameter, HI excluded; encrypted numbers need a range")
      ->type_name("NAME=LO..HI")
      ->allow_extra_args(false);
  app.add_option("--threads", options.n_threads, "Number of threads (default: one per core)")
      ->type_name("N");
}

void add_interconnect(CLI::App& app, RunOptions& options) {
  app.add_option("--interconnect", options.interconnect_megabits,
                 "Bandwidth between the machines of a distributed server in Mbit/s (default: "
                 "10000), for distributing the work")
      ->type_name("MBIT")
      ->check(CLI::Range(0.001, 1e7).description(""));
}

void add_calls(CLI::App& app, RunOptions& options) {
  app.add_option("--call", options.calls,
                 "Call another function of the same class: OTHER instead of CALLEE in FUNCTION, "
                 "or in MODULE.FUNCTION of an imported module; "
                 "with #N, at its call number N alone")
      ->type_name("FUNCTION/CALLEE[#N]=OTHER")
      ->allow_extra_args(false);
  app.add_option("--layout", options.layout,
                 "Lay the arrays of the function out in ciphertexts like this, instead of as its "
                 "`schedule` says or a search finds")
      ->type_name("'schedule {…}'");
}

void add_sizes(CLI::App& app, RunTarget& target) {
  app.add_option(
         "--size", target.sizes,
         "A size or type parameter of the function; may be repeated. Without it, sizes and types "
         "are those of the given values")
      ->type_name("NAME=N|TYPE")
      ->allow_extra_args(false);
}

void add_range_from_data(CLI::App& app, RunOptions& options) {
  app.add_flag("--range-from-data", options.takes_ranges_from_data,
               "For encrypted parameters without a range, use the smallest and largest given "
               "values; the encryption parameters then reveal both");
}

void add_mpc_options(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  add_choice(app, "--protocol", {"ref", "semi2k", "aby3", "rep4", "aby3-active"},
             "The protocol of the parties: aby3 for three parties, two of them honest; semi2k for "
             "any number, at least one of them honest; rep4 for four parties and aby3-active for "
             "three, one of which may do anything; ref provides no privacy",
             [options](size_t protocol) {
               options->protocol = static_cast<RunProtocol>(protocol);
               options->names_protocol = true;
             });
  add_choice(app, "--correlations", {"bfv", "dealer"},
             "The source of semi2k's correlated randomness: the parties themselves, using "
             "homomorphic encryption, or a dealer that is trusted not to collude with any party",
             [options](size_t correlations) {
               options->correlations = static_cast<RunCorrelations>(correlations);
               options->names_correlations = true;
             });
  add_choice(app, "--truncation", {"exact", "probabilistic"},
             "How to truncate fixed-point products; probabilistic is cheaper, but an error unless "
             "input bounds ensure that a run fails with probability at most 2^-40",
             &options->truncation);
  app.add_flag("--in-process", options->in_process,
               "Run the parties as threads of this process instead of processes connected by TLS");
  const auto add_time = [&app](const char* name, uint64_t& seconds, const char* description) {
    app.add_option(name, seconds, description)
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 7 * 24 * 3600).description(""));
  };
  add_time("--connect", options->connect_seconds,
           "Maximum time to wait for all parties to connect (default: from tacet.toml, or 30 s)");
  add_time(
      "--silence", options->silence_seconds,
      "Maximum time without any message from a party (default: from tacet.toml, or 20 s), or from "
      "a rank of a distributed server (default: 60 s)");
  add_time("--patience", options->patience_seconds,
           "Maximum time a party may compute before sending data that others wait for (default: "
           "from tacet.toml, or 30 s)");
  app.add_option(
         "--trace", options->trace,
         "Write a timeline to this file, for Perfetto: of each party's instructions, or of the "
         "kernels on a GPU")
      ->type_name("OUT.json");
}

void add_plan_options(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  app.add_flag_callback(
      "--plan", [options] { options->purpose = RunPurpose::Plan; },
      "Do not run: print what a run by parties would cost (rounds, bytes of each link, time, "
      "memory), who supplies what and who learns what. No party is contacted, and no secret read; "
      "the parties' computation is rehearsed on this machine with other numbers");
  app.add_option("--latency", options->latency,
                 "For --plan: milliseconds that a message takes between parties (default: from "
                 "tacet.toml, or what `tacet party measure` found)")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 1e5).description(""));
  app.add_option("--bandwidth", options->bandwidth,
                 "For --plan: bandwidth between parties in Mbit/s (default: likewise)")
      ->type_name("MBIT")
      ->check(CLI::Range(0.001, 1e6).description(""));
}

auto security_of(RunSecurity security) -> he::Security {
  switch (security) {
    case RunSecurity::Bits128:
      return he::Security::Bits128;
    case RunSecurity::Bits192:
      return he::Security::Bits192;
    case RunSecurity::Bits256:
      return he::Security::Bits256;
  }
  return he::Security::Bits128;
}

auto scheme_of(RunScheme scheme) -> Result<std::optional<he::Scheme>> {
  switch (scheme) {
    case RunScheme::Auto:
      return std::optional<he::Scheme>();
    case RunScheme::Bfv:
      return std::optional(he::Scheme::Bfv);
    case RunScheme::Bgv:
      return std::optional(he::Scheme::Bgv);
    case RunScheme::Ckks:
      return std::optional(he::Scheme::Ckks);
    case RunScheme::Cggi:
      return Error{"`--scheme cggi` computes device functions, bit by bit, and nothing else"};
  }
  return std::optional<he::Scheme>();
}

auto relinearisation_of(RunRelinearise relinearise) -> circuit::Relinearisation {
  switch (relinearise) {
    case RunRelinearise::Exact:
      return circuit::Relinearisation::Fewest;
    case RunRelinearise::Lazy:
      return circuit::Relinearisation::Lazy;
    case RunRelinearise::Eager:
      return circuit::Relinearisation::Eager;
  }
  return circuit::Relinearisation::Fewest;
}

auto parse_ranges(const std::vector<std::string>& texts) -> Result<std::vector<GivenRange>> {
  std::vector<GivenRange> ranges;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
    if (equals == std::string::npos || dots == std::string::npos) {
      return Error{fmt::format("`--range {}`: expected NAME=LO..HI", text)};
    }
    ranges.push_back({.name = text.substr(0, equals),
                      .low = text.substr(equals + 1, dots - equals - 1),
                      .high = text.substr(dots + 2)});
  }
  return ranges;
}

}  // namespace tacet::cli
