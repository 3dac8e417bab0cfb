// Whatever is done to a stored object, reading it gives an object or an error, and takes no more
// memory than its size allows. Most mutations get a checksum that is right, so that more than the
// checksum is tested.
//
//   usage: PROGRAM N_OBJECTS              gives each deserialiser that many objects, the same ones
//   in
//                                         every run
//          PROGRAM --seeds FOLDER         writes the objects for the fuzzer (he_objects_fuzzer.cpp)

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <random>
#include <string_view>

#include "tests/serialisation/sample_objects.h"

namespace {

std::atomic<size_t> live_bytes = 0;
std::atomic<size_t> peak_bytes = 0;

auto counted(void* memory) -> void* {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  const size_t live = live_bytes += malloc_usable_size(memory);
  peak_bytes = std::max(peak_bytes.load(), live);
  return memory;
}

void discounted(void* memory) {
  if (memory != nullptr) {
    live_bytes -= malloc_usable_size(memory);
    std::free(memory);
  }
}

}  // namespace

auto operator new(size_t size) -> void* {
  return counted(std::malloc(size));
}
auto operator new(size_t size, std::align_val_t alignment) -> void* {
  const auto align = static_cast<size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
void operator delete(void* memory) noexcept {
  discounted(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  discounted(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  discounted(memory);
}
void operator delete(void* memory, size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  discounted(memory);
}

namespace tacet::he {
namespace {

/// What an error, a few lists of primes and the state of a cipher take.
constexpr size_t kSmallChange = size_t{16} << 10U;

class Mutator {
 public:
  explicit Mutator(const std::vector<SampleWorld>& worlds) : worlds_(worlds) {}

  struct Mutation {
    const SampleWorld& world;
    Bytes bytes;
  };

  /// Of an object of this kind.
  auto next(ObjectKind kind) -> Mutation {
    const SampleWorld* of_kind = nullptr;  // not all schemes have all kinds
    Bytes bytes;
    do {
      of_kind = &worlds_[below(worlds_.size())];
      bytes = sample(*of_kind);
    } while (read_object_header(bytes).value().kind != kind);
    const SampleWorld& world = *of_kind;
    const size_t n_changes = 1 + below(3);
    for (size_t i = 0; i < n_changes; ++i) {
      change(world, bytes);
    }
    if (below(8) != 0) {
      repair(world, bytes);
    }
    return {world, std::move(bytes)};
  }

 private:
  auto below(size_t n) -> size_t { return static_cast<size_t>(random_() % std::max<size_t>(n, 1)); }

  auto sample(const SampleWorld& world) -> const Bytes& {
    return world.samples[below(world.samples.size())].bytes;
  }

  /// A place in header and first fields, half of the time: there is more to go wrong.
  auto place(const Bytes& bytes) -> size_t {
    return below(below(2) == 0 ? std::min<size_t>(bytes.size(), 120) : bytes.size());
  }

  void overwrite(Bytes& bytes) {
    const uint64_t words[] = {0,
                              1,
                              ~uint64_t{0},
                              ~uint64_t{0} >> 1,
                              std::bit_cast<uint64_t>(1e300),
                              std::bit_cast<uint64_t>(-0.0),
                              uint64_t{0x7ff} << 52,
                              uint64_t{0x7ff8} << 48,
                              random_()};
    const uint64_t word = words[below(std::size(words))];
    const size_t at = place(bytes);
    const size_t n_bytes = std::min(bytes.size() - at, size_t{1} << below(4));
    for (size_t i = 0; i < n_bytes; ++i) {
      bytes[at + i] = static_cast<std::byte>(word >> (8 * i));
    }
  }

  void change(const SampleWorld& world, Bytes& bytes) {
    const auto begin = [&](size_t at) { return bytes.begin() + static_cast<ptrdiff_t>(at); };
    const size_t at = place(bytes);
    const size_t length = std::min(bytes.size() - at, 1 + below(64));
    switch (below(8)) {
      case 0:
      case 1:
        if (!bytes.empty()) {
          bytes[at] ^= static_cast<std::byte>(1U << below(8));
        }
        break;
      case 2:
      case 3:
        if (!bytes.empty()) {
          overwrite(bytes);
        }
        break;
      case 4:
        bytes.erase(begin(at), begin(at + length));
        break;
      case 5:
        bytes.insert(begin(at), 1 + below(64), static_cast<std::byte>(below(256)));
        break;
      case 6:
        bytes.resize(at);
        break;
      default: {
        const Bytes& other = sample(world);
        const size_t n_bytes = std::min(bytes.size(), other.size()) - std::min(at, other.size());
        std::copy_n(other.begin() + static_cast<ptrdiff_t>(std::min(at, other.size())),
                    std::min(n_bytes, bytes.size() - at), begin(at));
      }
    }
  }

  const std::vector<SampleWorld>& worlds_;
  std::mt19937_64 random_{0x7ACE7};
};

/// The memory that reading the bytes took at its peak: of the pool, and of `operator new`.
struct Use {
  size_t of_pool;
  size_t in_all;
  bool was_accepted;
};

auto use_of(const SampleWorld& world, std::span<const std::byte> bytes) -> Use {
  ring::RowPool& pool = *world.context->pool();
  pool.restart_peak();
  const size_t words_before = pool.n_words_in_use();
  const size_t live_before = live_bytes;
  peak_bytes = live_before;
  const bool was_accepted = load(world, bytes);
  return {(pool.peak_words_in_use() - words_before) * sizeof(uint64_t), peak_bytes - live_before,
          was_accepted};
}

struct Counts {
  size_t n_tried = 0;
  size_t n_accepted = 0;
  double largest_share = 0;  ///< of the memory that is allowed
};

/// Whether reading the mutation took no more memory than it may.
auto is_within_bounds(const Mutator::Mutation& mutation, ObjectKind kind, Counts& counts) -> bool {
  const Use use = use_of(mutation.world, mutation.bytes);
  const size_t size = mutation.bytes.size();
  // Serialising again, to compare, takes the object's own size once more.
  const size_t bound = (max_expansion(*mutation.world.context, kind) + 1) * size + kSmallChange;
  if (use.of_pool > bound || use.in_all > bound) {
    std::fprintf(stderr, "object %zu of %zu bytes took %zu bytes of rows, %zu in all, not %zu\n",
                 counts.n_tried, size, use.of_pool, use.in_all, bound);
    return false;
  }
  counts.n_tried += 1;
  counts.n_accepted += use.was_accepted ? 1 : 0;
  const auto used = static_cast<double>(std::max(use.in_all, use.of_pool));
  counts.largest_share = std::max(counts.largest_share, used / static_cast<double>(bound));
  return true;
}

auto all_samples_load(const std::vector<SampleWorld>& worlds) -> bool {
  for (const SampleWorld& world : worlds) {
    for (const SampleWorld::Sample& sample : world.samples) {
      if (!load(world, sample.bytes)) {
        std::fprintf(stderr, "the sample %s was refused\n", sample.name.c_str());
        return false;
      }
    }
  }
  return true;
}

auto mutate(size_t n_objects) -> int {
  const std::vector<SampleWorld> worlds = make_sample_worlds();
  if (!all_samples_load(worlds)) {
    return 1;
  }
  Mutator mutator(worlds);
  for (int number = 1; !object_kind_name(static_cast<ObjectKind>(number)).empty(); ++number) {
    const auto kind = static_cast<ObjectKind>(number);
    Counts counts;
    size_t n_others = 0;
    while (counts.n_tried < n_objects) {
      const Mutator::Mutation mutation = mutator.next(kind);
      const Result<ObjectHeader> header = read_object_header(mutation.bytes);
      Counts other;
      const bool is_of_kind = header && header.value().kind == kind;
      const ObjectKind read_as = header ? header.value().kind : ObjectKind::Parameters;
      n_others += is_of_kind ? 0 : 1;
      if (!is_within_bounds(mutation, read_as, is_of_kind ? counts : other)) {
        return 1;
      }
    }
    std::printf(
        "%s: %zu objects, %zu accepted; at most %.0f%% of the memory allowed; %zu became "
        "something else\n",
        std::string(object_kind_name(kind)).c_str(), counts.n_tried, counts.n_accepted,
        100 * counts.largest_share, n_others);
  }
  return 0;
}

auto write_seeds(const std::string& folder) -> int {
  char selector = 0;
  for (const SampleWorld& world : make_sample_worlds()) {
    const std::string scheme(scheme_name(world.context->scheme()));
    for (const SampleWorld::Sample& sample : world.samples) {
      std::ofstream file(folder + "/" + scheme + "_" + sample.name, std::ios::binary);
      file.put(selector);
      file.write(reinterpret_cast<const char*>(sample.bytes.data()),
                 static_cast<std::streamsize>(sample.bytes.size()));
      if (!file) {
        std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
        return 1;
      }
    }
    ++selector;
  }
  return 0;
}

}  // namespace
}  // namespace tacet::he

auto main(int argc, char** argv) -> int {
  if (argc == 3 && std::string_view(argv[1]) == "--seeds") {
    return tacet::he::write_seeds(argv[2]);
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s N_OBJECTS | --seeds FOLDER\n", argv[0]);
    return 2;
  }
  return tacet::he::mutate(std::strtoul(argv[1], nullptr, 10));
}
