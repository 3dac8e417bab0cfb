#include "cli/service/served_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/memory_limit.h"
#include "cli/run/built_program.h"
#include "cli/run/encrypted_kinds.h"
#include "cli/values/given_values.h"

namespace tacet::service {

using cli::Arithmetic;
using cli::BitByBit;

namespace {

/// What evaluations print nothing to.
class Silence {
 public:
  [[nodiscard]] auto line() -> cli::PhaseLine& { return line_; }

 private:
  std::string text_;
  cli::Output output_{text_};
  cli::ProgramModel model_;
  cli::Invocation invocation_{output_, output_, {}, {}, model_, {}};
  cli::PhaseLine line_{invocation_};
};

template <class Kind>
class KeysOf final : public ClientKeys {
 public:
  KeysOf(typename Kind::Server server, const typename Kind::Costs& costs)
      : server_(std::move(server)), costs_(costs) {}

  [[nodiscard]] auto answer(std::span<const std::byte> inputs, he::Bytes before) const
      -> Result<he::Bytes> override {
    Silence silence;
    typename Kind::Costs costs = costs_;
    return server_.answer({"request", inputs}, costs, silence.line(), std::move(before));
  }
  [[nodiscard]] auto digest() const -> const cli::FileDigest& override {
    return server_.belonging().keys;
  }
  [[nodiscard]] auto memory() const -> uint64_t override { return server_.key_memory(); }

 private:
  typename Kind::Server server_;
  typename Kind::Costs costs_;
};

template <class Kind>
class ProgramOf final : public ServedProgram {
 public:
  explicit ProgramOf(typename Kind::Program program) : program_(std::move(program)) {}

  auto prepare(const ServedProgramRequest& request, cli::Invocation& invocation) -> Status {
    if (Status status = engine::check_hiding(program_); !status) {
      return status;
    }
    name_ =
        program_.name.empty() ? std::filesystem::path(request.path).stem().string() : program_.name;
    digest_ = engine::digest_of(program_);
    costs_ = cli::costs_of(program_, cli::HeSide::Server, request.n_threads);
    Result<typename Kind::Values> values = own_values(request, invocation);
    if (!values) {
      return values.error();
    }
    if (program_.is_unhidden && !values->empty()) {
      invocation.warning(fmt::format(
          "`{}` was built with `--unhidden`; its results can reveal the server's inputs to clients",
          request.path));
    }
    auto prepared = make_preparation(std::move(*values), request.memory_mib, invocation);
    if (!prepared) {
      return prepared.error();
    }
    preparation_ = std::move(*prepared);
    return std::monostate{};
  }

  [[nodiscard]] auto name() const -> const std::string& override { return name_; }
  [[nodiscard]] auto digest() const -> const cli::FileDigest& override { return digest_; }
  [[nodiscard]] auto take_keys(std::span<const std::byte> keys) const
      -> Result<std::shared_ptr<const ClientKeys>> override {
    Silence silence;
    typename Kind::Costs costs = costs_;
    const cli::NamedBytes named{"keys", keys};
    auto server = [&] {
      if constexpr (std::is_same_v<Kind, Arithmetic>) {
        return Kind::Server::make(preparation_, named);
      } else {
        return Kind::Server::make(preparation_, named, costs, silence.line());
      }
    }();
    if (!server) {
      return server.error();
    }
    return std::shared_ptr<const ClientKeys>(
        std::make_shared<KeysOf<Kind>>(std::move(*server), costs_));
  }

 private:
  using Preparation = typename Kind::Server::Preparation;

  auto own_values(const ServedProgramRequest& request, cli::Invocation& invocation) const
      -> Result<typename Kind::Values> {
    Result<std::vector<interpret::EntryParameter>> parameters =
        Kind::parameters(program_, Kind::Owner::Server);
    if (!parameters) {
      return parameters.error();
    }
    Result<std::vector<interpret::Value>> values =
        cli::given_values(*parameters, request.values, request.inputs, engine::draw_random_key,
                          cli::Secrets::OfThisSide, invocation);
    return values ? Kind::given(*parameters, *values)
                  : Result<typename Kind::Values>(values.error());
  }

  auto make_preparation(typename Kind::Values values, uint64_t memory_mib,
                        cli::Invocation& invocation) -> Result<std::shared_ptr<const Preparation>> {
    cli::PhaseLine line(invocation);
    if constexpr (std::is_same_v<Kind, Arithmetic>) {
      costs_.most_plaintext_bytes = cli::quarter_of_limit(memory_mib, costs_.most_plaintext_bytes);
      return Preparation::make(program_, values, costs_, line);
    } else {
      return Preparation::make(program_, std::move(values));
    }
  }

  typename Kind::Program program_;
  std::string name_;
  cli::FileDigest digest_{};
  typename Kind::Costs costs_{};
  std::shared_ptr<const Preparation> preparation_;
};

template <class Kind>
auto load(typename Kind::Program program, const ServedProgramRequest& request,
          cli::Invocation& invocation) -> Result<std::unique_ptr<const ServedProgram>> {
  auto made = std::make_unique<ProgramOf<Kind>>(std::move(program));
  if (Status status = made->prepare(request, invocation); !status) {
    return status.error();
  }
  return std::unique_ptr<const ServedProgram>(std::move(made));
}

}  // namespace

auto load_served_program(const ServedProgramRequest& request, cli::Invocation& invocation)
    -> Result<std::unique_ptr<const ServedProgram>> {
  Result<cli::EncryptedProgram> program = cli::read_built_program(request.path);
  if (!program) {
    return program.error();
  }
  if (auto* circuit = std::get_if<BitByBit::Program>(&*program)) {
    return load<BitByBit>(std::move(*circuit), request, invocation);
  }
  auto& bundle = std::get<Arithmetic::Program>(*program);
  if (engine::has_joint_key(bundle)) {
    return Error{fmt::format(
        "`{}` is for a key of {} holders; a service answers clients that have their own: run it "
        "with `tacet run --role server`",
        request.path, bundle.n_key_holders)};
  }
  return load<Arithmetic>(std::move(bundle), request, invocation);
}

}  // namespace tacet::service
