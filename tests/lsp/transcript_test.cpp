// Runs every tests/lsp/*.transcript as a test of its own. A transcript is a list of steps:
//
//   --> {…}           sends a message; "jsonrpc" is added
//   --> {…} * 500     sends it 500 times, with every `$n` replaced by 1, 2, …
//   ==> bytes         sends raw bytes, with the escapes \r \n \\ and \xHH
//   body bytes        sends a frame with these bytes as its body, with the same escapes
//   bytewise          from here on everything is sent byte by byte
//   <-- {…}           the server's next message is this one
//   <-* {…}           this one comes, but others may come before it and stay to be read
//   close             ends the server's input
//   exit N            the server ends with this exit code, and sends nothing more; the last step
//   exit* N           the same, but it may send more, whose number depends on time
//
// An object in an expectation that has the member "...": true may have more members than
// are listed; the string "<any>" stands for any value. Lines that begin with `#` are
// comments, and a JSON value continues over lines that begin with a space. Requests like
// `test/wait` are those of test_handlers.h.
//
// UPDATE_GOLDEN=1 replaces the expectations that failed by what came.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/lsp/test_client.h"

namespace tacet::lsp {
namespace {

struct Step {
  /// `-->`, `==>`, `<--`, `<-*`, a word, or empty for comments and blank lines.
  std::string kind;
  std::string argument;
  std::string source;
  int line = 0;
};

auto read_steps(const std::string& text) -> std::vector<Step> {
  std::vector<Step> steps;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    bool continues = !steps.empty() && line.starts_with(' ');
    if (continues) {
      steps.back().argument += "\n" + line;
      steps.back().source += "\n" + line;
      continue;
    }
    Step step;
    step.source = line;
    step.line = number;
    if (!line.empty() && line[0] != '#') {
      size_t space = std::min(line.find(' '), line.size());
      step.kind = line.substr(0, space);
      step.argument = line.substr(std::min(space + 1, line.size()));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

auto matches(const Json& pattern, const Json& value) -> bool {
  if (pattern == "<any>") {
    return true;
  }
  if (pattern.is_array() && value.is_array()) {
    return std::equal(pattern.begin(), pattern.end(), value.begin(), value.end(), matches);
  }
  if (!pattern.is_object() || !value.is_object()) {
    return pattern == value;
  }
  bool is_open = pattern.contains("...");
  for (const auto& [key, member] : pattern.items()) {
    if (key != "..." && (!value.contains(key) || !matches(member, value[key]))) {
      return false;
    }
  }
  return is_open || pattern.size() == value.size();
}

auto hex_value(char c) -> int {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

auto unescaped(const std::string& text) -> std::string {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
    } else if (text[++i] == 'x') {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == 'r' ? '\r' : text[i] == 'n' ? '\n' : text[i];
    }
  }
  return out;
}

class Runner {
 public:
  explicit Runner(std::string path) : path_(std::move(path)) {}

  void run() {
    steps_ = read_steps(harness::read_file(path_));
    std::string last;
    for (Step& step : steps_) {
      last = step.kind.empty() ? last : step.kind;
      run_step(step);
      if (::testing::Test::HasFailure() && !is_updating_) {
        return;
      }
    }
    EXPECT_TRUE(last == "exit" || last == "exit*") << path_ << ": the session is left open";
    if (is_updating_ && is_changed_) {
      std::string text;
      for (const Step& step : steps_) {
        text += step.source + '\n';
      }
      harness::write_file(path_, text);
    }
  }

 private:
  void run_step(Step& step) {
    if (step.kind == "-->") {
      send(step);
    } else if (step.kind == "==>") {
      send_bytes(unescaped(step.argument));
    } else if (step.kind == "body") {
      send_bytes(frame(unescaped(step.argument)));
    } else if (step.kind == "<--" || step.kind == "<-*") {
      expect(step);
    } else if (step.kind == "bytewise") {
      is_bytewise_ = true;
    } else if (step.kind == "close") {
      client_.close_input();
    } else if (step.kind == "exit" || step.kind == "exit*") {
      expect_exit(step);
    } else if (!step.kind.empty()) {
      ADD_FAILURE() << path_ << ":" << step.line << ": no step " << step.kind;
    }
  }

  void send(const Step& step) {
    std::string text = step.argument;
    int n_times = 1;
    if (size_t star = text.rfind("} * "); star != std::string::npos) {
      n_times = std::atoi(text.c_str() + star + 4);
      text.resize(star + 1);
    }
    for (int n = 1; n <= n_times; ++n) {
      std::string one = text;
      for (size_t at = 0; (at = one.find("$n", at)) != std::string::npos;) {
        one.replace(at, 2, std::to_string(n));
      }
      Json message = Json::parse(one, nullptr, false);
      ASSERT_FALSE(message.is_discarded()) << path_ << ":" << step.line << ": no JSON";
      message["jsonrpc"] = "2.0";
      send_bytes(frame(message.dump()));
    }
  }

  void send_bytes(const std::string& bytes) {
    if (!is_bytewise_) {
      client_.send_bytes(bytes);
      return;
    }
    for (char byte : bytes) {
      client_.send_bytes({&byte, 1});
    }
  }

  /// The message number `i` of the inbox, waited for.
  auto message(size_t i) -> const Json* {
    while (inbox_.size() <= i) {
      auto body = client_.receive();
      if (!body) {
        return nullptr;
      }
      Json value = Json::parse(*body, nullptr, false);
      EXPECT_EQ(value.value("jsonrpc", ""), "2.0") << *body;
      value.erase("jsonrpc");
      inbox_.push_back(std::move(value));
    }
    return &inbox_[i];
  }

  void expect(Step& step) {
    Json pattern = Json::parse(step.argument, nullptr, false);
    ASSERT_FALSE(pattern.is_discarded()) << path_ << ":" << step.line << ": no JSON";
    size_t n_skipped = 0;
    const Json* found = message(0);
    while (found != nullptr && step.kind == "<-*" && !matches(pattern, *found)) {
      found = message(++n_skipped);
    }
    bool is_match = found != nullptr && matches(pattern, *found);
    if (!is_match && is_updating_ && found != nullptr && step.kind == "<--") {
      step.source = "<-- " + found->dump();
      is_changed_ = true;
    } else {
      EXPECT_TRUE(is_match) << path_ << ":" << step.line << ":\nexpected " << pattern.dump()
                            << "\ngot      " << (found == nullptr ? "nothing" : found->dump())
                            << received_before(n_skipped);
    }
    if (found != nullptr) {
      inbox_.erase(inbox_.begin() + static_cast<ptrdiff_t>(n_skipped));
    }
  }

  auto received_before(size_t n) -> std::string {
    std::string out;
    for (size_t i = 0; i < n && i < inbox_.size(); ++i) {
      out += "\nbefore   " + inbox_[i].dump();
    }
    return out;
  }

  void expect_exit(const Step& step) {
    if (step.kind == "exit*") {
      for (size_t n = 0; message(n) != nullptr;) {
        ++n;
      }
    } else {
      const Json* more = message(0);
      EXPECT_EQ(more, nullptr) << path_ << ":" << step.line << ": got " << more->dump();
    }
    EXPECT_EQ(client_.exit_code(), std::atoi(step.argument.c_str())) << path_ << ":" << step.line;
  }

  std::string path_;
  bool is_updating_ = harness::is_updating_golden();
  bool is_changed_ = false;
  bool is_bytewise_ = false;
  std::vector<Step> steps_;
  std::deque<Json> inbox_;
  TestClient client_;
};

class Transcript : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transcript, IsWhatTheServerSays) {
  Runner(GetParam().string()).run();
}

INSTANTIATE_TEST_SUITE_P(Files, Transcript,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/lsp", .endings = {".transcript"}, .least = 45})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet::lsp
