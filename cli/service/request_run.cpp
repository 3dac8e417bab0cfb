#include "cli/service/request_run.h"

#include <fmt/format.h>

#include "cli/memory_limit.h"
#include "cli/run/built_program.h"
#include "cli/run/encrypted_kinds.h"
#include "cli/run/run_report.h"
#include "cli/run/run_seed.h"
#include "cli/service/ask_service.h"
#include "cli/service/client_keys_folder.h"
#include "cli/values/given_values.h"
#include "cli/values/result_file.h"
#include "project/read_source.h"

namespace tacet::service {

using cli::Arithmetic;
using cli::BitByBit;
using cli::ExitCode;

namespace {

auto place_of(const RequestOptions& options) -> Result<ServicePlace> {
  Result<ServiceAddress> address = parse_service_address(options.address);
  if (!address) {
    return address.error();
  }
  Result<net::Credentials> own = read_credentials(options.key);
  if (!own) {
    return own.error();
  }
  Result<std::string> certificate = project::read_source(options.certificate);
  if (!certificate) {
    return certificate.error();
  }
  if (!net::fingerprint(*certificate)) {
    return Error{fmt::format("{}: not a certificate", options.certificate)};
  }
  return ServicePlace{.address = std::move(*address),
                      .own = std::move(*own),
                      .certificate = std::move(*certificate),
                      .connect = milliseconds(1000 * options.connect_seconds),
                      .answer = milliseconds(1000 * options.answer_seconds),
                      .most_results = options.most_results_mib << 20};
}

template <class Kind>
class ProgramRequest {
  using Program = typename Kind::Program;
  using Values = typename Kind::Values;
  using Costs = typename Kind::Costs;
  using Client = typename Kind::Client;

 public:
  ProgramRequest(const RequestOptions& options, const Program& program, cli::Invocation& invocation)
      : options_(options),
        program_(program),
        invocation_(invocation),
        costs_(cli::costs_of(program, cli::HeSide::ClientBegins, options.run.n_threads)) {}

  auto run() -> ExitCode {
    Result<std::vector<interpret::EntryResult>> results = Kind::results(program_);
    Status fits = results ? options_.run.output.empty()
                                ? Status(std::monostate{})
                                : cli::check_result_file(options_.run.output, *results)
                          : Status(results.error());
    if (!fits) {
      return fails(fits.error(), ExitCode::Usage);
    }
    Result<Values> values = read_values();
    if (!values) {
      return fails(values.error(), ExitCode::Usage);
    }
    Result<ServicePlace> place = place_of(options_);
    if (!place) {
      return fails(place.error(), ExitCode::Usage);
    }
    Result<Values> outputs = request(*place, *values);
    if (!outputs) {
      return fails(outputs.error(), ExitCode::Failed);
    }
    cli::set_encrypted_costs(costs_, statistics_);
    costs_.side = cli::HeSide::ClientEnds;
    cli::set_encrypted_costs(costs_, statistics_);
    statistics_.peak_memory_bytes = cli::peak_memory_bytes();
    statistics_.seconds.total = std::chrono::duration<double>(Clock::now() - start_).count();
    return cli::deliver_results(*results, Kind::values(program_, *results, *outputs), options_.run,
                                statistics_, invocation_);
  }

 private:
  auto fails(const Error& error, ExitCode code) -> ExitCode {
    invocation_.error(error.message);
    return code;
  }

  auto read_values() -> Result<Values> {
    Result<std::vector<interpret::EntryParameter>> parameters =
        Kind::parameters(program_, Kind::Owner::Client);
    if (!parameters) {
      return parameters.error();
    }
    cli::RunSeed seed(invocation_);
    Result<std::vector<interpret::Value>> values = cli::given_values(
        *parameters, options_.run.values, options_.run.inputs, [&] { return seed.key(); },
        cli::Secrets::OfThisSide, invocation_);
    return values ? Kind::given(*parameters, *values) : Result<Values>(values.error());
  }

  auto request(const ServicePlace& place, const Values& values) -> Result<Values> {
    const auto of_service = [&](const Error& error) {
      return Error{fmt::format("{}: {}", address_text(place.address), error.message)};
    };
    // Before anything is computed: is it there, and does it evaluate this program?
    Result<std::unique_ptr<RequestClient>> service = RequestClient::connect(place);
    if (!service) {
      return of_service(service.error());
    }
    if (Status known =
            check_served((*service)->welcome(), engine::digest_of(program_), options_.run.file);
        !known) {
      return of_service(known.error());
    }
    Result<ClientKeysFolder> folder = ClientKeysFolder::open(keys_folder());
    if (!folder) {
      return folder.error();
    }
    Result<Client> client = open_client(*folder);
    if (!client) {
      return client.error();
    }
    folder->unlock();
    cli::PhaseLine line(invocation_);
    line.begin("encrypting");
    Result<he::Bytes> inputs = client->encrypt(values, costs_);
    if (!inputs) {
      return inputs.error();
    }
    line.begin("waiting for the service");
    Result<he::Bytes> results = ask_until_answered(
        **service, *inputs, [&](RequestClient& asked) { return send_keys(asked, *folder); },
        place.answer);
    line.end();
    if (!results) {
      return of_service(results.error());
    }
    return client->decrypt({"results", *results}, costs_);
  }

  [[nodiscard]] auto keys_folder() const -> std::string {
    return options_.keys_folder.empty() ? options_.run.file + ".keys" : options_.keys_folder;
  }

  /// With the keys of earlier requests, or new ones, which are kept.
  auto open_client(const ClientKeysFolder& folder) -> Result<Client> {
    if (folder.has_keys()) {
      Result<cli::ExchangedFile> secret = folder.read_secret();
      return secret ? Kind::open(program_, secret->named(), costs_)
                    : Result<Client>(secret.error());
    }
    cli::PhaseLine line(invocation_);
    Result<Client> made = Client::make(program_, costs_, line);
    line.end();
    if (!made) {
      return made;
    }
    Result<SecureBytes> secret = made->secret();
    if (!secret) {
      return secret.error();
    }
    if (Status written = folder.write(made->keys(), *secret); !written) {
      return written.error();
    }
    invocation_.err.write(fmt::format(
        "tacet: wrote keys to `{0}`; `{0}/secret` must not leave this machine\n", keys_folder()));
    // Later requests open what was written: so does this one.
    Result<cli::ExchangedFile> stored = folder.read_secret();
    return stored ? Kind::open(program_, stored->named(), costs_) : Result<Client>(stored.error());
  }

  auto send_keys(RequestClient& service, const ClientKeysFolder& folder)
      -> Result<std::optional<Refusal>> {
    Result<cli::ExchangedFile> secret = folder.read_secret();
    if (!secret) {
      return secret.error();
    }
    Result<cli::ExchangedFile> keys = folder.read_keys(*secret);
    if (!keys) {
      return keys.error();
    }
    return service.store_keys(cli::digest_of_file(keys->content), keys->content);
  }

  const RequestOptions& options_;
  const Program& program_;
  cli::Invocation& invocation_;
  Costs costs_;
  cli::RunStatistics statistics_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

auto run_request(const RequestOptions& options, cli::Invocation& invocation) -> ExitCode {
  Result<cli::EncryptedProgram> program = cli::read_built_program(options.run.file);
  if (!program) {
    invocation.error(program.error().message);
    return ExitCode::Failed;
  }
  if (const auto* circuit = std::get_if<BitByBit::Program>(&*program)) {
    return ProgramRequest<BitByBit>(options, *circuit, invocation).run();
  }
  return ProgramRequest<Arithmetic>(options, std::get<Arithmetic::Program>(*program), invocation)
      .run();
}

}  // namespace tacet::service
