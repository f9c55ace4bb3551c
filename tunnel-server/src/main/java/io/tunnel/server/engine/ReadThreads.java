package io.tunnel.server.engine;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.read.FairReads;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The threads that read for clients. They are separate, so that no single row waits for a scan, and
 * neither waits for a description.
 *
 * @param gets reads of single rows
 * @param scans pages of ranges and of base data
 * @param descriptions describes tables and tunnels, and parses long requests; of each client few
 *     tasks wait here, because clients have turns
 */
public record ReadThreads(FairReads gets, FairReads scans, ThreadPoolExecutor descriptions) {

  private static final int GET_THREADS = 1;
  private static final int SCAN_THREADS = 2;
  private static final int WAITING_MAX = 65_536;

  /** Starts the threads; {@code parts} stops them. */
  public static ReadThreads open(Parts parts) {
    return new ReadThreads(
        parts.open(new FairReads("getter", GET_THREADS, WAITING_MAX)),
        parts.open(new FairReads("scanner", SCAN_THREADS, WAITING_MAX)),
        parts.openThreads(new WaitingThread("describer", WAITING_MAX)));
  }

  /** These threads as a port. */
  public Ports.Threads with(Executor control, Shard.Clock clock) {
    return new Ports.Threads(control, gets, scans, scans, descriptions, clock);
  }
}
