#pragma once

#include <string>
#include <vector>

#include "cli/run/exchange_files.h"
#include "cli/run/he_device.h"
#include "engine/he_joint/party.h"

namespace tacet::cli {

/// What a holder of a joint key keeps: its share of the secret of every part of a program, in a
/// file that only its user may read, with a checksum.
struct KeyShare {
  Belonging belonging;  ///< of the program and the keys
  unsigned number = 0;  ///< of this holder, from 0
  unsigned threshold = 0;
  he::PublicSeed seed;
  std::vector<he::ContextRef> contexts;  ///< of the parts
  std::vector<he::joint::Party> parties;
};

/// The bytes of the file.
auto bytes_of_share(const KeyShare& share) -> Result<SecureBytes>;

/// The share in a file, if it is of this program.
auto read_key_share(const engine::HeBundle& bundle, const std::string& path, unsigned n_threads)
    -> Result<KeyShare>;

}  // namespace tacet::cli
