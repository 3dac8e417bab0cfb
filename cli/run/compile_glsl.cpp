#include "cli/run/compile_glsl.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/child_process.h"

namespace tacet::cli {

static constexpr std::string_view kGlslCompiler = "glslangValidator";
static constexpr size_t kMostGlslMessages = 5;

/// A program in the folders of PATH.
static auto find_program(std::string_view name) -> std::optional<std::string> {
  const char* folders = std::getenv("PATH");
  std::string_view rest = folders == nullptr ? std::string_view() : folders;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::string path = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return std::nullopt;
}

namespace {

/// A new file for a result, removed in the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
    path_ = (failed ? std::filesystem::path("/tmp") : folder) / "tacet-kernel-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    is_there_ = descriptor >= 0;
    if (is_there_) {
      ::close(descriptor);
    }
  }
  ~TemporaryFile() {
    if (is_there_) {
      ::unlink(path_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  auto operator=(const TemporaryFile&) -> TemporaryFile& = delete;

  [[nodiscard]] auto is_there() const -> bool { return is_there_; }
  [[nodiscard]] auto path() const -> const std::string& { return path_; }

  [[nodiscard]] auto words() const -> std::vector<uint32_t> {
    std::ifstream file(path_, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
    return words;
  }

 private:
  std::string path_;
  bool is_there_ = false;
};

}  // namespace

/// `half.comp:3: 'x' : undeclared identifier` of the compiler's line, or nothing if the line says
/// nothing more about the source.
static auto glsl_message(std::string_view line) -> std::optional<std::string> {
  constexpr std::string_view kError = "ERROR: ";
  if (!line.starts_with(kError) || line.find("compilation terminated") != std::string_view::npos) {
    return std::nullopt;
  }
  line.remove_prefix(kError.size());
  const bool is_count = !line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) != 0 &&
                        line.find("compilation error") != std::string_view::npos;
  return is_count ? std::nullopt : std::optional(std::string(line));
}

static auto glsl_messages(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> messages;
  size_t n_more = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (std::optional<std::string> message = glsl_message(line)) {
      messages.size() < kMostGlslMessages ? messages.push_back(std::move(*message))
                                          : static_cast<void>(++n_more);
    }
  }
  if (n_more > 0) {
    messages.push_back(fmt::format("and {} more", n_more));
  }
  return messages;
}

auto can_compile_glsl() -> bool {
  return find_program(kGlslCompiler).has_value();
}

auto compile_glsl(const std::string& path) -> Result<GlslCompilation> {
  const std::optional<std::string> compiler = find_program(kGlslCompiler);
  if (!compiler) {
    return Error{fmt::format("there is no {} to compile kernels", kGlslCompiler)};
  }
  const TemporaryFile output;
  if (!output.is_there()) {
    return Error{"cannot create a temporary file for a compiled kernel"};
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.starts_with('-')) {
    name = "./" + name;
  }
  constexpr std::chrono::seconds kMostTime{60};
  Result<ChildOutput> ended = run_child(
      {*compiler, "-V", "--target-env", "vulkan1.0", "-S", "comp", "-o", output.path(), name},
      folder, CancellationToken(), {.time = kMostTime});
  if (!ended) {
    return ended.error();
  }
  if (ended->is_out_of_time) {
    return Error{
        fmt::format("{} took more than {} s for {}", kGlslCompiler, kMostTime.count(), path)};
  }
  GlslCompilation compilation;
  if (ended->exit_code == 0) {
    compilation.code = output.words();
  }
  if (compilation.code.empty()) {
    compilation.messages = glsl_messages(ended->output + "\n" + ended->errors);
    if (compilation.messages.empty()) {
      compilation.messages.push_back(
          fmt::format("{} ended with status {}", kGlslCompiler, ended->exit_code));
    }
  }
  return compilation;
}

}  // namespace tacet::cli
