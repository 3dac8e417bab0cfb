#include "engine/cggi/bootstrap_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cggi/modulus_switch.h"

namespace tacet::cggi {
namespace {

/// The memory that a batch works in.
struct Workspace {
  Workspace(const ServerKey& key, size_t n_jobs)
      : n_words(key.parameters().extracted_dimension() + size_t{1}),
        accumulator_size(key.rotation_shape().n_components *
                         accumulator_stride(key.parameters().polynomial_size)),
        sums(n_jobs * n_words),
        switched(n_jobs * key.switch_shape().row_stride),
        rotations(n_jobs),
        accumulators(n_jobs * accumulator_size),
        scratch(rotation_scratch(key.rotation_shape())) {}

  size_t n_words;
  size_t accumulator_size;
  std::vector<Torus> sums;
  std::vector<uint32_t> switched;
  std::vector<SwitchedCiphertext> rotations;
  ring::AlignedWords accumulators;
  AlignedReals scratch;
};

void add_up(const BootstrapJob& job, const Ciphertexts& values, Torus* sum) {
  const size_t n = values.n_words();
  for (const Term& term : job.terms) {
    const Torus* const words = values.at(term.index);
    const auto weight = static_cast<Torus>(int64_t{term.weight});
    for (size_t j = 0; j < n; ++j) {
      sum[j] += weight * words[j];
    }
  }
  sum[n - 1] += job.offset;
}

void switch_keys(const ServerKey& key, size_t n_jobs, Workspace& work) {
  const uint64_t* inputs[kMaxLockStep];
  uint32_t* outputs[kMaxLockStep];
  for (size_t job = 0; job < n_jobs; ++job) {
    inputs[job] = work.sums.data() + job * work.n_words;
    outputs[job] = work.switched.data() + job * key.switch_shape().row_stride;
    const Torus body = inputs[job][work.n_words - 1];
    constexpr Torus kHalf = Torus{1} << (kLog2SwitchedModulus - 1);
    outputs[job][key.parameters().lwe_dimension] =
        static_cast<uint32_t>((body + kHalf) >> kLog2SwitchedModulus);
  }
  key.kernels().switch_keys(key.switch_shape(), key.switch_key(), inputs, outputs, n_jobs);
}

/// The test polynomial times X^-r, without a mask.
void start_accumulator(const Parameters& p, const Table& table, uint32_t r, uint64_t* accumulator) {
  const size_t n = p.polynomial_size;
  uint64_t* const body = accumulator + p.glwe_dimension * accumulator_stride(n);
  for (size_t j = 0; j < n; ++j) {
    const size_t place = j + r;
    const Torus word = table.polynomial[place & (n - 1)];
    body[j] = (place & n) != 0 ? Torus{0} - word : word;
  }
}

/// Coefficient `s` of a GLWE ciphertext as an LWE ciphertext.
void extract_sample(const Parameters& p, const uint64_t* accumulator, size_t s, Torus* out) {
  const size_t n = p.polynomial_size;
  for (size_t c = 0; c < p.glwe_dimension; ++c) {
    const uint64_t* const mask = accumulator + c * accumulator_stride(n);
    for (size_t i = 0; i <= s; ++i) {
      *out++ = mask[s - i];
    }
    for (size_t i = s + 1; i < n; ++i) {
      *out++ = Torus{0} - mask[n + s - i];
    }
  }
  *out = accumulator[p.glwe_dimension * accumulator_stride(n) + s];
}

void run_batch(const ServerKey& key, std::span<const BootstrapJob> jobs,
               const Ciphertexts& values) {
  const Parameters& p = key.parameters();
  Workspace work(key, jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    add_up(jobs[i], values, work.sums.data() + i * work.n_words);
  }
  switch_keys(key, jobs.size(), work);
  RotationJob rotations[kMaxLockStep];
  for (size_t i = 0; i < jobs.size(); ++i) {
    const uint32_t* const switched = work.switched.data() + i * key.switch_shape().row_stride;
    switch_modulus(std::span(switched, p.lwe_dimension + size_t{1}), p.polynomial_size,
                   jobs[i].table->log2_tables, work.rotations[i]);
    uint64_t* const accumulator =
        work.accumulators.data() + i * work.accumulator_size + kAccumulatorPad;
    start_accumulator(p, *jobs[i].table, work.rotations[i].body, accumulator);
    rotations[i] = {accumulator, work.rotations[i].mask.data()};
  }
  key.kernels().rotate(key.rotation_shape(), key.tables(), key.rotation_key(),
                       key.rotation_stride(), rotations, jobs.size(), work.scratch.data());
  for (size_t i = 0; i < jobs.size(); ++i) {
    for (size_t s = 0; s < size_t{1} << jobs[i].table->log2_tables; ++s) {
      extract_sample(p, rotations[i].accumulator, s, jobs[i].first_output + s * work.n_words);
    }
  }
}

}  // namespace

void run_jobs(const ServerKey& key, std::span<const BootstrapJob> jobs, const Ciphertexts& values,
              const Batching& batching) {
  if (jobs.empty()) {
    return;
  }
  const size_t lock_step = std::clamp(batching.lock_step, size_t{1}, kMaxLockStep);
  size_t n_batches = (jobs.size() + lock_step - 1) / lock_step;
  // As many for each thread, if there are enough jobs.
  const size_t n_threads = std::max(1U, batching.n_threads);
  n_batches = (n_batches + n_threads - 1) / n_threads * n_threads;
  n_batches = std::min(n_batches, jobs.size());
  batching.executor.for_each(n_batches, [&](size_t batch) {
    const size_t begin = jobs.size() * batch / n_batches;
    const size_t end = jobs.size() * (batch + 1) / n_batches;
    run_batch(key, jobs.subspan(begin, end - begin), values);
  });
}

auto Accesses::check_range(uint32_t index) const -> Status {
  if (index >= states_.size()) {
    return Error{fmt::format("there is no ciphertext {}: there are {}", index, states_.size())};
  }
  return std::monostate{};
}

auto Accesses::read(uint32_t index) -> Status {
  if (Status status = check_range(index); !status) {
    return status;
  }
  if (states_[index] == State::Written) {
    return Error{fmt::format("ciphertext {} is read and written by tasks of one set", index)};
  }
  states_[index] = State::Read;
  return std::monostate{};
}

auto Accesses::write(uint32_t index) -> Status {
  if (Status status = check_range(index); !status) {
    return status;
  }
  if (states_[index] != State::Unused) {
    return Error{fmt::format("ciphertext {} is written by one task and used by another", index)};
  }
  states_[index] = State::Written;
  return std::monostate{};
}

}  // namespace tacet::cggi
