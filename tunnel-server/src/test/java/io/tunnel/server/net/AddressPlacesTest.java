package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.Places.Admission;
import io.tunnel.server.net.access.Gate;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.TableList;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The connections of one address, over sockets. */
final class AddressPlacesTest {

  private static final int OF_ADDRESS_MAX = 3;

  @TempDir private Path directory;

  private static NetLimits limits(int ofAddressMax) {
    NetLimits all = NetLimits.DEFAULT;
    return new NetLimits(
        all.frameMsMax(),
        all.partialBytesMax(),
        all.requestsMax(),
        all.requestBytesMax(),
        all.answerBytesMax(),
        all.connectionAnswerBytesMax(),
        all.httpConnectionsMax(),
        ofAddressMax,
        all.idleMsMax(),
        all.principalMetricsMax(),
        all.channelMetricsMax());
  }

  private static void requireServed(RawClient client) throws IOException {
    assertThat(client.granted(Operation.LIST_TABLES, new Empty(), TableList.class).tables())
        .contains("mine");
  }

  /** The last words that a connection is told which says nothing. */
  private static ErrorPayload refused(TestNode node) throws IOException {
    try (Socket socket = new Socket(node.address().getAddress(), node.address().getPort())) {
      byte[] said = socket.getInputStream().readAllBytes();
      return ErrorPayload.decode(Arrays.copyOfRange(said, Frame.HEADER_BYTES, said.length));
    }
  }

  private static boolean isServed(TestNode node) {
    try (RawClient next = node.client()) {
      requireServed(next);
      return true;
    } catch (IOException | AssertionError e) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({"0,10000,2500", "0,7,1", "0,3,1", "0,8,2", "3,8,3"})
  void unless_it_is_said_one_address_has_a_quarter_of_the_connections_that_are_accepted(
      int said, int connectionsMax, int ofAddressMax) {
    NetServer.Budgets budgets = NetServer.Budgets.of(limits(said), connectionsMax, Gate.open());
    assertThat(budgets.limits()).isEqualTo(limits(ofAddressMax));
    Bytes network = Bytes.copyOf(new byte[] {1});
    for (int i = 0; i < ofAddressMax; i++) {
      Guest guest = new Guest(i);
      assertThat(budgets.places().enter(guest, network)).isEqualTo(Admission.ADMITTED);
      budgets.places().greeted(guest);
    }
    assertThat(budgets.places().enter(new Guest(ofAddressMax), network))
        .isEqualTo(Admission.CROWDED);
  }

  private record Guest(int number) implements Places.Holder {
    @Override
    public void closeAtOnce(Farewell why) {
      throw new IllegalStateException("has greeted");
    }
  }

  @Test
  void
      as_many_as_one_address_may_have_are_served_one_more_is_told_why_not_and_is_served_when_one_has_gone()
          throws IOException {
    try (TestNode node = TestNode.reading(directory, limits(OF_ADDRESS_MAX));
        RawClient first = node.client();
        RawClient second = node.client()) {
      try (RawClient third = node.client()) {
        ErrorPayload word = refused(node);
        assertThat(word.code()).isEqualTo(ErrorCode.BUSY);
        assertThat(word.message())
            .contains("net.limits.connectionsPerAddressMax = " + OF_ADDRESS_MAX);
        for (RawClient each : List.of(first, second, third)) {
          requireServed(each);
        }
      }
      for (int tries = 1; !isServed(node); tries++) {
        assertThat(tries).as("the place of the one that has gone is given").isLessThan(10_000);
      }
      requireServed(first);
      requireServed(second);
    }
  }
}
