package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.model.TunnelType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Receivers of this service. Receivers of a queue share the queue's tunnel; the receivers of a
 * connection are one worker, which holds a channel for each receiver. A durable subscription is a
 * tunnel of its own, and a subscription that is not durable a reader without a tunnel.
 */
final class TableReceivers implements AutoCloseable {

  private static final String QUEUE = "queue";
  private static final int HELD_LOOKS_MAX = 3_000;
  private static final long HELD_LOOK_MS = 20;
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long STOP_MS = 5_000;

  private final ClientConfig config;
  private final MessageCase what;
  private final List<String> tables;
  private final TableClient admin;
  private final List<TunnelWorker> workers = new ArrayList<>();
  private final List<PartitionReader> readers = new ArrayList<>();
  private final List<Thread> readerThreads = new ArrayList<>();
  private final CountDownLatch never = new CountDownLatch(1);
  private volatile boolean isClosing;

  TableReceivers(String endpoint, MessageCase what, List<String> tables, TableClient admin) {
    this.config = ClientConfig.of(endpoint);
    this.what = what;
    this.tables = tables;
    this.admin = admin;
  }

  /** Starts the receivers, and returns when the workers hold all channels. */
  void start(Arrivals arrivals) throws InterruptedException {
    if (what.way().isTopic() && !what.way().isDurable()) {
      for (int number = 0; number < what.receivers(); number++) {
        read(number, arrivals);
      }
      return;
    }
    try (TunnelClient tunnels = new TunnelClient(config)) {
      if (what.way().isTopic()) {
        subscribe(tunnels, arrivals);
      } else {
        share(tunnels, arrivals);
      }
      workers.forEach(TunnelWorker::connectAndWorking);
      awaitHeld();
    }
  }

  private void subscribe(TunnelClient tunnels, Arrivals arrivals) {
    for (int number = 0; number < what.receivers(); number++) {
      String table = tables.get(what.destinationOf(number));
      workers.add(worker(tunnels, table, "subscriber" + number, 1, arrivals));
    }
  }

  private void share(TunnelClient tunnels, Arrivals arrivals) {
    for (int destination = 0; destination < tables.size(); destination++) {
      TreeMap<Integer, Integer> ofConnection = new TreeMap<>();
      for (int number : what.receiversOf(destination)) {
        ofConnection.merge(what.connectionOf(number), 1, Integer::sum);
      }
      for (int channels : ofConnection.values()) {
        workers.add(worker(tunnels, tables.get(destination), QUEUE, channels, arrivals));
      }
    }
  }

  private TunnelWorker worker(
      TunnelClient tunnels, String table, String tunnel, int channels, Arrivals arrivals) {
    String id =
        tunnels
            .createTunnelIfAbsent(new CreateTunnelRequest(table, tunnel, TunnelType.Stream))
            .getTunnelId();
    TunnelWorkerConfig settings =
        TunnelWorkerConfig.builder()
            .processor(
                input -> {
                  Arrivals.Stream stream =
                      arrivals.stream(table + "/" + tunnel + "/" + input.getPartitionId());
                  for (StreamRecord change : input.getRecords()) {
                    stream.arrived(MessageRows.header(change));
                  }
                })
            .maxChannels(channels)
            .channelCreditBytes(what.receiveWindowBytes())
            .bufferBytesMax((long) channels * what.receiveWindowBytes())
            .build();
    return new TunnelWorker(id, tunnels, settings);
  }

  /** Channels move until the workers share them evenly; no message is sent before. */
  private void awaitHeld() throws InterruptedException {
    for (int look = 0; held() < what.receivers(); look++) {
      if (look == HELD_LOOKS_MAX) {
        throw new IllegalStateException(
            "receivers hold " + held() + " of " + what.receivers() + " channels");
      }
      var unused = never.await(HELD_LOOK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private int held() {
    return workers.stream().mapToInt(worker -> worker.status().channels().size()).sum();
  }

  private void read(int number, Arrivals arrivals) {
    String table = tables.get(what.destinationOf(number));
    PartitionReader reader =
        new PartitionReader(
            config,
            admin.partitionMap(table),
            PartitionReaderConfig.DEFAULTS
                .withPartitionBytesMax(what.receiveWindowBytes())
                .withReaderBytesMax(what.receiveWindowBytes()));
    readers.add(reader);
    for (PartitionPositions each : admin.findPositions(table, Optional.empty()).partitions()) {
      reader.start(ReadStart.changes(each.partition(), each.latest()));
    }
    Arrivals.Stream stream = arrivals.stream("reader" + number);
    Thread thread = new Thread(() -> read(reader, stream, arrivals), "reader-" + number);
    thread.setDaemon(true);
    thread.start();
    readerThreads.add(thread);
  }

  private void read(PartitionReader reader, Arrivals.Stream stream, Arrivals arrivals) {
    try {
      while (!isClosing) {
        Optional<PartitionRecords> next = reader.poll(POLL);
        if (next.isPresent()) {
          next.get().records().forEach(each -> stream.arrived(MessageRows.header(each)));
          next.get().release();
        }
      }
    } catch (InterruptedException | RuntimeException e) {
      if (!isClosing) {
        arrivals.failed(e);
      }
    }
  }

  @Override
  public void close() {
    isClosing = true;
    readers.forEach(PartitionReader::wakeUp);
    workers.forEach(TunnelWorker::close);
    readers.forEach(PartitionReader::close);
    for (Thread thread : readerThreads) {
      try {
        thread.join(STOP_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
