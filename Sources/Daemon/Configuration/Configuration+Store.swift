internal import Store

extension Configuration {
    /// What the settings mean to the store.
    ///
    /// - Parameter readers: Read connections kept open.
    func storeConfiguration(readers: Int) -> Store.Configuration {
        var store = Store.Configuration(directory: self.stateDirectory)
        store.readerCount = readers
        store.answerCacheSize = self.store.answerCache.bytes
        store.keyRetention = self.store.keyRetention
        store.recordRetention = self.store.recordRetention
        store.usageRetention = self.store.usageRetention
        store.auditRetention = self.store.auditRetention
        store.unknownRetention = self.store.unknownRetention
        return store
    }
}
