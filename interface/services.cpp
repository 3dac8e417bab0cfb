#include <mutex>

#include "cli/service/ask_service.h"
#include "interface/quiet.h"
#include "interface/sides.h"

using namespace tacet;
using namespace tacet::interface;
using service::RequestClient;
using service::ServicePlace;

/// Connections that nobody uses are kept for the next request.
struct tacet_service {
  ServicePlace place;
  std::mutex mutex;
  std::vector<std::unique_ptr<RequestClient>> unused;
};

namespace tacet::interface {
namespace {

template <class Number>
auto number_or(Number given, Number usual) -> Number {
  return given == 0 ? usual : given;
}

auto place_of(const tacet_service_place& given) -> Result<ServicePlace> {
  for (const char* text :
       {given.address, given.certificate, given.own_certificate, given.own_key}) {
    if (text == nullptr) {
      return Error{"the place of a service needs an address, two certificates and a key"};
    }
  }
  Result<service::ServiceAddress> address = service::parse_service_address(given.address);
  if (!address) {
    return address.error();
  }
  if (!net::fingerprint(given.certificate)) {
    return Error{"the certificate of the service is not one"};
  }
  if (!net::fingerprint(given.own_certificate)) {
    return Error{"the certificate of the client is not one"};
  }
  const service::milliseconds second{1000};
  return ServicePlace{.address = std::move(*address),
                      .own = {given.own_key, given.own_certificate},
                      .certificate = given.certificate,
                      .connect = second * number_or<uint32_t>(given.connect_seconds, 30),
                      .answer = second * number_or<uint32_t>(given.answer_seconds, 600),
                      .most_results = number_or(given.most_results, uint64_t{1} << 30)};
}

auto unused_connection(tacet_service& service) -> std::unique_ptr<RequestClient> {
  const std::lock_guard lock(service.mutex);
  if (service.unused.empty()) {
    return nullptr;
  }
  std::unique_ptr<RequestClient> connection = std::move(service.unused.back());
  service.unused.pop_back();
  return connection;
}

void keep_connection(tacet_service& service, std::unique_ptr<RequestClient> connection) {
  const std::lock_guard lock(service.mutex);
  service.unused.push_back(std::move(connection));
}

auto of_service(const ServicePlace& place, const Error& error) -> Error {
  return Error{fmt::format("{}: {}", service::address_text(place.address), error.message)};
}

/// Asks for the results of inputs. A connection that was kept may have been closed meanwhile: what
/// fails on it is tried again on a new one.
auto results_from(tacet_service& service, const cli::FileDigest& program, const std::string& name,
                  std::span<const std::byte> inputs, const service::SendKeys& send_keys)
    -> Result<he::Bytes> {
  const ServicePlace& place = service.place;
  while (true) {
    std::unique_ptr<RequestClient> connection = unused_connection(service);
    const bool is_kept = connection != nullptr;
    if (!is_kept) {
      Result<std::unique_ptr<RequestClient>> made = RequestClient::connect(place);
      if (!made) {
        return of_service(place, made.error());
      }
      connection = std::move(*made);
    }
    if (Status served = service::check_served(connection->welcome(), program, name); !served) {
      return of_service(place, served.error());
    }
    Result<he::Bytes> results =
        service::ask_until_answered(*connection, inputs, send_keys, place.answer);
    if (results) {
      keep_connection(service, std::move(connection));
      return results;
    }
    if (!is_kept) {
      return of_service(place, results.error());
    }
  }
}

}  // namespace
}  // namespace tacet::interface

tacet_error* tacet_service_connect(const tacet_service_place* place, const tacet_control* control,
                                   tacet_service** service) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    Result<ServicePlace> read = place_of(*place);
    if (!read) {
      return error_of(TACET_USAGE, read.error());
    }
    QuietInvocation(listener).begin("connecting");
    Result<std::unique_ptr<RequestClient>> connection = RequestClient::connect(*read);
    if (!connection) {
      return error_of(TACET_FAILED, of_service(*read, connection.error()));
    }
    auto made = std::make_unique<tacet_service>();
    made->place = std::move(*read);
    made->unused.push_back(std::move(*connection));
    *service = made.release();
    return nullptr;
  });
}

tacet_error* tacet_service_request(tacet_service* service, tacet_client* client, const void* keys,
                                   size_t keys_size, const tacet_input* inputs, size_t n_inputs,
                                   const tacet_control* control, tacet_values** values) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const Program& of = *client->program;
    return with_encrypted(of, [&](const auto& encrypted) -> tacet_error* {
      using Kind = cli::KindOf<decltype(encrypted)>;
      const auto& own = std::get<typename Kind::Client>(client->client);
      auto numbers = given_numbers<Kind>(encrypted, Kind::Owner::Client, inputs, n_inputs);
      if (!numbers) {
        return error_of(TACET_USAGE, numbers.error());
      }
      QuietInvocation quiet(listener);
      quiet.begin("encrypting");
      auto costs = costs_of(encrypted, cli::HeSide::ClientBegins, of.options.n_threads);
      Result<he::Bytes> ciphertexts = own.encrypt(*numbers, costs);
      if (!ciphertexts) {
        return error_of(TACET_USAGE, ciphertexts.error());
      }
      const std::span<const std::byte> own_keys =
          keys == nullptr ? std::span<const std::byte>(own.keys())
                          : std::span(static_cast<const std::byte*>(keys), keys_size);
      quiet.begin("waiting for the service");
      Result<he::Bytes> results = results_from(
          *service, engine::digest_of(encrypted), of.name, *ciphertexts,
          [&](RequestClient& asked) -> Result<std::optional<service::Refusal>> {
            if (own_keys.empty()) {
              return Error{
                  "does not hold the keys of this client, and a client that was opened has none; "
                  "give the request the keys that its secret key was made with"};
            }
            return asked.store_keys(cli::digest_of_file(own_keys), own_keys);
          });
      if (!results) {
        return error_of(TACET_FAILED, results.error());
      }
      quiet.begin("decrypting");
      cli::RunStatistics statistics;
      cli::set_encrypted_costs(costs, statistics);
      costs.side = cli::HeSide::ClientEnds;
      auto outputs = own.decrypt(named("results", results->data(), results->size()), costs);
      if (!outputs) {
        return error_of(TACET_FAILED, outputs.error());
      }
      stop_if_cancelled();
      *values = decrypted_values<Kind>(of, encrypted, *outputs, costs, std::move(statistics));
      return nullptr;
    });
  });
}

void tacet_service_free(tacet_service* service) {
  delete service;
}
