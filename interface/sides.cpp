#include "interface/sides.h"

#include "cli/memory_limit.h"
#include "interface/quiet.h"

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_client_new(const tacet_program* program, const tacet_control* control,
                              tacet_client** client) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *program->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      QuietInvocation quiet(listener);
      cli::PhaseLine line(quiet.get());
      auto costs = costs_of(encrypted, cli::HeSide::ClientBegins, of.options.n_threads);
      auto made = Kind::Client::make(encrypted, costs, line);
      if (!made) {
        return error_of(TACET_REJECTED, made.error());
      }
      stop_if_cancelled();
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
      using Kind = cli::KindOf<decltype(encrypted)>;
      const auto costs = costs_of(encrypted, cli::HeSide::ClientEnds, of.options.n_threads);
      auto opened = Kind::open(encrypted, named("secret key", secret, size), costs);
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
                                  const tacet_control* control, tacet_bytes** ciphertexts) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *client->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      auto numbers = given_numbers<Kind>(encrypted, Kind::Owner::Client, inputs, n_inputs);
      if (!numbers) {
        return error_of(TACET_USAGE, numbers.error());
      }
      QuietInvocation(listener).begin("encrypting");
      auto costs = costs_of(encrypted, cli::HeSide::ClientBegins, of.options.n_threads);
      Result<he::Bytes> bytes =
          std::get<typename Kind::Client>(client->client).encrypt(*numbers, costs);
      if (!bytes) {
        return error_of(TACET_USAGE, bytes.error());
      }
      stop_if_cancelled();
      *ciphertexts = bytes_of(std::move(*bytes));
      return nullptr;
    });
  });
}

tacet_error* tacet_client_decrypt(const tacet_client* client, const void* results, size_t size,
                                  const tacet_control* control, tacet_values** values) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *client->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      QuietInvocation(listener).begin("decrypting");
      auto costs = costs_of(encrypted, cli::HeSide::ClientEnds, of.options.n_threads);
      auto outputs = std::get<typename Kind::Client>(client->client)
                         .decrypt(named("results", results, size), costs);
      if (!outputs) {
        return error_of(TACET_FAILED, outputs.error());
      }
      stop_if_cancelled();
      *values = decrypted_values<Kind>(of, encrypted, *outputs, costs);
      return nullptr;
    });
  });
}

tacet_error* tacet_server_new(const tacet_program* program, const void* keys, size_t size,
                              const tacet_input* inputs, size_t n_inputs,
                              const tacet_control* control, tacet_server** server) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *program->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      auto numbers = given_numbers<Kind>(encrypted, Kind::Owner::Server, inputs, n_inputs);
      if (!numbers) {
        return error_of(TACET_USAGE, numbers.error());
      }
      QuietInvocation quiet(listener);
      cli::PhaseLine line(quiet.get());
      auto costs = costs_of(encrypted, cli::HeSide::Server, of.options.n_threads);
      if constexpr (std::is_same_v<Kind, cli::Arithmetic>) {
        costs.most_plaintext_bytes =
            cli::quarter_of_limit(of.options.planned_memory_mib, costs.most_plaintext_bytes);
      }
      auto made = Kind::Server::make(encrypted, named("keys", keys, size), std::move(*numbers),
                                     costs, line);
      if (!made) {
        return error_of(TACET_USAGE, made.error());
      }
      stop_if_cancelled();
      *server = new tacet_server{program->program, std::move(*made)};
      return nullptr;
    });
  });
}

tacet_error* tacet_server_evaluate(const tacet_server* server, const void* ciphertexts, size_t size,
                                   const tacet_control* control, tacet_bytes** results) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *server->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      QuietInvocation quiet(listener);
      cli::PhaseLine line(quiet.get());
      auto costs = costs_of(encrypted, cli::HeSide::Server, of.options.n_threads);
      Result<he::Bytes> bytes = std::get<typename Kind::Server>(server->server)
                                    .answer(named("ciphertexts", ciphertexts, size), costs, line);
      if (!bytes) {
        return error_of(TACET_FAILED, bytes.error());
      }
      stop_if_cancelled();
      *results = bytes_of(std::move(*bytes));
      return nullptr;
    });
  });
}
