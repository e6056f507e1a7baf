import Telemetry
import Testing

/// The rules of W3C Trace Context, sections 3.2 and 4.3, and its own examples.
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00"),
        // Flags that version 00 does not know are read and not passed on.
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", "01"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", "00"),
        // A later version is read by the fields of this one, whether or not it has more.
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like", "01"),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", "01"),
    ])
    func aValidFieldIsPassedOnWithANewParent(field: String, flags: String) throws {
        let context = try #require(TraceContext(field))
        #expect(context.traceID == Self.trace)
        #expect(context.field(parent: 0xb7ad_6b71_6920_3331) == "00-\(Self.trace)-b7ad6b7169203331-\(flags)")
        #expect(context.field(parent: 1) == "00-\(Self.trace)-0000000000000001-\(flags)")
    }

    @Test func leadingZerosStay() {
        let context = TraceContext("00-00000000000000000000000000000abc-0000000000000001-01")
        #expect(context?.traceID == "00000000000000000000000000000abc")
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        // All zeros are no id.
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        // Version 255 is forbidden.
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        // Lower case only.
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
        "CC-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        // Version 00 has four fields and no more.
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
    ])
    func anInvalidFieldIsNone(field: String) {
        #expect(TraceContext(field) == nil)
    }
}
