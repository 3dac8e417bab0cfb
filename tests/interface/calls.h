#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "include/tacet.h"

/// The C interface with owners, for tests.
namespace tacet::interface_tests {

template <auto kFree>
struct Freed {
  template <class Object>
  void operator()(Object* object) const {
    kFree(object);
  }
};
template <class Object, auto kFree>
using Owned = std::unique_ptr<Object, Freed<kFree>>;

using Bytes = Owned<tacet_bytes, tacet_bytes_free>;
using Failure = Owned<tacet_error, tacet_error_free>;
using Diagnostics = Owned<tacet_diagnostics, tacet_diagnostics_free>;
using Sources = Owned<tacet_sources, tacet_sources_free>;
using Options = Owned<tacet_options, tacet_options_free>;
using Program = Owned<tacet_program, tacet_program_free>;
using Values = Owned<tacet_values, tacet_values_free>;
using Cancellation = Owned<tacet_cancellation, tacet_cancellation_free>;
using Client = Owned<tacet_client, tacet_client_free>;
using Server = Owned<tacet_server, tacet_server_free>;

/// Calls `function`, whose last argument is where its object goes, and expects it to succeed.
template <class Owner, class Function, class... Arguments>
auto made(Function function, Arguments... arguments) -> Owner {
  typename Owner::pointer object = nullptr;
  const Failure failure(function(arguments..., &object));
  if (failure) {
    ADD_FAILURE() << tacet_error_message(failure.get());
  }
  return Owner(object);
}

/// `STATUS: message` of a call that has to fail; empty if it did not.
template <class Owner, class Function, class... Arguments>
auto failed(Function function, Arguments... arguments) -> std::string {
  typename Owner::pointer object = nullptr;
  const Failure failure(function(arguments..., &object));
  if (!failure) {
    const Owner unwanted(object);
    return {};
  }
  static constexpr const char* kWords[] = {"?",      "usage",    "rejected",
                                           "failed", "internal", "cancelled"};
  return std::string(kWords[tacet_error_status(failure.get())]) + ": " +
         tacet_error_message(failure.get());
}

/// Numbers of the client's, weighted by the server's.
inline constexpr std::string_view kScore =
    "#version 0.1.0\n\n"
    "fn(he) score(x: secret [i64; 4] in 0..9 from client, w: [i64; 4] in -5..6 from server)\n"
    "    -> secret i64\n{\n    sum(x * w)\n}\n";

auto text_of(const Bytes& bytes) -> std::string;

auto sources_of(std::string_view text, const char* path = "cell.tacet") -> Sources;
auto options_of(const std::vector<std::pair<std::string, std::string>>& options) -> Options;

/// A function of a text, compiled.
auto compiled(std::string_view text, const char* function = nullptr, const char* device = nullptr,
              const std::vector<std::pair<std::string, std::string>>& options = {}) -> Program;
/// The same of one that cannot be.
auto rejection(std::string_view text, const char* function = nullptr, const char* device = nullptr,
               const std::vector<std::pair<std::string, std::string>>& options = {}) -> std::string;

/// An input as JSON; the texts live longer.
auto text_input(const char* name, const char* text) -> tacet_input;
auto array_input(const char* name, const tacet_array& array) -> tacet_input;

/// The results of a run as JSON.
auto run(const Program& program, const std::vector<tacet_input>& inputs) -> std::string;
/// The message of a run that fails.
auto failed_run(const Program& program, const std::vector<tacet_input>& inputs) -> std::string;

auto keys_of(const Client& client) -> Bytes;
auto encrypted(const Client& client, const std::vector<tacet_input>& inputs) -> Bytes;
auto server_of(const Program& program, const Bytes& keys, const std::vector<tacet_input>& inputs)
    -> Server;
auto answered(const Server& server, const Bytes& ciphertexts) -> Bytes;
/// The results as JSON.
auto decrypted(const Client& client, const Bytes& results) -> std::string;

}  // namespace tacet::interface_tests
