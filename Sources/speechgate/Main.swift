import Daemon
import Glibc

@main
struct Main {
    static func main() async {
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
