#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// Classes that wait for work, each once, first in, first out.
class ClassQueue {
 public:
  void add(ClassId id) {
    if (is_queued_.size() <= id.index) {
      is_queued_.resize(id.index + size_t{1});
    }
    if (is_queued_[id.index] == 0) {
      is_queued_[id.index] = 1;
      classes_.push_back(id);
    }
  }

  [[nodiscard]] auto is_empty() const -> bool { return next_ == classes_.size(); }

  /// The first class, which may be added again from now on.
  auto take() -> ClassId {
    const ClassId id = classes_[next_++];
    is_queued_[id.index] = 0;
    if (is_empty()) {
      classes_.clear();
      next_ = 0;
    }
    return id;
  }

 private:
  std::vector<ClassId> classes_;  // those before `next_` were taken
  size_t next_ = 0;
  std::vector<uint8_t> is_queued_;  // by class
};

}  // namespace tacet::egraph
