#pragma once

#include <string>
#include <vector>

#include "cli/explore/candidates.h"
#include "cli/explore/trials.h"
#include "cli/run/run_options.h"
#include "cli/run/run_target.h"

namespace tacet::cli {

/// What the command line of `tacet explore` says.
struct ExploreOptions {
  std::string file;
  RunTarget target;
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  std::vector<std::string> ranges;
  std::vector<std::string> externs;
  std::string seed;
  std::string picture;  ///< a file
  CandidateFilter filter;
  double budget_seconds = 60;
  Links links;
  bool gives_links = false;       ///< by the command line, not as measured
  std::string protocol_here;      ///< that of tacet.toml, or empty
  size_t n_layouts = 0;           ///< of each function on `he`; 0: where the text leaves it open
  std::vector<unsigned> threads;  ///< to compare; none: as many as there are cores
  bool lists = false;
  bool is_dry = false;
  bool explains = false;
  bool pins = false;
  bool is_exhaustive = false;
  bool restarts = false;  ///< what an interrupted exploration measured is not used
  RunFormat format = RunFormat::Human;
};

}  // namespace tacet::cli
