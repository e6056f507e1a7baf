extension AudioPrecheck.Input {
    /// Decides by what a request says of a file whether it is taken for samples without a header.
    ///
    /// It is only if the content type, or in its absence the ending of the name, says so, and if the request states the
    /// format: to guess the sample rate would be to guess the playing time. `audio/L16` does not say so, as its samples
    /// are big-endian (RFC 2586, section 2), which the level of the contract is not. Whether a file is a WAV file is
    /// told by its bytes, so no hint is needed.
    ///
    /// - Parameters:
    ///   - fileName: The name of the file, if known.
    ///   - contentType: The content type of the file, if stated; `application/octet-stream` says nothing.
    ///   - format: How the samples are written, if stated in the request.
    public init(fileName: String?, contentType: String?, stating format: SampleFormat?) {
        let isHeaderless =
            switch contentType.map(Self.essence) {
            case nil, "", "application/octet-stream":
                ["pcm", "raw"].contains(fileName?.split(separator: ".").dropFirst().last?.lowercased())
            case let type?:
                ["audio/pcm", "audio/x-pcm", "audio/raw", "audio/x-raw"].contains(type)
            }
        self =
            if let format, isHeaderless { .headerlessUpload(format) } else { .upload }
    }

    /// The content type without its parameters.
    private static func essence(_ contentType: String) -> String {
        contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
