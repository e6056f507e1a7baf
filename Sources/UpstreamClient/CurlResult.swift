private import CCurl
internal import HTTPWire

/// Sorts libcurl's results into those that make a difference.
enum CurlResult {
    /// Why a connection did not come about.
    ///
    /// - Parameter code: A `CURLcode`.
    static func reason(of code: UInt32) -> HTTPTransportError.Reason {
        switch CURLcode(rawValue: code) {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_URL_MALFORMAT, CURLE_OUT_OF_MEMORY: .refused
        default: .connect
        }
    }
}
