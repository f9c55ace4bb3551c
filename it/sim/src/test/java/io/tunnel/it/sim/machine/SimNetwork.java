package io.tunnel.it.sim.machine;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Makes connections and knows them all; how fast and how reliable they are follows from a seed. */
public final class SimNetwork {

  private static final int USUAL_NANOS_MAX = 300_000;
  private static final int SLOW_NANOS_MAX = 40_000_000;
  private static final int SLOW_ONE_IN = 40;
  private static final int CUT_ONE_IN = 12;
  private static final int STEADY_NANOS = 100_000;

  private static final int CLOSED_ONE_IN = 3;

  private final Agenda agenda;
  private final SplittableRandom random;
  private final SimKeys keys = new SimKeys();
  private boolean isClosed;
  private Tap tap;
  private boolean isSteady;
  private final List<SimConnection> connections = new ArrayList<>();
  private Listener listener = (name, address) -> null;
  private int lastNumber;

  /** Sees every sent frame, and every frame that arrives whole. */
  public interface Tap {
    void sent(SimConnection connection, SimSocket from, Frame frame);

    void received(SimConnection connection, SimSocket to, Frame frame);

    /** A sender gave a frame to a connection that is broken, as a system takes it. */
    default void swallowed(SimConnection connection, SimSocket from, Frame frame) {}

    /** A frame travels in two parts. */
    default void cutInTwo() {}

    /** A connection takes no more bytes for a while. */
    default void full() {}

    default void closed(SimConnection connection, SimSocket by) {}
  }

  /** Who accepts connections. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Where a new connection lives and what serves it; null when nobody listens.
     *
     * @param address empty where there is one server
     */
    Accepted accept(String name, String address);
  }

  /** The server's end of a new connection. */
  public record Accepted(SimLoop loop, List<ChannelHandler> handlers) {}

  public SimNetwork(Agenda agenda, SplittableRandom random, Tap tap) {
    this.agenda = agenda;
    this.random = random;
    this.tap = tap;
  }

  /**
   * Decides by the seed whether a world's servers require authentication: in a third of all worlds.
   */
  public void of(long seed) {
    isClosed = seed % CLOSED_ONE_IN == 0;
  }

  /** Whether servers ask everybody who they are, and clients come with a key. */
  public boolean isClosed() {
    return isClosed;
  }

  /** The keys with which clients come. */
  public SimKeys keys() {
    return keys;
  }

  public Agenda agenda() {
    return agenda;
  }

  public Tap tap() {
    return tap;
  }

  /** Something else sees frames from now on. */
  public void tap(Tap next) {
    tap = next;
  }

  /** Everything takes the same time from now on, and frames stay whole. */
  public void steady() {
    isSteady = true;
  }

  public void listen(Listener next) {
    listener = next;
  }

  /** Connections that are not known to be over. */
  public List<SimConnection> open() {
    connections.removeIf(each -> each.isCut() || !each.client().isOpen());
    return connections;
  }

  public long arrivalNanos() {
    if (isSteady) {
      return agenda.nowNanos() + STEADY_NANOS;
    }
    int nanosMax = random.nextInt(SLOW_ONE_IN) == 0 ? SLOW_NANOS_MAX : USUAL_NANOS_MAX;
    return agenda.nowNanos() + 20_000 + random.nextInt(nanosMax);
  }

  /** Where a frame of that many bytes is cut in two; 0 when it is not. */
  public int cutOf(int bytes) {
    return !isSteady && bytes > 1 && random.nextInt(CUT_ONE_IN) == 0
        ? 1 + random.nextInt(bytes - 1)
        : 0;
  }

  /**
   * Connects. {@code connected} is told on the client's loop: true when frames may be sent on the
   * socket that is returned, false when nobody listened.
   */
  public SimSocket connect(
      String clientName, SimLoop loop, ChannelHandler handler, Consumer<Boolean> connected) {
    return connect(clientName, "", loop, handler, connected);
  }

  /** Connects to an address; see {@link #connect(String, SimLoop, ChannelHandler, Consumer)}. */
  public SimSocket connect(
      String clientName,
      String address,
      SimLoop loop,
      ChannelHandler handler,
      Consumer<Boolean> connected) {
    String name = clientName + (address.isEmpty() ? "" : "@" + address) + "#" + ++lastNumber;
    SimSocket client = new SimSocket(name, loop);
    client.pipeline().addLast(handler);
    loop.register(client);
    agenda.at(arrivalNanos(), () -> accept(name, address, client, connected));
    return client;
  }

  /**
   * A socket that its owner connects to an address; the owner opens it with {@code key}, if any.
   */
  public SimSocket socket(String clientName, SimLoop loop, Optional<AccessKey> key) {
    String name = clientName + "#" + ++lastNumber;
    SimSocket[] socket = new SimSocket[1];
    socket[0] =
        new SimSocket(
            name,
            loop,
            (address, connected) ->
                agenda.at(arrivalNanos(), () -> accept(name, address, socket[0], connected)));
    key.ifPresent(with -> keys.came(socket[0], clientName, with));
    return socket[0];
  }

  private void accept(String name, String address, SimSocket client, Consumer<Boolean> connected) {
    SimLoop loop = client.loop();
    Accepted accepted = client.isOpen() ? listener.accept(name, address) : null;
    if (accepted == null) {
      agenda.at(arrivalNanos(), () -> loop.execute(() -> connected.accept(false)));
      return;
    }
    SimSocket server = new SimSocket(name + "'", accepted.loop());
    SimConnection connection = new SimConnection(this, name, client, server);
    connections.add(connection);
    server
        .pipeline()
        .addLast(
            new ChannelInitializer<SimSocket>() {
              @Override
              protected void initChannel(SimSocket socket) {
                accepted.handlers().forEach(each -> socket.pipeline().addLast(each));
              }
            });
    accepted.loop().execute(() -> accepted.loop().register(server));
    agenda.at(
        arrivalNanos(),
        () ->
            loop.execute(
                () -> {
                  boolean isOpen = client.isOpen();
                  if (isOpen) {
                    client.pipeline().fireChannelActive();
                  }
                  // The process that accepted may have died before this was heard of.
                  connected.accept(isOpen);
                }));
  }
}
