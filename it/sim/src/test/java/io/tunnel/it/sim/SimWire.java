package io.tunnel.it.sim;

import io.tunnel.codec.Binary;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import java.util.Arrays;

/**
 * One direction of a connection. Bytes arrive in order, some time later, cut into pieces now and
 * then; after a break those that are under way are lost from some byte on.
 */
public final class SimWire {

  private static final int IN_FLIGHT_BYTES_MAX = 2 * 1024;
  private static final FrameKind[] KINDS = FrameKind.values();

  private final SimConnection connection;
  private final SimSocket from;
  private final SimSocket to;
  private long lastArrivalNanos;
  private int inFlightBytes;
  private boolean isBroken;

  public SimWire(SimConnection connection, SimSocket from, SimSocket to) {
    this.connection = connection;
    this.from = from;
    this.to = to;
  }

  public boolean takesMore() {
    return inFlightBytes < IN_FLIGHT_BYTES_MAX;
  }

  /** The sender would send more. */
  public void full() {
    connection.network().tap().full();
  }

  /** Sends one frame. */
  public void send(byte[] bytes) {
    Frame frame = frame(bytes);
    if (isBroken) {
      connection.network().tap().swallowed(connection, from, frame);
      return;
    }
    connection.network().tap().sent(connection, from, frame);
    int cut = connection.network().cutOf(bytes.length);
    if (cut > 0) {
      connection.network().tap().cutInTwo();
      piece(Arrays.copyOf(bytes, cut), () -> {});
      piece(Arrays.copyOfRange(bytes, cut, bytes.length), () -> received(frame));
    } else {
      piece(bytes, () -> received(frame));
    }
  }

  private void received(Frame frame) {
    connection.network().tap().received(connection, to, frame);
  }

  private void piece(byte[] bytes, Runnable beforeRead) {
    inFlightBytes += bytes.length;
    arriveLater(
        () -> {
          boolean wasFull = !takesMore();
          inFlightBytes -= bytes.length;
          if (!isBroken) {
            to.loop().execute(() -> to.arrived(bytes, beforeRead));
          }
          if (wasFull && takesMore()) {
            from.loop().execute(from::drained);
          }
        });
  }

  private void arriveLater(Runnable arrival) {
    lastArrivalNanos = Math.max(lastArrivalNanos, connection.arrivalNanos());
    connection.network().agenda().at(lastArrivalNanos, arrival);
  }

  /** The sender said all that it will. */
  public void closedBySender() {
    connection.network().tap().closed(connection, from);
    arriveLater(this::tellEnd);
  }

  /** Whether a frame is under way. */
  public boolean isBusy() {
    return inFlightBytes > 0;
  }

  /** Nothing arrives any more. */
  public void lose() {
    isBroken = true;
  }

  private void tellEnd() {
    if (!isBroken) {
      to.loop().execute(to::ended);
    }
  }

  private static Frame frame(byte[] bytes) {
    return new Frame(
        Binary.getByte(bytes, 4),
        KINDS[Binary.getByte(bytes, 5)],
        Binary.getInt(bytes, 8),
        Arrays.copyOfRange(bytes, Frame.HEADER_BYTES, bytes.length));
  }
}
