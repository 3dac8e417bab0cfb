#include "lsp/server/event_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace tacet::lsp {

namespace asio = boost::asio;

struct EventLoop::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
};

EventLoop::EventLoop() : state_(std::make_unique<State>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::post(std::function<void()> task) {
  asio::post(state_->context, std::move(task));
}

void EventLoop::run() {
  state_->context.run();
}

void EventLoop::stop() {
  state_->context.stop();
}

auto EventLoop::context() -> asio::io_context& {
  return state_->context;
}

struct Timer::State {
  explicit State(asio::io_context& context) : timer(context) {}

  asio::steady_timer timer;
  bool is_running = false;
  /// Distinguishes a start from the previous one, whose handler may already be queued.
  uint64_t n_starts = 0;
};

Timer::Timer(EventLoop& loop) : state_(std::make_shared<State>(loop.context())) {}
Timer::~Timer() {
  stop();
}

void Timer::start(std::chrono::milliseconds delay, std::function<void()> task) {
  state_->is_running = true;
  const uint64_t number = ++state_->n_starts;
  state_->timer.expires_after(delay);
  state_->timer.async_wait([state = state_, number, task = std::move(task)](const auto& error) {
    if (!error && state->is_running && state->n_starts == number) {
      state->is_running = false;
      task();
    }
  });
}

void Timer::stop() {
  state_->is_running = false;
  state_->timer.cancel();
}

auto Timer::is_running() const -> bool {
  return state_->is_running;
}

}  // namespace tacet::lsp
