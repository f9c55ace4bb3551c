package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.KnownPosition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Questions of a node to another node of its cluster: {@code i64} time, the names of both nodes,
 * each a varint length and UTF-8, a varint count, and the questions. A question is {@code u32}
 * partition and {@code u8} kind. Kind 1 is {@link Where}: a varint count, each time as {@code i64},
 * {@code u8} 1 and {@code i64} position and {@code i64} incarnation, or {@code u8} 0. Kind 2 is
 * {@link Verified}, without further bytes. Kind 3 is {@link Bound}, with partition 0: a varint
 * count, each id of a session as {@code i64}. Kind 4 is {@link Behind}: a varint count, and each
 * position as {@code i64}. Kind 5 is {@link Pin}, and kind 6 is {@link Unpin}, each with the id of
 * a tunnel, a varint length and UTF-8. A seal precedes these bytes in a frame.
 *
 * <p>A request without questions introduces the asking node on a new connection.
 *
 * @param asking name of the node that asks
 * @param asked name of the node that answers
 * @param sentMs when the request was made, by the clock of the asking node, in milliseconds since
 *     1970
 * @param questions at most {@value #QUESTIONS_MAX}, of rising partitions
 */
public record LookRequest(String asking, String asked, long sentMs, List<Question> questions) {

  /** Bytes of the seal that precedes a request or an answer in its frame. */
  public static final int SEAL_BYTES = 16;

  /** Most questions of a request. */
  public static final int QUESTIONS_MAX = 1_000;

  /** Most times of a question. */
  public static final int MOMENTS_MAX = 16;

  /** Most row sessions of a question. */
  public static final int SESSIONS_MAX = 1_000;

  /** Most positions of a question. */
  public static final int POSITIONS_MAX = 16;

  /** Most bytes of the id of a tunnel. */
  public static final int TUNNEL_BYTES_MAX = 64;

  /** Most bytes of the name of a node. */
  public static final int NAME_BYTES_MAX = 256;

  private static final String WHAT = "look";
  private static final int WHERE = 1;
  private static final int VERIFIED = 2;
  private static final int BOUND = 3;
  private static final int BEHIND = 4;
  private static final int PIN = 5;
  private static final int UNPIN = 6;

  /** A question about one partition, or about a node: partition 0. */
  public sealed interface Question {

    /** The partition. */
    int partition();
  }

  /**
   * Asks the leader of a partition where its changes begin and end, and where a time lies.
   *
   * @param sinceMicros times, in microseconds since 1970: where is the first change that was
   *     committed at or after each; at most {@value LookRequest#MOMENTS_MAX}
   * @param known up to where the log still has the changes that a reader knows
   */
  public record Where(int partition, List<Long> sinceMicros, Optional<KnownPosition> known)
      implements Question {
    /** Refuses null and too many times. */
    public Where {
      sinceMicros = List.copyOf(sinceMicros);
      Objects.requireNonNull(known, "known");
      requirePartition(partition);
      if (sinceMicros.size() > MOMENTS_MAX) {
        throw new IllegalArgumentException(wrongMoments(sinceMicros.size()));
      }
    }
  }

  /** Asks a node which snapshot of a partition the node has read back. */
  public record Verified(int partition) implements Question {
    /** Refuses a negative partition. */
    public Verified {
      requirePartition(partition);
    }
  }

  /**
   * Asks a node how many rows of row sessions are in the partitions that the node leads.
   *
   * @param sessions ids, at most {@value LookRequest#SESSIONS_MAX}
   */
  public record Bound(List<Long> sessions) implements Question {
    /** Refuses null and too many sessions. */
    public Bound {
      sessions = List.copyOf(sessions);
      if (sessions.size() > SESSIONS_MAX) {
        throw new IllegalArgumentException(wrongSessions(sessions.size()));
      }
    }

    /** No partition has the id 0. */
    @Override
    public int partition() {
      return 0;
    }
  }

  /**
   * Asks the leader of a partition what follows positions: how many bytes, and since when.
   *
   * @param positions at least 0; at most {@value LookRequest#POSITIONS_MAX}
   */
  public record Behind(int partition, List<Long> positions) implements Question {
    /** Refuses null, negative and too many positions. */
    public Behind {
      positions = List.copyOf(positions);
      requirePartition(partition);
      if (positions.size() > POSITIONS_MAX || positions.stream().anyMatch(each -> each < 0)) {
        throw new IllegalArgumentException(
            "a question has at most "
                + POSITIONS_MAX
                + " positions, each at least 0: "
                + positions);
      }
    }
  }

  /**
   * Asks the leader of a partition to keep the rows as they are for a tunnel. A repeated question
   * gets the first answer while the leader keeps the rows.
   *
   * @param tunnelId 1 to {@value LookRequest#TUNNEL_BYTES_MAX} bytes
   */
  public record Pin(int partition, String tunnelId) implements Question {
    /** Refuses a negative partition, and an id that is empty or too long. */
    public Pin {
      requirePartition(partition);
      requireTunnel(tunnelId);
    }
  }

  /**
   * Tells a node that a tunnel needs no kept rows any more.
   *
   * @param partition 0 for all partitions
   * @param tunnelId 1 to {@value LookRequest#TUNNEL_BYTES_MAX} bytes
   */
  public record Unpin(int partition, String tunnelId) implements Question {
    /** Refuses a negative partition, and an id that is empty or too long. */
    public Unpin {
      requirePartition(partition);
      requireTunnel(tunnelId);
    }
  }

  /** Refuses null, long names, too many questions, and partitions that do not rise. */
  public LookRequest {
    requireName("asking", asking);
    requireName("asked", asked);
    questions = List.copyOf(questions);
    if (questions.size() > QUESTIONS_MAX) {
      throw new IllegalArgumentException(wrongCount(questions.size()));
    }
    for (int i = 1; i < questions.size(); i++) {
      if (questions.get(i - 1).partition() >= questions.get(i).partition()) {
        throw new IllegalArgumentException(
            "question " + i + " of a look is not about a higher partition than question before it");
      }
    }
  }

  static void requirePartition(int partition) {
    if (partition < 0) {
      throw new IllegalArgumentException("a partition is at least 0, not " + partition);
    }
  }

  private static void requireTunnel(String tunnelId) {
    int bytes = tunnelId.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > TUNNEL_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the id of a tunnel has 1 to " + TUNNEL_BYTES_MAX + " bytes, not " + bytes);
    }
  }

  private static void requireName(String what, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          what + " node has a name of 1 to " + NAME_BYTES_MAX + " bytes, not " + bytes);
    }
  }

  private static String wrongCount(int count) {
    return "a look of " + count + " questions; a look has at most " + QUESTIONS_MAX;
  }

  private static String wrongMoments(int count) {
    return "a question with " + count + " times; a question has at most " + MOMENTS_MAX;
  }

  static String wrongSessions(int count) {
    return "a look at " + count + " sessions; a question has at most " + SESSIONS_MAX;
  }

  /** The bytes, without a seal. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(64 + 32 * questions.size());
    sink.writeLong(sentMs);
    writeText(sink, asking);
    writeText(sink, asked);
    sink.writeVarint(questions.size());
    for (Question question : questions) {
      sink.writeInt(question.partition());
      if (question instanceof Where where) {
        sink.writeByte(WHERE);
        write(sink, where);
      } else if (question instanceof Bound bound) {
        sink.writeByte(BOUND);
        sink.writeVarint(bound.sessions().size());
        bound.sessions().forEach(sink::writeLong);
      } else if (question instanceof Behind behind) {
        sink.writeByte(BEHIND);
        sink.writeVarint(behind.positions().size());
        behind.positions().forEach(sink::writeLong);
      } else if (question instanceof Pin pin) {
        sink.writeByte(PIN);
        writeText(sink, pin.tunnelId());
      } else if (question instanceof Unpin unpin) {
        sink.writeByte(UNPIN);
        writeText(sink, unpin.tunnelId());
      } else {
        sink.writeByte(VERIFIED);
      }
    }
    return sink.toByteArray();
  }

  private static void write(ByteSink sink, Where where) {
    sink.writeVarint(where.sinceMicros().size());
    where.sinceMicros().forEach(sink::writeLong);
    sink.writeByte(where.known().isPresent() ? 1 : 0);
    where
        .known()
        .ifPresent(
            known -> {
              sink.writeLong(known.position());
              sink.writeLong(known.incarnation());
            });
  }

  static void writeText(ByteSink sink, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }

  /**
   * Reads {@link #encode}'s bytes.
   *
   * @throws MalformedException when the bytes are no look
   */
  public static LookRequest decode(byte[] body) {
    PayloadReader reader = new PayloadReader(WHAT, body);
    try {
      long sentMs = reader.readLong();
      String asking = readText(reader);
      String asked = readText(reader);
      int count = reader.readVarint();
      if (count > QUESTIONS_MAX) {
        throw new MalformedException(wrongCount(count));
      }
      List<Question> questions = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        questions.add(readQuestion(reader));
      }
      reader.requireEnd();
      return new LookRequest(asking, asked, sentMs, questions);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }

  private static Question readQuestion(PayloadReader reader) {
    int partition = reader.readInt();
    int kind = reader.readByte();
    return switch (kind) {
      case WHERE -> readWhere(reader, partition);
      case VERIFIED -> new Verified(partition);
      case BOUND -> readBound(reader, partition);
      case BEHIND -> readBehind(reader, partition);
      case PIN -> new Pin(partition, readText(reader));
      case UNPIN -> new Unpin(partition, readText(reader));
      default -> throw new MalformedException("a question of kind " + kind + ", not 1 to 6");
    };
  }

  private static Bound readBound(PayloadReader reader, int partition) {
    int count = reader.readVarint();
    if (partition != 0 || count > SESSIONS_MAX) {
      throw new MalformedException(wrongSessions(count) + "; of partition " + partition);
    }
    List<Long> sessions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sessions.add(reader.readLong());
    }
    return new Bound(sessions);
  }

  private static Behind readBehind(PayloadReader reader, int partition) {
    int count = reader.readVarint();
    if (count > POSITIONS_MAX) {
      throw new MalformedException("a question with " + count + " positions");
    }
    List<Long> positions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      positions.add(reader.readLong());
    }
    return new Behind(partition, positions);
  }

  private static Where readWhere(PayloadReader reader, int partition) {
    int moments = reader.readVarint();
    if (moments > MOMENTS_MAX) {
      throw new MalformedException(wrongMoments(moments));
    }
    List<Long> sinceMicros = new ArrayList<>(moments);
    for (int i = 0; i < moments; i++) {
      sinceMicros.add(reader.readLong());
    }
    Optional<KnownPosition> known =
        readFlag(reader)
            ? Optional.of(new KnownPosition(reader.readLong(), reader.readLong()))
            : Optional.empty();
    return new Where(partition, sinceMicros, known);
  }

  static boolean readFlag(PayloadReader reader) {
    int flag = reader.readByte();
    if (flag > 1) {
      throw new MalformedException("a flag of a look is 0 or 1, not " + flag);
    }
    return flag == 1;
  }

  private static String readText(PayloadReader reader) {
    byte[] bytes = reader.readSized().toByteArray();
    return Utf8.decodeStrictly(bytes);
  }
}
