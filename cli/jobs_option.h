#pragma once

namespace CLI {
class App;
}

namespace tacet::cli {

/// Declares `--jobs N`. Stays 0 where it is not given.
void add_jobs_option(CLI::App& app, unsigned* n_jobs);

}  // namespace tacet::cli
