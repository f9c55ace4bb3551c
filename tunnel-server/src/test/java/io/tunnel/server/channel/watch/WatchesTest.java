package io.tunnel.server.channel.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.wire.KeyTerms;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may watch, and which hubs read which partitions. */
final class WatchesTest {

  private static final KeyTerms TERMS =
      new KeyTerms(List.of(Bytes.fromHex("0561")), List.of(), false);

  private final List<String> log = new ArrayList<>();
  private long settled = 5;

  /** A log without changes, which notes who subscribes to it. */
  private final ChangeReader changes =
      (ChangeReader)
          Proxy.newProxyInstance(
              ChangeReader.class.getClassLoader(),
              new Class<?>[] {ChangeReader.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "subscribe", "unsubscribe" -> {
                      log.add(method.getName());
                      yield null;
                    }
                    case "plan" -> Extents.held(List.of());
                    case "settled", "committed" -> settled;
                    case "firstPosition" -> 1L;
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  /** A connection that runs at once what it is to run, and takes nothing. */
  private final DeliveryPort port =
      (DeliveryPort)
          Proxy.newProxyInstance(
              DeliveryPort.class.getClassLoader(),
              new Class<?>[] {DeliveryPort.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("execute")) {
                  ((Runnable) arguments[0]).run();
                }
                return method.getReturnType() == boolean.class ? false : null;
              });

  private Watches watches(WatchLimits limits) {
    return new Watches(
        changes, Runnable::run, new Rations(RationConfig.DEFAULT, () -> 0), () -> 0, limits);
  }

  private Channel open(Watches watches, int partition) {
    return open(watches, partition, "");
  }

  private Channel open(Watches watches, int partition, String principal) {
    Channel.Start start = new Channel.Start(1, 0, partition, settled);
    Channel channel = watches.open(start, TERMS, principal, port);
    channel.start();
    return channel;
  }

  @Test
  void watches_of_one_partition_share_one_hub_that_ends_with_the_last() {
    Watches watches = watches(WatchLimits.DEFAULT);
    Channel first = open(watches, 1);
    Channel second = open(watches, 1);
    assertThat(log).containsExactly("subscribe");
    first.stop();
    first.stop();
    assertThat(log).containsExactly("subscribe");
    second.stop();
    assertThat(log).containsExactly("subscribe", "unsubscribe");
    assertThat(watches.figures()).isEqualTo(new Watches.Figures(0, 0, 0, 0, 0, 0));
  }

  @Test
  void a_partition_that_comes_back_is_read_by_another_hub() {
    Watches watches = watches(WatchLimits.DEFAULT);
    Channel former = open(watches, 1);
    watches.lost(1);
    assertThat(log).containsExactly("subscribe", "unsubscribe");
    settled = 3;
    Channel later = open(watches, 1);
    former.stop();
    assertThat(log).as("the former watch ends late").hasSize(3).endsWith("subscribe");
    later.stop();
    assertThat(log).hasSize(4).endsWith("unsubscribe");
  }

  @Test
  void there_are_as_many_watches_and_terms_as_the_server_takes() {
    Watches few = watches(new WatchLimits(2, 100_000, 1_000, 100));
    Channel one = open(few, 1);
    open(few, 2);
    assertBusy(few, "2 watches");
    one.stop();
    open(few, 3);
    Watches small = watches(new WatchLimits(10, 2 * Watches.cost(TERMS) + 1, 1_000, 100));
    open(small, 1);
    open(small, 1);
    assertBusy(small, "bytes");
    assertThat(small.figures().watches()).isEqualTo(2);
    assertThat(small.figures().termsBytes()).isEqualTo(2L * Watches.cost(TERMS));
  }

  @Test
  void a_reader_takes_neither_all_watches_nor_all_terms_of_a_server() {
    for (WatchLimits limits :
        List.of(
            new WatchLimits(60, 1 << 20, 1_000, 100),
            new WatchLimits(1_000, 60L * Watches.cost(TERMS), 1_000, 100))) {
      Watches watches = watches(limits);
      Deque<Channel> greedy = new ArrayDeque<>();
      for (int i = 0; i < 10; i++) {
        greedy.add(open(watches, 1, "greedy"));
      }
      assertThatThrownBy(() -> open(watches, 1, "greedy"))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY))
          .hasMessageContaining("'greedy' has 10 watches");
      for (int i = 0; i < 8; i++) {
        greedy.add(open(watches, 1, "late"));
      }
      for (int i = 0; i < 3; i++) {
        greedy.pop().stop();
      }
      greedy.add(open(watches, 1, "greedy"));
      greedy.forEach(Channel::stop);
      assertThat(watches.figures()).isEqualTo(new Watches.Figures(0, 0, 0, 0, 0, 0));
    }
  }

  private void assertBusy(Watches watches, String reason) {
    assertThatThrownBy(() -> open(watches, 1))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining(reason);
  }
}
