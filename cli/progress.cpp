#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/interruption.h"

namespace tacet::cli {

static constexpr auto kPatience = std::chrono::milliseconds(500);
static constexpr auto kBetweenDraws = std::chrono::milliseconds(100);

Progress::Progress(const Invocation& invocation, std::string what, size_t total)
    : err_(&invocation.err),
      is_wanted_(invocation.err_terminal.is_terminal),
      what_(std::move(what)),
      total_(total),
      next_draw_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (is_shown_) {
    err_->write("\r\x1b[K");
    set_progress_line_shown(false);
  }
}

Progress::Progress(const Invocation& invocation, std::string what)
    : Progress(invocation, std::move(what), 0) {}

void Progress::step() {
  size_t n_done = ++n_done_;
  draw([&] { return bar(n_done); });
}

void Progress::tell(std::string_view state) {
  draw([&] { return std::string(state); });
}

void Progress::draw(const std::function<std::string()>& state) {
  if (!is_wanted_) {
    return;
  }
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && Clock::now() >= next_draw_) {
    next_draw_ = Clock::now() + kBetweenDraws;
    is_shown_ = true;
    set_progress_line_shown(true);
    // What stood behind a shorter line is wiped out.
    err_->write(fmt::format("\r{} {}\x1b[K", what_, state()));
  }
}

auto Progress::bar(size_t n_done) const -> std::string {
  static constexpr size_t kBarLength = 24;
  n_done = std::min(n_done, total_);  // one piece may take several steps
  size_t n_full = total_ == 0 ? 0 : kBarLength * n_done / total_;
  return fmt::format("[{}{}] {}/{}", std::string(n_full, '='),
                     std::string(kBarLength - n_full, ' '), n_done, total_);
}

void ProgressExecutor::for_each(size_t n, const std::function<void(size_t)>& body) {
  inner_->for_each(n, [&](size_t i) {
    body(i);
    progress_->step();
  });
}

}  // namespace tacet::cli
