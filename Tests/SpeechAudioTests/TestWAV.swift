/// WAV files chunk by chunk, sound or not.
enum TestWAV {
    static let riff: [UInt8] = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8)

    static func chunk(_ name: String, _ content: [UInt8], size: UInt32? = nil) -> [UInt8] {
        Array(name.utf8) + Self.number(size ?? UInt32(content.count)) + content
    }

    /// The content of a `fmt ` chunk; with a sub-format it is the extensible one, whose tag is 0xFFFE.
    static func format(
        tag: UInt16 = 1,
        subFormat: UInt16? = nil,
        channels: UInt16 = 1,
        sampleRate: UInt32 = 16_000,
        bits: UInt16 = 16
    ) -> [UInt8] {
        let frame = channels &* (bits / 8)
        let plain =
            Self.number(subFormat == nil ? tag : 0xFFFE) + Self.number(channels) + Self.number(sampleRate)
            + Self.number(sampleRate &* UInt32(frame)) + Self.number(frame) + Self.number(bits)
        guard let subFormat else { return plain }
        return plain + [22, 0] + Self.number(bits) + [4, 0, 0, 0] + Self.number(subFormat)
            + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }

    /// A file of a format and samples.
    static func file(_ data: [UInt8], format: [UInt8] = Self.format(), size: UInt32? = nil) -> [UInt8] {
        Self.riff + Self.chunk("fmt ", format) + Self.chunk("data", data, size: size)
    }

    static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}

extension [Int16] {
    /// The samples as they lie in a file.
    var littleEndianBytes: [UInt8] { self.map(\.littleEndian).withUnsafeBytes { [UInt8]($0) } }
}
