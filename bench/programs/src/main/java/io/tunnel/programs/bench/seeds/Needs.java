package io.tunnel.programs.bench.seeds;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.queue.MessageCase;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a run needs of a machine, or what a machine has.
 *
 * @param descriptors files and connections of one process
 * @param ports of loopback, one for each connection
 * @param memoryBytes that no process uses
 * @param diskBytes where the servers' data is made
 */
record Needs(long descriptors, long ports, long memoryBytes, long diskBytes) {

  /** Descriptors of a process besides its connections. */
  private static final long OTHER_DESCRIPTORS = 512;

  /** Ports that a process may have closed and that wait. */
  static final long OTHER_PORTS = 1_000;

  /** Of one server and this process: servers run one after the other. */
  private static final long PROCESS_BYTES = 1L << 30;

  /** Of a connection, in both processes, at most. */
  private static final long CONNECTION_BYTES = 64 << 10;

  /** A server refuses writes when the disk has less than 256 MiB left. */
  private static final long OTHER_DISK_BYTES = 1L << 30;

  /** A row is in the log and in the table, and etcd writes as much again. */
  private static final long ROW_COPIES = 4;

  private static final long ROW_OVERHEAD_BYTES = 128;

  /** A server and the load, each with a heap of 1 GiB and more beside it. */
  private static final long QUEUE_PROCESSES = 3;

  /** A client of ZooKeeper has a socket and a selector of three descriptors. */
  private static final long PATH_DESCRIPTORS = 4;

  /** A client of ZooKeeper has two threads. */
  private static final long PATH_CONNECTION_BYTES = 256 << 10;

  /** Of each server's log and snapshots; ZooKeeper's log takes 64 MiB at a time. */
  private static final long PATH_SERVER_DISK_BYTES = 512L << 20;

  /** More than two cores create or set. */
  private static final long PATH_WRITES_PER_SECOND = 20_000;

  /** More than two cores send. */
  private static final long MESSAGE_BYTES_PER_SECOND = 400 << 20;

  /** What these workloads need. */
  static Needs of(List<Workload> workloads, double scale) {
    long clients = workloads.stream().mapToInt(each -> each.connectionsMax(scale)).max().orElse(0);
    long rowBytes =
        workloads.stream()
            .flatMap(each -> each.loads().stream())
            .map(load -> load.scaled(scale))
            .mapToLong(load -> load.rows() * (load.bytes() + ROW_OVERHEAD_BYTES))
            .max()
            .orElse(0);
    // A server keeps a quarter of its descriptors for files.
    long descriptors = ((hasEmbedded(workloads) ? 2 : 1) * clients + OTHER_DESCRIPTORS) * 4 / 3;
    Needs needs =
        new Needs(
            descriptors,
            clients + OTHER_PORTS,
            processes(workloads) * PROCESS_BYTES + clients * CONNECTION_BYTES,
            OTHER_DISK_BYTES + Math.max(ROW_COPIES * rowBytes, messageBytes(workloads, scale)));
    for (Workload workload : workloads) {
      if (workload.kind() == Kind.PUBLISH) {
        for (Load load : workload.loads()) {
          needs = needs.max(ofPaths(workload.times().scaled(scale), load.scaled(scale)));
        }
      }
    }
    return needs;
  }

  /** Of publishers and subscribers: the servers' processes, and that of the load. */
  private static Needs ofPaths(Workload.Times times, Load load) {
    long servers = load.servers();
    long pathBytes = load.rows() * (load.bytes() + ROW_OVERHEAD_BYTES);
    long writes =
        2 * load.rows() + (times.warmUp() + 2L * times.measured()) * PATH_WRITES_PER_SECOND;
    long written = writes * (load.bytes() + ROW_OVERHEAD_BYTES);
    return new Needs(
        OTHER_DESCRIPTORS + PATH_DESCRIPTORS * load.connections(),
        load.connections() + OTHER_PORTS,
        // A cluster has a broker beside, and a ZooKeeper has room for twice the data in its heap.
        (servers + 2) * PROCESS_BYTES
            + servers * 2 * pathBytes
            + load.connections() * PATH_CONNECTION_BYTES,
        OTHER_DISK_BYTES + servers * (PATH_SERVER_DISK_BYTES + written));
  }

  /** Of these what the clients need, where servers run elsewhere or run already. */
  Needs ofClients() {
    return new Needs(descriptors, ports, 0, 0);
  }

  private Needs max(Needs other) {
    return new Needs(
        Math.max(descriptors, other.descriptors),
        Math.max(ports, other.ports),
        Math.max(memoryBytes, other.memoryBytes),
        Math.max(diskBytes, other.diskBytes));
  }

  /** Servers, with the broker of a cluster; the server and the load of queues. */
  private static long processes(List<Workload> workloads) {
    long servers =
        workloads.stream()
            .flatMap(each -> each.loads().stream())
            .mapToLong(load -> load.servers() == 1 ? 1 : load.servers() + 1)
            .max()
            .orElse(0);
    return Math.max(servers, hasQueues(workloads) ? QUEUE_PROCESSES : 1);
  }

  /** Both ends of a connection may be in one process. */
  private static boolean hasEmbedded(List<Workload> workloads) {
    return workloads.stream().anyMatch(each -> each.kind() == Kind.ACCESS);
  }

  private static boolean hasQueues(List<Workload> workloads) {
    return workloads.stream().anyMatch(each -> each.kind() == Kind.QUEUE);
  }

  /**
   * What a case of messages may write, and what the case before it has left until it is deleted.
   */
  private static long messageBytes(List<Workload> workloads, double scale) {
    return workloads.stream()
        .filter(each -> each.kind() == Kind.QUEUE)
        .map(each -> each.times().scaled(scale))
        .mapToLong(times -> (times.warmUp() + times.measured()) * MESSAGE_BYTES_PER_SECOND)
        .map(bytes -> 2 * Math.min(bytes, MessageCase.SENT_BYTES_MAX))
        .max()
        .orElse(0);
  }

  /** What this machine has; as much as can be where the system does not say. */
  static Needs here(Path work) throws IOException {
    long descriptors =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    return new Needs(
        descriptors, localPorts(), freeMemoryBytes(), Files.getFileStore(work).getUsableSpace());
  }

  /** As many as can be where the system does not say. */
  static long localPorts() {
    try {
      String[] range =
          Files.readString(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))
              .strip()
              .split("\\s+", -1);
      return Long.parseLong(range[1]) - Long.parseLong(range[0]) + 1;
    } catch (IOException | RuntimeException notLinux) {
      return Long.MAX_VALUE;
    }
  }

  private static long freeMemoryBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .findFirst()
          .orElse(Long.MAX_VALUE);
    } catch (IOException | UncheckedIOException notLinux) {
      return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
    }
  }

  /**
   * Refuses a machine that has less; says all that is missing.
   *
   * @param remedy what makes it less
   * @throws CommandFailure before anything is started
   */
  void require(Needs has, String remedy) {
    List<String> missing = new ArrayList<>();
    if (has.descriptors < descriptors) {
      missing.add(
          descriptors
              + " descriptors a process, and the limit is "
              + has.descriptors
              + " (raise it with ulimit -n "
              + descriptors
              + ")");
    }
    if (has.ports < ports) {
      missing.add(
          ports + " local ports, and there are " + has.ports + " (net.ipv4.ip_local_port_range)");
    }
    if (has.memoryBytes < memoryBytes) {
      missing.add(
          mebibytes(memoryBytes) + " of memory, and " + mebibytes(has.memoryBytes) + " is free");
    }
    if (has.diskBytes < diskBytes) {
      missing.add(
          mebibytes(diskBytes)
              + " of disk, and "
              + mebibytes(has.diskBytes)
              + " is free (--work names another disk)");
    }
    if (!missing.isEmpty()) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          "nothing was started: the run needs " + String.join("; ", missing) + "; " + remedy);
    }
  }

  private static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }
}
