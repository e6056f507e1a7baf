private import CCurl
private import Glibc

/// libcurl as a whole: its set-up for the process.
enum CurlLibrary {
    private static let isReady: Bool = {
        // libcurl shields its writes from SIGPIPE with two system calls each unless it is told not to touch signals,
        // which threads require; OpenSSL writes with plain write().
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// Sets libcurl up, once for the process.
    static func prepare() throws(UpstreamClientError) {
        guard self.isReady else {
            throw UpstreamClientError(.libcurl, "libcurl could not be set up")
        }
        guard ccurl_uses_openssl() else {
            throw UpstreamClientError(
                .libcurl,
                "this libcurl does not use OpenSSL: install libcurl4 in its OpenSSL flavour"
            )
        }
    }

    /// The system's bundle of certificate authorities.
    static var defaultAuthorityFile: String? {
        ccurl_default_authority_file().map { String(cString: $0) }
    }
}
