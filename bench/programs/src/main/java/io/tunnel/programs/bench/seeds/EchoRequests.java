package io.tunnel.programs.bench.seeds;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.Operation;
import java.util.Arrays;
import java.util.Optional;

/** Bytes that the server acknowledges or sends back. */
final class EchoRequests implements Requests {

  private final byte[] payload;
  private final byte[] answer;

  /** Of so many bytes. */
  EchoRequests(boolean isRepeated, int bytes) {
    byte[] data = new byte[bytes];
    Arrays.fill(data, (byte) 'e');
    EchoRequest request = new EchoRequest(isRepeated, Bytes.copyOf(data));
    this.payload = request.encode();
    this.answer = request.answer();
  }

  @Override
  public String name(long request) {
    return Operation.ECHO.name();
  }

  @Override
  public byte[] payload(int client, long request) {
    return payload;
  }

  @Override
  public Optional<String> wrong(long request, byte[] answered) {
    return Arrays.equals(answered, answer)
        ? Optional.empty()
        : Optional.of("an answer of " + answered.length + " bytes is not what was asked for");
  }
}
