#include "cli/run/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/choice_option.h"

namespace tacet::cli {

void add_he_options(CLI::App& app, RunOptions& options) {
  add_choice(app, "--scheme", {"auto", "bfv", "bgv", "ckks", "cggi"},
             "The scheme of homomorphic encryption; auto takes the faster one", &options.scheme);
  add_choice(app, "--security", {"128", "192", "256"},
             "Bits of security under encryption; without it what tacet.toml says, or 128",
             [&options](size_t bits) {
               options.security = static_cast<RunSecurity>(bits);
               options.names_security = true;
             });
  add_choice(
      app, "--costs", {"measured", "published"},
      "What layouts are compared by: times of operations (see `tacet bench --calibrate`), or "
      "the weights of Recto and Myers",
      &options.costs);
  add_choice(
      app, "--relinearise", {"exact", "lazy", "eager"},
      "Where products are relinearised: where it takes the least time, or, to compare, as late "
      "as can be, or at once",
      &options.relinearise);
  app.add_option("--link", options.link_megabits,
                 "Megabits a second between client and server, for comparing layouts: the slower "
                 "the link, the fewer ciphertexts are sent, and the more is rotated instead; 10000 "
                 "without it")
      ->type_name("MBIT")
      ->check(CLI::Range(0.001, 1e6).description(""));
  app.add_flag("--unhidden", options.is_unhidden,
               "Do not hide the server's numbers in the results: cheaper, but the client can find "
               "them out");
  app.add_option(
         "--range", options.ranges,
         "A bound on the values of a parameter, HI excluded: numbers under encryption need one")
      ->type_name("NAME=LO..HI")
      ->allow_extra_args(false);
  app.add_option("--threads", options.n_threads,
                 "How many threads to use; without it, as many as there are cores")
      ->type_name("N");
}

void add_range_from_data(CLI::App& app, RunOptions& options) {
  app.add_flag("--range-from-data", options.takes_ranges_from_data,
               "Under encryption, bound parameters without a range by the smallest and the largest "
               "number given: what is chosen for the encryption then shows these two");
}

void add_mpc_options(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  add_choice(app, "--protocol", {"ref", "semi2k", "aby3"},
             "The protocol between parties: aby3 for three of which two are honest, semi2k for any "
             "number of which one is; ref hides nothing",
             [options](size_t protocol) {
               options->protocol = static_cast<RunProtocol>(protocol);
               options->names_protocol = true;
             });
  add_choice(
      app, "--correlations", {"bfv", "dealer"},
      "Where semi2k has its correlated randomness from: made by the parties under encryption, "
      "or from a dealer, whom all must trust to conspire with nobody",
      [options](size_t correlations) {
        options->correlations = static_cast<RunCorrelations>(correlations);
        options->names_correlations = true;
      });
  add_choice(app, "--truncation", {"exact", "probabilistic"},
             "How parties truncate fixed-point products: exactly, or probabilistically, which is "
             "cheaper and an error unless bounds of the inputs show that a run fails with "
             "probability 2^-40 at most",
             &options->truncation);
  app.add_flag("--in-process", options->in_process,
               "Parties are threads of this process, not processes over TLS");
  const auto add_time = [&app](const char* name, uint64_t& seconds, const char* description) {
    app.add_option(name, seconds, description)
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 7 * 24 * 3600).description(""));
  };
  add_time("--connect", options->connect_seconds,
           "How long a party waits until all others are there; 30 s without it and tacet.toml");
  add_time("--silence", options->silence_seconds,
           "How long a party may give no sign of life; 20 s without it and tacet.toml");
  add_time("--patience", options->patience_seconds,
           "How long a party may compute before it sends what others wait for; 30 s without it and "
           "tacet.toml");
  app.add_option("--trace", options->trace,
                 "Where to write which instruction of the parties ran when, in the Chrome format")
      ->type_name("OUT.json");
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
      return Error{
          "`--scheme cggi` is not built yet; integers take `bfv` or `bgv`, `fxp` takes `ckks`"};
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
      return Error{fmt::format("`--range {}`: write it NAME=LO..HI", text)};
    }
    ranges.push_back({.name = text.substr(0, equals),
                      .low = text.substr(equals + 1, dots - equals - 1),
                      .high = text.substr(dots + 2)});
  }
  return ranges;
}

}  // namespace tacet::cli
