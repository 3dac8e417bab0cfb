#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

namespace {

struct RandomOptions {
  std::string seed;
  std::string static_bits;
  std::vector<uint64_t> dynamic_words;
  uint64_t counter = 0;
  uint64_t n_words = 4;
};

}  // namespace

static auto random(const RandomOptions& options, Invocation& invocation) -> ExitCode {
  auto key = engine::parse_random_key(options.seed);
  if (!key) {
    invocation.error(fmt::format("`--seed {}`: expected a hexadecimal number of at most 64 digits",
                                 options.seed));
    return ExitCode::Usage;
  }
  engine::BitString static_bits;
  for (char digit : options.static_bits) {
    if (digit != '0' && digit != '1') {
      invocation.error(
          fmt::format("`--static {}`: expected a string of 0s and 1s", options.static_bits));
      return ExitCode::Usage;
    }
    static_bits.push_back(digit == '1');
  }
  engine::Block block{};
  for (uint64_t i = 0; i < options.n_words; ++i) {
    if (i % 4 == 0) {
      block =
          engine::random_block(*key, static_bits, options.dynamic_words, options.counter + i / 4);
    }
    invocation.out.write(fmt::format("{:016x}\n", block[i % 4]));
  }
  return ExitCode::Done;
}

static auto declare_random(CLI::App& app) -> Action {
  auto options = std::make_shared<RandomOptions>();
  app.add_option("--seed", options->seed, "The key of the run, up to 64 hexadecimal digits")
      ->required()
      ->type_name("HEX");
  app.add_option("--static", options->static_bits,
                 "The position of the draw in the program, as a bit string (default: empty)")
      ->type_name("BITS");
  app.add_option("--dynamic", options->dynamic_words,
                 "The numbers of the enclosing iterations and calls (default: none)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N,…");
  app.add_option("--counter", options->counter, "The block of the draw's stream, from 0")
      ->type_name("K");
  app.add_option("--words", options->n_words, "Number of words, four per block")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  return [options](Invocation& invocation) { return random(*options, invocation); };
}

auto random_command() -> Command {
  Command command;
  command.name = "random";
  command.summary = "reproduce a random draw of a run";
  command.examples =
      "tacet random --seed 2a --static 110 --dynamic 7    one draw, as four hexadecimal words\n"
      "tacet random --seed 2a --words 16                  sixteen words of a stream";
  command.details =
      "Every draw of a run is a function of the seed, the draw's position in the program, and the "
      "enclosing loop iterations and calls, so any draw can be reproduced.";
  command.declare = declare_random;
  return command;
}

}  // namespace tacet::cli
