#pragma once

#include <atomic>
#include <memory>

namespace tacet {

/// A flag that one side raises and the other polls. Copies share the flag.
class CancellationToken {
 public:
  CancellationToken() : flag_(std::make_shared<Flag>()) {}

  /// A token that counts as raised when this one is, but not the other way.
  [[nodiscard]] auto child() const -> CancellationToken {
    CancellationToken token;
    token.flag_->parent = flag_;
    return token;
  }

  /// Locks nothing and allocates nothing: a signal handler may call it.
  void cancel() const { flag_->is_raised.store(true, std::memory_order_relaxed); }
  [[nodiscard]] auto is_cancelled() const -> bool {
    for (const Flag* flag = flag_.get(); flag != nullptr; flag = flag->parent.get()) {
      if (flag->is_raised.load(std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Flag {
    std::atomic<bool> is_raised = false;
    std::shared_ptr<const Flag> parent;
  };

  std::shared_ptr<Flag> flag_;
};

/// Thrown at a safe point of work that was cancelled. Whatever is between there and who cancelled
/// lets it pass.
struct Cancelled {};

/// While it lives, `token` cancels what this thread does, in addition to what functions are given:
/// work on several threads takes it along, as it does `check_handler`. Null: nothing does. The
/// token outlives it.
class CancellationScope {
 public:
  explicit CancellationScope(const CancellationToken* token);
  CancellationScope(const CancellationScope&) = delete;
  auto operator=(const CancellationScope&) -> CancellationScope& = delete;
  ~CancellationScope();

 private:
  const CancellationToken* previous_;
};

/// The token of the scope that this thread is in, for threads that work for it; null if it is in
/// none.
auto thread_cancellation() -> const CancellationToken*;

/// The same to keep; one that nobody raises if the thread is in no scope.
auto cancellation_of_thread() -> CancellationToken;

/// Whether what this thread does was cancelled.
auto is_cancelled() -> bool;

/// A safe point: throws `Cancelled` if what this thread does was cancelled. A few nanoseconds.
void stop_if_cancelled();

}  // namespace tacet
