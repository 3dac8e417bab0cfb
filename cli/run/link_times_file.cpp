#include "cli/run/link_times_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "cli/cache_folder.h"
#include "cli/run/party_plan.h"
#include "cli/version_info.h"
#include "engine/net/link_times.h"
#include "project/read_source.h"

namespace tacet::cli {

/// By the parties and where they are: other ones have other links.
static auto path_of(const project::Workspace& workspace) -> std::string {
  const std::string folder = cache_folder();
  std::string parties;
  for (const project::MpcParty& party : workspace.manifest.mpc.parties) {
    parties += fmt::format("{} {}\n", party.name, party.address);
  }
  return folder.empty() ? folder : fmt::format("{}/links_{}.txt", folder, net::digest_of(parties));
}

/// `latency 20.5`
static auto number_behind(std::string_view text, std::string_view word) -> std::optional<double> {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(at + word.size());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

auto measured_links(const project::Workspace& workspace) -> std::optional<SlowestLinks> {
  const std::string path = path_of(workspace);
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) {
    return std::nullopt;
  }
  Result<std::string> text = project::read_source(path);
  const auto latency = text ? number_behind(*text, "latency ") : std::nullopt;
  const auto megabits = text ? number_behind(*text, "\nbandwidth ") : std::nullopt;
  // A file that was damaged is as good as none: it only makes predictions better.
  return latency && megabits ? std::optional(SlowestLinks{*latency, *megabits}) : std::nullopt;
}

auto measured_link_times(const project::Workspace& workspace) -> std::vector<net::LinkTime> {
  const std::string path = path_of(workspace);
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) {
    return {};
  }
  Result<std::string> text = project::read_source(path);
  std::istringstream lines(text ? *text : std::string());
  std::vector<net::LinkTime> times;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    net::LinkTime time;
    if (words >> word && word == "link" && words >> time.from >> time.to &&
        words >> time.latency_milliseconds >> time.megabits && time.latency_milliseconds >= 0 &&
        time.megabits >= 0) {
      times.push_back(time);
    }
  }
  return times;
}

static auto link_report(const std::vector<net::LinkTime>& times,
                        const std::vector<net::PartyAddress>& parties) -> std::string {
  std::string text;
  for (const net::LinkTime& time : times) {
    text += fmt::format("{} - {}: {:.2f} ms, {:.0f} Mbit/s\n", parties[time.from].name,
                        parties[time.to].name, time.latency_milliseconds, time.megabits);
  }
  return text;
}

auto measure_links_of(const std::string& folder, const std::string& party,
                      const std::string& key_file) -> Result<std::string> {
  Result<project::Workspace> workspace = workspace_of_parties(folder);
  if (!workspace) {
    return workspace.error();
  }
  Result<net::MeetingPlan> plan = plan_party(*workspace, party, key_file);
  if (!plan) {
    return plan.error();
  }
  plan->agreement = {{"version of Tacet", fmt::format("{} ({})", kVersion, kCommit)},
                     {"work", "measuring links"}};
  const std::vector<net::PartyAddress> parties = plan->parties;
  // Each pair waits until the pairs before it are done.
  const auto n_pairs = static_cast<int64_t>(parties.size() * parties.size() / 2);
  plan->times.patience =
      std::max(plan->times.patience, std::chrono::milliseconds(std::chrono::seconds(5)) * n_pairs);
  Result<std::unique_ptr<net::Links>> met = meet_others(std::move(*plan));
  if (!met) {
    return met.error();
  }
  net::Links& links = **met;
  auto measured = net::measure_links(links);
  if (const auto* error = std::get_if<net::LinkError>(&measured)) {
    return Error{describe(links, *error)};
  }
  if (const net::LinkStatus failure = links.finish()) {
    return Error{describe(links, *failure)};
  }
  const auto& times = std::get<std::vector<net::LinkTime>>(measured);
  SlowestLinks slowest{0, times.front().megabits};
  for (const net::LinkTime& time : times) {
    slowest.latency_milliseconds =
        std::max(slowest.latency_milliseconds, time.latency_milliseconds);
    slowest.megabits = std::min(slowest.megabits, time.megabits);
  }
  std::string text = fmt::format("latency {:.6f}\nbandwidth {:.6f}\n", slowest.latency_milliseconds,
                                 slowest.megabits);
  for (const net::LinkTime& time : times) {
    text += fmt::format("link {} {} {:.6f} {:.6f}\n", time.from, time.to, time.latency_milliseconds,
                        time.megabits);
  }
  Status stored = write_to_cache(path_of(*workspace), text);
  return stored ? Result<std::string>(link_report(times, parties)) : stored.error();
}

}  // namespace tacet::cli
