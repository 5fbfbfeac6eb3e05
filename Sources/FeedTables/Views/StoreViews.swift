package import SQLite

/// The views for the user's queries: of all changes, and of each model.
///
/// - Isolation: the store's.
package final class StoreViews {
    /// True if the view `change` may lack a table, for example after another process ended early.
    package var changeViewMayLag = true
    /// The models whose views may lack a feed or a column.
    package var modelsThatMayLag: Set<String> = []
    /// For each feed whose items may have lists with views, its definition and the first of the runs that may have
    /// changed them.
    private var runsWithLists: [String: (run: Int64, definition: FeedDefinition)] = [:]
    /// The models whose views this process has checked.
    private(set) var modelsOfThisProcess: Set<String> = []

    /// Records a run of a feed with a model.
    ///
    /// - Parameter hasNewShape: True if the run found new columns or a key.
    package func noteRun(ofModel model: String?, hasNewShape: Bool) {
        guard let model, hasNewShape || !modelsOfThisProcess.contains(model) else { return }
        modelsThatMayLag.insert(model)
    }

    /// Records a run whose items may have lists with views. One look at the feed's rows serves all its runs.
    package func noteLists(of definition: FeedDefinition, run: Int64) {
        let first = min(run, runsWithLists[definition.owner]?.run ?? run)
        runsWithLists[definition.owner] = (first, definition)
    }

    /// Updates the views after a run that may have changed them.
    ///
    /// The views are for the user's queries: if they cannot be written now, a later run does it. So does the next run
    /// of the model if this process ends first.
    package func refresh(in transactions: Transactions) {
        guard transactions.openFeeds.isEmpty else { return }
        let connection = transactions.connection
        // With a companion, the views of all feeds are the other database's. What is found out of lists is for it, too.
        let hasUnions = connection.companion == nil
        do {
            try transactions.checkFile()
            if hasUnions, changeViewMayLag {
                try connection.transaction { try ChangeView.apply(to: connection) }
                changeViewMayLag = false
            }
            while let (feed, first) = runsWithLists.first {
                try ListViews.follow(first.definition, run: first.run, on: connection)
                runsWithLists[feed] = nil
            }
            for model in modelsThatMayLag where hasUnions {
                try connection.transaction { try ModelView(model: model).apply(to: connection) }
                modelsThatMayLag.remove(model)
                modelsOfThisProcess.insert(model)
            }
        } catch {}
    }

    /// Creates all views of a store whose tables are written.
    package static func makeAll(on connection: Connection) throws {
        try ChangeView.apply(to: connection)
        try ListViews.makeAll(on: connection)
        for model in try models(on: connection) { try ModelView(model: model).apply(to: connection) }
    }

    /// Runs `body`, which renames, drops or creates feeds' tables, without our views.
    ///
    /// A view that refers to a missing table would keep every table from being renamed.
    package static func without(on connection: Connection, _ body: () throws -> Void) throws {
        let models = try models(on: connection).filter {
            try UnionView.drop(TableSchema.tableName($0), on: connection)
        }
        _ = try UnionView.drop("change", on: connection)
        try ListViews.dropAll(on: connection)
        try body()
        try ListViews.makeAll(on: connection)
        for model in models { try ModelView(model: model).apply(to: connection) }
        try ChangeView.apply(to: connection)
    }

    private static func models(on connection: Connection) throws -> [String] {
        try connection.all("SELECT DISTINCT model FROM feed WHERE model IS NOT NULL") { $0.text(at: 0) ?? "" }
    }
}

extension Transactions {
    /// The views of the open store.
    package var views: StoreViews { attachment(StoreViews.init) }
}

extension Store {
    /// The views of the open store.
    package var views: StoreViews { transactions.views }
}
