import PlatformSimulator

/// The platform simulator as a process; everything is in the library.
@main
enum Main {
    static func main() async {
        await SimulatorCommand.run(Array(CommandLine.arguments.dropFirst()))
    }
}
