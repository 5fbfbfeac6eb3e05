internal import SQLite

extension Store {
    /// Updates the view `change` and those of models after a run that may have changed them.
    ///
    /// The views are for the user's queries: if they cannot be written now, a later run does it. So does the next run
    /// of the model if this process ends first.
    func refreshViews() {
        guard transactions.writers.isEmpty else { return }
        do {
            try transactions.checkFile()
            if changeViewMayLag {
                try connection.transaction { try ChangeView.apply(to: connection) }
                changeViewMayLag = false
            }
            for model in modelsThatMayLag {
                try connection.transaction { try ModelView(model: model).apply(to: connection) }
                modelsThatMayLag.remove(model)
                modelsOfThisProcess.insert(model)
            }
        } catch {}
    }
}
