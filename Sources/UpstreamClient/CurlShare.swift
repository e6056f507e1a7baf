internal import CCurl

/// What all connections of one loop share within libcurl: TLS sessions, so that a new connection need not begin with a
/// whole handshake, and the addresses of names.
///
/// It has no locks, so all handles that use it belong to one loop; they keep it alive.
///
/// `@unchecked Sendable`: what the pointer stands for is touched by libcurl only, on the loop of the handles.
final class CurlShare: @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    /// - Throws: ``UpstreamClientError`` when libcurl cannot make one.
    init() throws(UpstreamClientError) {
        guard let raw = curl_share_init() else {
            throw UpstreamClientError(.libcurl, "libcurl could not make a share: no memory")
        }
        self.raw = raw
        for data in [CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_DNS] where ccurl_share(raw, data) != CURLSHE_OK {
            curl_share_cleanup(raw)
            throw UpstreamClientError(.libcurl, "libcurl does not let connections share TLS sessions and names")
        }
    }

    deinit {
        curl_share_cleanup(self.raw)
    }
}
