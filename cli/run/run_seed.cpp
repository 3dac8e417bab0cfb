#include "cli/run/run_seed.h"

#include <fmt/format.h>

namespace tacet::cli {

auto RunSeed::take(const std::string& given) -> bool {
  if (!given.empty() && !(key_ = engine::parse_random_key(given))) {
    invocation_.error(
        fmt::format("`--seed {}`: expected a hexadecimal number of at most 64 digits", given));
    return false;
  }
  return true;
}

auto RunSeed::key() -> engine::PublicRandomKey {
  if (!key_) {
    show(engine::draw_random_key());
  }
  is_used_ = true;
  return *key_;
}

void RunSeed::show(const engine::PublicRandomKey& key) {
  key_ = key;
  is_used_ = true;
  invocation_.err.write(fmt::format("tacet: seed {}\n", text()));
}

auto RunSeed::text() const -> std::string {
  return is_used_ ? engine::random_key_text(*key_) : "";
}

}  // namespace tacet::cli
