#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"

namespace tacet::query {

/// Writes down what a database does, for tests that assert which queries ran. Outlives
/// the queries that run while it listens.
class EventLog {
 public:
  explicit EventLog(Database& database) : database_(database) {
    database.set_event_hook([this](const Event& event) {
      const std::lock_guard lock(mutex_);
      events_.emplace_back(event.kind, event.text());
    });
  }
  ~EventLog() { database_.set_event_hook({}); }
  EventLog(const EventLog&) = delete;
  auto operator=(const EventLog&) -> EventLog& = delete;

  /// The events of one kind since the last call, as `name(key)` in order. Forgets all.
  auto take(EventKind kind = EventKind::Executed) -> std::vector<std::string> {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> result;
    for (auto& [event_kind, text] : events_) {
      if (event_kind == kind) {
        result.push_back(std::move(text));
      }
    }
    events_.clear();
    return result;
  }

 private:
  Database& database_;
  std::mutex mutex_;
  std::vector<std::pair<EventKind, std::string>> events_;
};

}  // namespace tacet::query
