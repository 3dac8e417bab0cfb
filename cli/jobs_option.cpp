#include "cli/jobs_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace tacet::cli {

static constexpr unsigned kMaxJobs = 1024;

void add_jobs_option(CLI::App& app, unsigned* n_jobs) {
  auto take = [n_jobs](const std::string& word) {
    const char* end = word.data() + word.size();
    auto [behind, error] = std::from_chars(word.data(), end, *n_jobs);
    if (error != std::errc() || behind != end || *n_jobs == 0 || *n_jobs > kMaxJobs) {
      throw CLI::ValidationError("--jobs",
                                 fmt::format("`{}` is not a number from 1 to {}", word, kMaxJobs));
    }
  };
  app.add_option_function<std::string>("-j,--jobs", take,
                                       "Number of threads (default: one per core)")
      ->type_name("N");
}

}  // namespace tacet::cli
