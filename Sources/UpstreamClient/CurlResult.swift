private import CCurl

/// Sorts libcurl's results into those that make a difference.
enum CurlResult {
    /// What a result code means for an exchange.
    ///
    /// - Parameters:
    ///   - code: A `CURLcode`.
    ///   - detail: libcurl's own words; one code covers both a broken connection and a broken chunk.
    static func cause(of code: UInt32, detail: String) -> TransferStateMachine.End.Cause {
        switch CURLcode(rawValue: code) {
        case CURLE_OK: .complete
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY: .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_RECV_ERROR: detail.contains("chunk") ? .malformed : .broken
        case CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_NO_CONNECTION_AVAILABLE: .broken
        case CURLE_PARTIAL_FILE: .partial
        case CURLE_SEND_FAIL_REWIND: .rewindRefused
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_HTTP_RETURNED_ERROR:
            .malformed
        // libcurl has a bound of 100 KB for one line of a head, and calls passing it a lack of memory.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY: .tooLarge
        case CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR, CURLE_READ_ERROR: .stopped
        default: .other
        }
    }
}
