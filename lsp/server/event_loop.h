#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace tacet::lsp {

/// The loop of the main thread, on Boost.Asio. Everything but `post` and `stop` is for
/// that thread alone.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  auto operator=(const EventLoop&) -> EventLoop& = delete;

  /// Has `task` run on the loop's thread, after what was posted before.
  void post(std::function<void()> task);

  /// Runs until `stop` was called.
  void run();
  void stop();

#ifdef __EMSCRIPTEN__
  /// Instead of `run`: runs what is due now, and gives the time until the next timer, if there is
  /// one.
  auto run_due() -> std::optional<std::chrono::milliseconds>;
#endif

  auto context() -> boost::asio::io_context&;

 private:
  friend class Timer;
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls something once, later. Stopped by its end.
class Timer {
 public:
  explicit Timer(EventLoop& loop);
  ~Timer();
  Timer(const Timer&) = delete;
  auto operator=(const Timer&) -> Timer& = delete;

  /// Starts over if it is running.
  void start(std::chrono::milliseconds delay, std::function<void()> task);
  void stop();
  [[nodiscard]] auto is_running() const -> bool;

 private:
  friend class EventLoop;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tacet::lsp
