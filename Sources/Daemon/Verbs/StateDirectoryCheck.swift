private import Glibc
private import Store

/// What `doctor` sees of the state directory: its room and who may read it.
struct StateDirectoryCheck: Sendable {
    /// Below this, above what has to be free, paid calls may be refused soon, in bytes.
    private static let little = UInt64(1) << 30

    let path: String
    /// With less free, in bytes, no paid call is sent.
    let minimumFree: UInt64

    func findings() -> [DoctorVerb.Finding] {
        guard Self.exists(self.path) else {
            let state = StateDirectoryState(of: self.path)
            return [
                DoctorVerb.Finding(
                    "state",
                    state.fault == nil ? .ok : .fault,
                    state.fault ?? "\(self.path) will be made"
                )
            ]
        }
        return [self.permissions, self.room]
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private var permissions: DoctorVerb.Finding {
        let open = ["", "/speechgate.db", "/control.sock"].map { self.path + $0 }.filter { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
        }
        guard let first = open.first else {
            return DoctorVerb.Finding("permissions", .ok, "only its owner may use \(self.path)")
        }
        return DoctorVerb.Finding("permissions", .fault, "others may read \(first); chmod go= \(first)")
    }

    private var room: DoctorVerb.Finding {
        guard let space = SpoolDirectory.freeSpace(of: self.path) else {
            return DoctorVerb.Finding(
                "disk",
                .fault,
                "cannot look at \(self.path): \(String(cString: strerror(errno)))"
            )
        }
        let free = UInt64(clamping: space)
        let text = "\(free >> 20) MiB are free for \(self.path)"
        guard free >= self.minimumFree else {
            return DoctorVerb.Finding("disk", .fault, text + ", less than limits.minimumFreeDisk: no paid call is sent")
        }
        guard !DiskThreshold(self.minimumFree).isLow(free, wasLow: true) else {
            return DoctorVerb.Finding(
                "disk",
                .warning,
                text + ", near limits.minimumFreeDisk: a gateway that had less refuses paid calls until there is more"
            )
        }
        return DoctorVerb.Finding("disk", free - self.minimumFree < Self.little ? .warning : .ok, text)
    }
}
