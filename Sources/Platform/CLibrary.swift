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
