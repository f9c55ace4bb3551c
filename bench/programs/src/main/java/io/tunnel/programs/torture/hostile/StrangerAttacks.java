package io.tunnel.programs.torture.hostile;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Of somebody who has no key. */
final class StrangerAttacks {

  private static final List<Operation> OPERATIONS = List.of(Operation.values());

  /** Bytes behind the length of a frame of a stranger. */
  private static final int FRAME_BYTES_MAX = 4 * 1024;

  private static final int PAYLOAD_BYTES_MAX = FRAME_BYTES_MAX + 4 - Frame.HEADER_BYTES;

  /** The 5 s of an authentication, 2 s for the last word, and what a busy machine takes. */
  private static final int SILENT_MS_MAX = 15_000;

  private StrangerAttacks() {}

  /** A connection that has greeted, or not yet. */
  private static RawConnection stranger(Scene scene, boolean isGreeted) throws IOException {
    return isGreeted ? RawConnection.greeted(scene.target()) : RawConnection.silent(scene.target());
  }

  private static byte[] payload(Scene scene, Operation operation, SplittableRandom random) {
    byte[] payload = Payloads.of(operation, scene.victim()).orElseGet(() -> new byte[8]);
    return random.nextInt(4) == 0 ? Mutants.of(payload, random) : payload;
  }

  static void request(Scene scene, SplittableRandom random) throws IOException {
    boolean isGreeted = random.nextInt(4) > 0;
    Operation operation;
    do {
      operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
    } while (operation == (isGreeted ? Operation.AUTHENTICATE : Operation.HELLO));
    byte[] payload = payload(scene, operation, random);
    byte[] request = RawConnection.bytesOf(operation.code(), FrameKind.REQUEST, 77, payload);
    try (RawConnection connection = stranger(scene, isGreeted)) {
      // Many at once: the first of them ends the connection, and the others are not looked at.
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        connection.sendWhileOpen(request);
      }
      var unused =
          connection.closedWith(
              Optional.of(isGreeted ? ErrorCode.NOT_AUTHENTICATED : ErrorCode.INVALID_REQUEST));
    }
  }

  static void largeFrame(Scene scene, SplittableRandom random) throws IOException {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Operation operation = random.nextBoolean() ? Operation.AUTHENTICATE : Operation.WRITE;
    Frame.writeHeader(header, 0, operation.code(), FrameKind.REQUEST, 5, 0);
    int length =
        random.nextBoolean()
            ? FRAME_BYTES_MAX + 1
            : random.nextInt(FRAME_BYTES_MAX + 1, Limits.FRAME_BYTES_MAX + 9);
    Binary.putInt(header, 0, length);
    try (RawConnection connection = stranger(scene, random.nextBoolean())) {
      connection.sendWhileOpen(header);
      var unused = connection.closedWith(Optional.of(ErrorCode.FRAME_TOO_LARGE));
    }
  }

  static void brackets(Scene scene, SplittableRandom random) throws IOException {
    boolean isGreeted = random.nextBoolean();
    byte[] payload = new byte[random.nextInt(PAYLOAD_BYTES_MAX / 2, PAYLOAD_BYTES_MAX + 1)];
    Arrays.fill(payload, (byte) "[{\"".charAt(random.nextInt(3)));
    // Or what begins as a proof does.
    payload[0] = random.nextBoolean() ? payload[0] : (byte) random.nextInt(1, 3);
    int operation = (isGreeted ? Operation.AUTHENTICATE : Operation.HELLO).code();
    try (RawConnection connection = stranger(scene, isGreeted)) {
      connection.sendWhileOpen(RawConnection.bytesOf(operation, FrameKind.REQUEST, 77, payload));
      var unused = connection.closedWith(Optional.of(ErrorCode.INVALID_REQUEST));
    }
  }

  static void garbage(Scene scene, SplittableRandom random) throws IOException {
    byte[] garbage = new byte[random.nextInt(1, 600)];
    random.nextBytes(garbage);
    if (random.nextBoolean()) {
      // A length that may well be right, so that what follows is looked at.
      byte[] length = {0, 0, 0, (byte) random.nextInt(8, 200)};
      System.arraycopy(length, 0, garbage, 0, Math.min(4, garbage.length));
    }
    try (RawConnection connection = stranger(scene, random.nextBoolean())) {
      for (int at = 0; at < garbage.length; ) {
        int to = Math.min(garbage.length, at + random.nextInt(1, 200));
        connection.sendWhileOpen(Arrays.copyOfRange(garbage, at, to));
        at = to;
      }
      connection.end();
      requireErrors(connection);
    }
  }

  private static void requireErrors(RawConnection connection) throws IOException {
    Optional<Frame> frame = connection.receive();
    while (frame.isPresent()) {
      if (frame.get().kind() != FrameKind.ERROR) {
        throw new HoleException("garbage was answered with " + frame.get().operation());
      }
      var unused = RawConnection.errorOf(frame.get());
      frame = connection.receive();
    }
  }

  /** A stranger who has shaken hands, has greeted, has begun, or is in the middle of a frame. */
  static void silence(Scene scene, SplittableRandom random) throws IOException {
    byte[] half =
        RawConnection.bytesOf(Operation.AUTHENTICATE.code(), FrameKind.REQUEST, 7, new byte[99]);
    boolean isGreeted = random.nextBoolean();
    try (RawConnection connection = stranger(scene, isGreeted)) {
      connection.answersWithin(SILENT_MS_MAX);
      if (isGreeted && random.nextBoolean()) {
        var unused = connection.begin(scene.owner(), RawConnection.nonce(random.nextLong()));
      }
      connection.sendWhileOpen(Arrays.copyOf(half, random.nextInt(half.length)));
      var unused = connection.closedWith(Optional.empty());
    }
  }
}
