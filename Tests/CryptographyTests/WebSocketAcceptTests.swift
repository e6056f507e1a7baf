import Cryptography
import Testing

@Suite struct WebSocketAcceptTests {
    /// The example of RFC 6455, section 1.3.
    @Test func theExampleOfTheStandard() {
        #expect(WebSocketAccept.value(forKey: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
