import Foundation
import Testing

@testable import Daemon

/// `config/speechgate.json5` is the reference: it must not drift from what the program does.
@Suite struct ShippedConfigurationTests {
    static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/speechgate.json5").path

    @Test func itsValuesAreTheDefaults() throws {
        var configuration = try ConfigurationFile.load(Self.path).configuration
        #expect(configuration.secrets.master?.source == .file)
        #expect(configuration.secrets.upstreamKey?.source == .file)
        #expect(configuration.yugu.accounts.count == 1)
        #expect(configuration.yugu.accounts.first?.concurrency == 64)
        configuration.secrets = Configuration.Secrets()
        configuration.yugu.accounts = []
        #expect(configuration == Configuration())
    }

    @Test func itNamesEverySetting() throws {
        let contents = try FileContents.read(Self.path, maximum: 1 << 20)
        var written: Set<String> = []
        func collect(_ value: JSON5Value, _ path: String) {
            switch value.kind {
            case .object(let members):
                for member in members {
                    let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
                    written.insert(inner)
                    collect(member.value, inner)
                }
            case .array(let elements):
                for element in elements { collect(element, path) }
            default:
                break
            }
        }
        collect(try JSON5Reader.read(contents.bytes).root, "")
        let settings = Configuration.settingPaths()
        #expect(settings.count >= 50)
        for setting in settings {
            #expect(written.contains(setting), "config/speechgate.json5 lacks \(setting)")
        }
    }

    @Test func everyKeyHasACommentAboveItOrAboveItsGroup() throws {
        let text = String(decoding: try FileContents.read(Self.path, maximum: 1 << 20).bytes, as: UTF8.self)
        var isExplained = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("//") { isExplained = true }
            // An empty line ends what a comment speaks for.
            if trimmed.isEmpty { isExplained = false }
            if trimmed.contains(":"), !trimmed.hasPrefix("//"), !trimmed.hasSuffix("{"), !trimmed.hasSuffix("[") {
                #expect(isExplained, "no comment explains: \(trimmed)")
            }
        }
    }
}
