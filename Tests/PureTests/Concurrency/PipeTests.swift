import Concurrency
import Platform
import Testing

@Suite("A pipe") struct PipeTests {
    @Test("A pipe's ends are not inherited by a child started meanwhile: a read ends with this process's last close")
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
