#pragma once

#include <functional>

#include "cli/service/request_client.h"

/// What a client asks a service, beyond single messages.
namespace tacet::service {

/// An error if the service does not evaluate the program of this digest, which messages call
/// `name`.
auto check_served(const Welcome& welcome, const cli::FileDigest& program, const std::string& name)
    -> Status;

/// Sends the keys of a client (`RequestClient::store_keys`).
using SendKeys = std::function<Result<std::optional<Refusal>>(RequestClient&)>;

/// The results of inputs, as an exchange file. Sends the keys when the service asks for them, and
/// repeats what it asks to be repeated, at most for so long. A safe point while it waits.
auto ask_until_answered(RequestClient& service, std::span<const std::byte> inputs,
                        const SendKeys& send_keys, milliseconds most) -> Result<he::Bytes>;

}  // namespace tacet::service
