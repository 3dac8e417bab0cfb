#include "engine/cggi/gates.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cggi/bootstrap_batch.h"
#include "engine/cggi/encryption.h"

namespace tacet::cggi {
namespace {

constexpr size_t kMaxTerms = 3;

using Terms = std::array<Term, kMaxTerms>;

auto note_gate(const Gate& gate, Accesses& accesses) -> Status {
  for (size_t i = 0; i < gate_form(gate.kind).n_inputs; ++i) {
    if (Status status = accesses.read(gate.inputs[i].index); !status) {
      return status;
    }
  }
  return std::monostate{};
}

/// The inputs of all gates are noted before any output is, so that the order of gates is no matter.
auto check_level(std::span<const Gate> level, size_t n_values) -> Status {
  Accesses accesses(n_values);
  for (const Gate& gate : level) {
    if (Status status = note_gate(gate, accesses); !status) {
      return status;
    }
  }
  for (const Gate& gate : level) {
    if (Status status = accesses.write(gate.output); !status) {
      return status;
    }
  }
  return std::monostate{};
}

/// The jobs of a level; what they point to stays where it is.
class LevelJobs {
 public:
  LevelJobs(const ServerKey& key, std::span<const Gate> level, Ciphertexts& values)
      : table_(sign_table(key.parameters(), kBitAmplitude)), values_(values) {
    const auto n_muxes = static_cast<size_t>(std::count_if(
        level.begin(), level.end(), [](const Gate& g) { return g.kind == GateKind::Mux; }));
    second_parts_ = Ciphertexts(key.parameters(), key.id(), n_muxes);
    terms_.reserve(level.size() + n_muxes);
    jobs_.reserve(level.size() + n_muxes);
    for (const Gate& gate : level) {
      add_gate(gate);
    }
  }

  [[nodiscard]] auto jobs() const -> std::span<const BootstrapJob> { return jobs_; }

  /// Of the two parts of a multiplexer at most one is true.
  void add_second_parts() {
    for (size_t i = 0; i < muxes_.size(); ++i) {
      Torus* const out = values_.at(muxes_[i]);
      const Torus* const other = second_parts_.at(i);
      for (size_t j = 0; j < values_.n_words(); ++j) {
        out[j] += other[j];
      }
      out[values_.n_words() - 1] += kBitAmplitude;
    }
  }

 private:
  void add_gate(const Gate& gate) {
    if (gate.kind != GateKind::Mux) {
      add_job(gate_form(gate.kind), std::span(gate.inputs), values_.at(gate.output));
      return;
    }
    const GateForm& both = gate_form(GateKind::And);
    const auto& [condition, if_true, if_false] = gate.inputs;
    add_job(both, std::array{condition, if_true}, values_.at(gate.output));
    add_job(both, std::array{GateInput{condition.index, !condition.inverted}, if_false},
            second_parts_.at(muxes_.size()));
    muxes_.push_back(gate.output);
  }

  void add_job(const GateForm& form, std::span<const GateInput> inputs, Torus* output) {
    Terms& terms = terms_.emplace_back();
    for (size_t i = 0; i < form.n_inputs; ++i) {
      terms[i] = {inputs[i].index, inputs[i].inverted ? -form.weights[i] : form.weights[i]};
    }
    jobs_.push_back({.terms = std::span(terms).first(form.n_inputs),
                     .offset = kBitAmplitude * static_cast<Torus>(int64_t{form.offset_eighths}),
                     .table = &table_,
                     .first_output = output});
  }

  Table table_;
  Ciphertexts& values_;
  Ciphertexts second_parts_;
  std::vector<Terms> terms_;
  std::vector<BootstrapJob> jobs_;
  std::vector<uint32_t> muxes_;  ///< outputs
};

}  // namespace

auto evaluate(const ServerKey& key, std::span<const Gate> level, Ciphertexts& values,
              const Batching& batching) -> Status {
  if (values.id() != key.id()) {
    return Error{"the ciphertexts belong to another key"};
  }
  if (Status status = check_level(level, values.size()); !status) {
    return status;
  }
  LevelJobs jobs(key, level, values);
  run_jobs(key, jobs.jobs(), values, batching);
  jobs.add_second_parts();
  return std::monostate{};
}

void copy_bit(const GateInput& from, uint32_t to, Ciphertexts& values) {
  TACET_CHECK(from.index < values.size() && to < values.size(), "no such ciphertext");
  const Torus* const in = values.at(from.index);
  Torus* const out = values.at(to);
  for (size_t j = 0; j < values.n_words(); ++j) {
    out[j] = from.inverted ? Torus{0} - in[j] : in[j];
  }
}

void sum_bits(std::span<const GateInput> from, uint32_t to, Ciphertexts& values) {
  // n terms of -1/8, of which one may be 1/8.
  set_bit(0, to, values);
  Torus* const out = values.at(to);
  for (const GateInput& input : from) {
    TACET_CHECK(input.index < values.size() && input.index != to, "no such ciphertext");
    const Torus* const in = values.at(input.index);
    for (size_t j = 0; j < values.n_words(); ++j) {
      out[j] += input.inverted ? Torus{0} - in[j] : in[j];
    }
    out[values.n_words() - 1] += kBitAmplitude;
  }
}

void set_bit(uint8_t bit, uint32_t to, Ciphertexts& values) {
  TACET_CHECK(to < values.size(), "no such ciphertext");
  std::fill_n(values.at(to), values.n_words(), Torus{0});
  values.at(to)[values.n_words() - 1] = encode_bit(bit);
}

}  // namespace tacet::cggi
