internal import Platform
internal import PostgreSQL

/// The command `feedsync`.
///
/// The main thread reads the command line and then only waits for signals; the command runs on another one. Therefore
/// no handler ever interrupts anything, and the reaction to a signal may take its time.
@main
enum Feedsync {
    static func main() {
        // First of all: a worker that was just started is asked to read its configuration again, and not ended by it.
        let interruption = Interruption()
        StandardStreams.secure()
        let environment = Environment.current
        CrashReport.leaveToSystem(environment)
        CrashReport.refuseCoreFiles(environment)
        // libcurl would write the keys of every connection there. Nobody reads the environment by then.
        unsetenv(KeyLog.variable)
        let console = Console(environment: environment)
        // Swift reads it from /proc, and says nothing if it cannot; a program's own name is always there.
        guard !CommandLine.arguments.isEmpty else {
            console.report(
                Failure(
                    .tryLater, ["cannot read its own command line from /proc/self/cmdline"],
                    advice: "run it again; where /proc is not mounted, mount it"))
            end(.tryLater)
        }
        let invocation: Invocation
        do throws(Failure) {
            invocation = try Invocation(CommandLine.arguments.dropFirst(), helpWidth: console.helpWidth)
        } catch {
            console.report(error)
            end(error.code)
        }
        console.follow(invocation)
        guard StandardStreams.hasRoom else {
            console.report(
                Failure(.store, ["too few files can be opened at once"], advice: "allow more, as with `ulimit -n 1024`")
            )
            end(.store)
        }
        guard platform_has_events() != 0 else {
            console.report(
                Failure(
                    .tryLater, ["the system gives it no events (epoll, eventfd)"],
                    advice: "run it again; in a sandbox, allow these calls"))
            end(.tryLater)
        }
        guard platform_has_threads(Int32(clamping: Self.leastThreads)) != 0 else {
            console.report(
                Failure(
                    .tryLater, ["the system starts too few threads"],
                    advice: "allow more threads and memory, as with ulimit -u, ulimit -v, or TasksMax= of a unit"))
            end(.tryLater)
        }
        let command = Task.detached {
            let code = await invocation.run(environment: environment, console: console, rereads: interruption.rereads)
            end(interruption.code ?? console.failure?.code ?? code)
        }
        let running = invocation.command
        interruption.wait(endsGracefully: running.endsGracefully, rereads: running.rereadsConfiguration) {
            command.cancel()
            SilentServer.end(at: .now)
        }
    }

    /// The threads without which a command may wait for ever: of the store, of libcurl, of libdispatch's own, and some
    /// that run Swift's tasks, of which there is at most one for each core.
    private static let leastThreads = 3 + min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)

    /// Ends the process without the C library's clean-up: libraries with threads of their own would be taken apart
    /// under them, and everything has been written.
    private static func end(_ code: ExitCode) -> Never {
        OutputFile.discard()
        _exit(code.rawValue)
    }
}

extension Invocation {
    /// Runs the command, and prints on stderr why it failed.
    fileprivate func run(
        environment: [String: String], console: Console, rereads: AsyncStream<Void>
    ) async -> ExitCode {
        let session = Session(invocation: self, environment: environment, console: console, rereads: rereads)
        do throws(Failure) {
            try session.checkStore()
            if let path = options[.output], path != "-" { try console.startFile(path) }
            let code = try await command.run(session)
            try await session.shared.end()
            console.endPager()
            try console.finishFile()
            return code
        } catch {
            // The first failure is reported.
            do throws(Failure) { try await session.shared.end() } catch {}
            console.endPager()
            console.report(error)
            return error.code
        }
    }
}
