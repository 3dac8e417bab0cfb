#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "interface/handles.h"
#include "interface/quiet.h"

/// Errors as values that C can hold.
namespace tacet::interface {

auto error_of(tacet_status status, std::string message) -> tacet_error*;
auto error_of(tacet_status status, const Error& error) -> tacet_error*;
/// Of a program with errors.
auto error_of(std::span<const Diagnostic> diagnostics, cli::SourceSet& sources) -> tacet_error*;

auto diagnostics_of(std::span<const Diagnostic> diagnostics, cli::SourceSet& sources)
    -> std::unique_ptr<tacet_diagnostics>;

/// Runs the body of a function of the interface. No exception and no failed check leaves it; what
/// they say becomes an error.
auto guarded(const std::function<tacet_error*()>& body) noexcept -> tacet_error*;

/// The same for one that may take long: `control` stops it at the next safe point.
auto guarded(const tacet_control* control,
             const std::function<tacet_error*(const Listener&)>& body) noexcept -> tacet_error*;

/// Holds the sources. A call that waits for another one of them can be stopped.
auto locked(Sources& sources) -> std::unique_lock<std::recursive_timed_mutex>;

/// A text or bytes for the caller.
auto bytes_of(std::string text) -> tacet_bytes*;
auto bytes_of(std::vector<std::byte> bytes) -> tacet_bytes*;
auto bytes_of(SecureBytes bytes) -> tacet_bytes*;

/// For structures of C that begin with their size: copies as much of `from` as the caller knows of.
template <class Struct>
auto copy_known(const Struct& from, Struct* to) -> bool {
  if (to == nullptr || to->struct_size < sizeof(size_t)) {
    return false;
  }
  const size_t size = std::min(to->struct_size, sizeof(Struct));
  const size_t given = to->struct_size;
  std::memcpy(static_cast<void*>(to), &from, size);
  to->struct_size = given;
  return true;
}

/// The other way: what the caller set, and zeros behind it.
template <class Struct>
auto known_part(const Struct& given) -> Struct {
  Struct known{};
  std::memcpy(static_cast<void*>(&known), &given, std::min(given.struct_size, sizeof(Struct)));
  return known;
}

}  // namespace tacet::interface
