/// Waits until a condition is true, with short pauses: a loop that only yields takes the threads that other tests need, and
/// goes on for ever once its test is over.
///
/// - Throws: `CancellationError` if the test's time is over; the error of `condition`.
package func until(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
