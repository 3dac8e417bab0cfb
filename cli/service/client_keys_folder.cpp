#include "cli/service/client_keys_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/atomic_write.h"

namespace tacet::service {

auto ClientKeysFolder::open(std::string path) -> Result<ClientKeysFolder> {
  if (Status status = cli::make_private_folder(path); !status) {
    return status.error();
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ClientKeysFolder folder(path, descriptor);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX) != 0) {
    return Error{fmt::format("cannot use the folder `{}`: {}", path, std::strerror(errno))};
  }
  return folder;
}

ClientKeysFolder::ClientKeysFolder(ClientKeysFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

auto ClientKeysFolder::operator=(ClientKeysFolder&& other) noexcept -> ClientKeysFolder& {
  path_.swap(other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ClientKeysFolder::~ClientKeysFolder() {
  unlock();
}

void ClientKeysFolder::unlock() {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) {
    ::close(descriptor);
  }
}

auto ClientKeysFolder::has_keys() const -> bool {
  std::error_code failed;
  return std::filesystem::exists(path_ + "/secret", failed);
}

auto ClientKeysFolder::write(std::span<const std::byte> keys, const SecureBytes& secret) const
    -> Status {
  const auto text_of = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (Status status = cli::write_or_create(path_ + "/keys", text_of(keys)); !status) {
    return status;
  }
  return cli::write_private(path_ + "/secret", text_of(secret));
}

static auto read_client_file(std::string path) -> Result<cli::ExchangedFile> {
  Result<SecureBytes> bytes = cli::read_bytes(path);
  return bytes ? cli::ExchangedFile{std::move(path), std::move(*bytes)}
               : Result<cli::ExchangedFile>(bytes.error());
}

auto ClientKeysFolder::read_secret() const -> Result<cli::ExchangedFile> {
  return read_client_file(path_ + "/secret");
}

auto ClientKeysFolder::read_keys(const cli::ExchangedFile& secret) const
    -> Result<cli::ExchangedFile> {
  Result<cli::ExchangedFile> keys = read_client_file(path_ + "/keys");
  if (!keys) {
    return keys.error();
  }
  Result<cli::Belonging> belonging = cli::read_header(secret.named(), cli::ExchangeFile::Secret);
  if (!belonging) {
    return belonging.error();
  }
  if (belonging->keys != cli::digest_of_file(keys->content)) {
    return Error{fmt::format("`{}` and `{}` do not belong together; remove both to make new keys",
                             keys->path, secret.path)};
  }
  return keys;
}

}  // namespace tacet::service
