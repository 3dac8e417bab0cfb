// Runs every tests/dap/*.transcript as a test of its own. Its steps are
//
//   --> COMMAND {…}    sends a request with these arguments and lets the run move until it pauses
//   -&> COMMAND {…}    the same, but sends the next one while the run moves
//   body TEXT          sends a body as it is
//   <-- …              what comes then, a message on each line (see `DapClient`)
//
// Lines that begin with `#` are comments. UPDATE_GOLDEN=1 replaces the answers by what came.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/dap/dap_client.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"

namespace tacet::debugger {
namespace {

class DapTranscript : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(DapTranscript, IsWhatTheDebuggerAnswers) {
  DapClient client;
  std::string found;
  std::istringstream lines(harness::read_file(GetParam()));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("<-- ")) {
      continue;
    }
    found += line + '\n';
    if (line.starts_with("body ")) {
      client.send(line.substr(5));
    } else if (line.starts_with("--> ") || line.starts_with("-&> ")) {
      const size_t blank = std::min(line.find(' ', 4), line.size());
      client.request(line.substr(4, blank - 4), line.substr(std::min(blank + 1, line.size())),
                     line[1] == '&' ? 1 : -1);
    } else if (!line.empty() && line[0] != '#') {
      ADD_FAILURE() << GetParam() << ": no step `" << line << "`";
    }
    for (const std::string& message : client.received()) {
      found += "<-- " + message + '\n';
    }
  }
  harness::expect_golden(GetParam(), found);
}

INSTANTIATE_TEST_SUITE_P(Files, DapTranscript,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/dap", .endings = {".transcript"}, .least = 5})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet::debugger
