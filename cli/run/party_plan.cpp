#include "cli/run/party_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>

#include "cli/atomic_write.h"
#include "cli/find_files.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "project/read_source.h"

namespace tacet::cli {

using net::PartyAddress;

auto workspace_of_parties(const std::string& place) -> Result<project::Workspace> {
  std::vector<std::string> warnings;
  std::string path = std::filesystem::absolute(place).lexically_normal().string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    path = path.substr(0, path.rfind('/'));
  }
  Result<std::optional<project::Workspace>> workspace = project::find_workspace(path, warnings);
  if (!workspace) {
    return workspace.error();
  }
  if (!*workspace) {
    return Error{fmt::format("no tacet.toml found around `{}`; it must list the parties", place)};
  }
  return std::move(**workspace);
}

/// Names are in file names and messages.
static auto is_party_name(std::string_view name) -> bool {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= 64 && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

/// `HOST:PORT`, where an IPv6 address is in brackets.
static auto read_address(const std::string& text, PartyAddress& party) -> bool {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return false;
  }
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return false;
  }
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + colon + 1, end, party.port);
  party.host = host;
  return !host.empty() && error == std::errc() && stop == end && party.port != 0;
}

/// The path as the workspace means it.
static auto in_workspace(const project::Workspace& workspace, const std::string& path)
    -> std::string {
  return (std::filesystem::path(workspace.root) / path).lexically_normal().string();
}

/// Nobody but the user may read it. One that belongs to root may be readable by its group: so it is
/// when the system gives a service a secret.
static auto read_private_key(const std::string& path) -> Result<std::string> {
  struct stat status = {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  const bool is_given_by_root = is_there && status.st_uid == 0 && ::geteuid() != 0;
  const mode_t allowed = is_given_by_root ? S_IRGRP : mode_t{0};
  if (is_there && (status.st_mode & kOthers & ~allowed) != 0) {
    return Error{fmt::format(
        "{0}: other users can access this private key (mode {1:04o}); run `chmod 600 {0}`",
        path_from_here(path), status.st_mode & 07777)};
  }
  return project::read_source(path);
}

/// Those that meet, as they are written; the dealer behind the parties.
static auto written_parties(const project::Workspace& workspace, Dealer dealer)
    -> std::vector<project::MpcParty> {
  const project::MpcSettings& settings = workspace.manifest.mpc;
  std::vector<project::MpcParty> all = settings.parties;
  if (dealer == Dealer::Included) {
    all.push_back(*settings.dealer);
  }
  return all;
}

static auto read_parties(const project::Workspace& workspace, Dealer dealer)
    -> Result<std::vector<PartyAddress>> {
  const std::string manifest = path_from_here(workspace.root + "/tacet.toml");
  std::vector<PartyAddress> parties;
  std::set<std::string> names;
  for (const project::MpcParty& written : written_parties(workspace, dealer)) {
    PartyAddress& party = parties.emplace_back();
    party.name = written.name;
    if (!is_party_name(party.name) || !names.insert(party.name).second) {
      return Error{
          fmt::format("{}: invalid party name `{}`; names consist of letters, digits, `_` and `-` "
                      "and must be unique",
                      manifest, party.name)};
    }
    party.dialling = written.dial == "out"  ? net::Dialling::Out
                     : written.dial == "in" ? net::Dialling::In
                                            : net::Dialling::Either;
    const bool needs_address = party.dialling != net::Dialling::Out || !written.address.empty();
    if (needs_address && !read_address(written.address, party)) {
      return Error{fmt::format("{}: the address of `{}` is `{}`; expected HOST:PORT", manifest,
                               party.name, written.address)};
    }
    Result<std::string> certificate =
        project::read_source(in_workspace(workspace, written.certificate));
    if (!certificate) {
      return certificate.error();
    }
    if (!net::fingerprint(*certificate)) {
      return Error{fmt::format("{}: not a certificate; create one with `tacet party keygen {}`",
                               path_from_here(in_workspace(workspace, written.certificate)),
                               party.name)};
    }
    party.certificate = std::move(*certificate);
  }
  if (const auto pair = net::unconnectable(parties)) {
    return Error{fmt::format(
        "{}: `{}` and `{}` cannot connect, as both have `dial = \"{}\"`; remove it from the one "
        "that {}",
        manifest, parties[pair->first].name, parties[pair->second].name,
        parties[pair->first].dialling == net::Dialling::Out ? "out" : "in",
        parties[pair->first].dialling == net::Dialling::Out ? "others can reach"
                                                            : "can reach others")};
  }
  if (workspace.manifest.mpc.parties.size() < 2) {
    return Error{fmt::format(
        "{}: a run needs at least two parties, each with a table `[[mpc.party]]`", manifest)};
  }
  return parties;
}

static auto unknown_party(const std::string& name, const std::vector<PartyAddress>& parties)
    -> Error {
  std::vector<std::string_view> names;
  for (const PartyAddress& party : parties) {
    names.push_back(party.name);
  }
  auto meant = closest_name(name, names);
  return Error{fmt::format("`--party {}`: no such party in tacet.toml{}", name,
                           meant ? fmt::format("; did you mean `{}`?", *meant) : "")};
}

auto meet_others(net::MeetingPlan plan, std::string* failed)
    -> Result<std::unique_ptr<net::Links>> {
  const std::vector<net::PartyAddress> parties = plan.parties;
  net::Meeting meeting = net::meet(std::move(plan));
  if (meeting.links) {
    return std::move(meeting.links);
  }
  if (meeting.failure && failed != nullptr) {
    *failed = parties.at(meeting.failure->party).name;
  }
  return Error{meeting.failure ? fmt::format("{}: {}", parties.at(meeting.failure->party).name,
                                             meeting.failure->reason)
                               : "the parties could not connect"};
}

auto times_of(const project::MpcSettings& settings) -> net::TimeLimits {
  net::TimeLimits times;
  times.connect = settings.connect ? std::chrono::seconds(*settings.connect) : times.connect;
  times.silence = settings.silence ? std::chrono::seconds(*settings.silence) : times.silence;
  times.patience = settings.patience ? std::chrono::seconds(*settings.patience) : times.patience;
  return times;
}

auto plan_party_without_key(const project::Workspace& workspace, const std::string& party,
                            Dealer dealer) -> Result<net::MeetingPlan> {
  if (dealer == Dealer::Included && !workspace.manifest.mpc.dealer) {
    return Error{
        fmt::format("{}: a dealer needs a table `[mpc.dealer]` with name, address and certificate",
                    path_from_here(workspace.root + "/tacet.toml"))};
  }
  Result<std::vector<PartyAddress>> parties = read_parties(workspace, dealer);
  if (!parties) {
    return parties.error();
  }
  auto own = std::find_if(parties->begin(), parties->end(),
                          [&](const PartyAddress& known) { return known.name == party; });
  if (own == parties->end()) {
    return unknown_party(party, *parties);
  }
  net::MeetingPlan plan;
  plan.rank = static_cast<net::Rank>(own - parties->begin());
  plan.credentials.certificate = own->certificate;
  plan.listen_host = written_parties(workspace, dealer)[plan.rank].listen;
  plan.parties = std::move(*parties);
  plan.times = times_of(workspace.manifest.mpc);
  return plan;
}

auto private_key_path(const project::Workspace& workspace, const std::string& party,
                      const std::string& key_file) -> Result<std::string> {
  const Dealer dealer = workspace.manifest.mpc.dealer ? Dealer::Included : Dealer::None;
  std::vector<PartyAddress> known;
  for (const project::MpcParty& written : written_parties(workspace, dealer)) {
    if (written.name == party) {
      return key_file.empty() ? std::filesystem::path(in_workspace(workspace, written.certificate))
                                    .replace_extension(".key")
                                    .string()
                              : absolute_path(key_file);
    }
    known.push_back({.name = written.name, .host = {}});
  }
  return unknown_party(party, known);
}

auto plan_party(const project::Workspace& workspace, const std::string& party,
                const std::string& key_file, Dealer dealer) -> Result<net::MeetingPlan> {
  Result<net::MeetingPlan> plan = plan_party_without_key(workspace, party, dealer);
  if (!plan) {
    return plan;
  }
  Result<std::string> path = private_key_path(workspace, party, key_file);
  Result<std::string> key = path ? read_private_key(*path) : path;
  if (!key) {
    return key.error();
  }
  plan->credentials.private_key = std::move(*key);
  return plan;
}

auto write_credentials(const std::string& name, const std::string& folder, int n_days)
    -> Result<std::string> {
  if (!is_party_name(name)) {
    return Error{fmt::format(
        "invalid party name `{}`; names consist of letters, digits, `_` and `-`", name)};
  }
  Result<net::Credentials> credentials = net::make_credentials(name, n_days);
  if (!credentials) {
    return credentials.error();
  }
  std::string base = (std::filesystem::path(folder) / name).lexically_normal().string();
  if (Status written = write_new_private(base + ".key", credentials->private_key); !written) {
    return written.error();
  }
  if (Status written = write_new_private(base + ".crt", credentials->certificate); !written) {
    ::unlink((base + ".key").c_str());
    return written.error();
  }
  Result<std::string> digest = net::fingerprint(credentials->certificate);
  return fmt::format(
      "{0}.key   the private key; keep it secret\n"
      "{0}.crt   the certificate, for all parties; SHA-256 {1}\n"
      "\n"
      "Add to the tacet.toml of all parties:\n"
      "\n"
      "[[mpc.party]]\n"
      "name = \"{2}\"\n"
      "address = \"HOST:PORT\"\n"
      "certificate = \"{0}.crt\"\n"
      "\n"
      "Then, on all machines at about the same time, each with its own inputs:\n"
      "\n"
      "  tacet party run FILE --party {2}\n",
      base, digest ? *digest : "", name);
}

}  // namespace tacet::cli
