#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/interruption.h"

namespace tacet::cli {

static constexpr auto kPatience = std::chrono::milliseconds(500);
static constexpr auto kBetweenDraws = std::chrono::milliseconds(100);

auto time_left_text(double seconds, size_t n_done, size_t n_total) -> std::string {
  static constexpr double kLeastSeconds = 1;
  static constexpr size_t kLeastParts = 50;  // what a smaller share took says little
  if (seconds < kLeastSeconds || n_done == 0 || n_done >= n_total ||
      n_done < n_total / kLeastParts) {
    return {};
  }
  const double left = seconds * static_cast<double>(n_total - n_done) / static_cast<double>(n_done);
  const auto whole = static_cast<uint64_t>(left + 1);
  return whole < 120 ? fmt::format("about {} s left", whole)
                     : fmt::format("about {} min left", (whole + 30) / 60);
}

Progress::Progress(const Invocation& invocation, std::string what, size_t total)
    : err_(&invocation.err),
      is_wanted_(invocation.err_terminal.is_terminal),
      may_erase_(invocation.err_terminal.colour == Colour::Always),
      width_(invocation.err_terminal.width),
      what_(std::move(what)),
      total_(total),
      start_(Clock::now()),
      next_draw_(start_ + kPatience) {}

Progress::~Progress() {
  if (is_shown_) {
    err_->write(may_erase_ ? std::string("\r\x1b[K")
                           : fmt::format("\r{}\r", std::string(drawn_width_, ' ')));
    set_progress_line_shown(false);
  }
}

Progress::Progress(const Invocation& invocation, std::string what)
    : Progress(invocation, std::move(what), 0) {}

void Progress::step() {
  size_t n_done = ++n_done_;
  draw([&] { return bar(n_done, total_); });
}

void Progress::reach(size_t n_done, size_t n_total) {
  draw([&] { return n_total == 0 ? fmt::format("{}", n_done) : bar(n_done, n_total); });
}

void Progress::show(std::string_view state) {
  draw([&] { return std::string(state); });
}

void Progress::draw(const std::function<std::string()>& state) {
  if (!is_wanted_) {
    return;
  }
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || Clock::now() < next_draw_) {
    return;
  }
  next_draw_ = Clock::now() + kBetweenDraws;
  std::string line = fmt::format("{} {}", what_, state());
  if (line.size() >= width_) {
    line.resize(width_ -
                1);  // a line that wraps could not be drawn over; it has no wide characters
  }
  // What followed a shorter line is wiped out.
  const size_t n_spaces = drawn_width_ > line.size() ? drawn_width_ - line.size() : 0;
  drawn_width_ = line.size();
  is_shown_ = true;
  set_progress_line_shown(true);
  err_->write(
      fmt::format("\r{}{}", line, may_erase_ ? std::string("\x1b[K") : std::string(n_spaces, ' ')));
}

auto Progress::bar(size_t n_done, size_t n_total) const -> std::string {
  static constexpr size_t kBarLength = 24;
  n_done = std::min(n_done, n_total);  // one piece may take several steps
  const size_t n_full = n_total == 0 ? 0 : kBarLength * n_done / n_total;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left = time_left_text(seconds, n_done, n_total);
  return fmt::format("[{}{}] {}/{}{}{}", std::string(n_full, '='),
                     std::string(kBarLength - n_full, ' '), n_done, n_total,
                     left.empty() ? "" : ", ", left);
}

auto PhaseLine::begin(std::string phase) -> std::function<void(size_t, size_t)> {
  phase_.reset();
  if (invocation_->on_phase) {
    invocation_->on_phase(phase, 0, 0);
    return [on_phase = &invocation_->on_phase, phase](size_t n_done, size_t n_total) {
      (*on_phase)(phase, n_done, n_total);
    };
  }
  if (!invocation_->err_terminal.is_terminal) {
    return {};
  }
  Progress& progress = phase_.emplace(*invocation_, std::move(phase));
  return [&progress](size_t n_done, size_t n_total) { progress.reach(n_done, n_total); };
}

void ProgressExecutor::for_each(size_t n, const std::function<void(size_t)>& body) {
  inner_->for_each(n, [&](size_t i) {
    body(i);
    progress_->step();
  });
}

}  // namespace tacet::cli
