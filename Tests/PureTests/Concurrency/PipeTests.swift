import Concurrency
import Glibc
import Testing

@Suite("A pipe") struct PipeTests {
    @Test("Its ends go to no child that is started meanwhile: a read ends when this process closes the other end")
    func children() throws {
        let pipe = try Pipe.open()
        defer { close(pipe.read) }
        let child = try ChildProcess.start(["/bin/sleep", "600"], environment: [:])
        defer {
            kill(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        #expect(write(pipe.write, "x", 1) == 1)
        close(pipe.write)
        var bytes: [UInt8] = [0, 0]
        #expect(read(pipe.read, &bytes, 2) == 1)
        var polled = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
        #expect(poll(&polled, 1, 10_000) == 1)
        #expect(polled.revents & Int16(POLLHUP) != 0)
    }
}
