#include "tests/playground/served.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace tacet::playground {

Served::Served(const std::vector<std::string>& options) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  std::vector<std::string> arguments = {TACET_PROGRAM, "playground", "--port", "0"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  EXPECT_EQ(posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
  // `http://localhost:PORT/TOKEN/`
  std::string line;
  char byte = 0;
  while (read(output_, &byte, 1) == 1 && byte != '\n') {
    line += byte;
  }
  port_ = static_cast<uint16_t>(std::atoi(line.substr(line.rfind(':') + 1).c_str()));
  EXPECT_NE(port_, 0) << line;
  const size_t behind_port = line.find('/', line.rfind(':'));
  folder_ = line.substr(behind_port, line.rfind('/') - behind_port);
  EXPECT_EQ(folder_.size(), 33U) << line;
}

Served::~Served() {
  kill(process_, SIGINT);
  int status = 0;
  waitpid(process_, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "it ended with status " << status;
  close(output_);
}

auto Served::connect_and_send(const std::string& bytes) const -> int {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (size_t n_sent = 0; n_sent < bytes.size();) {
    // A client rejected in the middle of its request is not read to the end.
    const ssize_t n = ::send(fd, bytes.data() + n_sent, bytes.size() - n_sent, MSG_NOSIGNAL);
    if (n <= 0) {
      break;
    }
    n_sent += static_cast<size_t>(n);
  }
  return fd;
}

void Served::hang_up(const std::string& bytes) const {
  close(connect_and_send(bytes));
}

auto Served::send(const std::string& bytes) const -> std::string {
  const int fd = connect_and_send(bytes);
  std::string answer;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while ((n = read(fd, buffer.data(), buffer.size())) > 0) {
    answer.append(buffer.data(), static_cast<size_t>(n));
  }
  close(fd);
  return answer;
}

auto Served::run(const std::string& json) const -> std::string {
  const std::string answer = send(fmt::format(
      "POST {}/run HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nContent-Type: application/json\r\n"
      "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
      folder(), host(), origin(), json.size(), json));
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

}  // namespace tacet::playground
