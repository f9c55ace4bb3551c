package io.tunnel.programs.bench.seeds.queue;

/**
 * A service that carries the messages of one case. One thread calls each method here; closing drops
 * the destinations.
 */
public interface Messages extends AutoCloseable {

  /** Makes a service ready for a case, with destinations of its own. */
  @FunctionalInterface
  interface Opening {
    /** Makes the destinations, and connects. */
    Messages open(MessageCase what) throws Exception;
  }

  /** Starts all receivers; when it returns, each message that is sent will be received. */
  void receive(Arrivals arrivals) throws Exception;

  /** One sender, for a thread of its own. */
  Sender sender(int number) throws Exception;

  @Override
  void close();

  /** Sends the messages of one sender. Belongs to one thread. */
  interface Sender extends AutoCloseable {

    /**
     * Sends messages together: one, or a transaction. Returns when the service has answered as the
     * case asks: at once, within bounds, if the messages are neither persistent nor transacted.
     *
     * @param first the number of the first message
     */
    void send(long first, int count) throws Exception;

    /** Returns when the service has all messages. */
    void flush() throws Exception;

    @Override
    void close();
  }
}
