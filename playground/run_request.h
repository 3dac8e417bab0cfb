#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tacet::playground {

/// What the page wants to run, as it says in JSON:
/// `{"name": "program.tacet", "text": "…", "device": "he", "fn": "dot", "inputs": {"x": "[1,
/// 2]"}}`.
struct RunRequest {
  std::string name;  ///< of the file: a word and `.tacet` or `.tlhe`
  std::string text;
  std::string device;    ///< `ref`, `he` or `mpc`
  std::string pipeline;  ///< at most one of the two
  std::string function;
  std::string protocol;  ///< of parties, or empty
  std::string seed;      ///< or empty
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::string> ranges;  ///< `NAME=LO..HI`
};

/// An error says what is wrong with it. What would read files of this machine is: values may be
/// written out, or `@random`.
auto decode_run_request(std::string_view json) -> Result<RunRequest>;

/// In which file an input that is written out goes to the program, by its place; empty for one that
/// is not: other users of the machine see command lines.
auto input_file(const RunRequest& request, size_t input) -> std::string;

/// What `tacet` is called with, behind the program's own name. `trace` is a file, for parties.
auto run_arguments(const RunRequest& request, uint64_t memory_mib, const std::string& trace)
    -> std::vector<std::string>;

}  // namespace tacet::playground
