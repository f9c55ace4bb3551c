package io.tunnel.programs.bench.seeds.publish;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One load of publishers and subscribers. Each publisher has paths of its own, and each path has
 * the same number of subscribers; a subscriber follows all paths of one publisher.
 *
 * @param action what publishers and subscribers do
 * @param publishers connections that write
 * @param subscribersOfPath connections that follow a path, where the action has subscribers
 * @param pathsOfPublisher different paths of a publisher
 * @param bytes of the data of a path
 * @param warmUpSeconds in which publishers create and delete, or set, before anything is measured
 * @param seconds measured, where the number of paths does not end the case
 */
public record PublishCase(
    Action action,
    int publishers,
    int subscribersOfPath,
    int pathsOfPublisher,
    int bytes,
    int warmUpSeconds,
    int seconds) {

  private static final int WORDS = 7;

  /** What a case does. */
  public enum Action {
    /** Publishers create a path that lives as long as they do, and delete it, in turn. */
    CREATE_DELETE("createDelete"),
    /** Publishers create their paths; subscribers hear of each. */
    NOTIFY("notify"),
    /** As {@link #NOTIFY}, and subscribers read the data of each path that they hear of. */
    NOTIFY_READ("notifyRead"),
    /** Publishers set the data of paths that are there, in turn. */
    SET("set");

    private final String word;

    Action(String word) {
      this.word = word;
    }

    /** As files name it. */
    public String word() {
      return word;
    }

    /** Whether paths have subscribers, and the number of paths ends the case. */
    public boolean hasSubscribers() {
      return this == NOTIFY || this == NOTIFY_READ;
    }

    /**
     * The action that files name so.
     *
     * @throws IllegalArgumentException when there is no such action
     */
    public static Action named(String word) {
      return Arrays.stream(values())
          .filter(each -> each.word.equals(word))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no action is named '" + word + "'"));
    }
  }

  /** Refuses a load without a publisher, a subscriber or a path, and data without its header. */
  public PublishCase {
    if (publishers < 1 || subscribersOfPath < 1 || pathsOfPublisher < 1 || seconds < 1) {
      throw new IllegalArgumentException(
          "publishers, subscribers, paths and seconds are at least 1");
    }
    if (bytes < PathData.HEADER_BYTES || warmUpSeconds < 0) {
      throw new IllegalArgumentException(
          "bytes are at least " + PathData.HEADER_BYTES + ", seconds of a warm-up at least 0");
    }
  }

  /** Connections that follow paths. */
  public int subscribers() {
    return action.hasSubscribers() ? publishers * subscribersOfPath : 0;
  }

  /** The publisher whose paths a subscriber follows. */
  public int publisherOf(int subscriber) {
    return subscriber / subscribersOfPath;
  }

  /** Events that all subscribers together have to hear of. */
  public long events() {
    return (long) subscribers() * pathsOfPublisher;
  }

  /** One line for {@link #parse}. */
  public String text() {
    return IntStream.of(
            publishers, subscribersOfPath, pathsOfPublisher, bytes, warmUpSeconds, seconds)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" ", action.word() + " ", ""));
  }

  /** Reads what {@link #text} wrote. */
  public static PublishCase parse(String text) {
    List<String> words = List.of(text.split(" ", -1));
    if (words.size() != WORDS) {
      throw new IllegalArgumentException("this is no case: " + text);
    }
    int[] numbers = words.stream().skip(1).mapToInt(Integer::parseInt).toArray();
    return new PublishCase(
        Action.named(words.get(0)),
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5]);
  }
}
