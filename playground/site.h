#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the playground answers to whom, as a function of the request: no sockets.
namespace tacet::playground {

/// What of a request matters.
struct Request {
  std::string method = "GET";
  std::string target = "/";
  std::string host = {};          ///< `Host`
  std::string origin = {};        ///< `Origin`; empty if there is none
  std::string content_type = {};  ///< of the body
  bool is_upgrade = false;        ///< to a WebSocket
};

/// By which names of hosts the playground may be spoken to. Names that somebody else's name server
/// can make mean this machine are not among them, so that no page of theirs gets hold of it.
struct HostNames {
  /// Numbers are no names, and cannot be made to mean something else: any will do if the playground
  /// is for others, else those of the loopback interface.
  enum class Numbers : uint8_t { Loopback, All } numbers = Numbers::Loopback;
  std::vector<std::string> names;  ///< besides `localhost`, without ports
};

enum class Route : uint8_t {
  Answer,    ///< what `Reply` has
  Language,  ///< a session of the language server
  Run,       ///< the body says what to run
};

struct Reply {
  Route route = Route::Answer;
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Whether `host`, as in a header (`name`, `name:port`, `[address]:port`), is among the names.
auto is_known_host(std::string_view host, const HostNames& names) -> bool;

/// What to do with a request. `token` is a word that nobody can guess, the first folder of all
/// paths: clients without the address, such as other users of the machine, are rejected. `nonce` is
/// another one, new each time: styles that have it are ours.
///
/// A wrong `Host` is always rejected (DNS rebinding); an `Origin` other than that host too (pages
/// of others); and to run or to speak to the language server takes one.
auto reply_to(const Request& request, const HostNames& names, std::string_view token,
              std::string_view nonce) -> Reply;

/// A reply that says in a line why nothing else is said.
auto refusal(int status, std::string_view why) -> Reply;

}  // namespace tacet::playground
