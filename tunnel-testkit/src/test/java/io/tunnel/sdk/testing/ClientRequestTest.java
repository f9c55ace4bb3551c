package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.Operation.Room;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClientRequestTest {

  /** Who calls is said before there is anything to refuse; the others have no answer. */
  private static final Set<Operation> NOT_ASKED =
      EnumSet.of(
          Operation.HELLO,
          Operation.AUTHENTICATE,
          Operation.CREDIT,
          Operation.LIMIT,
          Operation.RENEW);

  @ParameterizedTest
  @EnumSource
  void everything_that_a_client_asks_can_be_refused(Operation operation) {
    boolean isAsked =
        operation.right() != Right.SERVER
            && operation.room() != Room.SECURITY
            && !NOT_ASKED.contains(operation);
    assertThat(ClientRequest.of(operation).isPresent()).isEqualTo(isAsked);
  }
}
