package io.tunnel.it.sim.machine;

import io.tunnel.it.sim.SimWire;

/** A connection between a client and the server: two wires that share their luck. */
public final class SimConnection {

  private static final long NEVER = Long.MAX_VALUE / 4;

  private final SimNetwork network;
  private final String name;
  private final SimSocket client;
  private final SimSocket server;
  private final SimWire toServer;
  private final SimWire toClient;
  private long stalledUntilNanos;
  private boolean isCut;

  public SimConnection(SimNetwork network, String name, SimSocket client, SimSocket server) {
    this.network = network;
    this.name = name;
    this.client = client;
    this.server = server;
    this.toServer = new SimWire(this, client, server);
    this.toClient = new SimWire(this, server, client);
    client.connect(toServer);
    server.connect(toClient);
  }

  public SimNetwork network() {
    return network;
  }

  public SimSocket client() {
    return client;
  }

  public SimSocket server() {
    return server;
  }

  public boolean isServer(SimSocket end) {
    return end.equals(server);
  }

  public boolean isCut() {
    return isCut;
  }

  /** When what is sent now arrives. */
  public long arrivalNanos() {
    return Math.max(network.arrivalNanos(), stalledUntilNanos);
  }

  /** Delays all bytes in flight for a while. */
  public void stall(long nanos) {
    stalledUntilNanos = Math.max(stalledUntilNanos, network.agenda().nowNanos() + nanos);
  }

  public void goOn() {
    stalledUntilNanos = 0;
  }

  public boolean isBusy() {
    return toServer.isBusy() || toClient.isBusy();
  }

  /**
   * The connection breaks: what is under way is lost.
   *
   * @param clientSeesNanos when the client learns of it; negative for never
   * @param serverSeesNanos when the server learns of it; negative for never
   */
  public void cut(long clientSeesNanos, long serverSeesNanos) {
    isCut = true;
    toServer.lose();
    toClient.lose();
    tell(client, clientSeesNanos);
    tell(server, serverSeesNanos);
  }

  private void tell(SimSocket end, long afterNanos) {
    if (afterNanos >= 0 && afterNanos < NEVER) {
      network.agenda().after(afterNanos, () -> end.loop().execute(end::ended));
    }
  }

  /**
   * The server's process has died: bytes that it had sent still arrive, and then the end of the
   * stream.
   */
  public void serverDied() {
    toClient.closedBySender();
    toServer.lose();
  }

  /** The client's process has died. */
  public void clientDied() {
    toServer.closedBySender();
    toClient.lose();
  }

  @Override
  public String toString() {
    return name;
  }
}
