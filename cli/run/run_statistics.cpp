#include "cli/run/run_statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run/cost_tables.h"
#include "engine/he_runtime/statistics.h"

namespace tacet::cli {

using engine::HeOpcode;
using engine::HeOperationKind;

namespace {

/// One line of a table and one member of an object. Text is in JSON as it is.
struct Entry {
  std::string key;      ///< in JSON; empty for none
  std::string json;     ///< the value there
  std::string name;     ///< in the table; empty for none
  std::string value{};  ///< there, if it is not the same
};

auto number(std::string key, uint64_t value, std::string name) -> Entry {
  return {.key = std::move(key), .json = fmt::format("{}", value), .name = std::move(name)};
}

auto word(std::string key, std::string_view value, std::string name) -> Entry {
  return {.key = std::move(key),
          .json = fmt::format("\"{}\"", value),
          .name = std::move(name),
          .value = std::string(value)};
}

auto lower(std::string_view text) -> std::string {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

/// Whether one side of a computation can know of it: who only encrypts has computed nothing.
auto applies(HeSide side, std::string_view key) -> bool {
  const auto is_one_of = [&](std::initializer_list<std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const bool is_computed =
      is_one_of({"rotations", "ct_ct_products", "ct_pt_products", "relinearisations",
                 "ct_additions", "depth", "bootstraps", "input_plaintexts", "server_inputs"});
  switch (side) {
    case HeSide::Both:
      return true;
    case HeSide::ClientBegins:
      return !is_computed && !is_one_of({"output_ciphertexts", "noise_budget_left_bits"});
    case HeSide::Server:
      return !is_one_of({"noise_budget_left_bits", "input_bytes", "rotation_key_bytes"});
    case HeSide::ClientEnds:
      return !is_computed && !is_one_of({"input_ciphertexts", "rotation_keys", "input_bytes",
                                         "rotation_key_bytes", "bytes_sent"});
  }
  return true;
}

auto megabytes(std::string key, uint64_t bytes, std::string name, int n_decimals) -> Entry {
  return {.key = std::move(key),
          .json = fmt::format("{}", bytes),
          .name = std::move(name),
          .value = fmt::format("{:.{}f} MB", static_cast<double>(bytes) / 1e6, n_decimals)};
}

auto bits(std::string key, double n, std::string name) -> Entry {
  return {.key = std::move(key),
          .json = fmt::format("{:.1f}", n),
          .name = std::move(name),
          .value = fmt::format("{:.1f} bits", n)};
}

auto seconds_entry(std::string key, double seconds, std::string name) -> Entry {
  return {.key = std::move(key),
          .json = fmt::format("{:.6f}", seconds),
          .name = std::move(name),
          .value = fmt::format("{:.6f} s", seconds)};
}

void add_parameters(const HeCosts& costs, std::vector<Entry>& entries) {
  const std::string moduli = fmt::format("{}", fmt::join(costs.plain_moduli, ","));
  const bool is_one = costs.plain_moduli.size() == 1;
  entries.insert(entries.end(),
                 {word("scheme", lower(he::scheme_name(costs.scheme)), "scheme"),
                  number("ring_dimension", costs.ring_dimension, "ring dimension"),
                  Entry{.key = "modulus_bits",
                        .json = fmt::format("{:.1f}", costs.modulus_bits),
                        .name = "modulus bits"},
                  Entry{.key = "plaintext_modulus",
                        .json = is_one ? moduli : "[" + moduli + "]",
                        .name = "plaintext modulus",
                        .value = fmt::format("{}", fmt::join(costs.plain_moduli, " and "))},
                  number("security", static_cast<uint64_t>(costs.security), "security"),
                  number("key_holders", costs.n_key_holders, "key holders"),
                  number("slots", costs.n_slots, "slots"),
                  number("scale_bits", costs.scale_bits, "scale bits"),
                  Entry{.key = "tolerance",
                        .json = fmt::format("{:.3g}", costs.tolerance),
                        .name = "error (from exact)"},
                  Entry{.key = "error_bound",
                        .json = fmt::format("{:.3g}", costs.error_bound),
                        .name = "error (from ref)"}});
}

void add_operations(const HeCosts& costs, std::vector<Entry>& entries) {
  const engine::HeCounts& counts = costs.statistics.counts;
  const auto both = [&](HeOpcode opcode) {
    return counts.of(opcode, HeOperationKind::Cipher) +
           counts.of(opcode, HeOperationKind::CipherPlain);
  };
  const auto on_ciphers = [&](HeOpcode opcode) {
    return counts.of(opcode, HeOperationKind::Cipher);
  };
  entries.insert(
      entries.end(),
      {number("input_ciphertexts", costs.statistics.n_encrypted, "input ciphertexts"),
       number("input_plaintexts", costs.n_input_plaintexts, "input plaintexts"),
       number("output_ciphertexts", costs.statistics.n_decrypted, "output ciphertexts"),
       number("rotations", on_ciphers(HeOpcode::Rotate) + on_ciphers(HeOpcode::Swap), "rotations"),
       number("rotation_keys", costs.n_rotation_keys, "rotation keys"),
       number("ct_ct_products", on_ciphers(HeOpcode::Mul), "ct-ct products"),
       number("ct_pt_products", counts.of(HeOpcode::Mul, HeOperationKind::CipherPlain),
              "ct-pt products"),
       number("relinearisations", on_ciphers(HeOpcode::Relinearise), "relinearisations"),
       number("ct_additions", both(HeOpcode::Add) + both(HeOpcode::Sub), "ct additions"),
       number("depth", costs.statistics.depth, "depth")});
  if (costs.statistics.n_added != 0) {
    entries.push_back(number("client_additions", costs.statistics.n_added, "client's additions"));
  }
  if (const size_t n = on_ciphers(HeOpcode::Bootstrap); n != 0) {
    entries.push_back(number("bootstraps", n, "bootstraps"));
  }
}

void add_hiding(const engine::HidingCosts& hiding, std::vector<Entry>& entries) {
  entries.insert(
      entries.end(),
      {word("server_inputs", hiding.n_ciphertexts > 0 ? "hidden" : "shown", "server's inputs"),
       number("hidden_ciphertexts", hiding.n_ciphertexts, "hidden ciphertexts"),
       Entry{.key = "hiding_distance_bits",
             .json = fmt::format("{:.0f}", hiding.distance_bits),
             .name = "hiding distance",
             .value = fmt::format("2^-{:.0f}", hiding.distance_bits)},
       bits("hiding_budget_bits", hiding.budget_bits, "hiding cost")});
}

void add_he_entries(const HeCosts& costs, std::vector<Entry>& entries) {
  add_parameters(costs, entries);
  add_operations(costs, entries);
  add_hiding(costs.statistics.hiding, entries);
  entries.insert(
      entries.end(),
      {bits("noise_budget_left_bits", costs.noise_budget_left, "noise budget left"),
       megabytes("input_bytes", costs.input_bytes, "input bytes", 2),
       megabytes("rotation_key_bytes", costs.rotation_key_bytes, "rotation key bytes", 2),
       megabytes("holder_bytes_sent", costs.joint_bytes, "sent by each holder", 1),
       megabytes("bytes_sent", costs.bytes_sent, "sent", 1)});
  const bool is_real = costs.plain_moduli.empty();
  std::erase_if(entries, [&](const Entry& entry) {
    const bool is_of_reals =
        entry.key == "scale_bits" || entry.key == "error_bound" || entry.key == "tolerance";
    const bool is_of_hiding = entry.key.starts_with("hid");
    return !applies(costs.side, entry.key) || (is_of_reals && !is_real) ||
           (entry.key == "server_inputs" && !costs.has_server_inputs) ||
           (entry.key == "key_holders" && costs.n_key_holders == 1) ||
           (entry.key == "holder_bytes_sent" && costs.joint_bytes == 0) ||
           (is_of_hiding && costs.statistics.hiding.n_ciphertexts == 0) ||
           (is_real && entry.key == "plaintext_modulus");
  });
}

/// Whether one side of a computation under CGGI can know of it.
auto applies_to_bits(HeSide side, std::string_view key) -> bool {
  const bool is_computed = key == "bootstraps" || key == "bootstrap_depth";
  const bool is_sent = key == "key_bytes" || key == "input_bytes";
  switch (side) {
    case HeSide::Both:
      return true;
    case HeSide::ClientBegins:
      return !is_computed && key != "output_ciphertexts";
    case HeSide::Server:
      return !is_sent;
    case HeSide::ClientEnds:
      return !is_computed && !is_sent && key != "input_ciphertexts" && key != "bytes_sent";
  }
  return true;
}

void add_cggi_entries(const CggiCosts& costs, std::vector<Entry>& entries) {
  const cggi::Parameters& p = costs.parameters;
  const auto digits = [](std::string key, const cggi::Decomposition& d, std::string name) {
    return Entry{.key = std::move(key),
                 .json = fmt::format("[{},{}]", d.log2_base, d.n_levels),
                 .name = std::move(name),
                 .value = fmt::format("2^{} x {}", d.log2_base, d.n_levels)};
  };
  std::vector<Entry> all = {
      word("scheme", "cggi", "scheme"),
      number("security", 128, "security"),
      {.key = "failure_log2",
       .json = fmt::format("{:.1f}", costs.log2_failure),
       .name = "failure",
       .value = fmt::format("2^{:.1f}", costs.log2_failure)},
      number("lwe_dimension", p.lwe_dimension, "LWE dimension"),
      number("glwe_dimension", p.glwe_dimension, "GLWE dimension"),
      number("polynomial_size", p.polynomial_size, "polynomial size"),
      digits("rotation_digits", p.rotation, "rotation digits"),
      digits("key_switch_digits", p.key_switch, "key switch digits"),
      number("bootstraps", costs.n_bootstraps, "bootstraps"),
      number("bootstrap_depth", costs.depth, "bootstrap depth"),
      number("input_ciphertexts", costs.n_input_ciphertexts, "input ciphertexts"),
      number("output_ciphertexts", costs.n_output_ciphertexts, "output ciphertexts"),
      megabytes("key_bytes", costs.key_bytes, "evaluation key", 2),
      megabytes("input_bytes", costs.input_bytes, "input bytes", 2),
      megabytes("bytes_sent", costs.bytes_sent, "sent", 2)};
  std::erase_if(all, [&](const Entry& entry) { return !applies_to_bits(costs.side, entry.key); });
  entries.insert(entries.end(), all.begin(), all.end());
}

void add_mpc_entries(const MpcCosts& costs, std::vector<Entry>& entries) {
  entries.insert(entries.end(), {word("protocol", mpc::protocol_name(costs.protocol), "protocol"),
                                 number("parties", costs.n_parties, "parties"),
                                 number("rounds", costs.rounds, "rounds"),
                                 number("bytes_sent", costs.bytes_sent, "bytes sent"),
                                 number("messages", costs.messages, "messages")});
  if (costs.encrypted) {
    const mpc::HandOverCosts& encrypted = *costs.encrypted;
    entries.insert(entries.end(),
                   {number("encrypted_rounds", encrypted.rounds, "encrypted: rounds"),
                    number("encrypted_bytes_sent", encrypted.bytes_sent, "encrypted: bytes"),
                    number("encrypted_key_bytes_sent", encrypted.key_bytes_sent, "encrypted: keys"),
                    seconds_entry("encrypted_seconds", encrypted.seconds, "encrypted: time")});
  }
  if (costs.log_slack) {
    entries.push_back({.key = "statistical_slack_log2",
                       .json = fmt::format("{:.1f}", *costs.log_slack),
                       .name = "statistical slack",
                       .value = fmt::format("2^{:.1f} (limit 2^-40)", *costs.log_slack)});
  }
}

auto source_of(GpuKernelsBy by) -> std::string_view {
  switch (by) {
    case GpuKernelsBy::Gpu:
      return "gpu";
    case GpuKernelsBy::Externs:
      return "extern";
    case GpuKernelsBy::Specifications:
      return "specification";
    case GpuKernelsBy::Nobody:
      break;
  }
  return "none";
}

void add_gpu_entries(const GpuCosts& costs, std::vector<Entry>& entries) {
  entries.push_back(word("kernels_by", source_of(costs.by), "kernels by"));
  if (costs.by != GpuKernelsBy::Gpu) {
    return;
  }
  const engine::GpuStatistics& statistics = costs.statistics;
  entries.insert(
      entries.end(),
      {Entry{.key = "gpu",
             .json = nlohmann::json(costs.name.name).dump(),
             .name = "gpu",
             .value = costs.name.name},
       Entry{
           .key = "gpu_is_software", .json = costs.name.is_software ? "true" : "false", .name = ""},
       number("gpu_encodings", statistics.n_encodings, "encodings"),
       number("gpu_kernels", statistics.n_kernels, "kernels"),
       number("gpu_bytes_copied", statistics.bytes_copied, "bytes copied"),
       seconds_entry("gpu_await_seconds", statistics.await_seconds, "await")});
  if (statistics.kernel_seconds) {
    entries.push_back(
        seconds_entry("gpu_kernel_seconds", *statistics.kernel_seconds, "in kernels"));
  }
}

/// All but the times, in the order of the page of the command line.
auto entries_of(const RunStatistics& statistics) -> std::vector<Entry> {
  std::vector<Entry> entries = {word("device", statistics.device, "device")};
  if (statistics.he) {
    add_he_entries(*statistics.he, entries);
  }
  if (statistics.cggi) {
    add_cggi_entries(*statistics.cggi, entries);
  }
  if (statistics.mpc) {
    add_mpc_entries(*statistics.mpc, entries);
  }
  if (statistics.gpu) {
    add_gpu_entries(*statistics.gpu, entries);
  }
  if (statistics.instructions) {
    entries.push_back(number("instructions", *statistics.instructions,
                             statistics.mpc ? "instructions" : "steps"));
  }
  if (statistics.check.error) {
    entries.push_back({.key = "measured_error",
                       .json = fmt::format("{:.3g}", *statistics.check.error),
                       .name = "measured error"});
  } else if (statistics.check.is_done) {
    entries.push_back({.key = "equals_ref", .json = "true", .name = "same as ref", .value = "yes"});
  }
  entries.push_back(
      {.key = "peak_memory_bytes",
       .json = fmt::format("{}", statistics.peak_memory_bytes),
       .name = "peak memory",
       .value = fmt::format("{:.1f} MB", static_cast<double>(statistics.peak_memory_bytes) / 1e6)});
  entries.push_back(
      number("threads", statistics.n_threads, statistics.he || statistics.cggi ? "threads" : ""));
  if (!statistics.seed.empty()) {
    entries.push_back(word("seed", statistics.seed, "seed"));
  }
  return entries;
}

auto times_of(const RunSeconds& seconds)
    -> std::vector<std::pair<std::string_view, std::optional<double>>> {
  return {{"parse", seconds.parse},       {"check", seconds.check},
          {"schedule", seconds.schedule}, {"optimise", seconds.optimise},
          {"keygen", seconds.keygen},     {"prepare", seconds.prepare},
          {"encrypt", seconds.encrypt},   {"evaluate", seconds.evaluate},
          {"hide", seconds.hide},         {"decrypt", seconds.decrypt},
          {"total", seconds.total}};
}

}  // namespace

auto statistics_table(const RunStatistics& statistics) -> std::string {
  // A run in plaintext has short names alone.
  const size_t width = statistics.he || statistics.cggi ? 18 : 12;
  std::string text = "\n";
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<{}} {:>12}\n", name, width, value);
  };
  for (const Entry& entry : entries_of(statistics)) {
    if (!entry.name.empty()) {
      row(entry.name, entry.value.empty() ? entry.json : entry.value);
    }
  }
  for (const auto& [name, time] : times_of(statistics.seconds)) {
    if (time) {
      row(name, fmt::format("{:.6f} s", *time));
    }
  }
  if (statistics.he) {
    text += rank_table(*statistics.he);
  }
  if (statistics.mpc) {
    text += mpc_link_table(*statistics.mpc) + operation_table(*statistics.mpc);
    text += statistics.has_details ? instruction_table(*statistics.mpc) : "";
  }
  return text;
}

auto statistics_as_json(const RunStatistics& statistics) -> std::string {
  std::vector<std::string> members;
  for (const Entry& entry : entries_of(statistics)) {
    members.push_back(fmt::format("\"{}\":{}", entry.key, entry.json));
  }
  if (statistics.he && !statistics.he->ranks.empty()) {
    members.push_back("\"ranks\":" + ranks_as_json(*statistics.he));
  }
  if (statistics.mpc) {
    members.push_back("\"operations\":" + operations_as_json(*statistics.mpc));
    if (!statistics.mpc->links.empty()) {
      members.push_back("\"links\":" + mpc_links_as_json(*statistics.mpc));
    }
  }
  if (statistics.mpc && statistics.has_details) {
    members.push_back("\"lines\":" + lines_as_json(*statistics.mpc));
  }
  std::vector<std::string> times;
  for (const auto& [name, time] : times_of(statistics.seconds)) {
    if (time) {
      times.push_back(fmt::format("\"{}\":{:.6f}", name, *time));
    }
  }
  return fmt::format("{{{},\"seconds\":{{{}}}}}", fmt::join(members, ","), fmt::join(times, ","));
}

void set_encrypted_costs(const HeCosts& costs, RunStatistics& statistics) {
  statistics.device = "he";
  statistics.n_threads = costs.n_threads;
  RunSeconds& seconds = statistics.seconds;
  const HeSide side = costs.side;
  if (side == HeSide::Both || side == HeSide::ClientBegins) {
    seconds.keygen = costs.keygen_seconds;
    seconds.encrypt = costs.statistics.encrypt_seconds;
  }
  if (side == HeSide::Both || side == HeSide::Server) {
    seconds.prepare = costs.prepare_seconds;
    seconds.evaluate = costs.statistics.compute_seconds;
    if (costs.statistics.hiding.n_ciphertexts > 0) {
      seconds.hide = costs.statistics.hiding.seconds;
    }
  }
  if (side == HeSide::Both || side == HeSide::ClientEnds) {
    seconds.decrypt = costs.statistics.decrypt_seconds;
  }
  statistics.he = costs;
}

void set_encrypted_costs(const CggiCosts& costs, RunStatistics& statistics) {
  statistics.device = "he";
  statistics.n_threads = costs.n_threads;
  RunSeconds& seconds = statistics.seconds;
  const HeSide side = costs.side;
  if (side == HeSide::Both || side == HeSide::ClientBegins) {
    seconds.keygen = seconds.keygen.value_or(0) + costs.keygen_seconds;
    seconds.encrypt = seconds.encrypt.value_or(0) + costs.encrypt_seconds;
  }
  if (side == HeSide::Both || side == HeSide::Server) {
    seconds.prepare = seconds.prepare.value_or(0) + costs.prepare_seconds;
    seconds.evaluate = seconds.evaluate.value_or(0) + costs.evaluate_seconds;
  }
  if (side == HeSide::Both || side == HeSide::ClientEnds) {
    seconds.decrypt = seconds.decrypt.value_or(0) + costs.decrypt_seconds;
  }
  statistics.cggi = costs;
}

}  // namespace tacet::cli
