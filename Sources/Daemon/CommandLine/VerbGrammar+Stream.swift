/// `stream`, with its help.
extension VerbGrammar {
    static let stream = VerbGrammar(
        words: ["stream"],
        positionals: ["FILE"],
        options: [
            Self.config,
            Option(name: "--text", value: "TEXT", help: "what is read aloud (required)"),
            Option(
                name: "--language",
                value: "LANGUAGE",
                help: "such as zh-CN or en-US; by itself zh-CN for a text with Chinese characters, else en-US"
            ),
            Option(name: "--core-type", value: "TYPE", help: "such as word, sentence (default) or passage"),
            Option(name: "--key", value: "KEY", help: "the idempotency key; by itself the gateway makes one"),
            Option(
                name: "--user",
                value: "USER",
                help: "for which of the client's users, where the credential is a key"
            ),
            Option(
                name: "--gateway",
                value: "URL",
                help:
                    "where the gateway listens; by itself the first address of --config FILE, else\n\(StreamArguments.defaultGateway)"
            ),
            Option(
                name: "--ca-file",
                value: "FILE",
                help: "trust the authorities of this PEM file instead of the system's"
            ),
            Option(
                name: "--credential-env",
                value: "NAME",
                help: "the environment variable with the API key or token (default \(StreamArguments.defaultVariable))"
            ),
            Option(name: "--credential-file", value: "FILE", help: "the file with the API key or token"),
            Option(
                name: "--speed",
                value: "FACTOR",
                help: "how much faster than spoken, 0.1 to 100, or \"max\" (default 1)"
            ),
        ],
        summary: "Streams a recording to a running gateway as an app would, and shows how the reading goes.",
        details: [
            "FILE is a WAV file, 16-bit, 16 kHz, one channel, or such samples without a header in a file named .pcm or .raw.",
            "On a terminal the text takes on colour while it is read: green for a unit that was recognised, yellow for one",
            "that was passed without that. Elsewhere every change is a line. Then the scores follow as a table. The call is",
            "billed like any other.",
        ],
        examples: [
            "speechgate stream lesson.wav --text 今天天气很好",
            "speechgate stream word.wav --text apple --core-type word --credential-file key.txt --speed 4",
        ]
    )
}
