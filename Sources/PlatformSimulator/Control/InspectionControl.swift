import JSONScan

extension PlatformResponder {
    /// What was billed, in all, by key and by account.
    func billing() -> [UInt8] {
        let (ledger, evicted) = self.state.withLock { ($0.ledger, $0.idempotency.evicted) }
        var writer = JSONWriter()
        writer.object { object in
            object.member("billed", ledger.billed)
            object.object("byKey") { keys in
                for (key, count) in ledger.billedByKey.sorted(by: { $0.key < $1.key }) { keys.member(key, count) }
            }
            object.object("byAccount") { accounts in
                for (appKey, count) in ledger.billedByAccount.sorted(by: { $0.key < $1.key }) {
                    accounts.member(appKey, count)
                }
            }
            object.array("records") { records in
                for bill in ledger.recentBills {
                    records.object { record in
                        record.member("recordId", bill.recordID)
                        record.member("key", bill.key)
                        record.member("appKey", bill.appKey)
                        record.member("coreType", bill.coreType)
                        record.member("overall", bill.overall)
                        record.member("time", bill.time)
                        record.member("audioBytes", bill.audioBytes)
                        record.member("audioSha256", bill.audioDigest)
                    }
                }
            }
            object.object("sessions") { sessions in
                sessions.member("opened", ledger.sessions)
                sessions.member("open", ledger.openSessions)
            }
            // Both stay at their first values unless a run is larger than the simulator was set up for.
            object.member("truncated", ledger.isTruncated)
            object.member("evicted", evicted)
        }
        return writer.bytes
    }

    /// The requests that were noted.
    func log() -> [UInt8] {
        let requests = self.state.withLock { $0.ledger.recentRequests }
        var writer = JSONWriter()
        writer.array { array in
            for request in requests {
                array.object { entry in
                    entry.member("order", request.order)
                    entry.member("time", request.time)
                    entry.member("method", request.method)
                    entry.member("path", request.path)
                    entry.member("key", request.key)
                    entry.member("attempt", request.attempt)
                    entry.member("fault", request.fault)
                    entry.member("replayed", request.isReplayed)
                    entry.member("status", request.status)
                    entry.member("code", request.code)
                    entry.member("recordId", request.recordID)
                    entry.member("appKey", request.appKey)
                    entry.member("timestamp", request.timestamp)
                    entry.member("nonce", request.nonce)
                    entry.member("traceparent", request.traceparent)
                    entry.member("bodyBytes", request.bodyBytes)
                    guard let session = request.session else { return }
                    entry.object("session") { object in
                        object.member("rounds", session.rounds)
                        object.member("ends", session.ends)
                        object.member("results", session.results)
                        object.member("audioBytes", session.audioBytes)
                        object.member("closedBy", session.closedBy?.rawValue)
                        object.member("closeCode", session.closeCode)
                    }
                }
            }
        }
        return writer.bytes
    }
}
