// The system's C library, and shims for what differs from system to system. Only this module names them, so that the
// package has one place to look at on another system.
@_exported public import CPlatform

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#else
@_exported public import Glibc
#endif

// Pointers that may be nil on macOS, structures elsewhere.
#if canImport(Darwin)
package func emptySpawnActions() -> posix_spawn_file_actions_t? { nil }
package func emptySpawnAttributes() -> posix_spawnattr_t? { nil }
#else
package func emptySpawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
package func emptySpawnAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }
#endif
