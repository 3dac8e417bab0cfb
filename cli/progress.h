#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace tacet::cli {

/// `about 12 s left`, from the time that a share of the work took; empty if nobody could say yet.
auto time_left_text(double seconds, size_t n_done, size_t n_total) -> std::string;

/// A line on stderr that says how far long work has come. It appears after half a second, on a
/// terminal alone, and disappears with this object.
class Progress {
 public:
  /// `what` is being done to `total` things.
  Progress(const Invocation& invocation, std::string what, size_t total);
  /// Nobody knows how much there is to do.
  Progress(const Invocation& invocation, std::string what);
  Progress(const Progress&) = delete;
  auto operator=(const Progress&) -> Progress& = delete;
  ~Progress();

  /// One more is done. May be called by several threads.
  void step();
  /// So many of so many are done, or of an unknown number (0); by any thread.
  void reach(size_t n_done, size_t n_total);

  /// How far it has come, in words.
  void show(std::string_view state);

 private:
  using Clock = std::chrono::steady_clock;

  /// Draws a line if it is time to.
  void draw(const std::function<std::string()>& state);
  [[nodiscard]] auto bar(size_t n_done, size_t n_total) const -> std::string;

  Output* err_;
  bool is_wanted_;
  /// What wipes out the rest of a line; without it, spaces do.
  bool may_erase_;
  uint32_t width_;
  std::string what_;
  size_t total_;
  Clock::time_point start_;
  Clock::time_point next_draw_;
  std::mutex mutex_;
  std::atomic<size_t> n_done_ = 0;
  size_t drawn_width_ = 0;
  bool is_shown_ = false;
};

/// The line of work in phases, of which one is shown at a time.
class PhaseLine {
 public:
  explicit PhaseLine(const Invocation& invocation) : invocation_(&invocation) {}

  /// Ends the phase before. What is given back hears how far this one has come, until the next one
  /// begins or the line ends.
  auto begin(std::string phase) -> std::function<void(size_t n_done, size_t n_total)>;
  void end() { phase_.reset(); }

 private:
  const Invocation* invocation_;
  std::optional<Progress> phase_;
};

/// Runs work on another executor and reports each piece that is done.
class ProgressExecutor final : public Executor {
 public:
  ProgressExecutor(Executor& inner, Progress& progress) : inner_(&inner), progress_(&progress) {}

  void for_each(size_t n, const std::function<void(size_t)>& body) override;

 private:
  Executor* inner_;
  Progress* progress_;
};

}  // namespace tacet::cli
