#include "cli/run/run_option_rules.h"

#include <fmt/format.h>

namespace tacet::cli {

/// An option that says how parties compute, though there are none.
static auto option_of_mpc(const RunOptions& options) -> std::string_view {
  if (options.device == RunDevice::Mpc) {
    return {};
  }
  return options.names_protocol                       ? "--protocol"
         : options.names_correlations                 ? "--correlations"
         : options.truncation != RunTruncation::Exact ? "--truncation"
         : options.in_process                         ? "--in-process"
         : options.purpose == RunPurpose::Plan        ? "--plan"
                                                      : std::string_view();
}

/// An option that says how to encrypt, though nothing is to be encrypted.
static auto option_of_he(const RunOptions& options, bool is_compiled) -> std::string_view {
  if (options.device == RunDevice::He || is_compiled) {
    return {};
  }
  return options.scheme != RunScheme::Auto              ? "--scheme"
         : options.costs != RunCosts::Measured          ? "--costs"
         : options.names_security                       ? "--security"
         : options.n_key_holders > 1                    ? "--key-holders"
         : options.relinearise != RunRelinearise::Exact ? "--relinearise"
         : options.sums != RunSums::Client              ? "--sums"
         : options.names_failure                        ? "--failure"
         : options.link_megabits > 0                    ? "--link"
         : options.takes_ranges_from_data               ? "--range-from-data"
                                                        : std::string_view();
}

/// Timelines are of parties, and of kernels on a GPU.
static auto may_have_trace(const RunOptions& options, bool is_compiled) -> bool {
  const bool may_use_gpu = options.device == RunDevice::Auto || options.device == RunDevice::Gpu;
  return options.trace.empty() || options.device == RunDevice::Mpc || (may_use_gpu && !is_compiled);
}

auto mistake_in(const RunOptions& options, bool is_compiled) -> std::string {
  if (const std::string_view option = option_of_mpc(options); !option.empty()) {
    return fmt::format("`{}` requires `--device mpc`", option);
  }
  if (options.is_checked && (options.device != RunDevice::He || is_compiled)) {
    return is_compiled ? "`--check` requires a source, not a compiled program"
                       : "`--check` requires `--device he`";
  }
  if (!may_have_trace(options, is_compiled)) {
    return "`--trace` requires `--device mpc`, or a coordinator function with kernels on a GPU";
  }
  if (options.device == RunDevice::Gpu && is_compiled) {
    return "a compiled program does not run on a GPU";
  }
  if (const std::string_view option = option_of_he(options, is_compiled); !option.empty()) {
    return fmt::format("`{}` requires `--device he`", option);
  }
  if (options.names_failure && options.scheme != RunScheme::Auto &&
      options.scheme != RunScheme::Cggi) {
    return "`--failure` requires `--scheme cggi`: the other schemes have no bootstraps";
  }
  if (options.purpose == RunPurpose::Run && (options.latency || options.bandwidth)) {
    return "`--latency` and `--bandwidth` require `--plan`";
  }
  return !options.target.pipeline.empty() && !options.target.function.empty()
             ? "`--pipeline` cannot be combined with `--fn`"
             : std::string();
}

}  // namespace tacet::cli
