/// `records …`, `usage`, `backup` and `doctor`, with their help.
extension VerbGrammar {
    private static let client = Option(name: "--client", value: "NAME", help: "whose records they are (required)")
    private static let time = [
        Option(name: "--from", value: "TIME", help: "from this time on, such as 2026-11-30 or 2026-11-30T08:00:00Z"),
        Option(name: "--to", value: "TIME", help: "before this time"),
    ]
    private static let format = Option(
        name: "--format",
        value: "FORMAT",
        help: "\"ndjson\", one JSON object a line (default), or \"csv\""
    )

    /// In the order of the help.
    static let records: [VerbGrammar] = [
        VerbGrammar(
            words: ["records", "list"],
            options: [Self.config, Self.client, Option(name: "--user", value: "USER", help: "of this user only")]
                + Self.time,
            summary: "Prints the records of a client, newest first, one JSON line each, without the answers.",
            examples: ["speechgate records list --client school-app --user mei --from 2026-11-01"]
        ),
        VerbGrammar(
            words: ["records", "show"],
            positionals: ["RECORD"],
            options: [Self.config, Self.client],
            summary: "Prints the stored answer of a record, byte for byte.",
            examples: ["speechgate records show eval_e0735c96f2b7 --client school-app"]
        ),
        VerbGrammar(
            words: ["records", "export"],
            options: [
                Self.config, Self.client, Option(name: "--user", value: "USER", help: "of this user only"),
            ] + Self.time + [Self.format],
            summary: "Prints the records of a client for other programs, newest first.",
            details: [
                "In CSV, a value that a spreadsheet would take for a formula stands behind an apostrophe."
            ],
            examples: ["speechgate records export --client school-app --format csv"]
        ),
        VerbGrammar(
            words: ["records", "delete"],
            options: [
                Self.config, Self.client, Option(name: "--id", value: "RECORD", help: "erase this record"),
                Option(name: "--user", value: "USER", help: "erase all calls of this user, and take its tokens back"),
            ],
            summary: "Erases a record, or all that a user did, with answers and keys.",
            details: [
                "One of --id and --user is required. Erased keys are answered 410 until their retention ends. Of calls",
                "that run now nothing is stored. Usage stays counted, without the user's name.",
            ],
            examples: ["speechgate records delete --client school-app --user mei"]
        ),
        VerbGrammar(
            words: ["usage"],
            options: [
                Self.config, Option(name: "--client", value: "NAME", help: "of this client only"),
                Option(
                    name: "--group-by",
                    value: "WHAT",
                    help: "\"client\", \"user\", \"day\" (default) or \"operation\""
                ),
            ] + Self.time + [Self.format],
            summary: "Prints what was used, by whole UTC days.",
            examples: ["speechgate usage --group-by client --from 2026-11-01 --to 2026-12-01"]
        ),
        VerbGrammar(
            words: ["backup"],
            positionals: ["FILE"],
            options: [Self.config],
            summary: "Copies the store to a new file while the gateway works, and checks the copy.",
            details: [
                "FILE must not exist; only the daemon's account may read it. To restore, stop the gateway and put the file",
                "in the state directory as speechgate.db, in place of all files whose names begin so.",
            ],
            examples: ["speechgate backup /var/backups/speechgate-monday.db"]
        ),
        VerbGrammar(
            words: ["doctor"],
            options: [Self.config],
            summary:
                "Checks what the gateway depends on: clock, DNS, TLS, disk, SQLite, permissions, the store itself.",
            details: ["Prints one line for each check; exits with 69 when one of them fails."],
            examples: ["speechgate doctor"]
        ),
    ]
}
