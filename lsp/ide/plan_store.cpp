#include "lsp/ide/plan_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/lower/alternatives.h"
#include "compiler/he/schedule/text.h"

namespace tacet::ide {

/// Plans that are kept; those of a screen or two are used repeatedly.
static constexpr size_t kKeptPlans = 256;

PlanStore::PlanStore(he::OperationTimes times, std::optional<cggi::BootstrapTimes> bootstraps)
    : bootstraps_(bootstraps), state_(std::make_shared<State>()) {
  state_->times = std::move(times);
}

void PlanStore::set_background(std::function<void(BackgroundTask)> submit) {
  submit_ = std::move(submit);
}

/// Text of all that a plan depends on.
static auto key_of(const he_views::ItemProgram& program, bool is_pinned) -> std::string {
  if (!is_pinned) {
    return program.text;
  }
  Result<std::string> clause = schedule::to_text(*program.program, *program.pinned);
  return fmt::format("{}\n{}", clause ? *clause : std::string("schedule"), program.text);
}

/// Nobody wants it any more, unless another item has the same program.
void PlanStore::give_up(State& state, const std::string& key) {
  const bool is_wanted = std::any_of(state.wanted.begin(), state.wanted.end(),
                                     [&](const auto& entry) { return entry.second == key; });
  auto found = state.plans.find(key);
  if (!is_wanted && found != state.plans.end() && found->second.plan == nullptr) {
    found->second.token.cancel();
    state.plans.erase(found);
  }
}

void PlanStore::drop_oldest(State& state) {
  if (state.plans.size() <= kKeptPlans) {
    return;
  }
  auto oldest = state.plans.end();
  for (auto it = state.plans.begin(); it != state.plans.end(); ++it) {
    if (it->second.plan != nullptr &&
        (oldest == state.plans.end() || it->second.used < oldest->second.used)) {
      oldest = it;
    }
  }
  if (oldest != state.plans.end()) {
    state.plans.erase(oldest);
  }
}

auto PlanStore::make_task(std::shared_ptr<State> state, std::string key, std::string title,
                          std::vector<array::Program> programs, he_views::PlanOptions options)
    -> BackgroundTask {
  BackgroundTask task;
  task.title = std::move(title);
  task.token = options.cancellation;
  task.run = [state = std::move(state), key = std::move(key), programs = std::move(programs),
              options = std::move(options)](const auto& report) mutable {
    options.times = &state->times;
    options.progress = report;
    const auto keep = [&](he_views::Plan plan) {
      const std::lock_guard lock(state->mutex);
      auto entry = state->plans.find(key);
      if (entry != state->plans.end() && !options.cancellation.is_cancelled()) {
        entry->second.plan = std::make_shared<const he_views::Plan>(std::move(plan));
        drop_oldest(*state);
      }
    };
    try {
      if (std::optional<he_views::Plan> plan = he_views::make_plan(std::move(programs), options)) {
        keep(std::move(*plan));
      }
    } catch (...) {
      // The runner of the task reports it; it must not be retried repeatedly.
      he_views::Plan failed;
      failed.problem = "an internal error";
      keep(std::move(failed));
      throw;
    }
  };
  return task;
}

auto PlanStore::find(const program::FrontendSnapshot& snapshot, names::ItemId item,
                     const he_views::ItemProgram& program, Clause clause)
    -> std::shared_ptr<const he_views::Plan> {
  const bool is_pinned = clause == Clause::Obeyed && program.pinned.has_value();
  const std::string key = key_of(program, is_pinned);
  {
    const std::lock_guard lock(state_->mutex);
    std::string& wanted = state_->wanted[{item.index, clause}];
    const std::string before = std::exchange(wanted, key);
    if (before != key) {
      give_up(*state_, before);
    }
    if (auto found = state_->plans.find(key); found != state_->plans.end()) {
      found->second.used = ++state_->n_uses;
      return found->second.plan;
    }
  }
  if (submit_ == nullptr) {
    return nullptr;
  }
  he_views::PlanOptions options;
  options.tolerance = program.tolerance;
  std::vector<array::Program> programs;
  if (is_pinned) {
    options.pinned = program.pinned;
  }
  if (program.with_functions) {
    programs.push_back(*program.with_functions);
  } else if (is_pinned) {
    programs.push_back(*program.program);
  } else {
    programs = he_lower::alternatives_of(*program.program, snapshot, item);
  }
  {
    const std::lock_guard lock(state_->mutex);
    auto [entry, is_new] = state_->plans.try_emplace(key);
    if (!is_new) {
      return entry->second.plan;  // somebody else was faster
    }
    entry->second.used = ++state_->n_uses;
    options.cancellation = entry->second.token;
  }
  const Name name = snapshot.item_key(item).name;
  const std::string title =
      fmt::format("Tacet: searching for a schedule of `{}`",
                  name.has_value() ? snapshot.interner().text(name) : std::string_view("program"));
  submit_(make_task(state_, key, title, std::move(programs), std::move(options)));
  return nullptr;
}

}  // namespace tacet::ide
