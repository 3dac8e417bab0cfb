#include "cli/parties/audit_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/atomic_write.h"
#include "cli/find_files.h"
#include "engine/net/credentials.h"

namespace tacet::cli {

using AuditJson = nlohmann::ordered_json;

namespace {

const std::string kNoLineBefore(64, '0');

/// An open log that this process alone appends to while it has it.
class LockedLog {
 public:
  explicit LockedLog(const std::string& path) : path_(path) {
    file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    is_locked_ = file_ >= 0 && ::flock(file_, LOCK_EX) == 0;
    error_ = errno;
  }
  LockedLog(const LockedLog&) = delete;
  auto operator=(const LockedLog&) -> LockedLog& = delete;
  ~LockedLog() {
    if (file_ >= 0) {
      ::close(file_);
    }
  }

  [[nodiscard]] auto problem(const char* what) const -> Error {
    return Error{fmt::format("{}: {}: {}", path_from_here(path_), what, std::strerror(error_))};
  }

  /// The last line without its end; nothing in an empty file.
  auto last_line() -> Result<std::string> {
    if (!is_locked_) {
      return problem("could not open the audit log");
    }
    struct stat status = {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
      return Error{fmt::format("{}: an audit log must be a regular file", path_from_here(path_))};
    }
    constexpr off_t kBlock = 4096;
    std::string tail;
    off_t at = status.st_size;
    while (at > 0 && (tail.size() < 2 || tail.rfind('\n', tail.size() - 2) == std::string::npos)) {
      const off_t n = std::min(at, kBlock);
      std::string block(static_cast<size_t>(n), '\0');
      at -= n;
      if (::pread(file_, block.data(), block.size(), at) != n) {
        error_ = errno;
        return problem("could not read");
      }
      tail.insert(0, block);
    }
    if (tail.empty()) {
      return std::string();
    }
    if (tail.back() != '\n') {
      return Error{fmt::format(
          "{}: the last line is incomplete: a write was interrupted; remove that line, or name "
          "another file, to run",
          path_from_here(path_))};
    }
    tail.pop_back();
    const size_t end = tail.rfind('\n');
    return end == std::string::npos ? tail : tail.substr(end + 1);
  }

  auto append(const std::string& line) -> Status {
    struct stat before = {};
    const bool is_known = ::fstat(file_, &before) == 0;
    const ssize_t n = ::write(file_, line.data(), line.size());
    error_ = errno;
    if (n != static_cast<ssize_t>(line.size()) || ::fsync(file_) != 0) {
      error_ = n < 0 || n == static_cast<ssize_t>(line.size()) ? errno : ENOSPC;
      if (is_known && ::ftruncate(file_, before.st_size) != 0) {
        error_ = errno;
      }
      return problem("could not write the audit log");
    }
    return sync_folder_of(path_) ? Status(std::monostate{})
                                 : problem("could not write the audit log");
  }

 private:
  std::string path_;
  int file_ = -1;
  int error_ = 0;
  bool is_locked_ = false;
};

auto name_or_null(const std::string& name) -> AuditJson {
  return name.empty() ? AuditJson() : AuditJson(name);
}

auto audited_members(const RunIdentity& identity) -> AuditJson {
  AuditJson members = AuditJson::array();
  for (size_t i = 0; i < identity.members.size(); ++i) {
    const bool deals = identity.has_dealer && i + 1 == identity.members.size();
    members.push_back({{"name", identity.members[i].name},
                       {"certificate", identity.members[i].fingerprint},
                       {"role", deals ? "dealer" : "party"}});
  }
  return members;
}

auto audit_json_of(const AuditedRun& run, const std::string& previous) -> AuditJson {
  const RunDigests digests = digests_of(run.identity);
  AuditJson json = {{"previous", previous},
                    {"time", run.started},
                    {"party", run.party},
                    {"program", run.file},
                    {"function", run.function},
                    {"digest", digests.of_run},
                    {"program_digest", digests.of_program},
                    {"version", run.identity.version},
                    {"protocol", run.identity.protocol},
                    {"truncation", run.identity.truncation},
                    {"correlations", run.identity.correlations},
                    {"parties", audited_members(run.identity)}};
  json["inputs"] = AuditJson::array();
  for (const AuditedRun::Input& input : run.inputs) {
    AuditJson one = {
        {"name", input.name}, {"type", input.type}, {"from", name_or_null(input.supplier)}};
    if (input.is_of_all) {
      one["value"] = input.value;
    }
    json["inputs"].push_back(std::move(one));
  }
  json["outcome"] = run.outcome;
  json["failed_party"] = name_or_null(run.failed_party);
  json["reason"] = name_or_null(run.reason);
  json["results"] = AuditJson::array();
  for (const AuditedRun::Result& result : run.results) {
    json["results"].push_back(
        {{"name", result.name}, {"type", result.type}, {"to", name_or_null(result.receiver)}});
  }
  json["links"] = AuditJson::array();
  for (const MpcLink& link : run.links) {
    json["links"].push_back({{"party", link.peer},
                             {"bytes_sent", link.bytes_sent},
                             {"bytes_received", link.bytes_received}});
  }
  json["rounds"] = run.rounds ? AuditJson(*run.rounds) : AuditJson();
  json["seconds"] = run.seconds;
  return json;
}

auto broken_at(const std::string& path, size_t line, std::string_view why) -> Error {
  return Error{fmt::format("{}:{}: {}", path_from_here(path), line, why)};
}

}  // namespace

auto check_audit_log(const std::string& path) -> Status {
  Result<std::string> last = LockedLog(path).last_line();
  return last ? Status(std::monostate{}) : last.error();
}

auto append_to_audit_log(const std::string& path, const AuditedRun& run) -> Status {
  LockedLog log(path);
  Result<std::string> last = log.last_line();
  if (!last) {
    return last.error();
  }
  const std::string previous = last->empty() ? kNoLineBefore : net::digest_of(*last);
  return log.append(
      audit_json_of(run, previous).dump(-1, ' ', false, AuditJson::error_handler_t::replace) +
      "\n");
}

auto verify_audit_log(const std::string& path, const std::vector<std::string>& expected)
    -> Result<std::string> {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{fmt::format("{}: could not read: {}", path_from_here(path), std::strerror(errno))};
  }
  std::set<std::string> missing(expected.begin(), expected.end());
  std::string previous = kNoLineBefore;
  std::string first_time;
  std::string last_time;
  size_t n_lines = 0;
  for (std::string line; std::getline(file, line);) {
    ++n_lines;
    if (file.eof()) {
      return broken_at(path, n_lines, "the line is incomplete: a write was interrupted");
    }
    const AuditJson json = AuditJson::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("previous") || !json["previous"].is_string()) {
      return broken_at(path, n_lines, "not a line of an audit log");
    }
    if (json["previous"].get<std::string>() != previous) {
      return broken_at(
          path, n_lines,
          n_lines == 1
              ? "the chain starts with the hash of another line: lines before it were removed"
              : "its hash of the line before does not match: that line was changed, or lines "
                "between them were removed or added");
    }
    last_time = json.value("time", "");
    first_time = n_lines == 1 ? last_time : first_time;
    previous = net::digest_of(line);
    missing.erase(previous);
  }
  if (!missing.empty()) {
    return Error{fmt::format("{}: no line has the hash {}: the log was cut off or written anew",
                             path_from_here(path), *missing.begin())};
  }
  return n_lines == 0
             ? std::string("no runs\n")
             : fmt::format("{} run{}, {} to {}; the chain is intact\nlast line: {}\n", n_lines,
                           n_lines == 1 ? "" : "s", first_time, last_time, previous);
}

}  // namespace tacet::cli
