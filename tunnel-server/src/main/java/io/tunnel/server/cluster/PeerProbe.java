package io.tunnel.server.cluster;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Json;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Asks once, at a node's last address, whether the node's process still runs. */
public final class PeerProbe {

  private static final int CONNECT_MS_MAX = 500;
  private static final int ANSWER_MS_MAX = 3_000;
  private static final int ANSWER_BYTES_MAX = 16 << 20;
  private static final int STATUS_ID = 1;

  /** What the probe found. */
  public enum Presence {
    /** Nothing listens at the address: the process has ended. */
    GONE,
    /** The node answers. */
    ALIVE,
    /** Another program answered, or no answer came in time. */
    UNKNOWN
  }

  private PeerProbe() {}

  /**
   * Asks at {@code address}, HOST:PORT, for the node {@code name}; blocks for a few seconds at
   * most.
   */
  public static Presence ask(String address, String name) {
    int colon = address.lastIndexOf(':');
    try (Socket connection = new Socket()) {
      connection.setSoTimeout(ANSWER_MS_MAX);
      connection.connect(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
          CONNECT_MS_MAX);
      send(connection.getOutputStream(), name);
      NodeStatus status = status(new DataInputStream(connection.getInputStream()));
      return status.name().equals(name) ? Presence.ALIVE : Presence.UNKNOWN;
    } catch (ConnectException e) {
      return Presence.GONE;
    } catch (IOException | RuntimeException e) {
      // The host is unknown, is silent, or runs another program.
      return Presence.UNKNOWN;
    }
  }

  private static void send(OutputStream out, String name) throws IOException {
    byte[] hello = Hello.request(Protocol.SPOKEN, "node " + name + " starts").encode();
    write(out, new Frame(Operation.HELLO, FrameKind.REQUEST, 0, hello));
    byte[] describe = Json.encode(new DescribeNode(NodePart.REPLICAS));
    write(out, new Frame(Operation.DESCRIBE_NODE, FrameKind.REQUEST, STATUS_ID, describe));
    out.flush();
  }

  private static void write(OutputStream out, Frame frame) throws IOException {
    out.write(frame.header());
    out.write(frame.payload());
  }

  private static NodeStatus status(DataInputStream in) throws IOException {
    while (true) {
      byte[] header = in.readNBytes(Frame.HEADER_BYTES);
      if (header.length < Frame.HEADER_BYTES) {
        throw new IOException("closed");
      }
      int bytes = Binary.getInt(header, 0) - (Frame.HEADER_BYTES - Integer.BYTES);
      if (bytes < 0 || bytes > ANSWER_BYTES_MAX) {
        throw new MalformedException("an answer of " + bytes + " bytes");
      }
      byte[] payload = in.readNBytes(bytes);
      if (Binary.getInt(header, 8) == STATUS_ID) {
        return Json.decode(payload, NodeStatus.class);
      }
    }
  }
}
