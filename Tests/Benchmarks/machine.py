"""What the machine says: memory and CPU of processes, the disk's speed."""

import os
import pathlib
import statistics
import time

TICK = os.sysconf("SC_CLK_TCK")


def process_tree(pid):
    """A process and its children (nginx's master has its workers)."""
    found = [pid]
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def cpu_seconds(pids):
    """User and system time that the processes have used, all threads."""
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])  # utime, stime
    return total / TICK


def resident_bytes(pids, line="VmRSS:"):
    """Resident memory of the processes."""
    total = 0
    for pid in pids:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        total += int(status.split(line)[1].split()[0]) * 1024
    return total


def peak_bytes(pids):
    """The most resident memory that the processes had, since the start or since it was reset."""
    return resident_bytes(pids, "VmHWM:")


def sync_micros(directory):
    """The median of 50 writes of 4 KiB with fdatasync: what a durable commit costs at least."""
    times = []
    with open(directory / "sync-probe", "wb") as file:
        for _ in range(50):
            file.write(bytes(4096))
            file.flush()
            began = time.monotonic()
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - began) * 1e6)
    return statistics.median(times)


def file_system(directory):
    """The type of the file system that holds a directory, from the longest mount point that fits."""
    path, best, kind = str(directory.resolve()), "", "unknown"
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, mount, this, *_ = line.split()
        if len(mount) >= len(best) and (path + "/").startswith(mount.rstrip("/") + "/"):
            best, kind = mount, this
    return kind
