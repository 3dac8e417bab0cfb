#include "engine/program/he/walk.h"

namespace tacet::engine {

auto HeWalk::next() -> bool {
  while (next_ < program_->body.size()) {
    at_ = next_++;
    const HeStatement& statement = program_->body[at_];
    if (statement.opcode == HeOpcode::For) {
      loops_.push_back(at_);
      variables_.push_back(statement.low);
    } else if (statement.opcode == HeOpcode::End) {
      if (++variables_.back() < program_->body[loops_.back()].high) {
        next_ = loops_.back() + 1;
      } else {
        loops_.pop_back();
        variables_.pop_back();
      }
    } else {
      return true;
    }
  }
  return false;
}

auto HeCounter::next() -> bool {
  for (size_t d = values_.size(); d-- > 0;) {
    if (++values_[d] < (*dimensions_)[d].extent) {
      return true;
    }
    values_[d] = 0;
  }
  return false;
}

}  // namespace tacet::engine
