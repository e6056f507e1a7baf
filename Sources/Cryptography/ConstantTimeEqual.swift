private import COpenSSL

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
    return CRYPTO_memcmp(leftBase, rightBase, left.count) == 0
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in
        right.withUnsafeBytes { constantTimeEqual(left, $0) }
    }
}
