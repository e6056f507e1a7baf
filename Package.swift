// swift-tools-version: 6.2

import PackageDescription

// Targets in level order: each imports only what stands above it.
let package = Package(
    name: "speechgate",
    targets: [
        // Level 0: C and a lock; no logic.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // For the simulator only.
        .systemLibrary(name: "COpenSSLTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),
        .target(name: "Locking"),
        // Level 1: pure.
        .target(name: "Cryptography", dependencies: ["COpenSSL"]),
        .target(name: "JSONScan"),
        .target(name: "HTTPWire"),
        .target(name: "SpeechAudio"),
        .target(name: "Telemetry", dependencies: ["Locking", "CLinux"]),
        // Level 2.
        .target(name: "EventLoop", dependencies: ["Locking", "CLinux"]),
        // Level 3: the shells.
        .target(
            name: "HTTPServer",
            dependencies: ["Locking", "CLinux", "Cryptography", "EventLoop", "HTTPWire", "Telemetry"]
        ),
        .target(
            name: "UpstreamClient",
            dependencies: ["CCurl", "Cryptography", "EventLoop", "HTTPWire", "Telemetry"]
        ),
        .target(
            name: "Store",
            dependencies: ["Locking", "CSQLite", "CZstd", "Cryptography", "HTTPWire", "Telemetry"]
        ),
        // Level 4.
        .target(
            name: "GatewayCore",
            dependencies: [
                "Locking", "Cryptography", "JSONScan", "HTTPWire", "SpeechAudio", "Telemetry", "EventLoop", "Store",
            ]
        ),
        // Level 5.
        .target(
            name: "ProviderYugu",
            dependencies: [
                "Cryptography", "JSONScan", "HTTPWire", "SpeechAudio", "Telemetry", "Store", "GatewayCore",
            ]
        ),
        .target(
            name: "PlatformSimulator",
            dependencies: [
                "Locking", "COpenSSLTLS", "CLinux", "Cryptography", "JSONScan", "HTTPWire", "SpeechAudio", "Telemetry",
                "EventLoop", "HTTPServer",
            ]
        ),
        // Level 6.
        .target(
            name: "Daemon",
            dependencies: [
                "Locking", "CLinux", "Cryptography", "JSONScan", "HTTPWire", "Telemetry", "EventLoop", "HTTPServer",
                "UpstreamClient", "Store", "SpeechAudio", "GatewayCore", "ProviderYugu",
            ]
        ),
        // Level 7.
        .executableTarget(name: "speechgate", dependencies: ["Daemon"]),
        .executableTarget(name: "speechsim", dependencies: ["PlatformSimulator"]),
        // Tests.
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn", "Locking"], path: "Tests/TestSupport"),
        // Echoes for the Autobahn test suite.
        .executableTarget(
            name: "WebSocketEcho",
            dependencies: ["EventLoop", "HTTPServer", "HTTPWire", "Telemetry", "UpstreamClient"],
            path: "Tests/WebSocketEcho"
        ),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "TestSupport"]),
        .testTarget(name: "JSONScanTests", dependencies: ["JSONScan", "TestSupport"]),
        .testTarget(name: "HTTPWireTests", dependencies: ["Locking", "HTTPWire", "TestSupport"]),
        .testTarget(name: "SpeechAudioTests", dependencies: ["SpeechAudio", "TestSupport"]),
        .testTarget(name: "TelemetryTests", dependencies: ["Locking", "Telemetry", "TestSupport"]),
        .testTarget(name: "EventLoopTests", dependencies: ["Locking", "EventLoop"]),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["Locking", "HTTPServer", "HTTPWire", "EventLoop", "Telemetry", "TestSupport"]
        ),
        .testTarget(
            name: "UpstreamClientTests",
            dependencies: [
                "CCurl", "Locking", "Cryptography", "UpstreamClient", "HTTPWire", "EventLoop", "Telemetry",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Locking", "Store", "Cryptography", "HTTPWire", "TestSupport"],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "GatewayCoreTests",
            dependencies: [
                "Locking", "GatewayCore", "Cryptography", "JSONScan", "HTTPWire", "SpeechAudio", "Store", "Telemetry",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "ProviderYuguTests",
            dependencies: [
                "Locking", "ProviderYugu", "GatewayCore", "HTTPWire", "JSONScan", "Cryptography", "EventLoop", "Store",
                "Telemetry", "TestSupport",
            ]
        ),
        .testTarget(
            name: "PlatformSimulatorTests",
            dependencies: [
                "PlatformSimulator", "Cryptography", "HTTPWire", "SpeechAudio", "TestSupport",
            ]
        ),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "Locking", "Daemon", "Cryptography", "Store", "GatewayCore", "EventLoop", "HTTPServer", "HTTPWire",
                "Telemetry", "TestSupport",
            ]
        ),
        .testTarget(name: "EndToEndTests", dependencies: ["Locking", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
        // The small types of one target are the inner loops of another.
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    ]
}
