#pragma once

#include <cstddef>
#include <cstdint>

/// The functions of the plug-in for MPI, which is a shared object of its own that is opened when a
/// run has several ranks: Tacet itself needs no MPI. C types alone, as the two sides may have
/// different C++ libraries.
extern "C" {

/// Changes with anything below.
#define TACET_MPI_PLUGIN_VERSION 2

struct TacetMpiPlugin {
  uint32_t version;
  /// Joins the ranks that were started together; the process may do so once. Where that fails:
  /// null, and a text in `error`. A rank that is silent for so many seconds is lost.
  void* (*open)(double silence_seconds, char* error, size_t error_size);
  uint32_t (*rank)(const void* session);
  uint32_t (*n_ranks)(const void* session);
  const char* (*host)(const void* session, uint32_t rank);
  /// Sends a message later, and calls `let_go`, from any thread, when its bytes are not needed any
  /// more.
  void (*send)(void* session, uint32_t to, const void* bytes, size_t size, void (*let_go)(void*),
               void* holder);
  /// Waits for a message: 1, with its bytes, which `release` frees; 0 after `close`; -1 if the rank
  /// `from` was lost.
  int (*receive)(void* session, uint32_t* from, void** bytes, size_t* size);
  void (*release)(void* bytes);
  /// Ends `receive`.
  void (*close)(void* session);
  /// Sends what is left, waits for all ranks to get here, and leaves MPI. If a rank was lost, ends
  /// all processes of the run, this one too.
  void (*finish)(void* session);
};

/// The one function that the shared object exports: `const TacetMpiPlugin*`.
using TacetMpiPluginFunction = const TacetMpiPlugin* (*)();
#define TACET_MPI_PLUGIN_FUNCTION "tacet_mpi_plugin"
}
