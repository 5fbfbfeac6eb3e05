package import HTTP

extension PollingAdvice {
    /// The advice in a response.
    package init(_ response: Response) {
        self.init()
        pollInterval = response.pollInterval?.components.seconds
        freshFor = response.freshness?.components.seconds
        isModified = response.isModified
    }
}
