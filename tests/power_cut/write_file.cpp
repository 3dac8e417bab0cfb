// write_file HOW PATH: writes a file as Tacet does.

#include <string>
#include <string_view>

#include "cli/atomic_write.h"

auto main(int argc, char** argv) -> int {
  using namespace tacet::cli;
  if (argc != 3) {
    return 2;
  }
  const std::string_view how = argv[1];
  const std::string text(100'000, 'b');
  const tacet::Status status = how == "private"       ? write_private(argv[2], text)
                               : how == "new_private" ? write_new_private(argv[2], text)
                               : how == "replace"     ? write_atomically(argv[2], text)
                                                      : write_or_create(argv[2], text);
  return status ? 0 : 1;
}
