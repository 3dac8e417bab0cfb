#pragma once

#include <string>
#include <vector>

#include "cli/run/run_options.h"

namespace tacet::cli {

/// What `tacet joint` does.
enum class JointAction : uint8_t { Keys, Allow, Decrypt };

/// What its command line says.
struct JointOptions {
  JointAction action = JointAction::Keys;
  std::shared_ptr<RunOptions> run = std::make_shared<RunOptions>();
  unsigned threshold = 0;                 ///< of the holders decrypt; 0: all
  std::string receiver;                   ///< the only one that learns results; empty: all
  std::vector<std::string> participants;  ///< who decrypt; none: all
};

/// Where keys, inputs and results are, and the share of `party`.
struct JointPlace {
  std::string folder;
  std::string share_file;
};
auto joint_place_of(const RunOptions& options) -> JointPlace;

}  // namespace tacet::cli
