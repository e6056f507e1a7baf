internal import CCurl

/// Owns an easy handle and what libcurl only points at: the error text, and what it shares with others.
///
/// Confined to the loop of its multi handle.
final class CurlHandle {
    /// The easy handle.
    let raw: UnsafeMutableRawPointer

    private let errorText: UnsafeMutablePointer<CChar>
    private let share: CurlShare

    /// Makes a handle, or nil when there is no memory for one.
    init?(sharing share: CurlShare) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        self.share = share
        self.errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        self.errorText[0] = 0
        self.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(self.errorText))
        self.set(CURLOPT_SHARE, share.raw)
    }

    deinit {
        curl_easy_cleanup(self.raw)
        self.errorText.deallocate()
    }

    // MARK: - Options

    /// Whether all options were taken; without one of them nothing may be sent.
    private(set) var hasAllOptions = true

    func set(_ option: CURLoption, _ value: Int) {
        self.check(ccurl_set_long(self.raw, option, value))
    }

    func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return self.check(ccurl_set_string(self.raw, option, nil)) }
        // Lent and not converted: a conversion would be a copy.
        self.check(value.withCString { ccurl_set_string(self.raw, option, $0) })
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        self.check(ccurl_set_pointer(self.raw, option, value))
    }

    private func check(_ code: CURLcode) {
        if code != CURLE_OK { self.hasAllOptions = false }
    }

    /// libcurl's words for a failure: printable ASCII, at most 200 characters.
    func detail(of code: CURLcode) -> String {
        let text = self.errorText[0] != 0 ? String(cString: self.errorText) : String(cString: curl_easy_strerror(code))
        let bytes = text.utf8.prefix(200).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
