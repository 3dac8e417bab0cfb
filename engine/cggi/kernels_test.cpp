#include "engine/cggi/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/cggi/reference.h"
#include "engine/cggi/test_keys_test.h"

namespace tacet::cggi {
namespace {

/// Shapes of one element: every number of components, tile of columns and parity of passes.
constexpr struct {
  unsigned glwe_dimension;
  unsigned polynomial_size;
  Decomposition rotation;
} kShapes[] = {{1, 128, {8, 3}},  {2, 128, {12, 2}},  {3, 512, {17, 1}},
               {4, 512, {20, 1}}, {5, 128, {17, 1}},  {6, 256, {17, 1}},
               {7, 128, {30, 1}}, {1, 2048, {23, 1}}, {1, 1024, {15, 2}}};

auto random_words(size_t n, std::mt19937_64& random) -> std::vector<uint64_t> {
  std::vector<uint64_t> words(n);
  for (uint64_t& word : words) {
    word = random();
  }
  return words;
}

/// Accumulators of the same words, with pads.
auto padded(const Parameters& p, const Glwe& words) -> ring::AlignedWords {
  const size_t n = p.polynomial_size;
  ring::AlignedWords out((p.glwe_dimension + size_t{1}) * accumulator_stride(n));
  for (size_t i = 0; i < words.size(); ++i) {
    out[i / n * accumulator_stride(n) + kAccumulatorPad + i % n] = words[i];
  }
  return out;
}

/// Rotates `n_jobs` accumulators by one element and compares with schoolbook products.
void expect_products(const Parameters& p, Isa isa, size_t n_jobs) {
  std::mt19937_64 random(5);
  const Kernels& kernels = kernels_for(isa);
  const FourierTables tables(p.polynomial_size, kernels.lanes);
  const RotationShape shape{p.glwe_dimension + size_t{1}, p.polynomial_size, 1, p.rotation};
  const std::vector<uint64_t> element = random_words(ggsw_size(p), random);
  AlignedReals key(shape.element_size());
  AlignedReals scratch(rotation_scratch(shape));
  kernels.transform_element(shape, tables, element.data(), key.data(), scratch.data());
  std::vector<Glwe> inputs;
  std::vector<ring::AlignedWords> accumulators;
  std::vector<uint32_t> rotations;
  for (size_t job = 0; job < n_jobs; ++job) {
    inputs.push_back(random_words(shape.n_components * p.polynomial_size, random));
    accumulators.push_back(padded(p, inputs.back()));
    rotations.push_back(static_cast<uint32_t>(random() % (2 * p.polynomial_size)));
  }
  std::vector<RotationJob> jobs;
  for (size_t job = 0; job < n_jobs; ++job) {
    jobs.push_back({accumulators[job].data() + kAccumulatorPad, &rotations[job]});
  }
  kernels.rotate(shape, tables, key.data(), key.size(), jobs.data(), n_jobs, scratch.data());
  double square = 0;
  for (size_t job = 0; job < n_jobs; ++job) {
    Glwe difference = reference_shift(p, inputs[job], rotations[job]);
    for (size_t i = 0; i < difference.size(); ++i) {
      difference[i] -= inputs[job][i];
    }
    Glwe wanted = reference_external_product(p, element, difference);
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] += inputs[job][i];
    }
    const ring::AlignedWords expected = padded(p, wanted);
    for (size_t i = 0; i < expected.size(); ++i) {
      const bool is_pad = i % accumulator_stride(p.polynomial_size) < kAccumulatorPad;
      const double error = is_pad ? 0 : turns(accumulators[job][i], expected[i]);
      square += error * error / static_cast<double>(wanted.size() * n_jobs);
    }
  }
  EXPECT_LE(square, transform_variance(p));
}

TEST(CggiKernels, MultiplyAsSchoolbooksDo) {
  for (const Isa isa : supported_isas()) {
    for (const auto& [k, n, rotation] : kShapes) {
      SCOPED_TRACE(fmt::format("{} k = {} N = {}", isa_name(isa), k, n));
      const Parameters p = toy_parameters(k, n, rotation);
      expect_products(p, isa, 1);
      expect_products(p, isa, n >= 1024 ? 2 : 5);
    }
  }
}

TEST(CggiKernels, MultiplyByBinaryPolynomials) {
  std::mt19937_64 random(6);
  for (const size_t n : {128U, 256U, 1024U}) {
    const std::vector<uint64_t> a = random_words(n, random);
    const std::vector<uint64_t> start = random_words(n, random);
    std::vector<uint64_t> extended(2 * n);
    std::vector<uint64_t> masks(n);
    std::vector<uint64_t> expected = start;
    for (size_t i = 0; i < n; ++i) {
      extended[n + i] = a[i];
      extended[i] = uint64_t{0} - a[i];
      masks[i] = uint64_t{0} - (random() & 1);
    }
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        const uint64_t term = a[i] & masks[j];
        expected[(i + j) % n] += i + j < n ? term : uint64_t{0} - term;
      }
    }
    for (const Isa isa : supported_isas()) {
      std::vector<uint64_t> out = start;
      kernels_for(isa).add_binary_product(out.data(), extended.data(), masks.data(), n);
      EXPECT_EQ(out, expected) << isa_name(isa);
    }
  }
}

TEST(CggiKernels, SwitchKeysAsTheReferenceDoes) {
  for (const Isa isa : supported_isas()) {
    for (const Decomposition d : {Decomposition{4, 4}, {3, 5}, {10, 3}, {1, 1}, {2, 7}}) {
      Parameters p = toy_parameters(1, 128);
      p.key_switch = d;
      TestKeys keys(p, isa);
      std::mt19937_64 random(7);
      std::vector<std::vector<uint64_t>> inputs;
      std::vector<ring::AlignedWords> outputs;
      std::vector<const uint64_t*> in;
      std::vector<uint32_t*> out;
      const KeySwitchShape& shape = keys.server.switch_shape();
      for (size_t job = 0; job < 3; ++job) {
        inputs.push_back(random_words(p.extracted_dimension() + 1, random));
        inputs.back().back() = 0;
        outputs.emplace_back(shape.row_stride / 2);
      }
      for (size_t job = 0; job < 3; ++job) {
        in.push_back(inputs[job].data());
        out.push_back(reinterpret_cast<uint32_t*>(outputs[job].data()));
      }
      keys.server.kernels().switch_keys(shape, keys.server.switch_key(), in.data(), out.data(), 3);
      for (size_t job = 0; job < 3; ++job) {
        const std::vector<uint32_t> switched(out[job], out[job] + p.lwe_dimension + 1);
        EXPECT_EQ(switched, reference_switch_key(keys.evaluation, inputs[job], isa));
      }
    }
  }
}

}  // namespace
}  // namespace tacet::cggi
