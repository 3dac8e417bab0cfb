#include <fmt/format.h>

#include "cli/memory_limit.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "interface/errors.h"
#include "interface/quiet.h"
#include "interface/values.h"

namespace tacet::interface {

namespace {

/// How the two kinds of programs have clients and servers.
struct Arithmetic {
  using Client = cli::ArithmeticClient;
  using Server = cli::ArithmeticServer;
  using Owner = engine::HeOwner;

  static auto parameters(const engine::HeBundle& bundle, Owner owner)
      -> Result<std::vector<interpret::EntryParameter>> {
    return cli::parameters_of(bundle, owner);
  }
  static auto given(const std::vector<interpret::EntryParameter>& parameters,
                    const std::vector<interpret::Value>& values) -> Result<engine::HeIntegers> {
    return cli::integers_of(parameters, values);
  }
  static auto open(const engine::HeBundle& bundle, const cli::NamedBytes& secret,
                   unsigned n_threads) -> Result<Client> {
    return Client::open(bundle, secret, n_threads);
  }
  static auto values(const Program& program, const engine::HeIntegers& outputs)
      -> std::vector<interpret::Value> {
    return cli::values_of(program.executable.results, outputs);
  }
};

struct Bitwise {
  using Client = cli::BitwiseClient;
  using Server = cli::BitwiseServer;
  using Owner = engine::CggiOwner;

  static auto parameters(const engine::CggiProgram& circuit, Owner owner)
      -> Result<std::vector<interpret::EntryParameter>> {
    return cli::parameters_of(circuit, owner);
  }
  static auto given(const std::vector<interpret::EntryParameter>& parameters,
                    const std::vector<interpret::Value>& values) -> Result<engine::CggiValues> {
    return cli::cells_of(parameters, values);
  }
  static auto open(const engine::CggiProgram& circuit, const cli::NamedBytes& secret,
                   unsigned /*n_threads*/) -> Result<Client> {
    return Client::open(circuit, secret);
  }
  static auto values(const Program& program, const engine::CggiValues& outputs)
      -> std::vector<interpret::Value> {
    return cli::values_of(std::get<engine::CggiProgram>(*program.encrypted), outputs);
  }
};

/// Of a compiled program or of a client, which of the two it is.
template <class Object>
using KindOf =
    std::conditional_t<std::is_same_v<std::remove_cvref_t<Object>, engine::CggiProgram> ||
                           std::is_same_v<std::remove_cvref_t<Object>, cli::BitwiseClient>,
                       Bitwise, Arithmetic>;

auto named(std::string name, const void* bytes, size_t size) -> cli::NamedBytes {
  return {std::move(name), {static_cast<const std::byte*>(bytes), size}};
}

/// Runs `body` with the compiled program of a function for `he`, whatever its kind.
template <class Body>
auto with_encrypted(const Program& program, const Body& body) -> tacet_error* {
  if (!program.encrypted) {
    return error_of(TACET_USAGE,
                    fmt::format("`{}` is compiled for `{}`; clients and servers are of device "
                                "functions for `he`",
                                program.name, program.device));
  }
  return std::visit(body, *program.encrypted);
}

/// The numbers that an owner gives.
template <class Kind, class Encrypted>
auto given_numbers(const Encrypted& encrypted, typename Kind::Owner owner,
                   const tacet_input* inputs, size_t n_inputs) -> decltype(Kind::given({}, {})) {
  auto parameters = Kind::parameters(encrypted, owner);
  if (!parameters) {
    return parameters.error();
  }
  Result<std::vector<interpret::Value>> values =
      values_of_inputs(*parameters, inputs, n_inputs, engine::draw_random_key);
  if (!values) {
    return values.error();
  }
  return Kind::given(*parameters, *values);
}

}  // namespace

}  // namespace tacet::interface

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_client_new(const tacet_program* program, tacet_progress progress, void* user,
                              tacet_client** client) {
  return guarded([&]() -> tacet_error* {
    const Program& of = *program->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = KindOf<decltype(encrypted)>;
      QuietInvocation quiet({progress, user});
      cli::PhaseLine line(quiet.get());
      auto costs = costs_of(encrypted, cli::HeSide::ClientBegins, of.options.n_threads);
      auto made = Kind::Client::make(encrypted, costs, line);
      if (!made) {
        return error_of(TACET_REJECTED, made.error());
      }
      *client = new tacet_client{program->program, std::move(*made)};
      return nullptr;
    });
  });
}

tacet_error* tacet_client_open(const tacet_program* program, const void* secret, size_t size,
                               tacet_client** client) {
  return guarded([&]() -> tacet_error* {
    const Program& of = *program->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = KindOf<decltype(encrypted)>;
      auto opened = Kind::open(encrypted, named("secret key", secret, size), of.options.n_threads);
      if (!opened) {
        return error_of(TACET_USAGE, opened.error());
      }
      *client = new tacet_client{program->program, std::move(*opened)};
      return nullptr;
    });
  });
}

tacet_error* tacet_client_keys(const tacet_client* client, tacet_bytes** keys) {
  return guarded([&]() -> tacet_error* {
    const auto& bytes =
        std::visit([](const auto& of) -> const he::Bytes& { return of.keys(); }, client->client);
    if (bytes.empty()) {
      return error_of(TACET_USAGE,
                      "a client that was opened has no evaluation keys; the server has them, or a "
                      "new client makes others");
    }
    *keys = bytes_of(bytes);
    return nullptr;
  });
}

tacet_error* tacet_client_secret(const tacet_client* client, tacet_bytes** secret) {
  return guarded([&]() -> tacet_error* {
    Result<SecureBytes> bytes =
        std::visit([](const auto& of) { return of.secret(); }, client->client);
    if (!bytes) {
      return error_of(TACET_FAILED, bytes.error());
    }
    *secret = bytes_of(std::move(*bytes));
    return nullptr;
  });
}

tacet_error* tacet_client_encrypt(tacet_client* client, const tacet_input* inputs, size_t n_inputs,
                                  tacet_bytes** ciphertexts) {
  return guarded([&]() -> tacet_error* {
    return std::visit(
        [&](const auto& of, const auto& encrypted) -> tacet_error* {
          using Kind = KindOf<decltype(of)>;
          if constexpr (!std::is_same_v<Kind, KindOf<decltype(encrypted)>>) {
            return error_of(TACET_INTERNAL, "a client of another kind than its program");
          } else {
            auto numbers = given_numbers<Kind>(encrypted, Kind::Owner::Client, inputs, n_inputs);
            if (!numbers) {
              return error_of(TACET_USAGE, numbers.error());
            }
            auto costs =
                costs_of(encrypted, cli::HeSide::ClientBegins, client->program->options.n_threads);
            Result<he::Bytes> bytes = of.encrypt(*numbers, costs);
            if (!bytes) {
              return error_of(TACET_USAGE, bytes.error());
            }
            *ciphertexts = bytes_of(std::move(*bytes));
            return nullptr;
          }
        },
        client->client, *client->program->encrypted);
  });
}

tacet_error* tacet_client_decrypt(const tacet_client* client, const void* results, size_t size,
                                  tacet_values** values) {
  return guarded([&]() -> tacet_error* {
    return std::visit(
        [&](const auto& of, const auto& encrypted) -> tacet_error* {
          using Kind = KindOf<decltype(of)>;
          auto costs =
              costs_of(encrypted, cli::HeSide::ClientEnds, client->program->options.n_threads);
          if constexpr (!std::is_same_v<Kind, KindOf<decltype(encrypted)>>) {
            return error_of(TACET_INTERNAL, "a client of another kind than its program");
          } else {
            auto outputs = of.decrypt(named("results", results, size), costs);
            if (!outputs) {
              return error_of(TACET_FAILED, outputs.error());
            }
            cli::RunStatistics statistics;
            cli::set_encrypted_costs(costs, statistics);
            *values =
                values_for_caller(client->program->executable.results,
                                  Kind::values(*client->program, *outputs), std::move(statistics));
            return nullptr;
          }
        },
        client->client, *client->program->encrypted);
  });
}

tacet_error* tacet_server_new(const tacet_program* program, const void* keys, size_t size,
                              const tacet_input* inputs, size_t n_inputs, tacet_progress progress,
                              void* user, tacet_server** server) {
  return guarded([&]() -> tacet_error* {
    const Program& of = *program->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = KindOf<decltype(encrypted)>;
      auto numbers = given_numbers<Kind>(encrypted, Kind::Owner::Server, inputs, n_inputs);
      if (!numbers) {
        return error_of(TACET_USAGE, numbers.error());
      }
      QuietInvocation quiet({progress, user});
      cli::PhaseLine line(quiet.get());
      auto costs = costs_of(encrypted, cli::HeSide::Server, of.options.n_threads);
      if constexpr (std::is_same_v<Kind, Arithmetic>) {
        costs.most_plaintext_bytes =
            cli::quarter_of_limit(of.options.planned_memory_mib, costs.most_plaintext_bytes);
      }
      auto made = Kind::Server::make(encrypted, named("keys", keys, size), std::move(*numbers),
                                     costs, line);
      if (!made) {
        return error_of(TACET_USAGE, made.error());
      }
      *server = new tacet_server{program->program, std::move(*made)};
      return nullptr;
    });
  });
}

tacet_error* tacet_server_evaluate(const tacet_server* server, const void* ciphertexts, size_t size,
                                   tacet_progress progress, void* user, tacet_bytes** results) {
  return guarded([&]() -> tacet_error* {
    QuietInvocation quiet({progress, user});
    cli::PhaseLine line(quiet.get());
    const unsigned n_threads = server->program->options.n_threads;
    const cli::NamedBytes given = named("ciphertexts", ciphertexts, size);
    Result<he::Bytes> bytes = [&]() -> Result<he::Bytes> {
      if (const auto* arithmetic = std::get_if<cli::ArithmeticServer>(&server->server)) {
        auto costs = cli::costs_of(std::get<engine::HeBundle>(*server->program->encrypted),
                                   cli::HeSide::Server, n_threads);
        return arithmetic->answer(given, costs, line);
      }
      auto costs = cli::costs_of(std::get<engine::CggiProgram>(*server->program->encrypted),
                                 cli::HeSide::Server, n_threads);
      return std::get<cli::BitwiseServer>(server->server).answer(given, costs, line);
    }();
    if (!bytes) {
      return error_of(TACET_FAILED, bytes.error());
    }
    *results = bytes_of(std::move(*bytes));
    return nullptr;
  });
}
