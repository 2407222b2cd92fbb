# What Cleave stands on. The core (map, rules, physics) needs a C compiler and libm; files need the rest. A static library
# leaves this to whoever links it, so the installed package includes this file, too.
#
# cleave_libraries is what to link; CLEAVE_HAVE_CHOLMOD says whether the sparse direct solver is there.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(cleave_yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(cleave_hdf5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(cleave_cairo REQUIRED IMPORTED_TARGET cairo)
set(cleave_libraries Threads::Threads ZLIB::ZLIB PkgConfig::cleave_yaml PkgConfig::cleave_hdf5 PkgConfig::cleave_cairo m
                     ${CMAKE_DL_LIBS})

# Debian's SuiteSparse has no package file of its own. Its CHOLMOD is used where it is.
find_path(CLEAVE_CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(CLEAVE_CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CLEAVE_CHOLMOD_INCLUDE CLEAVE_CHOLMOD_LIBRARY)
if(CLEAVE_CHOLMOD_INCLUDE AND CLEAVE_CHOLMOD_LIBRARY)
  set(CLEAVE_HAVE_CHOLMOD ON)
  list(APPEND cleave_libraries ${CLEAVE_CHOLMOD_LIBRARY})
else()
  set(CLEAVE_HAVE_CHOLMOD OFF)
endif()
