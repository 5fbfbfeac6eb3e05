import Platform

/// The process that gets a signal, and the number of requests before it.
struct SignalTarget {
    var process: Int32?
    private var signal: Int32 = 0
    private var requests = 0

    mutating func arm(_ signal: Int32, after requests: Int) {
        process = nil
        self.signal = signal
        self.requests = requests
    }

    mutating func disarm() { requests = 0 }

    mutating func countDown() {
        guard requests > 0 else { return }
        requests -= 1
        if requests == 0, let process { kill(process, signal) }
    }
}
