package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.server.net.LookedNode;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest.Verified;
import io.tunnel.wire.LookRequest.Where;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions to a server as it ships. */
final class PeerLooksNodeTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_node_asks_an_open_and_a_closed_node_without_a_key(boolean isClosed) throws Exception {
    FakeLooks replicas = new FakeLooks();
    Found found = new Found(5, 1, 40, Optional.of(7L), List.of(12L), Optional.empty());
    replicas.leads(found);
    replicas.verifies(7, 99);
    try (LookedNode node = new LookedNode(directory, "n2", replicas, isClosed);
        PeerLooks looks =
            new PeerLooks(
                "n1",
                new PeerLooks.Tools(
                    SocketFactory.getDefault(), node.seals(), node.clock(), new ManualLater()))) {
      Member member = new Member("n2", "i", node.address(), false, 1);
      List<Part> parts = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        parts =
            looks
                .ask(
                    member,
                    List.of(
                        new Where(5, List.of(3L), Optional.empty()),
                        new Where(6, List.of(), Optional.empty()),
                        new Verified(7)))
                .get(60, TimeUnit.SECONDS);
      }
      assertThat(parts.get(0)).isEqualTo(found);
      assertThat(((Refused) parts.get(1)).code()).isEqualTo(ErrorCode.NOT_LEADER);
      assertThat(parts.get(2)).isEqualTo(new VerifiedUpTo(7, Optional.of(99L)));
      assertThat(looks.connectionCount()).isEqualTo(1);
    }
  }
}
