#include "cli/run/client_record.h"

#include <fmt/format.h>

#include <utility>

namespace tacet::cli {

auto ClientRecord::of_secret(const NamedBytes& secret, const FileDigest& program)
    -> Result<std::unique_ptr<ClientRecord>> {
  const Result<Belonging> read = read_header(secret, ExchangeFile::Secret);
  if (!read) {
    return read.error();
  }
  Belonging keys = read.value();
  if (keys.program != program) {
    return of_other_program(secret.name);
  }
  const FileDigest inputs = std::exchange(keys.inputs, {});
  auto record = std::make_unique<ClientRecord>(keys);
  record->knows_all_inputs_ = inputs != FileDigest{};
  if (record->knows_all_inputs_) {
    record->inputs_.insert(inputs);
  }
  return record;
}

auto ClientRecord::inputs_of(const he::Bytes& objects) -> he::Bytes {
  he::Bytes inputs = file_of(ExchangeFile::Inputs, keys_, objects);
  const FileDigest digest = digest_of_file(inputs);
  const std::lock_guard lock(mutex_);
  inputs_.insert(digest);
  return inputs;
}

auto ClientRecord::belonging_of_secret() const -> Belonging {
  Belonging belonging = keys_;
  const std::lock_guard lock(mutex_);
  if (knows_all_inputs_ && inputs_.size() == 1) {
    belonging.inputs = *inputs_.begin();
  }
  return belonging;
}

auto ClientRecord::check_results(const NamedBytes& results, std::string_view owner) const
    -> Status {
  Result<Belonging> read = read_header(results, ExchangeFile::Results);
  if (!read) {
    return read.error();
  }
  if (read->program != keys_.program) {
    return of_other_program(results.name);
  }
  const std::lock_guard lock(mutex_);
  const bool is_own = read->keys == keys_.keys &&
                      (!knows_all_inputs_ || inputs_.find(read->inputs) != inputs_.end());
  return is_own ? Status(std::monostate{})
                : Status(foreign(results.name,
                                 fmt::format("an exchange other than that of `{}`", owner)));
}

}  // namespace tacet::cli
