package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static io.tunnel.server.net.AttachFixture.requireTaken;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that attach to a partition whose log was begun anew since. */
final class AttachIncarnationsTest {

  @TempDir private Path directory;
  private AttachFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new AttachFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  private void ledBy(Start... starts) {
    at.node.histories.put(
        at.here,
        new IncarnationHistory(
            Stream.of(starts).map(Start::incarnation).toList(), List.of(starts), Numbers.ORDERED));
  }

  private Attach seenIn(long position, long incarnation) {
    return at.stream(5, position, Optional.empty()).seenIn(Optional.of(incarnation));
  }

  @Test
  void whose_changes_were_lost_is_refused_before_anything_is_delivered() throws IOException {
    at.write("a", "b", "c");
    ledBy(new Start(4, 1), new Start(6, 3));
    ErrorPayload refusal = at.worker.refused(Operation.ATTACH, Json.encode(seenIn(3, 4)));
    assertThat(refusal.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(refusal.message()).contains("up to position 3", "behind 2");
    assertThat(at.node.attachments.count()).isZero();
    Attached told = at.worker.granted(Operation.ATTACH, seenIn(2, 4), Attached.class);
    assertThat(told.incarnation()).contains(6L);
    credit(at.worker, told.handle(), 5);
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(3);
    assertThat(at.worker.refused(Operation.ATTACH, Json.encode(seenIn(4, 6))).code())
        .as("beyond everything")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
    var unused = attach(at.worker, at.stream(5, 3, Optional.empty()));
  }

  @Test
  void nobody_is_refused_for_changes_that_are_only_not_read_yet() throws IOException {
    at.write("a");
    ledBy(new Start(4, 1));
    at.node.bounds.set(at.here, 1, 2);
    int waiting = at.worker.send(Operation.ATTACH, Json.encode(seenIn(2, 4)));
    // Later requests are answered while the attachment waits.
    at.worker.granted(
        Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    at.worker.granted(Operation.WRITE, TestNode.write(at.node.mine, at.here, put("b")));
    assertThat(
            Json.decode(at.worker.answer(Operation.ATTACH, waiting).payload(), Attached.class)
                .incarnation())
        .contains(4L);
  }

  /** Otherwise it would checkpoint changes of the later one as if they were of the first. */
  @Test
  void what_is_of_a_later_incarnation_comes_to_workers_that_were_told_it() throws IOException {
    at.write("a");
    ledBy(new Start(4, 1));
    int former = attach(at.worker, at.stream(5, 1, Optional.empty()));
    credit(at.worker, former, 5);
    ledBy(new Start(4, 1), new Start(6, 2));
    at.write("b");
    requireTaken(at.worker, former, ErrorCode.BUSY);
    Attached again = at.worker.granted(Operation.ATTACH, seenIn(1, 4), Attached.class);
    assertThat(again.incarnation()).contains(6L);
    credit(at.worker, again.handle(), 5);
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(2);
  }
}
