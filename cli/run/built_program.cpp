#include "cli/run/built_program.h"

#include <fmt/format.h>

#include "cli/run/run_compiled.h"
#include "engine/cggi_format/text.h"
#include "project/read_source.h"

namespace tacet::cli {

auto read_built_program(const std::string& path) -> Result<EncryptedProgram> {
  Result<std::string> text = project::read_source(path);
  if (!text) {
    return text.error();
  }
  const auto in_file = [&](const Error& error) {
    return Error{fmt::format("{}: {}", path, error.message)};
  };
  if (engine::is_cggi_program(*text)) {
    Result<engine::CggiProgram> program = engine::parse_cggi_program(*text);
    return program ? Result<EncryptedProgram>(std::move(*program)) : in_file(program.error());
  }
  if (engine::is_bundle(*text)) {
    Result<engine::HeBundle> bundle = engine::parse_bundle(*text);
    return bundle ? Result<EncryptedProgram>(std::move(*bundle)) : in_file(bundle.error());
  }
  return Error{
      fmt::format("`{0}` is not a compiled program; run `tacet build {0} -o OUT.he`", path)};
}

}  // namespace tacet::cli
