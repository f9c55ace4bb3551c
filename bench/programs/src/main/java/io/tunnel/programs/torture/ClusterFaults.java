package io.tunnel.programs.torture;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is done to nodes and brokers of a cluster. Every fault is over when its method returns. */
final class ClusterFaults implements AutoCloseable {

  private final TortureSetup setup;
  private final LoadClock clock;
  private final TortureTally tally;
  private final PacketFilter packets = new PacketFilter();

  ClusterFaults(TortureSetup setup, LoadClock clock, TortureTally tally) {
    this.setup = setup;
    this.clock = clock;
    this.tally = tally;
  }

  private void waitMs(long ms) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(ms), () -> false);
  }

  /** Waits until each broker has all records. The loss of one broker loses no record then. */
  void awaitInSync() throws IOException, InterruptedException {
    try (TortureTopics topics = setup.kafka().topics(clock)) {
      topics.awaitInSync();
    }
  }

  /** Counts the logs that are trimmed now. */
  void countTrims() throws IOException, InterruptedException {
    try (TortureTopics topics = setup.kafka().topics(clock)) {
      tally.trimmed(topics.trimmed());
    }
  }

  /** One node starts without its directory; every fourth time all nodes. */
  void empty(FaultPlan.Round round) throws IOException, InterruptedException {
    boolean isAll = round.lastsMs() % 4 == 0;
    List<Machine> victims = isAll ? setup.machines() : List.of(setup.victim(round));
    for (Machine victim : victims) {
      victim.kill();
      victim.deleteData();
    }
    for (Machine victim : victims) {
      var unused = victim.spawn();
    }
    if (round.interruptedMs() >= 0) {
      Machine first = victims.get(0);
      boolean unused = first.server().isReadyWithin(round.interruptedMs());
      first.kill();
      tally.startInterrupted();
      var unusedAgain = first.spawn();
    } else if (!isAll && round.lastsMs() % 3 == 0) {
      killAnother(round);
    }
    for (Machine victim : victims) {
      victim.server().awaitReady();
    }
  }

  /** While a node begins with nothing, another one is killed, and starts again. */
  private void killAnother(FaultPlan.Round round) throws IOException, InterruptedException {
    List<Machine> machines = setup.machines();
    Machine other = machines.get((round.victim() + 1) % machines.size());
    other.kill();
    other.spawn().awaitReady();
  }

  /** Packets pass in one direction only, in one of five places. */
  void oneWay(FaultPlan.Round round) throws IOException, InterruptedException {
    TortureKafka kafka = setup.kafka();
    int node = round.victim() % setup.machines().size();
    List<Integer> ofNode = List.of(setup.machines().get(node).port());
    try {
      switch (round.lastsMs() % 5) {
        case 0 -> packets.dropRequests(kafka.portsFor(node));
        case 1 -> packets.dropAnswers(kafka.portsFor(node));
        case 2 -> packets.dropAnswers(kafka.portForBrokers(round));
        case 3 -> packets.dropRequests(ofNode);
        default -> packets.dropAnswers(ofNode);
      }
      waitMs(2L * round.lastsMs());
    } finally {
      packets.resume();
    }
  }

  /** The node gives up all that it leads, and takes part again. */
  void drain(FaultPlan.Round round) throws IOException {
    String address = setup.victim(round).address();
    ClientConfig config = ClientConfig.of(setup.administratorsEndpoint());
    try (ClusterClient client = new ClusterClient(config)) {
      client.drain(address, true);
      waitMs(round.lastsMs());
      client.drain(address, false);
    } catch (RefusedException | ConnectionException e) {
      // A node that is about to be left by its group gives no answer.
      tally.drainRefused();
    }
  }

  void killBroker(FaultPlan.Round round) throws IOException {
    KafkaBroker victim = setup.kafka().victim(round);
    victim.kill();
    waitMs(round.lastsMs());
    victim.restart();
  }

  void suspendBroker(FaultPlan.Round round) throws IOException {
    KafkaBroker victim = setup.kafka().victim(round);
    victim.suspend();
    waitMs(round.lastsMs());
    victim.resume();
  }

  /** The broker starts without its unsynced records; the other brokers have all records. */
  void cutBroker(FaultPlan.Round round) throws IOException, InterruptedException {
    KafkaBroker victim = setup.kafka().victim(round);
    PowerDisk disk = setup.kafka().disk(round);
    disk.cut();
    victim.kill();
    disk.restore();
    waitMs(round.lastsMs() % 1_000);
    victim.restart();
  }

  /**
   * A broker that was down, and lacks the last records, comes to lead without the other brokers.
   * The others start and take its log. Records that were acknowledged since the fault began may be
   * gone.
   */
  void electUncleanly(FaultPlan.Round round) throws IOException, InterruptedException {
    KafkaBroker late = setup.kafka().victim(round);
    late.kill();
    waitMs(round.lastsMs());
    List<KafkaBroker> others = new ArrayList<>(setup.kafka().others(round));
    others.forEach(KafkaBroker::kill);
    late.restart();
    try (TortureTopics topics = setup.kafka().topics(clock)) {
      topics.electUncleanly();
    }
    KafkaBroker.restartAll(others);
    awaitInSync();
  }

  @Override
  public void close() {
    packets.close();
  }
}
