#include "bench/process/command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>

#include "bench/process/language_client.h"

extern char** environ;

namespace tacet::bench {

auto measure_command(const WorkspaceOnDisk& workspace, const std::string& program,
                     std::vector<std::string> arguments, int n_times) -> Samples {
  arguments.insert(arguments.begin(), program);
  arguments.push_back(workspace.folder());
  std::vector<char*> words;
  for (std::string& argument : arguments) {
    words.push_back(argument.data());
  }
  words.push_back(nullptr);
  Samples samples;
  for (int i = 0; i < n_times; ++i) {
    const auto begin = Clock::now();
    pid_t process = -1;
    const int error =
        posix_spawn(&process, program.c_str(), nullptr, nullptr, words.data(), environ);
    if (error != 0) {
      fail(fmt::format("cannot start {}: {}", program, std::strerror(error)));
    }
    int status = 0;
    waitpid(process, &status, 0);
    samples.add(milliseconds_since(begin));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fail(fmt::format("`tacet {}` failed", arguments[1]));
    }
  }
  return samples;
}

}  // namespace tacet::bench
