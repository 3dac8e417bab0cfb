#pragma once

#include <string>

#include "engine/he_distributed/rank_link.h"

namespace tacet::engine {

/// How many processes a launcher started together with this one, by its environment: `mpirun` of
/// Open MPI, or `srun` of Slurm. 1 if there was none.
auto launched_ranks() -> uint32_t;

/// Opens the plug-in for MPI, a shared object in one of the `folders`, and joins the ranks. A rank
/// that gives no sign of life for so long is lost.
auto open_mpi_link(const std::vector<std::string>& folders, double silence_seconds)
    -> Result<std::unique_ptr<RankLink>>;

}  // namespace tacet::engine
