#pragma once

#include "engine/he_format/bundle.h"
#include "engine/he_joint/party.h"
#include "engine/he_runtime/keys.h"
#include "engine/program/he/gather.h"

namespace tacet::engine {

/// All holders of a key in this process: what several machines do over links, without these.
struct LocalHolders {
  std::vector<he::joint::Party> parties;
  HeEvaluationKeys keys;
  uint64_t bytes_sent = 0;  ///< by each, if they had links: to all others
};

auto make_keys_here(const HeFacts& facts, const he::Context& context) -> Result<LocalHolders>;

/// The outputs of a part from its ciphertexts. `bytes_sent` grows by what each holder sends.
auto decrypt_here(const HeBundlePart& part, const he::Context& context, LocalHolders& holders,
                  const std::vector<he::Ciphertext>& results) -> Result<HeValues>;

}  // namespace tacet::engine
