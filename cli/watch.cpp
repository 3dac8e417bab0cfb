#include "cli/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>

namespace tacet::cli {

/// What distinguishes one state of a file from another.
using Stamp = std::tuple<uint64_t, uint64_t, int64_t, int64_t, int64_t>;

static constexpr auto kPollInterval = std::chrono::milliseconds(250);
/// An editor's save is over when nothing has happened for so long.
static constexpr int kSettleMilliseconds = 30;
static constexpr uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                    IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB;

static auto stamp_of(const std::string& path) -> Stamp {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return {};
  }
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

static auto watched_folder_of(const std::string& path) -> std::string {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

static auto is_folder(const std::string& path) -> bool {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

struct Watcher::State {
  int queue = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  std::map<std::string, int> watches;
  std::map<std::string, Stamp> stamps;
  bool is_polling = false;

  State() { is_polling = queue < 0; }
  State(const State&) = delete;
  auto operator=(const State&) -> State& = delete;
  ~State() {
    if (queue >= 0) {
      ::close(queue);
    }
  }

  void watch_folders(const std::set<std::string>& folders) {
    for (const std::string& folder : folders) {
      if (watches.count(folder) == 0) {
        int watch = ::inotify_add_watch(queue, folder.c_str(), kEvents);
        if (watch < 0) {
          is_polling = true;  // out of watches, or a file system that has none
        } else {
          watches[folder] = watch;
        }
      }
    }
  }

  /// True if anything is not as it was when this was last asked.
  auto has_changed(const std::set<std::string>& places) -> bool {
    std::map<std::string, Stamp> now;
    for (const std::string& place : places) {
      now[place] = stamp_of(place);
    }
    bool changed = now != stamps;
    stamps = std::move(now);
    return changed;
  }

  /// Waits up to `milliseconds` (forever if negative) and drops pending events.
  auto wait_for_news(int milliseconds) -> bool {
    pollfd wait = {queue, POLLIN, 0};
    if (::poll(&wait, 1, milliseconds) <= 0) {
      return false;
    }
    alignas(inotify_event) char events[16384];
    while (::read(queue, events, sizeof events) > 0) {
    }
    return true;
  }
};

Watcher::Watcher() : state_(std::make_unique<State>()) {}
Watcher::~Watcher() = default;

static auto folders_of(const std::vector<std::string>& paths, const std::vector<std::string>& files)
    -> std::set<std::string> {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    folders.insert(is_folder(path) ? path : watched_folder_of(path));
  }
  for (const std::string& file : files) {
    folders.insert(watched_folder_of(file));
  }
  return folders;
}

auto Watcher::look(const std::vector<std::string>& paths, const std::vector<std::string>& files)
    -> bool {
  std::set<std::string> places = folders_of(paths, files);
  if (!state_->is_polling) {
    state_->watch_folders(places);
  }
  places.insert(files.begin(), files.end());
  places.insert(paths.begin(), paths.end());
  return state_->has_changed(places);
}

void Watcher::note(const std::vector<std::string>& paths, const std::vector<std::string>& files) {
  look(paths, files);
}

void Watcher::wait(const std::vector<std::string>& paths, const std::vector<std::string>& files) {
  while (!look(paths, files)) {
    if (state_->is_polling) {
      std::this_thread::sleep_for(kPollInterval);
    } else {
      state_->wait_for_news(-1);
      while (state_->wait_for_news(kSettleMilliseconds)) {
      }
    }
  }
}

}  // namespace tacet::cli
