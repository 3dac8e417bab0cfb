#include "cli/joint/joint_program.h"

#include <fmt/format.h>

#include "cli/run/built_program.h"

namespace tacet::cli {

auto read_joint_program(const std::string& path) -> Result<engine::HeBundle> {
  Result<EncryptedProgram> program = read_built_program(path);
  if (!program) {
    return program.error();
  }
  auto* bundle = std::get_if<engine::HeBundle>(&*program);
  if (bundle == nullptr || !engine::has_joint_key(*bundle)) {
    return Error{fmt::format(
        "`{}` is for a key of one holder; `tacet build --key-holders N` makes one for N", path)};
  }
  return std::move(*bundle);
}

}  // namespace tacet::cli
