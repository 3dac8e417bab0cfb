#include "engine/he_distributed/rank_keys.h"

#include <set>

#include "engine/he/evaluation.h"

namespace tacet::engine {

auto rank_keys(const std::vector<WorkKeyPlace>& places, const std::vector<he::ContextRef>& contexts)
    -> std::vector<RankKey> {
  std::set<RankKey> keys;
  for (const WorkKeyPlace& place : places) {
    const he::Context& context = *contexts[place.part];
    const auto add = [&](RankKey::Kind kind, uint64_t element = 0) {
      keys.insert({place.part, kind, element});
    };
    switch (place.kind) {
      case WorkKeyKind::Relinearisation:
        add(RankKey::Kind::Relinearisation);
        break;
      case WorkKeyKind::Rotation:
        add(RankKey::Kind::Rotation, he::galois_element_of(context, place.steps));
        break;
      case WorkKeyKind::Swap:
        add(RankKey::Kind::Rotation, he::galois_element_of_swap(context));
        break;
      case WorkKeyKind::Bootstrapping:
        add(RankKey::Kind::Relinearisation);
        add(RankKey::Kind::Bootstrapping);
        for (const auto& request :
             he::bootstrapping_rotations(context, he::bootstrapping_shape(context.n()))) {
          add(RankKey::Kind::Rotation, request.galois_element);
        }
        break;
    }
  }
  return {keys.begin(), keys.end()};
}

auto serialise_key(const he::Context& context, const HeEvaluationKeys& keys, const RankKey& key)
    -> Result<he::Bytes> {
  switch (key.kind) {
    case RankKey::Kind::Relinearisation:
      return he::serialise(context, keys.relinearisation);
    case RankKey::Kind::Rotation:
      return he::serialise_rotation_key(context, keys.rotations, key.galois_element);
    case RankKey::Kind::Bootstrapping:
      return he::serialise(context, keys.bootstrapping);
  }
  return Error{"there is no such kind of key"};
}

/// Sets an object if it was read.
template <class Object>
static auto take(Result<Object> object, Object& place) -> Status {
  if (!object) {
    return object.error();
  }
  place = std::move(*object);
  return std::monostate{};
}

auto add_key(const he::Context& context, const RankKey& key, std::span<const std::byte> bytes,
             HeEvaluationKeys& keys) -> Status {
  switch (key.kind) {
    case RankKey::Kind::Relinearisation:
      return take(he::deserialise_relinearisation_key(context, bytes), keys.relinearisation);
    case RankKey::Kind::Rotation: {
      Result<he::RotationKeys> rotation = he::deserialise_rotation_keys(context, bytes);
      if (!rotation || keys.rotations.entries.empty()) {
        return take(std::move(rotation), keys.rotations);
      }
      return take(he::join(std::move(keys.rotations), std::move(*rotation)), keys.rotations);
    }
    case RankKey::Kind::Bootstrapping:
      return take(he::deserialise_bootstrapping_keys(context, bytes), keys.bootstrapping);
  }
  return Error{"there is no such kind of key"};
}

}  // namespace tacet::engine
