package import HTTP

extension PollingAdvice {
    /// What a response says.
    package init(_ response: Response) {
        self.init()
        pollInterval = response.pollInterval?.components.seconds
        freshFor = response.freshness?.components.seconds
        isModified = response.isModified
    }
}
