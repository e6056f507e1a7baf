extension HTTPRejection {
    /// A request outside the grammar, or one whose framing is not certain.
    static func malformed(_ message: String) -> HTTPRejection {
        HTTPRejection(status: HTTPStatus(400), message: message)
    }

    static var bareLineFeed: HTTPRejection {
        .malformed("A line ends in a bare LF; end every line with CRLF.")
    }

    static var bareCarriageReturn: HTTPRejection {
        .malformed("A CR is not followed by LF; end every line with CRLF.")
    }

    static var malformedRequestLine: HTTPRejection {
        .malformed("The request line is not a method, a target and a version with one space between them.")
    }

    static var malformedVersion: HTTPRejection {
        .malformed("The protocol version is not written as HTTP/1.1.")
    }

    static var malformedTarget: HTTPRejection {
        .malformed("The request target is not valid for the method; percent-encode what a URI cannot hold.")
    }

    static var malformedHost: HTTPRejection {
        .malformed("The Host field or the authority of the target is not a host name with an optional port.")
    }

    static var requestLineTooLong: HTTPRejection {
        HTTPRejection(status: HTTPStatus(414), message: "The request line is too long.")
    }

    static var headTooLarge: HTTPRejection {
        HTTPRejection(status: HTTPStatus(431), message: "The request head is too large.")
    }

    static var tooManyFields: HTTPRejection {
        HTTPRejection(status: HTTPStatus(431), message: "The request head has too many fields.")
    }
}
