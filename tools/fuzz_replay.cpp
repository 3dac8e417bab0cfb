// Stands in for libFuzzer where the compiler has none: feeds a fuzzer's entry point the seed
// files and a number of mutations of them. The mutations depend on nothing but the seeds, so a
// failure is seen again by running the test again.
//
//   usage: PROGRAM RUNS SEED_FILE_OR_FOLDER…
//
// The input under test is kept in the file crash-PROGRAM, which goes when all is well. So after a
// crash of any kind it can be given as the only seed, with 0 runs.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tacet {
namespace {

namespace fs = std::filesystem;

/// Inputs above this size are cut: a mutation costs as much as its input is long.
constexpr size_t kMaxSize = 1U << 14U;
constexpr size_t kMaxMutations = 6;

auto read_file(const fs::path& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The contents of the files and of everything below the folders, by path.
auto read_seeds(const std::vector<fs::path>& places) -> std::vector<std::string> {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) {
    seeds.push_back(read_file(file));
  }
  return seeds;
}

/// Changes texts the way typing, pasting and broken disks do.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  auto next() -> std::string {
    std::string text = seed();
    size_t n_mutations = 1 + below(kMaxMutations);
    for (size_t i = 0; i < n_mutations; ++i) {
      mutate(text);
    }
    text.resize(std::min(text.size(), kMaxSize));
    return text;
  }

 private:
  auto below(size_t n) -> size_t { return static_cast<size_t>(random_() % std::max<size_t>(n, 1)); }

  auto seed() -> const std::string& { return seeds_[below(seeds_.size())]; }

  /// A short piece of some seed: often a whole token or two.
  auto fragment() -> std::string {
    const std::string& from = seed();
    return from.empty() ? "(" : from.substr(below(from.size()), 1 + below(16));
  }

  void mutate(std::string& text) {
    size_t at = below(text.size() + 1);
    size_t length = std::min(text.size() - at, 1 + below(12));
    switch (below(7)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, fragment());
        break;
      case 2:
        text.replace(at, length, fragment());
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 5:
        text.insert(at, std::string(1 + below(64), "([{;,:?-"[below(8)]));
        break;
      default:
        text.resize(at);
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{0x7ACE7};
};

/// The file that holds the input under test, so that it outlives whatever the input does.
class InputOnDisk {
 public:
  explicit InputOnDisk(std::string path)
      : path_(std::move(path)), file_(::open(path_.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0644)) {}
  InputOnDisk(const InputOnDisk&) = delete;
  auto operator=(const InputOnDisk&) -> InputOnDisk& = delete;
  ~InputOnDisk() {
    ::close(file_);
    ::unlink(path_.c_str());
  }

  [[nodiscard]] auto is_open() const -> bool { return file_ >= 0; }

  [[nodiscard]] auto keep(const std::string& input) const -> bool {
    return ::pwrite(file_, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size()) &&
           ::ftruncate(file_, static_cast<off_t>(input.size())) == 0;
  }

 private:
  std::string path_;
  int file_;
};

void feed(const InputOnDisk& disk, const std::string& input) {
  if (!disk.keep(input)) {
    std::perror("fuzz_replay: cannot keep the input");
  }
  // A copy of exactly this size, so that a sanitizer sees a read past its end.
  std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

auto replay(const std::string& program, size_t n_runs, const std::vector<fs::path>& places) -> int {
  std::vector<std::string> seeds = read_seeds(places);
  InputOnDisk disk("crash-" + program);
  if (seeds.empty() || !disk.is_open()) {
    std::fprintf(stderr, "fuzz_replay: %s\n", seeds.empty() ? "no seeds" : "cannot write here");
    return 1;
  }
  for (const std::string& seed : seeds) {
    feed(disk, seed);
  }
  Mutator mutator(seeds);
  for (size_t i = 0; i < n_runs; ++i) {
    feed(disk, mutator.next());
  }
  std::printf("%zu seeds and %zu mutations\n", seeds.size(), n_runs);
  return 0;
}

}  // namespace
}  // namespace tacet

auto main(int argc, char** argv) -> int {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s RUNS SEED…\n", argv[0]);
    return 2;
  }
  std::string program = std::filesystem::path(argv[0]).filename().string();
  return tacet::replay(program, std::strtoul(argv[1], nullptr, 10), {argv + 2, argv + argc});
}
