#pragma once

#include <string>
#include <vector>

#include "engine/net/credentials.h"

namespace tacet::service {

/// A client that may connect.
struct AdmittedClient {
  std::string name;  ///< of the file, without `.crt`
  std::string certificate;
  std::string fingerprint;
};

/// The clients whose certificates are the files `*.crt` of a folder, by name. An error names a file
/// that is not a certificate, or two files with the same one.
auto read_admitted_clients(const std::string& folder) -> Result<std::vector<AdmittedClient>>;

/// A private key and the certificate beside it: `NAME.key` and `NAME.crt`, as `tacet party keygen`
/// writes them. Other users must not be able to read the key.
auto read_credentials(const std::string& key_file) -> Result<net::Credentials>;

/// A host and a port.
struct ServiceAddress {
  std::string host;
  uint16_t port = 0;
};
/// `HOST:PORT`, where an IPv6 address is in brackets. A port of 0 is any that is free.
auto parse_service_address(const std::string& text) -> Result<ServiceAddress>;
/// As it is written.
auto address_text(const ServiceAddress& address) -> std::string;

}  // namespace tacet::service
