#include "cli/explore/unfinished.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/atomic_write.h"
#include "cli/cache_folder.h"
#include "cli/explore/trials.h"
#include "engine/he/digest.h"
#include "project/read_source.h"

namespace tacet::cli {

namespace {

using Json = nlohmann::json;

auto new_salt() -> std::string {
  std::random_device random;
  std::string salt;
  for (int i = 0; i < 4; ++i) {
    salt += fmt::format("{:08x}", random());
  }
  return salt;
}

/// A member that is a text, or empty.
auto string_in(const Json& object, const char* name) -> std::string {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

auto number_of(const Json& object, const char* name) -> double {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Adds to a trial what an entry has. False if it has not the form that `save` writes.
auto take_runs(const Json& entry, Trial& trial) -> bool {
  const Json milliseconds = entry.value("milliseconds", Json::array());
  const auto is_time = [](const Json& time) { return time.is_number() && time.get<double>() > 0; };
  if (!milliseconds.is_array() || milliseconds.empty() ||
      !std::all_of(milliseconds.begin(), milliseconds.end(), is_time)) {
    return false;
  }
  trial.milliseconds = milliseconds.get<std::vector<double>>();
  trial.rounds = number_of(entry, "rounds");
  trial.bytes_sent = number_of(entry, "bytes_sent");
  trial.key_bytes = number_of(entry, "key_bytes");
  trial.peak_memory_bytes = number_of(entry, "peak_memory_bytes");
  trial.state = TrialState::Measured;
  return true;
}

}  // namespace

UnfinishedTrials::UnfinishedTrials(const std::string& target, std::string identity)
    : identity_(std::move(identity)), salt_(new_salt()) {
  const std::string folder = cache_folder();
  if (!folder.empty()) {
    path_ = fmt::format("{}/explore/{}.json", folder, he::hex_digest(target));
  }
}

auto UnfinishedTrials::digest(const std::string& salt) const -> std::string {
  return he::hex_digest(fmt::format("{}\n{}", salt, identity_));
}

void UnfinishedTrials::load(const std::string& results, std::vector<Trial>& trials) {
  identity_ += fmt::format("\n{}", results);
  std::error_code ignored;
  if (path_.empty() || !std::filesystem::exists(path_, ignored)) {
    return;
  }
  Result<std::string> text = project::read_source(path_);
  const Json file = text ? Json::parse(*text, nullptr, false) : Json();
  // A broken file, or one of another program or other values, is as good as none.
  if (!file.is_object() || !file.value("trials", Json()).is_array() ||
      string_in(file, "digest") != digest(string_in(file, "salt"))) {
    return;
  }
  for (Trial& trial : trials) {
    for (const Json& entry : file["trials"]) {
      if (entry.is_object() &&
          entry.value("candidate", Json()) == Json(trial.candidate.arguments()) &&
          take_runs(entry, trial)) {
        n_loaded_ += trial.milliseconds.size();
      }
    }
  }
}

void UnfinishedTrials::save(const std::vector<Trial>& trials) const {
  if (path_.empty()) {
    return;
  }
  Json entries = Json::array();
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::Measured) {
      entries.push_back({{"candidate", trial.candidate.arguments()},
                         {"milliseconds", trial.milliseconds},
                         {"rounds", trial.rounds},
                         {"bytes_sent", trial.bytes_sent},
                         {"key_bytes", trial.key_bytes},
                         {"peak_memory_bytes", trial.peak_memory_bytes}});
    }
  }
  const Json file = {{"salt", salt_}, {"digest", digest(salt_)}, {"trials", std::move(entries)}};
  std::error_code failed;
  std::filesystem::create_directories(cache_folder(), failed);
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (failed || !make_private_folder(folder)) {
    return;
  }
  static_cast<void>(write_private(path_, file.dump() + "\n"));
}

void UnfinishedTrials::remove() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace tacet::cli
