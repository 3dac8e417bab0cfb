#include "cli/run/party_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

/// A workspace in a folder of its own, with keys for `alice` and `bob`.
class PartyPlan : public testing::Test {
 protected:
  PartyPlan() {
    fs::create_directories(root_ / "keys");
    for (const char* name : {"alice", "bob"}) {
      EXPECT_TRUE(write_credentials(name, (root_ / "keys").string(), 2));
    }
  }
  ~PartyPlan() override { fs::remove_all(root_); }

  /// The plan of a party, or what is wrong; the folder is written ROOT.
  auto plan(const std::string& manifest, const std::string& party = "alice",
            const std::string& key = "") -> std::string {
    std::vector<std::string> warnings;
    Result<project::Manifest> read = project::parse_manifest(manifest, "tacet.toml", warnings);
    if (!read) {
      return read.error().message;
    }
    std::string reported;
    for (const std::string& warning : warnings) {
      reported += "warning: " + warning + "\n";
    }
    Result<net::MeetingPlan> made = plan_party({root_.string(), *read}, party, key);
    if (!made) {
      return without_root(reported + made.error().message);
    }
    reported += fmt::format("rank {}, waits {} {} {}, listens `{}`", made->rank,
                            net::describe(made->times.connect), net::describe(made->times.silence),
                            net::describe(made->times.patience), made->listen_host);
    for (const net::PartyAddress& address : made->parties) {
      reported += fmt::format("\n{} at {} port {}", address.name, address.host, address.port);
    }
    std::vector<std::string> certificates;
    for (const net::PartyAddress& address : made->parties) {
      certificates.push_back(address.certificate);
    }
    EXPECT_TRUE(net::TlsContext::make(made->credentials, certificates));
    return reported;
  }

  [[nodiscard]] auto without_root(std::string text) const -> std::string {
    for (const std::string& root : {root_.string(), fs::relative(root_).string()}) {
      for (size_t at = text.find(root); at != std::string::npos; at = text.find(root)) {
        text.replace(at, root.size(), "ROOT");
      }
    }
    return text;
  }

  fs::path root_ = fs::temp_directory_path() / fmt::format("tacet_party_plan_{}", ::getpid());
};

constexpr const char* kParties = R"(
[[mpc.party]]
name = "alice"
address = "10.0.0.1:7001"
certificate = "keys/alice.crt"
listen = "0.0.0.0"
[[mpc.party]]
name = "bob"
address = "[::1]:7002"
certificate = "keys/bob.crt"
)";

auto party(const std::string& name, const std::string& address, const std::string& certificate)
    -> std::string {
  return fmt::format("[[mpc.party]]\nname = \"{}\"\naddress = \"{}\"\ncertificate = \"{}\"\n", name,
                     address, certificate);
}

TEST_F(PartyPlan, ComesFromTheManifest) {
  EXPECT_EQ(plan(kParties),
            "rank 0, waits 30 s 20 s 30 s, listens `0.0.0.0`\n"
            "alice at 10.0.0.1 port 7001\nbob at ::1 port 7002");
  EXPECT_EQ(plan("[mpc]\nconnect = 5\nsilence = 7\npatience = 90\n" + std::string(kParties), "bob",
                 (root_ / "keys/bob.key").string())
                .substr(0, 42),
            "rank 1, waits 5 s 7 s 90 s, listens ``\nali");
}

TEST_F(PartyPlan, ReportsErrorsInTheManifest) {
  EXPECT_EQ(plan("mpc = 3"), "tacet.toml:1:7: `mpc` must be a table");
  EXPECT_EQ(plan("[mpc]\nparty = 3"), "tacet.toml:2:9: parties must be tables `[[mpc.party]]`");
  EXPECT_EQ(plan("[[mpc.party]]\nname = \"alice\""),
            "tacet.toml:1:1: a party needs a string `address`");
  EXPECT_EQ(plan("[mpc]\npatience = 0"),
            "tacet.toml:2:12: `patience` must be a number of seconds from 1 to 2592000");
  EXPECT_EQ(plan("[mpc]\npatiense = 9").substr(0, 72),
            "warning: tacet.toml:2:1: unknown key `patiense`; did you mean `patience`");
}

TEST_F(PartyPlan, ReportsErrorsInTheParties) {
  std::string alice = party("alice", "h:1", "keys/alice.crt");
  EXPECT_EQ(plan(alice),
            "ROOT/tacet.toml: a run needs at least two parties, each with a table `[[mpc.party]]`");
  EXPECT_EQ(
      plan(alice + alice),
      "ROOT/tacet.toml: invalid party name `alice`; names consist of letters, digits, `_` and "
      "`-` and must be unique");
  for (const char* address : {"host", "host:", ":1", "host:0", "host:65536", "host:1x", "::1:7"}) {
    EXPECT_EQ(
        plan(alice + party("bob", address, "keys/bob.crt")),
        fmt::format("ROOT/tacet.toml: the address of `bob` is `{}`; expected HOST:PORT", address));
  }
  EXPECT_EQ(plan(alice + party("bob", "h:2", "keys/bob.key")),
            "ROOT/keys/bob.key: not a certificate; create one with `tacet party keygen bob`");
  EXPECT_NE(plan(alice + party("bob", "h:2", "keys/carol.crt")).find("ROOT/keys/carol.crt"),
            std::string::npos);
  EXPECT_EQ(plan(kParties, "alise"),
            "`--party alise`: no such party in tacet.toml; did you mean `alice`?");
}

TEST_F(PartyPlan, KnowsWhoDials) {
  const auto dials = [](const std::string& name, const std::string& rest) {
    return fmt::format("[[mpc.party]]\nname = \"{0}\"\ncertificate = \"keys/{0}.crt\"\n{1}\n", name,
                       rest);
  };
  const std::string bob = dials("bob", "dial = \"out\"");
  EXPECT_EQ(plan(party("alice", "h:1", "keys/alice.crt") + bob),
            "rank 0, waits 30 s 20 s 30 s, listens ``\nalice at h port 1\nbob at  port 0");
  EXPECT_EQ(plan(dials("alice", "dial = \"out\"") + bob),
            "ROOT/tacet.toml: `alice` and `bob` cannot connect, as both have `dial = \"out\"`; "
            "remove it from the one that others can reach");
  EXPECT_EQ(plan(dials("alice", "dial = \"in\"\naddress = \"h:1\"") +
                 dials("bob", "dial = \"in\"\naddress = \"h:2\"")),
            "ROOT/tacet.toml: `alice` and `bob` cannot connect, as both have `dial = \"in\"`; "
            "remove it from the one that can reach others");
  EXPECT_EQ(plan(dials("alice", "dial = \"in\"")),
            "tacet.toml:1:1: a party needs a string `address`");
  EXPECT_EQ(
      plan(dials("alice", "dial = \"up\"")),
      "tacet.toml:4:8: `dial` must be \"in\" or \"out\"; without it, a party both calls and is "
      "called");
  EXPECT_EQ(
      plan(dials("alice", "dial = \"out\"\nlisten = \"0.0.0.0\"")),
      "tacet.toml:1:1: `alice` has both `listen` and `dial = \"out\"`: a party that only calls "
      "does not listen; remove one of them");
}

TEST_F(PartyPlan, RefusesAKeyThatOthersMayRead) {
  ::chmod((root_ / "keys/alice.key").c_str(), 0640);
  EXPECT_EQ(
      plan(kParties),
      "ROOT/keys/alice.key: other users can access this private key (mode 0640); run `chmod 600 "
      "ROOT/keys/alice.key`");
}

TEST_F(PartyPlan, TakesAKeyOfRootThatTheGroupOfAServiceMayRead) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  constexpr uid_t kService = 65532;
  const std::string key = (root_ / "keys/alice.key").string();
  ASSERT_EQ(::chown(key.c_str(), 0, kService), 0);
  ::chmod(root_.c_str(), 0755);
  ::chmod((root_ / "keys").c_str(), 0755);
  for (const char* certificate : {"keys/alice.crt", "keys/bob.crt"}) {
    ::chmod((root_ / certificate).c_str(), 0644);
  }
  const auto as_service = [&](mode_t mode) {
    ::chmod(key.c_str(), mode);
    EXPECT_EQ(::setegid(kService), 0);
    EXPECT_EQ(::seteuid(kService), 0);
    const std::string found = plan(kParties).substr(0, 6);
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(::setegid(0), 0);
    return found;
  };
  EXPECT_EQ(as_service(0440), "rank 0");
  EXPECT_NE(as_service(0460), "rank 0");
  EXPECT_NE(as_service(0444), "rank 0");
}

}  // namespace
}  // namespace tacet::cli
