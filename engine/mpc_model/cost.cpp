#include "engine/mpc_model/cost.h"

namespace tacet::mpc_model {

auto record_of(const Recorded& one) -> Record {
  return std::make_shared<const std::vector<Recorded>>(1, one);
}

auto joined(const Record& first, const Record& second, uint64_t rounds) -> Record {
  if (second == nullptr || (first == nullptr && rounds == 0)) {
    return second == nullptr ? first : second;
  }
  std::vector<Recorded> all;
  all.reserve((first == nullptr ? 0 : first->size()) + second->size());
  if (first != nullptr) {
    all = *first;
  }
  const auto middle = static_cast<ptrdiff_t>(all.size());
  for (const Recorded& each : *second) {
    all.push_back(each);
    all.back().round += rounds;
  }
  std::inplace_merge(all.begin(), all.begin() + middle, all.end(),
                     [](const Recorded& a, const Recorded& b) { return a.round < b.round; });
  return std::make_shared<const std::vector<Recorded>>(std::move(all));
}

auto repeated(uint64_t count, const Record& record, uint64_t rounds) -> Record {
  if (record == nullptr || count == 0) {
    return nullptr;
  }
  std::vector<Recorded> all;
  all.reserve(count * record->size());
  for (uint64_t i = 0; i < count; ++i) {
    for (const Recorded& each : *record) {
      all.push_back(each);
      all.back().round += i * rounds;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Recorded& a, const Recorded& b) { return a.round < b.round; });
  return std::make_shared<const std::vector<Recorded>>(std::move(all));
}

}  // namespace tacet::mpc_model
