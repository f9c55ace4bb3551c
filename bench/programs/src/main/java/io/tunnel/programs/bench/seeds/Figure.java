package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import java.util.EnumSet;
import java.util.Set;

/** What can be told of a case. */
enum Figure {
  /** Requests answered in a second, by all clients. */
  PER_SECOND("perSecond", "answers/s"),
  /** The mean time of a request. */
  AVERAGE_MS("averageMs", "average ms"),
  /** The shortest. */
  MIN_MS("minMs", "min ms"),
  /** The median. */
  P50_MS("p50Ms", "p50 ms"),
  /** 99 of 100 take no longer. */
  P99_MS("p99Ms", "p99 ms"),
  /** 999 of 1,000 take no longer. */
  P999_MS("p999Ms", "p99.9 ms"),
  /** The longest. */
  MAX_MS("maxMs", "max ms"),
  /** Memory of the server's process at the end of the case. */
  RESIDENT_KIB("residentKiB", "resident KiB"),
  /** Growth of the process while all clients greeted, divided by the number of clients. */
  CONNECTION_BYTES("residentBytesOfConnection", "resident bytes/connection"),
  /** Messages that all senders sent in a second. */
  SENT_PER_SECOND("sentPerSecond", "sent/s"),
  /** Messages that all receivers received in a second; of topics each copy. */
  RECEIVED_PER_SECOND("receivedPerSecond", "received/s"),
  /** CPU time of the server's process, in percent of one core; published: of the machine. */
  CPU_PERCENT("cpuPercent", "CPU %"),
  /** What the server's process wrote to disks. */
  DISK_MIB_PER_SECOND("diskMibPerSecond", "disk MiB/s"),
  /** Heap of the server in use after its last collection; published: as the document has it. */
  HEAP_MIB("heapMib", "heap MiB"),
  /** Requests answered, or events heard, in the measured time. */
  TOTAL("totalRequests", "total"),
  /** As a monitor shows it: the median of the seconds. */
  RECENT_PER_SECOND("recentPerSecond", "recent/s"),
  /** As a monitor shows it: the median of the seconds' mean times. */
  RECENT_MS("recentMs", "recent ms"),
  /** From the creation of a path to its data at a subscriber: the median of the seconds' means. */
  DATA_RECENT_MS("dataRecentMs", "recent data ms"),
  /** From the creation of a path to its data at a subscriber: the mean. */
  DATA_AVERAGE_MS("dataAverageMs", "average data ms"),
  /** From the creation of a path to its data at a subscriber. */
  DATA_P99_MS("dataP99Ms", "p99 data ms"),
  /** Requests that failed, and events that were missing, came twice or overtook another. */
  FAILED("failed", "failed"),
  /** Published only: with all clients on one machine. */
  RECENT_PER_SECOND_ONE("recentPerSecondOneMachine", "recent/s, one client machine"),
  /** Published only: with all clients on one machine. */
  RECENT_MS_ONE("recentMsOneMachine", "recent ms, one client machine"),
  /** Published only: with all clients on one machine. */
  DATA_RECENT_MS_ONE("dataRecentMsOneMachine", "recent data ms, one client machine"),
  /** Published only: share of the time in which the disk was busy. */
  DISK_BUSY_PERCENT("diskBusyPercent", "disk busy %"),
  /** Published only: traffic of the server's network interface. */
  NETWORK_MB_PER_SECOND("networkMbPerSecond", "network MB/s"),
  /** Published only: memory of the server's machine that was free. */
  FREE_GB("freeGb", "free GB"),
  /** Published only: sent while the disk kept writes in its own memory. */
  SENT_DISK_CACHE("sentPerSecondDiskCache", "sent/s, disk cache"),
  /** Published only: received while the disk kept writes in its own memory. */
  RECEIVED_DISK_CACHE("receivedPerSecondDiskCache", "received/s, disk cache");

  private final String column;
  private final String label;

  Figure(String column, String label) {
    this.column = column;
    this.label = label;
  }

  /** The name in files. */
  String column() {
    return column;
  }

  /** What people read. */
  String label() {
    return label;
  }

  /** The figures of a workload of that kind; all others are published only. */
  static Set<Figure> measuredOf(Kind kind) {
    EnumSet<Figure> ofAnswers = EnumSet.range(PER_SECOND, RESIDENT_KIB);
    return switch (kind) {
      case REGISTRY, MIX, ACCESS -> ofAnswers;
      case ECHO -> {
        ofAnswers.add(CONNECTION_BYTES);
        yield ofAnswers;
      }
      case QUEUE ->
          EnumSet.of(
              SENT_PER_SECOND,
              RECEIVED_PER_SECOND,
              CPU_PERCENT,
              RESIDENT_KIB,
              HEAP_MIB,
              DISK_MIB_PER_SECOND,
              P50_MS,
              P99_MS);
      case PUBLISH ->
          EnumSet.of(
              TOTAL,
              RECENT_PER_SECOND,
              PER_SECOND,
              RECENT_MS,
              AVERAGE_MS,
              P50_MS,
              P99_MS,
              DATA_RECENT_MS,
              DATA_AVERAGE_MS,
              DATA_P99_MS,
              FAILED,
              CPU_PERCENT,
              RESIDENT_KIB);
    };
  }

  @Override
  public String toString() {
    return column;
  }
}
