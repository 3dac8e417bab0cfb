#include "cli/run/predicted_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/run/cggi_device.h"
#include "compiler/he/lower/key_memory.h"
#include "engine/cggi_model/choose_parameters.h"
#include "engine/he_model/noise_bounds.h"
#include "engine/program/he/facts.h"

namespace tacet::cli {

namespace {

class CostRows {
 public:
  void add(std::string_view name, std::string_view word) {
    rows_.push_back({std::string(name), std::string(word), fmt::format("\"{}\"", word)});
  }
  void add(std::string_view name, uint64_t number) {
    rows_.push_back({std::string(name), fmt::format("{}", number), fmt::format("{}", number)});
  }
  /// `shown` is the number with its unit, which `name` has in JSON.
  void add(std::string_view name, std::string shown, double number) {
    rows_.push_back({std::string(name), std::move(shown), fmt::format("{:.6g}", number)});
  }

  auto take() -> std::vector<CostRow> { return std::move(rows_); }

 private:
  std::vector<CostRow> rows_;
};

/// How many bits the noise has that each holder adds to its share of a decryption.
auto flooding_of(const engine::HeBundlePart& part) -> double {
  return std::ceil(he::kHidingBits + std::log2(static_cast<double>(part.program.ring_dimension())) +
                   part.noise_bound + 0.01);
}

void add_part(const engine::HeBundle& bundle, const engine::HeBundlePart& part, CostRows& rows) {
  const engine::HeFacts facts = engine::facts_of(part.program);
  const auto ciphers = [&](engine::HeOpcode opcode) {
    return facts.counts.of(opcode, engine::HeOperationKind::Cipher);
  };
  const auto sum = [](const std::vector<unsigned>& bits) {
    return std::accumulate(bits.begin(), bits.end(), uint64_t{0});
  };
  rows.add("scheme", engine::scheme_word(bundle.scheme));
  rows.add("ring dimension", part.program.ring_dimension());
  rows.add("modulus bits", sum(part.data_prime_bits) + sum(part.special_prime_bits));
  if (part.program.is_integer()) {
    rows.add("plaintext modulus", part.program.modulus);
  } else {
    rows.add("scale bits", uint64_t{part.program.scale_bits});
  }
  rows.add("security", uint64_t{static_cast<unsigned>(bundle.security)});
  if (engine::has_joint_key(bundle)) {
    rows.add("key holders", uint64_t{bundle.n_key_holders});
    rows.add("flooding", fmt::format("{:.0f} bits", flooding_of(part)), flooding_of(part));
  }
  rows.add("input ciphertexts", facts.n_input_ciphers);
  rows.add("rotations", ciphers(engine::HeOpcode::Rotate) + ciphers(engine::HeOpcode::Swap));
  rows.add("rotation keys", facts.rotations.size() + (facts.needs_swap ? 1 : 0));
  rows.add("ct-ct products", ciphers(engine::HeOpcode::Mul));
  rows.add("ct-pt products",
           facts.counts.of(engine::HeOpcode::Mul, engine::HeOperationKind::CipherPlain));
  rows.add("relinearisations", ciphers(engine::HeOpcode::Relinearise));
  rows.add("depth", facts.depth);
  if (const size_t n = ciphers(engine::HeOpcode::Bootstrap); n != 0) {
    rows.add("bootstraps", n);
    const double bytes = he_lower::bootstrapping_key_bytes(
        part.program.ring_dimension(), part.data_prime_bits.size(), part.special_prime_bits.size());
    rows.add("bootstrapping keys", fmt::format("{:.1f} GB", bytes / 1e9), bytes);
  }
  if (facts.has_server_inputs) {
    rows.add("server's inputs", bundle.is_unhidden ? "shown" : "hidden");
  }
  rows.add("noise budget left", fmt::format("{:.0f} bits", part.budget), part.budget);
  rows.add("estimated time", fmt::format("{:.2f} ms", part.microseconds / 1000),
           part.microseconds / 1000);
}

}  // namespace

auto predicted_costs(const engine::HeBundle& bundle) -> std::vector<CostRow> {
  CostRows rows;
  for (const engine::HeBundlePart& part : bundle.parts) {
    add_part(bundle, part, rows);
  }
  for (const engine::HeField& result : bundle.results) {
    if (result.error != 0) {
      rows.add("error bound", fmt::format("{:.3g}", result.error), result.error);
      rows.add("tolerance", fmt::format("{:.3g}", result.tolerance), result.tolerance);
    }
  }
  return rows.take();
}

auto predicted_costs(const engine::CggiProgram& program) -> std::vector<CostRow> {
  const CggiCosts costs = costs_of(program, HeSide::Both, 1);
  const cggi::Parameters& p = costs.parameters;
  CostRows rows;
  rows.add("scheme", "cggi");
  rows.add("security", uint64_t{128});
  rows.add("failure", fmt::format("2^{:.1f}", costs.log2_failure), costs.log2_failure);
  rows.add("LWE dimension", p.lwe_dimension);
  rows.add("GLWE dimension", p.glwe_dimension);
  rows.add("polynomial size", p.polynomial_size);
  rows.add("rotation digits", fmt::format("2^{} x {}", p.rotation.log2_base, p.rotation.n_levels));
  rows.add("key switch digits",
           fmt::format("2^{} x {}", p.key_switch.log2_base, p.key_switch.n_levels));
  const double key_bytes = cggi::bootstrap_cost(p, 1).stored_key_bytes;
  rows.add("evaluation key", fmt::format("{:.1f} MB", key_bytes / 1e6), key_bytes);
  rows.add("input ciphertexts", costs.n_input_ciphertexts);
  rows.add("output ciphertexts", costs.n_output_ciphertexts);
  rows.add("bootstraps", costs.n_bootstraps);
  rows.add("bootstrap depth", costs.depth);
  if (engine::has_server_inputs(program)) {
    rows.add("server's inputs", "shown");
  }
  return rows.take();
}

auto cost_table(const std::vector<CostRow>& rows) -> std::string {
  std::string text;
  for (const CostRow& row : rows) {
    text += fmt::format("  {:<18} {:>12}\n", row.name, row.value);
  }
  return text;
}

/// `server's inputs` as a member of JSON: `server_inputs`.
static auto member_name(std::string name) -> std::string {
  if (const size_t at = name.find("'s"); at != std::string::npos) {
    name.erase(at, 2);
  }
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

auto cost_json(const std::vector<CostRow>& rows) -> std::string {
  std::vector<std::pair<std::string, std::vector<std::string>>> members;
  for (const CostRow& row : rows) {
    auto same = std::find_if(members.begin(), members.end(),
                             [&](const auto& member) { return member.first == row.name; });
    if (same == members.end()) {
      same = members.insert(members.end(), {row.name, {}});
    }
    same->second.push_back(row.json);
  }
  std::string text = "{";
  for (const auto& [name, values] : members) {
    text += fmt::format("{}\"{}\": ", text.size() > 1 ? ", " : "", member_name(name));
    text += values.size() == 1 ? values.front() : fmt::format("[{}]", fmt::join(values, ", "));
  }
  return text + "}";
}

}  // namespace tacet::cli
