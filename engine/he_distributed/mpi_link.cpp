#include "engine/he_distributed/mpi_link.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/he_distributed/mpi_plugin.h"

namespace tacet::engine {
namespace {

constexpr const char* kPluginName = "tacet_mpi.so";

class MpiLink final : public RankLink {
 public:
  MpiLink(const TacetMpiPlugin& plugin, void* session) : plugin_(plugin), session_(session) {}
  ~MpiLink() override { plugin_.finish(session_); }

  auto rank() const -> uint32_t override { return plugin_.rank(session_); }
  auto n_ranks() const -> uint32_t override { return plugin_.n_ranks(session_); }
  auto host(uint32_t rank) const -> std::string override { return plugin_.host(session_, rank); }
  void send(uint32_t to, HeldBytes message) override {
    const auto let_go = [](void* holder) {
      delete static_cast<std::shared_ptr<const void>*>(holder);
    };
    auto holder = std::make_unique<std::shared_ptr<const void>>(std::move(message.holder));
    plugin_.send(session_, to, message.bytes.data(), message.bytes.size(), let_go,
                 holder.release());
  }

  auto receive() -> Result<RankMessage> override {
    RankMessage message;
    void* bytes = nullptr;
    size_t size = 0;
    const int received = plugin_.receive(session_, &message.from, &bytes, &size);
    if (received < 0) {
      return Error{
          fmt::format("lost {}: it gives no sign of life", name_of_rank(*this, message.from))};
    }
    if (received == 0) {
      return Error{"the link is closed"};
    }
    message.held = {.bytes = {static_cast<const std::byte*>(bytes), size},
                    .holder = std::shared_ptr<const void>(bytes, plugin_.release)};
    return message;
  }

  void close() override { plugin_.close(session_); }

 private:
  const TacetMpiPlugin& plugin_;
  void* session_;
};

auto number_in(const char* variable) -> uint32_t {
  const char* text = std::getenv(variable);
  uint32_t number = 0;
  if (text != nullptr) {
    std::from_chars(text, text + std::strlen(text), number);
  }
  return number;
}

}  // namespace

auto launched_ranks() -> uint32_t {
  if (const uint32_t n = number_in("OMPI_COMM_WORLD_SIZE"); n > 0) {
    return n;
  }
  // A batch script of Slurm has the number of tasks, but is not one of several.
  return std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr
             ? std::max<uint32_t>(number_in("SLURM_STEP_NUM_TASKS"), 1)
             : 1;
}

auto open_mpi_link(const std::vector<std::string>& folders, double silence_seconds)
    -> Result<std::unique_ptr<RankLink>> {
  std::string path;
  for (const std::string& folder : folders) {
    std::error_code failed;
    if (path.empty() && std::filesystem::exists(folder + "/" + kPluginName, failed)) {
      path = folder + "/" + kPluginName;
    }
  }
  if (path.empty()) {
    return Error{fmt::format(
        "this Tacet was installed without its plug-in for MPI, `{}`, so it runs on one machine "
        "only; install the package `tacet-mpi` of Debian packages, build Tacet where Open MPI is "
        "installed (on Debian: libopenmpi-dev, openmpi-bin), or run it without `mpirun`",
        kPluginName)};
  }
  // The components that Open MPI opens itself look for its symbols among the global ones.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return Error{fmt::format("cannot open the plug-in for MPI: {}", ::dlerror())};
  }
  void* symbol = ::dlsym(library, TACET_MPI_PLUGIN_FUNCTION);
  TacetMpiPluginFunction function = nullptr;
  std::memcpy(&function, &symbol, sizeof(symbol));
  if (function == nullptr || function()->version != TACET_MPI_PLUGIN_VERSION) {
    return Error{fmt::format("`{}` is of another version of Tacet", path)};
  }
  char error[512] = "";
  void* session = function()->open(silence_seconds, error, sizeof(error));
  if (session == nullptr) {
    return Error{fmt::format("cannot start MPI: {}", error)};
  }
  return std::unique_ptr<RankLink>(std::make_unique<MpiLink>(*function(), session));
}

}  // namespace tacet::engine
