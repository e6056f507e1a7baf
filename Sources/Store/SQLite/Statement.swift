private import CSQLite

/// One prepared statement, used again and again; reset after every use.
final class Statement {
    private let database: Database
    private let handle: OpaquePointer
    /// The first binding that failed; reported by the next step, so that bindings need no `try` each.
    private var bindingFailure: Int32 = SQLITE_OK
    /// Copies of short bound values: SQLite would allocate one for each.
    private let boundValues = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
    private var boundBytes = 0

    init(database: Database, handle: OpaquePointer) {
        self.database = database
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(self.handle)
        self.boundValues.deallocate()
    }

    // MARK: Running

    /// Runs to the end, dropping rows.
    func run(binding bind: (Statement) -> Void = { _ in }) throws(StoreError) {
        defer {
            self.reset()
        }
        bind(self)
        while try self.step() {}
    }

    /// Runs to the first row and reads it; nil when there is none.
    func first<Value>(
        binding bind: (Statement) -> Void = { _ in },
        reading read: (Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        defer {
            self.reset()
        }
        bind(self)
        return try self.step() ? try read(self) : nil
    }

    /// Reads every row.
    func all<Value>(
        binding bind: (Statement) -> Void = { _ in },
        reading read: (Statement) -> Value
    ) throws(StoreError) -> [Value] {
        defer {
            self.reset()
        }
        bind(self)
        var values: [Value] = []
        while try self.step() {
            values.append(read(self))
        }
        return values
    }

    private func step() throws(StoreError) -> Bool {
        guard self.bindingFailure == SQLITE_OK else {
            throw self.database.error(self.bindingFailure, doing: "bind a value")
        }
        let result = sqlite3_step(self.handle)
        switch result {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            return false
        default:
            throw self.database.error(result, doing: self.isReadOnly ? "read" : "write")
        }
    }

    private var isReadOnly: Bool {
        sqlite3_stmt_readonly(self.handle) != 0
    }

    private func reset() {
        sqlite3_reset(self.handle)
        sqlite3_clear_bindings(self.handle)
        self.bindingFailure = SQLITE_OK
        self.boundBytes = 0
    }

    // MARK: Binding, from 1

    private func note(_ result: Int32) {
        if self.bindingFailure == SQLITE_OK {
            self.bindingFailure = result
        }
    }

    func bind(_ value: Int64, at index: Int32) {
        self.note(sqlite3_bind_int64(self.handle, index, value))
    }

    func bind(_ value: Int, at index: Int32) {
        self.bind(Int64(value), at: index)
    }

    func bind(_ value: Int64?, at index: Int32) {
        if let value {
            self.bind(value, at: index)
        } else {
            self.note(sqlite3_bind_null(self.handle, index))
        }
    }

    func bind(_ value: Double?, at index: Int32) {
        if let value {
            self.note(sqlite3_bind_double(self.handle, index, value))
        } else {
            self.note(sqlite3_bind_null(self.handle, index))
        }
    }

    func bind(_ value: String?, at index: Int32) {
        guard var text = value else {
            self.note(sqlite3_bind_null(self.handle, index))
            return
        }
        let result = text.withUTF8 { bytes in
            if let kept = self.keep(UnsafeRawBufferPointer(bytes)) {
                csqlite_bind_text_borrow(self.handle, index, kept, Int32(bytes.count))
            } else {
                csqlite_bind_text_copy(self.handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
        self.note(result)
    }

    func bind(_ value: [UInt8], at index: Int32) {
        value.withUnsafeBytes { self.bind($0, at: index) }
    }

    func bind(_ value: ScopeHash, at index: Int32) {
        withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) { self.bind($0, at: index) }
    }

    private func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        if let kept = self.keep(bytes) {
            self.note(csqlite_bind_blob_borrow(self.handle, index, kept, Int32(bytes.count)))
        } else {
            self.note(csqlite_bind_blob_copy(self.handle, index, bytes.baseAddress, Int32(clamping: bytes.count)))
        }
    }

    /// Copies bytes to where they stay until the reset; nil when there is no room.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard bytes.count <= self.boundValues.count - self.boundBytes else { return nil }
        let kept = UnsafeMutableRawBufferPointer(rebasing: self.boundValues[self.boundBytes...])
        kept.copyMemory(from: bytes)
        self.boundBytes += bytes.count
        return kept.baseAddress
    }

    /// Binds bytes without copying them; they must live until the statement is reset.
    func bind(borrowing bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
        self.note(csqlite_bind_blob_borrow(self.handle, index, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    func bind(_ value: FlightID, at first: Int32) {
        self.bind(Int64(bitPattern: value.process), at: first)
        self.bind(Int64(bitPattern: value.serial), at: first + 1)
    }

    // MARK: Reading, from 0

    func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(self.handle, column)
    }

    func flag(at column: Int32) -> Bool {
        self.integer(at: column) != 0
    }

    func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(self.handle, column) == SQLITE_NULL
    }

    func optionalInteger(at column: Int32) -> Int64? {
        self.isNull(at: column) ? nil : self.integer(at: column)
    }

    func optionalDouble(at column: Int32) -> Double? {
        self.isNull(at: column) ? nil : sqlite3_column_double(self.handle, column)
    }

    func text(at column: Int32) -> String {
        guard let text = sqlite3_column_text(self.handle, column) else {
            return ""
        }
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    func optionalText(at column: Int32) -> String? {
        self.isNull(at: column) ? nil : self.text(at: column)
    }

    func blob(at column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(self.handle, column) else {
            return []
        }
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Lends a column's bytes, which last until the next step.
    func withBlob<Value>(
        at column: Int32,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let bytes = sqlite3_column_blob(self.handle, column)
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    func scope(at column: Int32) -> ScopeHash {
        guard let bytes = sqlite3_column_blob(self.handle, column),
            sqlite3_column_bytes(self.handle, column) == 16
        else {
            return ScopeHash(0, 0)
        }
        return ScopeHash(
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    func flight(at first: Int32) -> FlightID {
        FlightID(
            process: UInt64(bitPattern: self.integer(at: first)),
            serial: UInt64(bitPattern: self.integer(at: first + 1))
        )
    }
}
