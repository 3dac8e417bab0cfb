#pragma once

#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

#include "engine/mpc/task.h"

namespace tacet::mpc {

/// Awaited: where the running task stands.
struct CurrentState {
  TaskState* state = nullptr;

  auto await_ready() const noexcept -> bool { return false; }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> task) -> bool {
    state = task.promise().state;
    return false;
  }
  auto await_resume() const noexcept -> TaskState* { return state; }
};

/// Who hears that a value is there, without being a task.
class LaterListener {
 public:
  virtual void value_is_there(TaskState& state) = 0;

 protected:
  ~LaterListener() = default;
};

/// A value that some task will have computed and any number of tasks wait for. One thread.
template <class T>
class Later {
 public:
  [[nodiscard]] auto is_there() const -> bool { return value_.has_value(); }
  [[nodiscard]] auto operator*() const -> const T& { return *value_; }

  /// Once. The waiter continues when the running task waits or ends.
  void set(TaskState& state, T value) {
    value_.emplace(std::move(value));
    state.ready.insert(state.ready.end(), waiting_.rbegin(), waiting_.rend());
    waiting_.clear();
    for (LaterListener* listener : std::exchange(listeners_, {})) {
      listener->value_is_there(state);
    }
  }
  /// Calls `listener` once the value is there, which it is not yet.
  void listen(LaterListener& listener) { listeners_.push_back(&listener); }

  class Awaiter {
   public:
    explicit Awaiter(Later& later) : later_(later) {}
    auto await_ready() const noexcept -> bool { return later_.is_there(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> task) {
      state_ = task.promise().state;
      label_ = state_->label;
      later_.waiting_.push_back(task);
    }
    auto await_resume() const -> T {
      if (state_ != nullptr) {
        state_->label = label_;
      }
      return *later_.value_;
    }

   private:
    Later& later_;
    TaskState* state_ = nullptr;
    uint32_t label_ = 0;
  };
  auto get() -> Awaiter { return Awaiter(*this); }

 private:
  std::optional<T> value_;
  std::vector<std::coroutine_handle<>> waiting_;
  std::vector<LaterListener*> listeners_;
};

}  // namespace tacet::mpc
