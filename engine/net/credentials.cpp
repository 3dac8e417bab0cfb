#include "engine/net/credentials.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>

#include "base/wipe.h"

namespace tacet::net {

namespace {

template <auto kFree>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Memory = std::unique_ptr<BIO, FreeWith<BIO_free>>;

auto memory_of(const std::string& text) -> Memory {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

auto text_of(const Memory& memory) -> std::string {
  char* data = nullptr;
  long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<size_t>(size)};
}

/// Never asks on the terminal.
auto no_password(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*data*/) -> int {
  return -1;
}

auto read_certificate(const std::string& pem) -> Certificate {
  Certificate certificate(PEM_read_bio_X509(memory_of(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return certificate;
}

auto read_key(const std::string& pem) -> Key {
  Key key(PEM_read_bio_PrivateKey(memory_of(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return key;
}

auto encoded(X509* certificate) -> std::string {
  unsigned char* der = nullptr;
  int size = i2d_X509(certificate, &der);
  std::string bytes(reinterpret_cast<const char*>(der), size > 0 ? static_cast<size_t>(size) : 0);
  OPENSSL_free(der);
  return bytes;
}

/// Random, as 16 bytes; certificates of one name must not be taken for each other.
auto set_serial(X509* certificate) -> bool {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    return false;
  }
  bytes[0] &= 0x7F;
  std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(BN_bin2bn(bytes.data(), bytes.size(), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

auto make_certificate(const std::string& name, int n_days, EVP_PKEY* key) -> Certificate {
  constexpr long kDay = 24 * 3600;
  Certificate certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !set_serial(certificate.get()) ||
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), n_days * kDay) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return nullptr;
  }
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(name.data()),
                                 static_cast<int>(name.size()), -1, 0) != 1 ||
      X509_set_issuer_name(certificate.get(), subject) != 1 ||
      X509_sign(certificate.get(), key, nullptr) == 0) {
    return nullptr;
  }
  return certificate;
}

}  // namespace

Credentials::~Credentials() {
  wipe(std::span(private_key));
}

auto Credentials::operator=(const Credentials& other) -> Credentials& {
  return *this = Credentials(other);
}

auto Credentials::operator=(Credentials&& other) noexcept -> Credentials& {
  private_key.swap(other.private_key);  // the other one wipes it
  certificate.swap(other.certificate);
  return *this;
}

auto make_credentials(const std::string& name, int n_days) -> Result<Credentials> {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  Certificate certificate = key ? make_certificate(name, n_days, key.get()) : nullptr;
  Memory key_text(BIO_new(BIO_s_secmem()));
  Memory certificate_text(BIO_new(BIO_s_mem()));
  if (!certificate || !key_text || !certificate_text ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1) {
    ERR_clear_error();
    return Error{fmt::format("cannot create a certificate for `{}`", name)};
  }
  return Credentials{text_of(key_text), text_of(certificate_text)};
}

auto digest_of(std::string_view text) -> std::string {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hexadecimal;
  for (unsigned i = 0; i < size; ++i) {
    hexadecimal += fmt::format("{:02x}", digest[i]);
  }
  return hexadecimal;
}

auto fingerprint(const std::string& certificate) -> Result<std::string> {
  Certificate read = read_certificate(certificate);
  if (!read) {
    return Error{"is not a PEM certificate"};
  }
  return digest_of(encoded(read.get()));
}

/// The day, as `2026-11-24`.
static auto day_of(const ASN1_TIME* time) -> std::string {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900,
                                                          parts.tm_mon + 1, parts.tm_mday)
                                            : "an unknown date";
}

auto validity_problem(const std::string& certificate) -> std::string {
  const Certificate read = read_certificate(certificate);
  if (!read) {
    return "has an unreadable certificate";
  }
  const ASN1_TIME* begin = X509_get0_notBefore(read.get());
  const ASN1_TIME* end = X509_get0_notAfter(read.get());
  if (X509_cmp_current_time(begin) >= 0) {
    return fmt::format("has a certificate that is not valid before {}", day_of(begin));
  }
  if (X509_cmp_current_time(end) <= 0) {
    return fmt::format("has a certificate that expired on {}", day_of(end));
  }
  return "";
}

auto TlsContext::make(const Credentials& own, const std::vector<std::string>& certificates,
                      Buffers buffers) -> Result<TlsContext> {
  TlsContext made;
  made.context_ = {SSL_CTX_new(TLS_method()), SSL_CTX_free};
  SSL_CTX* context = made.context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context,
                               "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                               "TLS_CHACHA20_POLY1305_SHA256") != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1) {
    return Error{"cannot set up TLS"};
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Several records of 16 KB in one call; otherwise each takes two, for its header and its content.
  SSL_CTX_set_read_ahead(context, 1);
  if (buffers == Buffers::Large) {
    SSL_CTX_set_default_read_buffer_len(context, size_t{128} << 10);
  } else {
    SSL_CTX_set_default_read_buffer_len(context, size_t{36} << 10);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  }

  Key key = read_key(own.private_key);
  Certificate certificate = read_certificate(own.certificate);
  if (!key || !certificate || SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    ERR_clear_error();
    return Error{!key           ? "cannot read the private key"
                 : !certificate ? "cannot read the certificate of this party"
                                : "the private key does not match the certificate"};
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
  for (size_t i = 0; i < certificates.size(); ++i) {
    Certificate trusted = read_certificate(certificates[i]);
    if (!trusted || X509_STORE_add_cert(store, trusted.get()) != 1) {
      return Error{fmt::format("cannot read the certificate of party {}", i)};
    }
    made.encoded_.push_back(encoded(trusted.get()));
  }
  return made;
}

auto TlsContext::new_connection(Role role) const -> ssl_st* {
  SSL* tls = SSL_new(context_.get());
  if (tls != nullptr && role == Role::Connects) {
    SSL_set_connect_state(tls);
  } else if (tls != nullptr) {
    SSL_set_accept_state(tls);
  }
  return tls;
}

auto TlsContext::peer_of(const ssl_st* tls) const -> size_t {
  Certificate shown(SSL_get1_peer_certificate(tls));
  std::string bytes = shown ? encoded(shown.get()) : std::string();
  return static_cast<size_t>(std::find(encoded_.begin(), encoded_.end(), bytes) - encoded_.begin());
}

}  // namespace tacet::net
