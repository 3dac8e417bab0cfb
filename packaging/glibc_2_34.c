// What the static libraries of g++ use of glibc after 2.34, for portable programs: linked into them, it is found
// before that of glibc.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// For std::random_device. In glibc since 2.36.
HIDDEN uint32_t arc4random(void) {
  uint32_t number = 0;
  // So few bytes are never interrupted once the kernel has entropy, and it waits for that.
  if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) {
    abort();
  }
  return number;
}

struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

/// Fills what is found if the module has the address, and ends the iteration with 1.
static int find_in_module(struct dl_phdr_info* module, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  uintptr_t start = UINTPTR_MAX;
  uintptr_t end = 0;
  uintptr_t frames = 0;
  int has_address = 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &module->dlpi_phdr[i];
    const uintptr_t first = module->dlpi_addr + segment->p_vaddr;
    const uintptr_t last = first + segment->p_memsz;
    if (segment->p_type == PT_LOAD) {
      start = first < start ? first : start;
      end = last > end ? last : end;
      has_address |= search->address >= first && search->address < last;
    } else if (segment->p_type == PT_GNU_EH_FRAME) {
      frames = first;
    }
  }
  if (!has_address || frames == 0) {
    return has_address ? -1 : 0;
  }
  search->found->dlfo_flags = 0;
  search->found->dlfo_map_start = (void*)start;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

/// For exceptions: where the tables of the module with an address are. In glibc since 2.35, where it
/// takes no lock.
HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(find_in_module, &search) == 1 ? 0 : -1;
}
