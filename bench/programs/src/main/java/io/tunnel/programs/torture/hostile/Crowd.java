package io.tunnel.programs.torture.hostile;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Strangers who connect, say a little or nothing, and stay as long as they are let. */
final class Crowd implements AutoCloseable {

  private final List<Socket> sockets = new ArrayList<>();
  private int refused;

  /** So many connections, to either port. */
  static Crowd gather(Target target, int connections, SplittableRandom random) throws IOException {
    Crowd crowd = new Crowd();
    byte[] hello = HandshakeAttacks.clientHello();
    for (int i = 0; i < connections; i++) {
      int port = i % 2 == 0 ? target.port() : target.httpPort().orElse(target.port());
      try {
        Socket socket = RawConnection.socket(port);
        crowd.sockets.add(socket);
        socket.getOutputStream().write(Arrays.copyOf(hello, random.nextInt(hello.length)));
      } catch (IOException e) {
        // The server has closed it, or takes no more.
        crowd.refused++;
      }
    }
    return crowd;
  }

  /** How many have connected. */
  int size() {
    return sockets.size();
  }

  /** How many were sent away while they were still speaking. */
  int refused() {
    return refused;
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
