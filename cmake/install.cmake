# What `cmake --install` puts down: library, headers, licence, a CMake package and a pkg-config file. Both packages find
# the rest relative to themselves, so an installed tree may be moved.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)
install(TARGETS cleave EXPORT cleaveTargets FILE_SET HEADERS)
install(EXPORT cleaveTargets NAMESPACE cleave:: DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Before 1.0 a minor version may break callers.
write_basic_package_version_file(cleaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/cleaveConfig.cmake.in cleaveConfig.cmake INSTALL_DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/cleaveConfig.cmake ${PROJECT_BINARY_DIR}/cleaveConfigVersion.cmake
              cmake/dependencies.cmake
        DESTINATION ${package_dir})

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE to_prefix)
if(CLEAVE_HAVE_CHOLMOD)
  set(cholmod_flag -lcholmod)
endif()
configure_file(cmake/cleave.pc.in cleave.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cleave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
