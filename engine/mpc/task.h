#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

/// Kernels as coroutines. A kernel sends, then awaits messages; while it waits, others run, and
/// what all of them sent goes out together: that is one round (`Scheduler`).
///
/// Rules for who writes one:
///   * arguments by value, but for the party: the coroutine outlives its caller's statement;
///   * every party of a run awaits equally often, also one that nothing is sent to in a round
///     (`Party::next_round`), and sends and receives in the same order: so the bytes of a link need
///     no labels;
///   * nothing of this depends on a secret;
///   * no `co_await` within a conditional expression, a braced list or the arguments of another
///     call (g++ 12 miscompiles some of these): give what is awaited a name.
namespace tacet::mpc {

/// Where all tasks of a party stand. The scheduler's; tasks carry it to each other.
struct TaskState {
  /// The coroutine to resume first.
  std::vector<std::coroutine_handle<>> ready;
  /// What the running task is at (`Traffic`): kept while it waits, and given to tasks it starts.
  uint32_t label = 0;
};

/// A coroutine that another one waits for, and how its end is signalled.
struct TaskPromiseBase {
  TaskState* state = nullptr;
  /// The coroutine to resume at the end. Null until the starter of the task has returned from
  /// starting it.
  std::coroutine_handle<> continuation;
  /// How many tasks, this one among them, the continuation waits for; null: this one alone.
  size_t* n_pending = nullptr;

  auto initial_suspend() noexcept -> std::suspend_always { return {}; }

  struct FinalAwaiter {
    auto await_ready() noexcept -> bool { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> task) noexcept {
      TaskPromiseBase& promise = task.promise();
      if (promise.continuation && (promise.n_pending == nullptr || --*promise.n_pending == 0)) {
        promise.state->ready.push_back(promise.continuation);
      }
    }
    void await_resume() noexcept {}
  };
  auto final_suspend() noexcept -> FinalAwaiter { return {}; }

  // An exception is a failed check on its way to the owner of a throwing handler.
  void unhandled_exception() { throw; }
};

template <class T>
struct TaskPromise;

/// A computation that gives a `T` once; it begins when it is awaited. Destroying it destroys
/// everything that it waits for.
template <class T = std::monostate>
class [[nodiscard]] Task {
 public:
  using promise_type = TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  auto operator=(Task&& other) noexcept -> Task& {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  auto operator=(const Task&) -> Task& = delete;
  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  /// For `Scheduler` and `all`: runs until the task waits or is done.
  void start(TaskState* state) {
    handle_.promise().state = state;
    handle_.resume();
  }
  [[nodiscard]] auto done() const -> bool { return handle_.done(); }
  /// For `all`: the coroutine to resume at the end of a task that `start` left unfinished.
  void set_continuation(std::coroutine_handle<> continuation, size_t* n_pending) {
    handle_.promise().continuation = continuation;
    handle_.promise().n_pending = n_pending;
  }
  /// The result of a task that is done; once.
  auto take() -> T {
    TACET_CHECK(handle_.promise().value.has_value(), "a task's result is taken before its end");
    return std::move(*handle_.promise().value);
  }

  auto await_ready() const noexcept -> bool { return false; }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> parent) -> bool {
    start(parent.promise().state);
    if (done()) {
      return false;
    }
    set_continuation(parent, nullptr);
    return true;
  }
  auto await_resume() -> T { return take(); }

 private:
  Handle handle_;
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;

  auto get_return_object() -> Task<T> {
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
  }
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

/// What a task without a result gives: write `Task<>` and `co_return kDone`.
inline constexpr std::monostate kDone{};

/// Awaits tasks side by side: they begin in order, and their rounds are shared.
template <class T>
class [[nodiscard]] AllOf {
 public:
  explicit AllOf(std::vector<Task<T>> tasks) : tasks_(std::move(tasks)) {}

  auto await_ready() const noexcept -> bool { return tasks_.empty(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> parent) -> bool {
    TaskState* state = parent.promise().state;
    const uint32_t label = state->label;
    for (Task<T>& task : tasks_) {
      state->label = label;
      task.start(state);
      if (!task.done()) {
        ++n_pending_;
        task.set_continuation(parent, &n_pending_);
      }
    }
    state->label = label;
    return n_pending_ > 0;
  }
  auto await_resume() -> std::vector<T> {
    std::vector<T> results;
    results.reserve(tasks_.size());
    for (Task<T>& task : tasks_) {
      results.push_back(task.take());
    }
    return results;
  }

 private:
  std::vector<Task<T>> tasks_;
  size_t n_pending_ = 0;
};

/// The same for tasks of different types.
template <class... Ts>
class [[nodiscard]] AllOfTuple {
 public:
  explicit AllOfTuple(Task<Ts>... tasks) : tasks_(std::move(tasks)...) {}

  auto await_ready() const noexcept -> bool { return false; }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> parent) -> bool {
    TaskState* state = parent.promise().state;
    const uint32_t label = state->label;
    auto start = [&](auto& task) {
      state->label = label;
      task.start(state);
      if (!task.done()) {
        ++n_pending_;
        task.set_continuation(parent, &n_pending_);
      }
    };
    std::apply([&](auto&... task) { (start(task), ...); }, tasks_);
    state->label = label;
    return n_pending_ > 0;
  }
  auto await_resume() -> std::tuple<Ts...> {
    return std::apply([](auto&... task) { return std::tuple<Ts...>(task.take()...); }, tasks_);
  }

 private:
  std::tuple<Task<Ts>...> tasks_;
  size_t n_pending_ = 0;
};

/// `std::vector<Share> products = co_await all(std::move(tasks));` None of `tasks` has begun.
template <class T>
auto all(std::vector<Task<T>> tasks) -> AllOf<T> {
  return AllOf<T>(std::move(tasks));
}

/// `auto [product, smaller] = co_await all(mul(…), less(…));`
template <class... Ts>
auto all(Task<Ts>... tasks) -> AllOfTuple<Ts...> {
  return AllOfTuple<Ts...>(std::move(tasks)...);
}

}  // namespace tacet::mpc
