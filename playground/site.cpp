#include "playground/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "playground/embedded.h"

namespace tacet::playground {

namespace {

constexpr std::string_view kNoncePlace = "@NONCE@";

auto lower(std::string_view text) -> std::string {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// `name:80` and `[::1]:80` without what follows the name; nothing if the rest is no port.
auto without_port(std::string_view host) -> std::optional<std::string_view> {
  const size_t name_end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  if (host.starts_with('[') && name_end == 0) {
    return std::nullopt;
  }
  const std::string_view name = host.substr(0, name_end);
  std::string_view port = name_end < host.size() ? host.substr(name_end) : std::string_view();
  if (!port.empty() && port.front() != ':') {
    return std::nullopt;
  }
  port.remove_prefix(port.empty() ? 0 : 1);
  const bool is_number =
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number && port.size() <= 5 ? std::optional(name) : std::nullopt;
}

/// Four numbers with dots between them, or anything in brackets that can be there.
auto is_address(std::string_view name) -> bool {
  if (name.starts_with('[')) {
    return name.ends_with(']') &&
           name.find_first_not_of("0123456789abcdef:.", 1) == name.size() - 1;
  }
  return std::count(name.begin(), name.end(), '.') == 3 &&
         name.find_first_not_of("0123456789.") == std::string_view::npos;
}

auto is_loopback(std::string_view name) -> bool {
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

auto content_type_of(std::string_view name) -> std::string {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".txt", "text/plain; charset=utf-8"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) {
      return std::string(type);
    }
  }
  return "application/octet-stream";
}

auto find(std::span<const EmbeddedFile> files, std::string_view name)
    -> std::optional<std::string_view> {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const EmbeddedFile& file) { return file.name == name; });
  return found == files.end() ? std::nullopt : std::optional(found->bytes);
}

/// The list of examples, each with its text.
auto examples() -> std::string {
  auto list = nlohmann::json::parse(*find(example_files(), "playground/examples.json"));
  for (auto& example : list) {
    example["text"] = *find(example_files(), example["file"].get<std::string>());
  }
  return list.dump();
}

/// Nothing is loaded from elsewhere, sent elsewhere or shown inside of another page.
auto security_headers(const Request& request, std::string_view nonce)
    -> std::vector<std::pair<std::string, std::string>> {
  // Some browsers do not count WebSockets to 'self'.
  std::string policy = fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{0}'; img-src 'self' data:; "
      "connect-src 'self' ws://{1} wss://{1}; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      nonce, request.host);
  return {{"Content-Security-Policy", std::move(policy)},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

/// A file of the page, or the examples.
auto page_reply(std::string_view path, std::string_view nonce) -> Reply {
  if (path == "/examples.json") {
    return {.content_type = "application/json", .body = examples(), .headers = {}};
  }
  if (!path.starts_with('/')) {
    return refusal(400, "expected a path");
  }
  const std::string_view name = path == "/" ? "index.html" : path.substr(1);
  const std::optional<std::string_view> bytes = find(page_files(), name);
  if (!bytes) {
    return refusal(404, "not found");
  }
  Reply reply{.content_type = content_type_of(name), .body = std::string(*bytes), .headers = {}};
  if (size_t at = reply.body.find(kNoncePlace); name == "index.html" && at != std::string::npos) {
    reply.body.replace(at, kNoncePlace.size(), nonce);
  }
  return reply;
}

auto method_refusal(std::string_view allowed) -> Reply {
  Reply reply = refusal(405, fmt::format("allowed methods: {}", allowed));
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

/// What follows the token, with the slash in front; nothing if the token is wrong. Takes as long
/// for all wrong ones of a length.
auto path_behind_token(std::string_view target, std::string_view token)
    -> std::optional<std::string_view> {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.size() < token.size() + 2 || path.front() != '/' || path[token.size() + 1] != '/') {
    return std::nullopt;
  }
  unsigned difference = 0;
  for (size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(path[i + 1]) ^
                                        static_cast<unsigned char>(token[i]));
  }
  return difference == 0 ? std::optional(path.substr(token.size() + 1)) : std::nullopt;
}

auto answer(const Request& request, std::string_view path, std::string_view nonce) -> Reply {
  if (path == "/language") {
    if (!request.is_upgrade) {
      return refusal(426, "the language server requires a WebSocket");
    }
    return request.origin.empty() ? refusal(403, "missing Origin header")
                                  : Reply{.route = Route::Language, .body = {}, .headers = {}};
  }
  if (path == "/run") {
    if (request.method != "POST") {
      return method_refusal("POST");
    }
    if (request.origin.empty()) {
      return refusal(403, "missing Origin header");
    }
    // A type that no form can send, so that pages of others have to ask first, and are rejected.
    return lower(request.content_type).starts_with("application/json")
               ? Reply{.route = Route::Run, .body = {}, .headers = {}}
               : refusal(415, "expected application/json");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return method_refusal("GET, HEAD");
  }
  return page_reply(path, nonce);
}

}  // namespace

auto is_known_host(std::string_view host, const HostNames& names) -> bool {
  const std::string whole = lower(host);
  const std::optional<std::string_view> name = without_port(whole);
  if (!name || name->empty()) {
    return false;
  }
  return is_loopback(*name) || (names.numbers == HostNames::Numbers::All && is_address(*name)) ||
         std::any_of(names.names.begin(), names.names.end(),
                     [&](const std::string& known) { return lower(known) == *name; });
}

auto refusal(int status, std::string_view why) -> Reply {
  return {.status = status, .body = fmt::format("{}\n", why), .headers = {}};
}

auto reply_to(const Request& request, const HostNames& names, std::string_view token,
              std::string_view nonce) -> Reply {
  if (!is_known_host(request.host, names)) {
    return refusal(403, "unknown host name (allow it with `--host NAME`)");
  }
  // The host may be reached through a proxy that speaks TLS.
  const bool is_own = request.origin.empty() ||
                      lower(request.origin) == lower("http://" + request.host) ||
                      lower(request.origin) == lower("https://" + request.host);
  const std::optional<std::string_view> path = path_behind_token(request.target, token);
  Reply reply =
      !is_own ? refusal(403, "request from another origin")
      : !path ? refusal(403, "missing or wrong token; use the URL printed by `tacet playground`")
              : answer(request, *path, nonce);
  for (auto& header : security_headers(request, nonce)) {
    reply.headers.push_back(std::move(header));
  }
  return reply;
}

}  // namespace tacet::playground
