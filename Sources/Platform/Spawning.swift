// Pointers that may be nil on macOS, structures elsewhere.
#if canImport(Darwin)
package func emptySpawnActions() -> posix_spawn_file_actions_t? { nil }
package func emptySpawnAttributes() -> posix_spawnattr_t? { nil }
#else
package func emptySpawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
package func emptySpawnAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }
#endif
