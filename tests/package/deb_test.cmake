# usage: cmake -DBUILD= -DWORK= -P …
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd --config ${BUILD}/CPackConfig.cmake -B ${WORK}
                WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE log ERROR_VARIABLE log
                COMMAND_ERROR_IS_FATAL ANY)

# check_package(NAME FIELDS… FILES…): the package holds the files, its control file the lines.
function(check_package name)
  cmake_parse_arguments(ARG "" "" "FIELDS;FILES" ${ARGN})
  file(GLOB package ${WORK}/${name}_*.deb)
  execute_process(COMMAND dpkg-deb --info ${package} OUTPUT_VARIABLE info
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND dpkg-deb --contents ${package} OUTPUT_VARIABLE contents
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(field IN LISTS ARG_FIELDS)
    if(NOT info MATCHES "${field}")
      message(FATAL_ERROR "${name}: no ${field} in\n${info}")
    endif()
  endforeach()
  foreach(file IN LISTS ARG_FILES)
    string(FIND "${contents}" " ./usr/${file}\n" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${name}: no ${file} in\n${contents}")
    endif()
  endforeach()
endfunction()

check_package(tacet
  FIELDS "Package: tacet\n" "Maintainer: Tacet developers\n" "Depends: [^\n]*libc6 [^\n]*libfmt9"
  FILES bin/tacet share/doc/tacet/copyright share/man/man1/tacet.1
        share/bash-completion/completions/tacet share/zsh/vendor-completions/_tacet
        share/fish/vendor_completions.d/tacet.fish
        share/tacet/editors/nvim/lua/tacet.lua share/tacet/editors/vim/syntax/tacet.vim
        share/tacet/editors/emacs/tacet-mode.el)
if(EXISTS ${BUILD}/cli/tacet_mpi.so)
  check_package(tacet-mpi
    FIELDS "Package: tacet-mpi\n" "Depends: tacet [^\n]*libopenmpi3"
    FILES lib/tacet/tacet_mpi.so share/doc/tacet-mpi/copyright)
endif()
check_package(libtacet1
  FIELDS "Package: libtacet1\n" "Depends: [^\n]*libc6 [^\n]*libssl3"
  FILES lib/libtacet.so.1.1.0)
check_package(libtacet-dev
  FIELDS "Package: libtacet-dev\n" "Depends: libtacet1[^\n]*libfmt-dev"
  FILES include/tacet.h lib/pkgconfig/tacet.pc include/tacet/base/id.h lib/tacet/libtacet_base.a lib/cmake/tacet/tacet-config.cmake)
file(REMOVE_RECURSE ${WORK})
