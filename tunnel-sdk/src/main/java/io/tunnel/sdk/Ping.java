package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.Arrays;

/** A request that the server answers with the bytes of the request. */
final class Ping {

  private Ping() {}

  /**
   * The time from the request to its answer.
   *
   * @param bytes how many bytes travel each way
   */
  static Duration roundTrip(Caller caller, int bytes) {
    if (bytes < 0 || bytes > EchoRequest.DATA_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a ping has 0 to " + EchoRequest.DATA_BYTES_MAX + " bytes, not " + bytes);
    }
    byte[] data = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      data[i] = (byte) i;
    }
    byte[] request = new EchoRequest(true, Bytes.copyOf(data)).encode();
    Caller.Timed timed = echoed(caller, request);
    if (!Arrays.equals(timed.answer().payload(), data)) {
      throw new ConnectionException(
          "the server answered a ping of " + bytes + " bytes with other bytes", false, null);
    }
    return Duration.ofNanos(timed.tookNanos());
  }

  private static Caller.Timed echoed(Caller caller, byte[] request) {
    try {
      return Caller.await(caller.askTimed(Operation.ECHO, request));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.UNKNOWN_OPERATION) {
        throw e;
      }
      throw new RefusedException(
          ErrorCode.UNKNOWN_OPERATION,
          "the server is older than this client: it does not know the operation ECHO, which a ping"
              + " sends; upgrade the server");
    }
  }
}
