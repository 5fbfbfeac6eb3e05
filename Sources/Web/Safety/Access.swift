/// The conditions for the users of a server.
package struct Access: Sendable {
    /// Reads the token that changes need, which may be another one by now; nil if everyone who can reach
    /// the server may change something.
    package var token: (@Sendable () -> String?)?
    /// True if reading needs the token, too.
    package var isPrivate = false
    /// The names by which proxies pass requests on, besides the server's own; a name may have a port.
    package var hosts: [String] = []
    /// The addresses of proxies, whose word for a client's address and scheme counts.
    package var proxies: [String] = []
    /// The origins of other sites whose scripts may use the API.
    package var origins: [String] = []
    /// The shortest time that a wrong token takes.
    package var wrongTokenPause = Duration.seconds(1)
    /// Keeps the sessions that ended by signing out over a restart: takes some with the times at which they began, and
    /// the time before which none counts any more; returns all that are kept.
    package var mergeSignOuts: @Sendable (_ ended: [String: Int], _ since: Int) -> [String: Int] = { ended, _ in ended }
    /// Reports wrong tokens.
    package var report: @Sendable (String) -> Void = { _ in }

    package init() {}
}
