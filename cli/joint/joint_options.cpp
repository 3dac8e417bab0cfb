#include "cli/joint/joint_options.h"

#include <fmt/format.h>

namespace tacet::cli {

auto joint_place_of(const RunOptions& options) -> JointPlace {
  return {.folder = options.exchange.empty() ? options.file + ".exchange" : options.exchange,
          .share_file = options.secret_file.empty()
                            ? fmt::format("{}.{}.share", options.file, options.party)
                            : options.secret_file};
}

}  // namespace tacet::cli
