#include "tests/fuzz/random_folder.h"

#include <array>
#include <fstream>

#include "base/check.h"

namespace tacet::fuzz {

namespace fs = std::filesystem;

static constexpr std::array<std::string_view, 9> kNames = {
    "first.tacet", "other.tacet",  "lib/more.tacet",    "lib/deep/low.tacet", "lib/first.tacet",
    "array.tlhe",  "lib/one.tlhe", "build/other.tacet", "lib/.old/more.tacet"};

static constexpr std::array<std::string_view, 7> kManifests = {
    "sources = [\"lib\"]\n",
    "sources = [\"lib/deep\", \".\"]\n",
    "[lint]\nlevels = { T1003 = \"allow\" }\n",
    "[format]\nwidth = 30\n",
    "[mpc]\nprotocol = \"semi2k\"\n",
    "sources = 3\n",
    "[",
};

static constexpr std::array<std::string_view, 6> kModules = {
    "#version 0.1.0\nval other(x: i64) -> i64 { returns x + 1 }\n",
    "#version 0.1.0\nval other(x: i32) -> i32 { returns x }\n",
    "#version 0.1.0\nimport first\nimport more\nconst c = 3\nval more(a: i64) -> i64 { returns c "
    "}\n",
    "#version 0.1.0\nfn low(a: secret i64) -> secret i64 { if a > 0 { a } else { -a } }\n",
    "#version 0.1.0\nimport lib.more\nval first() -> i64 { returns other(1) }\n",
    "not a program",
};

RandomFolder::RandomFolder(std::mt19937_64& random) : random_(random) {
  TACET_CHECK(!folder_.path().empty(), "no folder can be made");
  for (uint32_t i = 0; i < 3; ++i) {
    write(std::string(any_name()), std::string(kModules[below(kModules.size())]));
  }
  events_.clear();
}

auto RandomFolder::any_name() -> std::string_view {
  return kNames[below(kNames.size())];
}

void RandomFolder::change(const std::string& text) {
  const std::string name(any_name());
  switch (below(8)) {
    case 0:
      write("tacet.toml", std::string(kManifests[below(kManifests.size())]));
      return;
    case 1:
      remove("tacet.toml");
      return;
    case 2:
      remove(name);
      return;
    case 3:
      // A folder as a whole.
      remove("lib");
      return;
    case 4: {
      std::error_code is_not_there;
      const std::string other(any_name());
      fs::create_directories((folder_.path() / other).parent_path());
      fs::rename(folder_.path() / name, folder_.path() / other, is_not_there);
      if (!is_not_there && name != other) {
        notify(name, 3);
        notify(other, 1);
      }
      return;
    }
    case 5:
      write(name, text);
      return;
    default:
      write(name, std::string(kModules[below(kModules.size())]));
      return;
  }
}

auto RandomFolder::take_events() -> std::vector<Event> {
  std::vector<Event> events = std::exchange(events_, {});
  if (!events.empty() && below(4) == 0) {
    const Event twice = events[below(static_cast<uint32_t>(events.size()))];
    events.push_back(twice);
  }
  return events;
}

void RandomFolder::write(const std::string& name, const std::string& text) {
  const fs::path path = folder_.path() / name;
  const bool is_there = fs::exists(path);
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  notify(name, is_there ? 2 : 1);
}

void RandomFolder::remove(const std::string& name) {
  if (fs::remove_all(folder_.path() / name) != 0) {
    notify(name, 3);
  }
}

void RandomFolder::notify(const std::string& name, int kind) {
  events_.push_back({"file://" + root() + "/" + name, kind});
}

}  // namespace tacet::fuzz
