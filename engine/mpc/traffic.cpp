#include "engine/mpc/traffic.h"

#include <algorithm>

namespace tacet::mpc {

auto Traffic::child(LabelId parent, std::string_view name) -> LabelId {
  const auto known = children_[parent].find(name);
  if (known != children_[parent].end()) {
    return known->second;
  }
  const auto label = static_cast<LabelId>(labels_.size());
  labels_.push_back({.parent = parent, .name = std::string(name), .counts = {}});
  children_[parent].emplace(name, label);
  children_.emplace_back();
  last_round_.push_back(0);
  return label;
}

void Traffic::count_send(LabelId label, size_t n_bytes) {
  for (;; label = labels_[label].parent) {
    labels_[label].counts.bytes += n_bytes;
    ++labels_[label].counts.sends;
    if (label == kRoot) {
      return;
    }
  }
}

void Traffic::count_wait(LabelId label) {
  // For a node counted in this round its parents are counted too.
  while (last_round_[label] != round_) {
    last_round_[label] = round_;
    ++labels_[label].counts.rounds;
    label = labels_[label].parent;
  }
}

auto Traffic::path(LabelId label) const -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (; label != kRoot; label = labels_[label].parent) {
    names.emplace_back(labels_[label].name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace tacet::mpc
