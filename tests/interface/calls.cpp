#include "tests/interface/calls.h"

namespace tacet::interface_tests {

auto text_of(const Bytes& bytes) -> std::string {
  return bytes ? std::string(static_cast<const char*>(tacet_bytes_data(bytes.get())),
                             tacet_bytes_size(bytes.get()))
               : std::string();
}

auto sources_of(std::string_view text, const char* path) -> Sources {
  return made<Sources>(tacet_sources_from_text, text.data(), text.size(), path);
}

auto options_of(const std::vector<std::pair<std::string, std::string>>& options) -> Options {
  Options made(tacet_options_new());
  for (const auto& [name, value] : options) {
    const Failure failure(tacet_options_set(made.get(), name.c_str(), value.c_str()));
    EXPECT_FALSE(failure) << (failure ? tacet_error_message(failure.get()) : "");
  }
  return made;
}

auto compiled(std::string_view text, const char* function, const char* device,
              const std::vector<std::pair<std::string, std::string>>& options) -> Program {
  const Sources sources = sources_of(text);
  const Options given = options_of(options);
  return made<Program>(tacet_compile, sources.get(), function, device, given.get(), nullptr);
}

auto rejection(std::string_view text, const char* function, const char* device,
               const std::vector<std::pair<std::string, std::string>>& options) -> std::string {
  const Sources sources = sources_of(text);
  const Options given = options_of(options);
  return failed<Program>(tacet_compile, sources.get(), function, device, given.get(), nullptr);
}

auto text_input(const char* name, const char* text) -> tacet_input {
  return {.struct_size = sizeof(tacet_input), .name = name, .text = text, .array = {}};
}

auto array_input(const char* name, const tacet_array& array) -> tacet_input {
  return {.struct_size = sizeof(tacet_input), .name = name, .text = nullptr, .array = array};
}

auto run(const Program& program, const std::vector<tacet_input>& inputs) -> std::string {
  const Values values =
      made<Values>(tacet_run, program.get(), inputs.data(), inputs.size(), nullptr);
  return values ? tacet_values_json(values.get()) : "";
}

auto failed_run(const Program& program, const std::vector<tacet_input>& inputs) -> std::string {
  return failed<Values>(tacet_run, program.get(), inputs.data(), inputs.size(), nullptr);
}

auto keys_of(const Client& client) -> Bytes {
  return made<Bytes>(tacet_client_keys, client.get());
}

auto encrypted(const Client& client, const std::vector<tacet_input>& inputs) -> Bytes {
  return made<Bytes>(tacet_client_encrypt, client.get(), inputs.data(), inputs.size(), nullptr);
}

auto server_of(const Program& program, const Bytes& keys, const std::vector<tacet_input>& inputs)
    -> Server {
  return made<Server>(tacet_server_new, program.get(), tacet_bytes_data(keys.get()),
                      tacet_bytes_size(keys.get()), inputs.data(), inputs.size(), nullptr);
}

auto answered(const Server& server, const Bytes& ciphertexts) -> Bytes {
  return made<Bytes>(tacet_server_evaluate, server.get(), tacet_bytes_data(ciphertexts.get()),
                     tacet_bytes_size(ciphertexts.get()), nullptr);
}

auto decrypted(const Client& client, const Bytes& results) -> std::string {
  const Values values =
      made<Values>(tacet_client_decrypt, client.get(), tacet_bytes_data(results.get()),
                   tacet_bytes_size(results.get()), nullptr);
  return values ? tacet_values_json(values.get()) : "";
}

}  // namespace tacet::interface_tests
