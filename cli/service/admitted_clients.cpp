#include "cli/service/admitted_clients.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "project/read_source.h"

namespace tacet::service {

namespace fs = std::filesystem;

auto read_admitted_clients(const std::string& folder) -> Result<std::vector<AdmittedClient>> {
  std::error_code failed;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".crt") {
      paths.push_back(entry->path());
    }
  }
  if (failed) {
    return Error{fmt::format("cannot read the folder `{}`: {}", folder, failed.message())};
  }
  std::sort(paths.begin(), paths.end());
  std::vector<AdmittedClient> clients;
  std::map<std::string, std::string> names;  // by fingerprint
  for (const fs::path& path : paths) {
    Result<std::string> certificate = project::read_source(path.string());
    if (!certificate) {
      return certificate.error();
    }
    Result<std::string> fingerprint = net::fingerprint(*certificate);
    if (!fingerprint) {
      return Error{fmt::format("{}: not a certificate; create one with `tacet party keygen {}`",
                               path.string(), path.stem().string())};
    }
    const auto [same, is_new] = names.emplace(*fingerprint, path.string());
    if (!is_new) {
      return Error{
          fmt::format("`{}` and `{}` are the same certificate", same->second, path.string())};
    }
    clients.push_back({path.stem().string(), std::move(*certificate), std::move(*fingerprint)});
  }
  if (clients.empty()) {
    return Error{fmt::format("`{}` has no certificates: put the file NAME.crt of each client there",
                             folder)};
  }
  return clients;
}

auto read_credentials(const std::string& key_file) -> Result<net::Credentials> {
  struct stat status = {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (::stat(key_file.c_str(), &status) == 0 && (status.st_mode & kOthers) != 0) {
    return Error{fmt::format(
        "{0}: other users can access this private key (mode {1:04o}); run `chmod 600 {0}`",
        key_file, status.st_mode & 07777)};
  }
  Result<std::string> key = project::read_source(key_file);
  if (!key) {
    return key.error();
  }
  const std::string certificate_file = fs::path(key_file).replace_extension(".crt").string();
  Result<std::string> certificate = project::read_source(certificate_file);
  if (!certificate) {
    return certificate.error();
  }
  if (const std::string problem = net::validity_problem(*certificate); !problem.empty()) {
    return Error{fmt::format("{}: {}", certificate_file, problem)};
  }
  return net::Credentials(std::move(*key), std::move(*certificate));
}

auto parse_service_address(const std::string& text) -> Result<ServiceAddress> {
  const Error error{fmt::format("`{}` is not an address; expected HOST:PORT", text)};
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return error;
  }
  ServiceAddress address{.host = text.substr(0, colon)};
  std::string& host = address.host;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return error;
  }
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data() + colon + 1, end, address.port);
  return failed == std::errc() && stop == end && !host.empty() ? Result<ServiceAddress>(address)
                                                               : error;
}

auto address_text(const ServiceAddress& address) -> std::string {
  return address.host.find(':') == std::string::npos
             ? fmt::format("{}:{}", address.host, address.port)
             : fmt::format("[{}]:{}", address.host, address.port);
}

}  // namespace tacet::service
