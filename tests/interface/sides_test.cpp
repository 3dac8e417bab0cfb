#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/interface/calls.h"

namespace tacet::interface_tests {
namespace {

namespace fs = std::filesystem;

auto new_client(const Program& program) -> Client {
  return made<Client>(tacet_client_new, program.get(), nullptr);
}

auto bytes_failure(const Server& server, std::string_view bytes) -> std::string {
  return failed<Bytes>(tacet_server_evaluate, server.get(), bytes.data(), bytes.size(), nullptr);
}

class Sides : public testing::Test {
 protected:
  const Program program_ = compiled(kScore);
  const Client client_ = new_client(program_);
  const Bytes keys_ = keys_of(client_);
  const Server server_ = server_of(program_, keys_, {text_input("w", "[5, -5, 1, 0]")});
};

TEST_F(Sides, ExchangeRequestsUnderTheSameKeys) {
  const Bytes first = encrypted(client_, {text_input("x", "[1, 2, 3, 4]")});
  const Bytes second = encrypted(client_, {text_input("x", "[8, 0, 8, 8]")});
  const Bytes second_answer = answered(server_, second);
  const Bytes first_answer = answered(server_, first);
  EXPECT_EQ(decrypted(client_, first_answer), R"({"out": -2})");
  EXPECT_EQ(decrypted(client_, second_answer), R"({"out": 48})");
  EXPECT_NE(text_of(first_answer), text_of(answered(server_, first)));  // fresh randomness
}

TEST_F(Sides, ClientsAreStored) {
  const Bytes request = encrypted(client_, {text_input("x", "[1, 1, 1, 1]")});
  const Bytes secret = made<Bytes>(tacet_client_secret, client_.get());
  const Client opened =
      made<Client>(tacet_client_open, program_.get(), tacet_bytes_data(secret.get()),
                   tacet_bytes_size(secret.get()));
  EXPECT_EQ(decrypted(opened, answered(server_, request)), R"({"out": 1})");
  const Bytes another = encrypted(opened, {text_input("x", "[2, 0, 0, 0]")});
  EXPECT_EQ(decrypted(opened, answered(server_, another)), R"({"out": 10})");
  EXPECT_TRUE(failed<Bytes>(tacet_client_keys, opened.get())
                  .starts_with("usage: a client that was opened has no evaluation keys"));
}

TEST_F(Sides, RefuseWhatBelongsToOthers) {
  const Client other = new_client(program_);
  const Bytes request = encrypted(other, {text_input("x", "[1, 1, 1, 1]")});
  EXPECT_EQ(bytes_failure(server_, text_of(request)),
            "failed: `ciphertexts` belongs to keys other than those in `keys`");
  const Bytes own = encrypted(client_, {text_input("x", "[1, 1, 1, 1]")});
  const Bytes answer = answered(server_, own);
  EXPECT_EQ(failed<Values>(tacet_client_decrypt, other.get(), tacet_bytes_data(answer.get()),
                           tacet_bytes_size(answer.get()), nullptr),
            "failed: `results` belongs to an exchange other than that of `client`");
  const Program changed =
      compiled(std::string(kScore) + "// changed\n", nullptr, nullptr, {{"range", "x=0..8"}});
  EXPECT_TRUE(failed<Server>(tacet_server_new, changed.get(), tacet_bytes_data(keys_.get()),
                             tacet_bytes_size(keys_.get()), nullptr, size_t{0}, nullptr)
                  .starts_with("usage: parameter `w`"));
}

/// A bit of a stored key that is wrong is found, whatever it would have decrypted to.
TEST_F(Sides, NoticeDamagedSecrets) {
  const std::string secret = text_of(made<Bytes>(tacet_client_secret, client_.get()));
  for (size_t at = 0; at < secret.size(); at += 1 + secret.size() / 301) {
    std::string damaged = secret;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_TRUE(failed<Client>(tacet_client_open, program_.get(), damaged.data(), damaged.size())
                    .starts_with("usage: "))
        << at;
  }
}

/// Whatever is sent, a side answers or says what is wrong.
TEST_F(Sides, SurviveDamagedBytes) {
  const std::string request = text_of(encrypted(client_, {text_input("x", "[1, 2, 3, 4]")}));
  const std::string answer =
      text_of(answered(server_, encrypted(client_, {text_input("x", "[1, 2, 3, 4]")})));
  const std::string keys = text_of(keys_);
  for (size_t size = 0; size < request.size(); size += 1 + request.size() / 97) {
    EXPECT_NE(bytes_failure(server_, std::string_view(request).substr(0, size)), "");
  }
  for (size_t at = 0; at < 400; ++at) {
    const size_t place = at < 200 ? at : at * 331 % answer.size();
    std::string damaged = answer;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << at % 8));
    const std::string failure = failed<Values>(tacet_client_decrypt, client_.get(), damaged.data(),
                                               damaged.size(), nullptr);
    EXPECT_TRUE(failure.starts_with("failed: ")) << place << failure;
    std::string damaged_keys = keys;
    const size_t key_place = at < 200 ? at : at * 331 % keys.size();
    damaged_keys[key_place] = static_cast<char>(damaged_keys[key_place] ^ (1 << at % 8));
    const tacet_input w = text_input("w", "[1, 1, 1, 1]");
    const std::string refused =
        failed<Server>(tacet_server_new, program_.get(), damaged_keys.data(), damaged_keys.size(),
                       &w, size_t{1}, nullptr);
    EXPECT_TRUE(refused.empty() || refused.starts_with("usage: ")) << refused;
  }
}

TEST_F(Sides, WorkOnManyThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string x = "[" + std::to_string(i) + ", 1, 0, 0]";
      const Bytes request = encrypted(client_, {text_input("x", x.c_str())});
      results[i] = decrypted(client_, answered(server_, request));
    });
  }
  for (size_t i = 0; i < results.size(); ++i) {
    threads[i].join();
    EXPECT_EQ(results[i], "{\"out\": " + std::to_string(5 * static_cast<int>(i) - 5) + "}");
  }
}

TEST(SidesBitByBit, Exchange) {
  const Program program = compiled(
      "#version 0.1.0\n\nfn(he) less(a: secret i8 from client, b: secret i8 from client) -> secret "
      "bool { a < b }\n",
      nullptr, nullptr, {{"scheme", "cggi"}});
  const Client client = new_client(program);
  const Server server = server_of(program, keys_of(client), {});
  for (const auto& [a, b, less] : {std::tuple{"-128", "127", "true"}, {"127", "-128", "false"}}) {
    const Bytes request = encrypted(client, {text_input("a", a), text_input("b", b)});
    EXPECT_EQ(decrypted(client, answered(server, request)), std::string("{\"out\": ") + less + "}");
  }
  const Bytes secret = made<Bytes>(tacet_client_secret, client.get());
  const Client opened =
      made<Client>(tacet_client_open, program.get(), tacet_bytes_data(secret.get()),
                   tacet_bytes_size(secret.get()));
  const Bytes request = encrypted(opened, {text_input("a", "1"), text_input("b", "2")});
  EXPECT_EQ(decrypted(opened, answered(server, request)), R"({"out": true})");
}

/// What could show the server's numbers is refused before there are keys.
TEST(SidesHiding, IsAskedFor) {
  const std::string_view reals =
      "#version 0.1.0\n\nfn(he) f(x: secret [fxp; 4] in -1..1 from client, w: [fxp; 4] in -1..1 "
      "from server) -> secret fxp { sum(x * w) }\n";
  const Program program = compiled(reals);
  EXPECT_TRUE(failed<Client>(tacet_client_new, program.get(), nullptr).starts_with("rejected: "));
  EXPECT_TRUE(failed<Bytes>(tacet_program_write, program.get()).starts_with("rejected: "));
  const Program shown = compiled(reals, nullptr, nullptr, {{"unhidden", ""}});
  const Client client = new_client(shown);
  const Server server =
      server_of(shown, keys_of(client), {text_input("w", "[0.5, 0.5, -0.5, 0.25]")});
  const Bytes request = encrypted(client, {text_input("x", "[0.5, 0.25, 0.5, 0]")});
  const std::string result = decrypted(client, answered(server, request));
  EXPECT_NEAR(std::strtod(result.c_str() + 8, nullptr), 0.125, 0.001) << result;
}

TEST(SidesOfOtherDevices, DoNotExist) {
  const Program program = compiled(kScore, nullptr, "ref");
  EXPECT_EQ(failed<Client>(tacet_client_new, program.get(), nullptr),
            "usage: `score` is compiled for `ref`; clients and servers are of device functions for "
            "`he`");
}

auto write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

auto read(const fs::path& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder that is removed with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tacet-interface-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  auto operator=(const Folder&) -> Folder& = delete;
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] auto path() const -> const fs::path& { return path_; }

 private:
  fs::path path_;
};

auto command(const std::vector<std::string>& words) -> std::string {
  std::vector<const char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(word.c_str());
  }
  tacet_bytes *out = nullptr, *err = nullptr;
  int code = -1;
  const Failure failure(
      tacet_command(arguments.data(), arguments.size(), nullptr, &out, &err, &code));
  const Bytes owned_out(out), owned_err(err);
  EXPECT_EQ(code, 0) << (failure ? tacet_error_message(failure.get()) : text_of(owned_err));
  return text_of(owned_out);
}

/// The command line's server answers this client, and its client reads this server's answer.
TEST_F(Sides, ExchangeWithTheCommandLine) {
  const Folder folder;
  const std::string file = (folder.path() / "score.he").string();
  const fs::path exchange = folder.path() / "score.he.exchange";
  write(file, text_of(made<Bytes>(tacet_program_write, program_.get())));
  fs::create_directory(exchange);
  write(exchange / "keys", text_of(keys_));
  write(exchange / "inputs", text_of(encrypted(client_, {text_input("x", "[8, 0, 1, 1]")})));
  command({"run", file, "--role", "server", "[1, 2, 3, -5]"});
  const std::string results = read(exchange / "results");
  const Values values =
      made<Values>(tacet_client_decrypt, client_.get(), results.data(), results.size(), nullptr);
  EXPECT_STREQ(tacet_values_json(values.get()), R"({"out": 6})");

  command({"run", file, "--role", "client", "[1, 1, 1, 1]"});
  const std::string keys = read(exchange / "keys");
  const std::string inputs = read(exchange / "inputs");
  const tacet_input w = text_input("w", "[5, 5, 5, 5]");
  const Server server = made<Server>(tacet_server_new, program_.get(), keys.data(), keys.size(), &w,
                                     size_t{1}, nullptr);
  const Bytes answer =
      made<Bytes>(tacet_server_evaluate, server.get(), inputs.data(), inputs.size(), nullptr);
  write(exchange / "results", text_of(answer));
  EXPECT_EQ(command({"run", file, "--role", "client"}), "out = 20\n");
}

}  // namespace
}  // namespace tacet::interface_tests
