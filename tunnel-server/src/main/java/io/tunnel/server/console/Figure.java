package io.tunnel.server.console;

/** A figure of a server that charts show over time. */
enum Figure {
  WRITTEN_ROWS("writtenRows"),
  WRITTEN_BYTES("writtenBytes"),
  DELIVERED_ROWS("deliveredRows"),
  DELIVERED_BYTES("deliveredBytes"),
  COMMIT_TO_DELIVERY_P50_MS("commitToDeliveryP50Ms"),
  COMMIT_TO_DELIVERY_P99_MS("commitToDeliveryP99Ms"),
  LAG_SECONDS_MAX("lagSecondsMax"),
  LAG_CHANGES_MAX("lagChangesMax"),
  HISTORY_LEFT_SECONDS("historyLeftSeconds"),
  SESSIONS("sessions"),
  CONNECTIONS("connections"),
  DISK_FREE_BYTES("diskFreeBytes"),
  DISK_USED_BYTES("diskUsedBytes"),
  HEAP_USED_BYTES("heapUsedBytes"),
  HEAP_MAX_BYTES("heapMaxBytes"),
  RESIDENT_BYTES("residentBytes"),
  CPU_SHARE("cpuShare");

  private final String member;

  Figure(String member) {
    this.member = member;
  }

  /** Its name in JSON. */
  String member() {
    return member;
  }
}
