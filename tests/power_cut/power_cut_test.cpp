// Whatever call is the last one, a file holds what it held before or what it was to hold, and
// nobody else may ever read what is private. What is renamed is on the disk before.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace tacet {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tacet-power-cut-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  auto operator=(const Folder&) -> Folder& = delete;
  ~Folder() { fs::remove_all(path_); }

  auto operator/(std::string_view name) const -> std::string { return (path_ / name).string(); }
  [[nodiscard]] auto path() const -> const fs::path& { return path_; }

 private:
  fs::path path_;
};

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// What a file holds; nothing if there is none.
auto content(const std::string& path) -> std::optional<std::string> {
  std::ifstream file(path, std::ios::binary);
  return file ? std::optional(std::string(std::istreambuf_iterator<char>(file), {})) : std::nullopt;
}

struct Ran {
  int code = 0;  ///< 128 and the signal's number if one ended it
  std::string output;
};

/// A command of the shell in `folder`, in which files are for all unless somebody says otherwise.
auto run(const Folder& folder, const std::string& command) -> Ran {
  const std::string line = fmt::format("cd '{}' && umask 0 && exec {} > {} 2>&1",
                                       folder.path().string(), command, folder / "printed");
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          content(folder / "printed").value_or("")};
}

auto cut_at(int call, const std::string& command) -> std::string {
  return fmt::format("env TACET_CUT_AT={} LD_PRELOAD={} {}", call, TACET_CUT_SHORT, command);
}

constexpr int kKilled = 128 + SIGKILL;
/// More than any command takes, and fewer.
constexpr int kManyCalls = 500;
constexpr int kFewCalls = 5;

/// Whether a file in the folder could be read by others of the machine.
auto is_any_open(const Folder& folder) -> bool {
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    struct stat status = {};
    if (entry.path().filename() != "printed" && ::stat(entry.path().c_str(), &status) == 0 &&
        (status.st_mode & 077) != 0) {
      return true;
    }
  }
  return false;
}

struct Case {
  const char* how;
  bool has_old;
  bool is_private;
};

TEST(PowerCuts, LeaveTheOldFileOrTheNewOne) {
  const std::string old_text(50'000, 'a');
  const std::string new_text(100'000, 'b');
  for (const Case& c :
       {Case{"private", true, true}, Case{"private", false, true}, Case{"new_private", false, true},
        Case{"replace", true, false}, Case{"create", true, false}, Case{"create", false, false}}) {
    bool is_over = false;
    for (int call = 1; !is_over; ++call) {
      ASSERT_LT(call, kManyCalls);
      const Folder folder;
      if (c.has_old) {
        write(folder / "file", old_text);
        ASSERT_EQ(::chmod((folder / "file").c_str(), 0600), 0);
      }
      const Ran ran = run(folder, cut_at(call, fmt::format("{} {} file", TACET_WRITE_FILE, c.how)));
      is_over = ran.code == 0;
      ASSERT_TRUE(is_over || ran.code == kKilled) << c.how << call << ": " << ran.output;
      EXPECT_TRUE(!is_over || call > kFewCalls);
      const auto found = content(folder / "file");
      const bool is_new = found == new_text;
      const bool is_old = c.has_old ? found == old_text : !found;
      EXPECT_TRUE(is_new || (is_old && !is_over)) << c.how << ", call " << call;
      EXPECT_FALSE(c.is_private && is_any_open(folder)) << c.how << ", call " << call;
    }
  }
}

/// The calls on files, in order.
auto calls_of(const Folder& folder, const std::string& how) -> std::vector<std::string> {
  const Ran ran = run(folder, fmt::format("env TACET_CUT_LOG=log LD_PRELOAD={} {} {} file",
                                          TACET_CUT_SHORT, TACET_WRITE_FILE, how));
  EXPECT_EQ(ran.code, 0) << ran.output;
  std::vector<std::string> calls;
  std::istringstream log(content(folder / "log").value_or(""));
  for (std::string line; std::getline(log, line);) {
    calls.push_back(line.substr(0, line.find(' ')));
  }
  return calls;
}

/// A system may write in any order what is not synchronised.
TEST(PowerCuts, FindWhatIsNamedOnTheDisk) {
  for (const char* how : {"private", "new_private", "create", "replace"}) {
    const Folder folder;
    if (std::string_view(how) == "replace") {
      write(folder / "file", "old");
    }
    const std::vector<std::string> calls = calls_of(folder, how);
    const auto name = std::find_if(calls.begin(), calls.end(), [](const std::string& call) {
      return call == "rename" || call == "link";
    });
    ASSERT_NE(name, calls.end());
    const auto last_write = std::find(std::make_reverse_iterator(name), calls.rend(), "write");
    ASSERT_NE(last_write, calls.rend());
    EXPECT_NE(std::find(last_write.base(), name, "fsync"), name) << how << ": the file";
    EXPECT_NE(std::find(name, calls.end(), "fsync"), calls.end()) << how << ": the folder";
  }
}

TEST(PowerCuts, LeaveNoHalfKeyOfAParty) {
  bool is_over = false;
  for (int call = 1; !is_over; ++call) {
    ASSERT_LT(call, kManyCalls);
    const Folder folder;
    const Ran ran = run(folder, cut_at(call, fmt::format("{} party keygen alice", TACET_PROGRAM)));
    is_over = ran.code == 0;
    ASSERT_TRUE(is_over || ran.code == kKilled) << ran.output;
    for (const auto& [file, end] : {std::pair{"alice.key", "-----END PRIVATE KEY-----\n"},
                                    std::pair{"alice.crt", "-----END CERTIFICATE-----\n"}}) {
      const auto found = content(folder / file);
      EXPECT_TRUE(found ? found->ends_with(end) : !is_over) << file << ", call " << call;
    }
    EXPECT_FALSE(is_any_open(folder)) << "call " << call;
    EXPECT_TRUE(!is_over || call > kFewCalls);
  }
}

/// A second exchange, cut off, in the folder of a first one: either works to its end, or says what
/// does not belong together.
TEST(PowerCuts, MixNoExchanges) {
  const Folder first;
  write(first / "a.tacet",
        "#version 0.1.0\n\nfn(he) add(x: secret i64 in 0..9 from client, y: i64 in 0..9 from "
        "server) -> secret i64 { x + y }\n");
  const std::string tacet = TACET_PROGRAM;
  ASSERT_EQ(run(first, tacet + " build a.tacet -o a.he").code, 0);
  write(first / "4.json", "4");
  write(first / "3.json", "3");
  ASSERT_EQ(run(first, tacet + " run a.he --role client @3.json").code, 0);
  bool is_over = false;
  for (int call = 1; !is_over; ++call) {
    ASSERT_LT(call, kManyCalls);
    const Folder folder;
    fs::copy(first.path(), folder.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const Ran cut = run(folder, cut_at(call, tacet + " run a.he --role client @4.json"));
    is_over = cut.code == 0;
    ASSERT_TRUE(is_over || cut.code == kKilled) << cut.output;
    const Ran server = run(folder, tacet + " run a.he --role server @3.json");
    const Ran client = server.code == 0 ? run(folder, tacet + " run a.he --role client") : server;
    const bool is_right =
        client.output.ends_with("out = 6\n") || client.output.ends_with("out = 7\n");
    const bool is_reported = client.code == 1 && client.output.find("belong") != std::string::npos;
    EXPECT_TRUE(client.code == 0 ? is_right : is_reported) << "call " << call << client.output;
    EXPECT_TRUE(!is_over || client.output.ends_with("out = 7\n")) << client.output;
    EXPECT_TRUE(!is_over || call > kFewCalls);
  }
}

}  // namespace
}  // namespace tacet
