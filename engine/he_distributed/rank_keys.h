#pragma once

#include "engine/he_distributed/key_cache.h"
#include "engine/he_distributed/work_of_plans.h"
#include "engine/he_runtime/keys.h"

namespace tacet::engine {

/// One object of a client's keys, as it is sent to ranks.
struct RankKey {
  enum class Kind : uint8_t { Relinearisation, Rotation, Bootstrapping };

  uint32_t part = 0;
  Kind kind{};
  uint64_t galois_element = 0;  ///< of a rotation

  friend auto operator<=>(const RankKey&, const RankKey&) = default;
};

/// The objects that a rank needs for keys of the work graph, in order, each once.
auto rank_keys(const std::vector<WorkKeyPlace>& places, const std::vector<he::ContextRef>& contexts)
    -> std::vector<RankKey>;

/// One of them as bytes.
auto serialise_key(const he::Context& context, const HeEvaluationKeys& keys, const RankKey& key)
    -> Result<he::Bytes>;

/// Adds one to the keys of its part.
auto add_key(const he::Context& context, const RankKey& key, std::span<const std::byte> bytes,
             HeEvaluationKeys& keys) -> Status;

}  // namespace tacet::engine
