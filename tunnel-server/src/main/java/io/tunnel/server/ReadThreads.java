package io.tunnel.server;

import io.tunnel.server.partition.FairReads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that read for clients, apart from each other: a row is not waited for behind a scan,
 * nor either behind a description or a page of figures.
 *
 * @param gets reads of single rows
 * @param scans pages of ranges and of base data
 * @param descriptions of tables and tunnels
 * @param pages of the HTTP port
 */
record ReadThreads(
    FairReads gets, FairReads scans, ThreadPoolExecutor descriptions, ThreadPoolExecutor pages) {

  private static final int GET_THREADS = 1;
  private static final int SCAN_THREADS = 2;
  private static final int READS_WAITING_MAX = 65_536;
  private static final int DESCRIPTIONS_WAITING_MAX = 256;
  private static final int PAGES_WAITING_MAX = 4;

  /** Begins; {@code parts} ends it. */
  static ReadThreads open(Parts parts) {
    return new ReadThreads(
        parts.open(new FairReads("getter", GET_THREADS, READS_WAITING_MAX)),
        parts.open(new FairReads("scanner", SCAN_THREADS, READS_WAITING_MAX)),
        parts.openThreads(one("describer", DESCRIPTIONS_WAITING_MAX)),
        parts.openThreads(one("pages", PAGES_WAITING_MAX)));
  }

  private static ThreadPoolExecutor one(String name, int waitingMax) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(waitingMax),
        task -> new Thread(task, name));
  }
}
