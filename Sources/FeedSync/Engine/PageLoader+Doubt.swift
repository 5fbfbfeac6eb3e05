internal import HTTP

extension PageLoader {
    /// The page with a notice about paths in the definition that match nothing. Only for the first page that was ever
    /// loaded.
    package func doubting(_ loaded: LoadedPage, _ fetch: Fetch) -> LoadedPage {
        guard fetch.page.cursor == nil, fetch.stored == nil, case .decoded = loaded.content,
            loaded.fetched.response.body.count <= 4 << 20,
            let notice = UnmatchedPaths(
                shape.declared, items: (loaded.shape ?? shape).definition.items, in: loaded.fetched.response.body,
                loaded.end)?.notice
        else { return loaded }
        var loaded = loaded
        loaded.end = loaded.end.adding(notice: loaded.page.secrets.mask(notice))
        return loaded
    }
}
