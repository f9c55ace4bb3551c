package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.wire.Operation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallerTest {

  private static final byte[] NOTHING = {};

  private final FakeServer home = new FakeServer();
  private final FakeServer leader = new FakeServer();
  private final EventLoops loops = EventLoops.start(1);
  private final Nodes nodes = new Nodes(home.config(), loops, new SystemClock());
  private final Caller caller = new Caller(nodes, new SystemClock());
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    nodes.close();
    loops.close();
    home.close();
    leader.close();
    assertThat(home.failures()).isEmpty();
    assertThat(leader.failures()).isEmpty();
  }

  @Test
  void a_leader_that_is_busy_leads_all_the_same() {
    home.on(
        Operation.PAUSE,
        (connection, frame) -> {
          asked.add("home");
          connection.sendOn(frame, Optional.of(leader.address()));
        });
    AtomicInteger busy = new AtomicInteger(3);
    leader.on(
        Operation.PAUSE,
        (connection, frame) -> {
          asked.add("leader");
          if (busy.getAndDecrement() > 0) {
            connection.refuse(frame, ErrorCode.BUSY);
          } else {
            connection.answer(frame, NOTHING);
          }
        });
    byte[] answer = caller.awaitChange(Subject.tunnels("t"), Operation.PAUSE, NOTHING);
    assertThat(answer).isEmpty();
    assertThat(asked).containsExactly("home", "leader", "leader", "leader", "leader");
  }
}
