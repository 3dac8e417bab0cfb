#include "engine/cggi/server_key.h"

#include <fmt/format.h>

#include "engine/cggi/key_generation.h"

namespace tacet::cggi {
namespace {

constexpr size_t kRowAlignment = 16;  // words of the widest vector

auto check_sizes_of(const EvaluationKey& key) -> Status {
  const Parameters& p = key.parameters;
  if (Status status = check_parameters(p); !status) {
    return status;
  }
  const size_t n_rotation = p.lwe_dimension * ggsw_bodies_size(p);
  const size_t n_switch = size_t{p.extracted_dimension()} * p.key_switch.n_levels;
  if (key.rotation_bodies.size() != n_rotation || key.key_switch_bodies.size() != n_switch) {
    return Error{fmt::format(
        "the evaluation key has {} and {} words, but its parameters need {} and {}",
        key.rotation_bodies.size(), key.key_switch_bodies.size(), n_rotation, n_switch)};
  }
  return std::monostate{};
}

}  // namespace

ServerKey::ServerKey(const EvaluationKey& key, Isa isa)
    : parameters_(key.parameters),
      id_(key.id),
      kernels_(&kernels_for(isa)),
      tables_(std::make_unique<FourierTables>(parameters_.polynomial_size, kernels_->lanes)),
      rotation_shape_{.n_components = size_t{parameters_.glwe_dimension} + 1,
                      .polynomial_size = parameters_.polynomial_size,
                      .n_elements = parameters_.lwe_dimension,
                      .decomposition = parameters_.rotation},
      switch_shape_{
          .n_inputs = parameters_.extracted_dimension(),
          .row_stride = (parameters_.lwe_dimension + kRowAlignment) / kRowAlignment * kRowAlignment,
          .decomposition = parameters_.key_switch} {
  const auto pool = std::make_shared<ring::RowPool>();
  rotation_rows_ = ring::Rows(pool, parameters_.lwe_dimension, rotation_shape_.element_size());
  const size_t n_words =
      switch_shape_.n_inputs * parameters_.key_switch.n_levels * switch_shape_.row_stride;
  switch_rows_ = ring::Rows(pool, 1, n_words / 2);
}

auto ServerKey::make(const EvaluationKey& key, Executor& executor, Isa isa) -> Result<ServerKey> {
  if (Status status = check_sizes_of(key); !status) {
    return status.error();
  }
  ServerKey server(key, isa);
  const RotationShape& shape = server.rotation_shape_;
  executor.for_each(shape.n_elements, [&](size_t i) {
    std::vector<uint64_t> element(ggsw_size(key.parameters));
    AlignedReals scratch(shape.polynomial_size);
    expand_rotation_element(key, i, element, isa);
    auto* const out = reinterpret_cast<double*>(server.rotation_rows_.row(i));
    server.kernels_->transform_element(shape, *server.tables_, element.data(), out, scratch.data());
  });
  auto* const words = reinterpret_cast<uint32_t*>(server.switch_rows_.row(0));
  const size_t stride = server.switch_shape_.row_stride;
  executor.for_each(server.switch_shape_.n_inputs, [&](size_t i) {
    expand_key_switch_rows(key, i, stride, words + i * key.parameters.key_switch.n_levels * stride,
                           isa);
  });
  return server;
}

auto ServerKey::rotation_key() const -> const double* {
  return reinterpret_cast<const double*>(rotation_rows_.row(0));
}

auto ServerKey::rotation_stride() const -> size_t {
  return ring::row_stride(rotation_shape_.element_size());
}

auto ServerKey::switch_key() const -> const uint32_t* {
  return reinterpret_cast<const uint32_t*>(switch_rows_.row(0));
}

auto ServerKey::size() const -> size_t {
  return (rotation_stride() * rotation_shape_.n_elements + switch_rows_.n()) * sizeof(uint64_t);
}

}  // namespace tacet::cggi
