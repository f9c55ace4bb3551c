package io.tunnel.it.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import io.tunnel.fixtures.Poll;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;

/** A service, a writer and two workers, each in a container of one network in which things fail. */
@Tag("proof-containers")
class FaultsInContainersTest {

  private static final int PARTITIONS = 8;
  private static final int ROWS = 2_000;
  private static final Path NOTES = Path.of("/tmp/notes");
  private static final Pattern APPLIED = Pattern.compile("applied (\\d+)");

  @TempDir private Path directory;

  private ContainerService service;
  private GenericContainer<?> writer;
  private List<GenericContainer<?>> workers;
  private boolean isGood;

  @AfterEach
  void nothing_is_left() {
    if (service != null) {
      if (!isGood) {
        System.out.println(service.logs());
      }
      service.close();
    }
  }

  @Test
  void a_server_that_is_paused_killed_and_cut_off_loses_nothing_acknowledged() {
    Engine.require();
    service = ContainerService.alone("n1");
    begin();

    service.pause("n1");
    service.unpause("n1");
    awaitMoreApplied();

    service.kill("n1");
    service.restart("n1");
    awaitMoreApplied();

    service.disconnect("n1");
    service.reconnect("n1");
    awaitMoreApplied();

    requireNothingLost(4 * ROWS);
  }

  @Test
  void a_cluster_goes_on_while_a_node_is_paused_killed_or_cut_off_and_loses_nothing() {
    Engine.require(ContainerService.KAFKA_IMAGE);
    service = ContainerService.cluster("n1", "n2", "n3");
    awaitUp(3);
    begin();

    service.pause("n1");
    awaitMoreApplied();
    service.unpause("n1");
    awaitUp(3);
    awaitMoreApplied();

    service.kill("n2");
    awaitMoreApplied();
    service.restart("n2");
    awaitUp(3);
    awaitMoreApplied();

    service.disconnect("n3");
    awaitMoreApplied();
    service.reconnect("n3");
    awaitUp(3);
    awaitMoreApplied();

    requireNothingLost(7 * ROWS);
  }

  /** A table, a tunnel, and programs that write and consume without end. */
  private void begin() {
    service.tunnel(
        "partition",
        "create",
        "--table=orders",
        "--key=hash:INTEGER,id:STRING",
        "--points=" + Evidence.splitPoints(PARTITIONS));
    String tunnelId =
        service
            .json("tunnels", "create", "--table=orders", "--tunnel=audit", "--start=earliest")
            .get("tunnelId")
            .getAsString();
    String endpoint = service.endpoint();
    writer = service.program(Evidence.writer(endpoint, "orders", PARTITIONS, NOTES));
    workers =
        List.of(
            service.program(Evidence.worker(endpoint, tunnelId, "one", NOTES)),
            service.program(Evidence.worker(endpoint, tunnelId, "two", NOTES)));
    awaitMoreApplied();
  }

  private void requireNothingLost(int rowsMin) {
    assertThat(ContainerService.stop(writer)).as("exit code of the writer").isZero();
    Poll.until("not everything is consumed", this::isDrained);
    for (GenericContainer<?> worker : workers) {
      assertThat(ContainerService.stop(worker)).as("exit code of a worker").isZero();
    }
    Evidence evidence = Evidence.of(notesOf(writer), workers.stream().map(this::notesOf).toList());
    assertThat(evidence.acknowledged()).isGreaterThanOrEqualTo(rowsMin);
    evidence.requireConsumed();
    isGood = true;
  }

  private boolean isDrained() {
    return service
        .tryJson("tunnels", "describe", "--table=orders", "--tunnel=audit")
        .filter(
            tunnel ->
                tunnel.getAsJsonArray("channels").asList().stream()
                    .map(JsonElement::getAsJsonObject)
                    .allMatch(
                        channel ->
                            channel.get("checkpointed").getAsLong()
                                >= channel.get("committed").getAsLong()))
        .isPresent();
  }

  private void awaitUp(int nodes) {
    Poll.until("not " + nodes + " nodes are up", () -> service.nodesUp() == nodes);
  }

  private long applied() {
    Matcher matcher = APPLIED.matcher(writer.getLogs());
    long last = 0;
    while (matcher.find()) {
      last = Long.parseLong(matcher.group(1));
    }
    return last;
  }

  private void awaitMoreApplied() {
    long target = applied() + ROWS;
    Poll.until(
        "the writer has got no further than " + applied() + " of " + target,
        () -> {
          assertThat(writer.isRunning()).as("the writer lives").isTrue();
          return applied() >= target;
        });
  }

  private Path notesOf(GenericContainer<?> program) {
    Path copy = directory.resolve(program.getContainerId());
    program.copyFileFromContainer(NOTES.toString(), copy.toString());
    return copy;
  }
}
