#include "cli/joint/joint_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/joint/joint_inputs.h"
#include "cli/values/given_values.h"
#include "cli/values/he_values.h"

namespace tacet::cli {

auto encrypt_for_holders(const engine::HeBundle& bundle, const RunOptions& options,
                         const std::string& folder,
                         const std::function<engine::PublicRandomKey()>& key, HeCosts& costs,
                         Invocation& invocation) -> Result<std::string> {
  if (options.values.empty() && options.inputs.empty()) {
    return Error{fmt::format(
        "`{}` is for a key of {} holders: name the inputs to encrypt, `--input NAME=@FILE`; the "
        "holders decrypt results with `tacet joint decrypt`",
        options.file, bundle.n_key_holders)};
  }
  Result<std::vector<interpret::EntryParameter>> parameters =
      parameters_of(bundle, engine::HeOwner::Client);
  if (!parameters) {
    return parameters.error();
  }
  const std::vector<interpret::EntryParameter> given =
      given_parameters(*parameters, options.values, options.inputs);
  Result<std::vector<interpret::Value>> values =
      given_values(given, options.values, options.inputs, key, Secrets::OfThisSide, invocation);
  Result<engine::HeIntegers> numbers =
      values ? integers_of(given, *values) : Result<engine::HeIntegers>(values.error());
  if (!numbers) {
    return numbers.error();
  }
  if (Status written = write_contributions(bundle, *numbers, folder, costs); !written) {
    return written.error();
  }
  std::vector<std::string> files;
  for (const auto& [name, unused] : *numbers) {
    files.push_back(fmt::format("`{}/inputs.{}`", folder, name));
  }
  return fmt::format("wrote {} for the server", fmt::join(files, ", "));
}

}  // namespace tacet::cli
