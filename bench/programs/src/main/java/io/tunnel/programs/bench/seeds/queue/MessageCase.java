package io.tunnel.programs.bench.seeds.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One load on queues or topics.
 *
 * @param way what a destination is, and what is promised
 * @param senders threads that send
 * @param receivers of all destinations together
 * @param connections that the senders share, and as many again that the receivers share
 * @param destinations queues or topics
 * @param bytes of a message
 * @param warmUpSeconds sent and received, and not measured
 * @param seconds measured
 */
public record MessageCase(
    Way way,
    int senders,
    int receivers,
    int connections,
    int destinations,
    int bytes,
    int warmUpSeconds,
    int seconds) {

  /** Messages of a transaction. */
  public static final int TRANSACTION_MESSAGES = 5;

  /**
   * The most bytes of a case, so that no disk is filled. The warm-up ends behind half of the bytes.
   */
  public static final long SENT_BYTES_MAX = 4L << 30;

  private static final int WORDS = 8;

  /** Bytes that wait for all receivers together. */
  private static final int RECEIVE_BYTES_MAX = 256 << 20;

  private static final int RECEIVE_WINDOW_MIN = 64 << 10;
  private static final int RECEIVE_WINDOW_MAX = 1 << 20;

  /**
   * What a case does, in the words of the document: {@code nP_T} is a queue that is not persistent,
   * with transactions; {@code P_D_nT} is a topic that is persistent, with durable subscriptions,
   * without transactions.
   *
   * @param isTopic each subscriber receives each message; else one receiver of the queue does
   * @param isPersistent a message is on the disk before its sender goes on
   * @param isDurable of a topic: a subscription outlives its subscriber
   * @param isTransacted messages are sent, and received, in transactions of five
   */
  public record Way(
      boolean isTopic, boolean isPersistent, boolean isDurable, boolean isTransacted) {

    /** All ways of queues. */
    public static final List<String> OF_QUEUES = List.of("nP_nT", "P_nT", "nP_T", "P_T");

    /** All ways of topics. */
    public static final List<String> OF_TOPICS =
        List.of("nP_nD_nT", "P_nD_nT", "nP_D_nT", "P_D_nT", "nP_nD_T", "P_nD_T", "nP_D_T", "P_D_T");

    /**
     * The way that the document names so.
     *
     * @throws IllegalArgumentException when there is no such way
     */
    public static Way named(String name) {
      boolean isTopic = OF_TOPICS.contains(name);
      if (!isTopic && !OF_QUEUES.contains(name)) {
        throw new IllegalArgumentException("no way of sending is named '" + name + "'");
      }
      List<String> words = List.of(name.split("_", -1));
      return new Way(isTopic, words.contains("P"), words.contains("D"), words.contains("T"));
    }

    /** The name in the document. */
    public String text() {
      return (isPersistent ? "P_" : "nP_")
          + (isTopic ? isDurable ? "D_" : "nD_" : "")
          + (isTransacted ? "T" : "nT");
    }
  }

  /** Refuses a destination without sender or receiver. */
  public MessageCase {
    if (destinations < 1 || destinations > Math.min(senders, receivers)) {
      throw new IllegalArgumentException(
          "destinations are 1 to the fewer of senders and receivers, not " + destinations);
    }
    if (connections < 1 || bytes < MessageHeader.BYTES || warmUpSeconds < 0 || seconds < 1) {
      throw new IllegalArgumentException(
          "connections and seconds are at least 1, bytes " + MessageHeader.BYTES);
    }
  }

  /** Messages that are sent together. */
  int messagesTogether() {
    return way.isTransacted() ? TRANSACTION_MESSAGES : 1;
  }

  /** The connection of a sender among those of senders, or of a receiver among the others. */
  public int connectionOf(int number) {
    return number % connections;
  }

  /** The destination of a sender or a receiver: a connection serves one, if there are enough. */
  public int destinationOf(int number) {
    return connections >= destinations
        ? connectionOf(number) % destinations
        : number % destinations;
  }

  /** The numbers of a destination's receivers. */
  public List<Integer> receiversOf(int destination) {
    return IntStream.range(0, receivers)
        .filter(number -> destinationOf(number) == destination)
        .boxed()
        .toList();
  }

  /** How often a message of this sender is received. */
  int copiesOf(int sender) {
    return way.isTopic() ? receiversOf(destinationOf(sender)).size() : 1;
  }

  /** Bytes that may wait in this process for one receiver, the same on every side. */
  public int receiveWindowBytes() {
    return Math.max(
        RECEIVE_WINDOW_MIN, Math.min(RECEIVE_WINDOW_MAX, RECEIVE_BYTES_MAX / receivers));
  }

  /** One line for {@link #parse}. */
  String text() {
    List<String> words = new ArrayList<>();
    words.add(way.text());
    for (int number :
        new int[] {senders, receivers, connections, destinations, bytes, warmUpSeconds, seconds}) {
      words.add(String.valueOf(number));
    }
    return String.join(" ", words);
  }

  /** Reads what {@link #text} wrote. */
  static MessageCase parse(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != WORDS) {
      throw new IllegalArgumentException("this is no case: " + text);
    }
    int[] numbers = IntStream.range(1, WORDS).map(i -> Integer.parseInt(words[i])).toArray();
    return new MessageCase(
        Way.named(words[0]),
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6]);
  }
}
