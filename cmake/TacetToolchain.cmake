# Speeds the build up with what the machine happens to have, and needs none of it: ccache as
# the launcher, mold or lld as the linker.

find_program(TACET_CCACHE ccache)
mark_as_advanced(TACET_CCACHE)
if(TACET_CCACHE)
  # ccache rejects precompiled headers unless it knows which differences do not matter.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TACET_CCACHE})
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
endif()

if(EMSCRIPTEN)
  return()
endif()
include(CheckLinkerFlag)
foreach(linker lld mold)
  check_linker_flag(CXX -fuse-ld=${linker} TACET_HAS_${linker})
  if(TACET_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
