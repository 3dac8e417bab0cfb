#include "lsp/server/event_loop.h"

#include <deque>
#include <map>
#include <utility>

namespace tacet::lsp {

using Clock = std::chrono::steady_clock;

// The page's own loop drives this one: it calls `run_due` when something has come or is due.
struct EventLoop::State {
  struct Due {
    std::weak_ptr<Timer::State> timer;
    uint64_t number;
  };

  std::deque<std::function<void()>> posted;
  std::multimap<Clock::time_point, Due> timers;
  bool is_stopped = false;
};

struct Timer::State {
  explicit State(EventLoop::State& the_loop) : loop(the_loop) {}

  EventLoop::State& loop;
  std::function<void()> task;
  bool is_running = false;
  /// Distinguishes a start from the previous one.
  uint64_t n_starts = 0;
};

EventLoop::EventLoop() : state_(std::make_unique<State>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::post(std::function<void()> task) {
  state_->posted.push_back(std::move(task));
}

void EventLoop::stop() {
  state_->is_stopped = true;
}

auto EventLoop::run_due() -> std::optional<std::chrono::milliseconds> {
  while (!state_->is_stopped) {
    auto first = state_->timers.begin();
    if (first != state_->timers.end() && first->first <= Clock::now()) {
      const std::shared_ptr<Timer::State> timer = first->second.timer.lock();
      const uint64_t number = first->second.number;
      state_->timers.erase(first);
      if (timer && timer->is_running && timer->n_starts == number) {
        timer->is_running = false;
        std::exchange(timer->task, nullptr)();
      }
    } else if (!state_->posted.empty()) {
      auto task = std::move(state_->posted.front());
      state_->posted.pop_front();
      task();
    } else if (first != state_->timers.end()) {
      return std::chrono::ceil<std::chrono::milliseconds>(first->first - Clock::now());
    } else {
      break;
    }
  }
  return std::nullopt;
}

Timer::Timer(EventLoop& loop) : state_(std::make_shared<State>(*loop.state_)) {}
Timer::~Timer() {
  stop();
}

void Timer::start(std::chrono::milliseconds delay, std::function<void()> task) {
  state_->is_running = true;
  state_->task = std::move(task);
  state_->loop.timers.emplace(Clock::now() + delay,
                              EventLoop::State::Due{state_, ++state_->n_starts});
}

void Timer::stop() {
  state_->is_running = false;
  state_->task = nullptr;
}

auto Timer::is_running() const -> bool {
  return state_->is_running;
}

}  // namespace tacet::lsp
