package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Answers to a {@link LookRequest}, in the order of its questions: a varint count, and for each
 * {@code u32} partition and {@code u8} kind. Kind 0 is {@link Refused}: {@code u16} error code, a
 * varint length and the reason in UTF-8. Kind 1 is {@link Found}: {@code i64} first, {@code i64}
 * last, an optional incarnation, a varint count and each first position since a time as {@code
 * i64}, and an optional shared position. Kind 2 is {@link VerifiedUpTo}: an optional id. Kind 3 is
 * {@link BoundRows}, with partition 0: {@code i64} generation, {@code u8} 1 if complete, a varint
 * count, each {@code i64} rows and {@code u8} 1 if the session has ended. Kind 4 is {@link Lags}:
 * {@code i64} first, {@code i64} last, a varint count, and of each position {@code i64} bytes and
 * {@code i64} commit time. Kind 5 is {@link Pinned}: {@code i64} position and an optional
 * incarnation. Kind 6 is {@link Unpinned}, without further bytes. Each optional number is {@code
 * u8} 1 and {@code i64}, or {@code u8} 0. A seal precedes these bytes in a frame.
 *
 * @param parts at most {@value LookRequest#QUESTIONS_MAX}
 */
public record LookAnswer(List<Part> parts) {

  /** Most bytes of a reason; longer reasons are cut. */
  public static final int REASON_BYTES_MAX = 512;

  private static final String WHAT = "look's answer";
  private static final int REFUSED = 0;
  private static final int FOUND = 1;
  private static final int VERIFIED = 2;
  private static final int BOUND = 3;
  private static final int LAGS = 4;
  private static final int PINNED = 5;
  private static final int UNPINNED = 6;

  /** The answer about one partition. */
  public sealed interface Part {

    /** The partition. */
    int partition();

    /** Whether this part may answer the question. */
    boolean isTo(LookRequest.Question question);
  }

  /** The node cannot answer about the partition. */
  public record Refused(int partition, ErrorCode code, String reason) implements Part {
    /** Refuses null, and cuts a long reason. */
    public Refused {
      LookRequest.requirePartition(partition);
      Objects.requireNonNull(code, "code");
      byte[] bytes = Utf8.encodeStart(reason, REASON_BYTES_MAX);
      reason = Utf8.decode(bytes, 0, bytes.length);
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question.partition() == partition;
    }
  }

  /**
   * Where the changes of a partition are.
   *
   * @param first position from which on the log has all changes
   * @param last position of the last change that counts; 0 without one
   * @param incarnation incarnation of the positions up to {@code last}, if known
   * @param firstSince for each time of the question, the position of the first change that is
   *     committed at or after the time; {@link Long#MAX_VALUE} without one while the time is in the
   *     future of the leader. One more than {@code last} of a time that has passed without such a
   *     change: the leader stamps no later change before the time
   * @param shared if the question has a known position, the last position up to it at which the log
   *     still has the changes of the known incarnation; 0 when none
   */
  public record Found(
      int partition,
      long first,
      long last,
      Optional<Long> incarnation,
      List<Long> firstSince,
      Optional<Long> shared)
      implements Part {
    /** Refuses null, negative positions and too many times. */
    public Found {
      LookRequest.requirePartition(partition);
      Objects.requireNonNull(incarnation, "incarnation");
      firstSince = List.copyOf(firstSince);
      if (first < 0
          || last < 0
          || shared.orElse(0L) < 0
          || firstSince.stream().anyMatch(each -> each < 0)) {
        throw new IllegalArgumentException(
            "positions are at least 0: " + first + ", " + last + ", " + firstSince + ", " + shared);
      }
      if (firstSince.size() > LookRequest.MOMENTS_MAX) {
        throw new IllegalArgumentException(firstSince.size() + " positions since times");
      }
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Where where
          && where.partition() == partition
          && where.sinceMicros().size() == firstSince.size()
          && where.known().isPresent() == shared.isPresent();
    }
  }

  /**
   * The newest snapshot that the node has read back.
   *
   * @param id the snapshot's id; empty when the node has verified none
   */
  public record VerifiedUpTo(int partition, Optional<Long> id) implements Part {
    /** Refuses null. */
    public VerifiedUpTo {
      LookRequest.requirePartition(partition);
      Objects.requireNonNull(id, "id");
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Verified && question.partition() == partition;
    }
  }

  /**
   * What follows a position.
   *
   * @param bytes of the batches that hold later changes, or {@link #UNKNOWN}
   * @param commitMicros commit time of the next change in microseconds since 1970; 0 without one,
   *     or {@link #UNKNOWN}
   */
  public record Lag(long bytes, long commitMicros) {
    /** Stands for a figure that the leader does not know. */
    public static final long UNKNOWN = -1;

    /** Refuses other negative numbers. */
    public Lag {
      if (bytes < UNKNOWN || commitMicros < UNKNOWN) {
        throw new IllegalArgumentException("a lag of " + bytes + " bytes since " + commitMicros);
      }
    }
  }

  /**
   * What follows the positions of a {@link LookRequest.Behind}, in their order.
   *
   * @param first position from which on the log has all changes
   * @param last position of the last change that counts; 0 without one
   */
  public record Lags(int partition, long first, long last, List<Lag> lags) implements Part {
    /** Refuses negative and too many positions. */
    public Lags {
      LookRequest.requirePartition(partition);
      lags = List.copyOf(lags);
      if (first < 0 || last < 0 || lags.size() > LookRequest.POSITIONS_MAX) {
        throw new IllegalArgumentException(
            lags.size() + " lags of a log from " + first + " to " + last);
      }
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Behind behind
          && behind.partition() == partition
          && behind.positions().size() == lags.size();
    }
  }

  /**
   * The leader has taken the rows of a {@link LookRequest.Pin}.
   *
   * @param position the rows have exactly the changes up to this position; at least 0
   * @param incarnation incarnation of the positions up to {@code position}, if known
   */
  public record Pinned(int partition, long position, Optional<Long> incarnation) implements Part {
    /** Refuses null and a negative position. */
    public Pinned {
      LookRequest.requirePartition(partition);
      Objects.requireNonNull(incarnation, "incarnation");
      if (position < 0) {
        throw new IllegalArgumentException("a position is at least 0, not " + position);
      }
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Pin && question.partition() == partition;
    }
  }

  /** The node keeps no rows of a {@link LookRequest.Unpin}. */
  public record Unpinned(int partition) implements Part {
    /** Refuses a negative partition. */
    public Unpinned {
      LookRequest.requirePartition(partition);
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Unpin && question.partition() == partition;
    }
  }

  /**
   * The rows of row sessions in the partitions that the node leads.
   *
   * @param generation of the placement by which the node leads partitions
   * @param isComplete whether the node serves all partitions of the node in this placement
   * @param counts in the order of the question
   */
  public record BoundRows(long generation, boolean isComplete, List<Count> counts) implements Part {
    /** Refuses null and too many counts. */
    public BoundRows {
      counts = List.copyOf(counts);
      if (counts.size() > LookRequest.SESSIONS_MAX) {
        throw new IllegalArgumentException(LookRequest.wrongSessions(counts.size()));
      }
    }

    /** No partition has the id 0. */
    @Override
    public int partition() {
      return 0;
    }

    @Override
    public boolean isTo(LookRequest.Question question) {
      return question instanceof LookRequest.Bound bound
          && bound.sessions().size() == counts.size();
    }
  }

  /**
   * The rows of a session.
   *
   * @param rows at least 0
   * @param hasEnded whether the node has read the end of the session
   */
  public record Count(long rows, boolean hasEnded) {
    /** Refuses a negative number of rows. */
    public Count {
      if (rows < 0) {
        throw new IllegalArgumentException("a session has at least 0 rows, not " + rows);
      }
    }
  }

  /** Refuses too many parts. */
  public LookAnswer {
    parts = List.copyOf(parts);
    if (parts.size() > LookRequest.QUESTIONS_MAX) {
      throw new IllegalArgumentException(wrongCount(parts.size()));
    }
  }

  private static String wrongCount(int count) {
    return "a look's answer of " + count + " parts";
  }

  /** Whether each part answers the question at its place. */
  public boolean isTo(List<LookRequest.Question> questions) {
    if (questions.size() != parts.size()) {
      return false;
    }
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isTo(questions.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** The bytes, without a seal. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(16 + 64 * parts.size());
    sink.writeVarint(parts.size());
    for (Part part : parts) {
      sink.writeInt(part.partition());
      if (part instanceof Found found) {
        sink.writeByte(FOUND);
        sink.writeLong(found.first());
        sink.writeLong(found.last());
        write(sink, found.incarnation());
        sink.writeVarint(found.firstSince().size());
        found.firstSince().forEach(sink::writeLong);
        write(sink, found.shared());
      } else if (part instanceof Lags lags) {
        sink.writeByte(LAGS);
        sink.writeLong(lags.first());
        sink.writeLong(lags.last());
        sink.writeVarint(lags.lags().size());
        for (Lag lag : lags.lags()) {
          sink.writeLong(lag.bytes());
          sink.writeLong(lag.commitMicros());
        }
      } else if (part instanceof VerifiedUpTo verified) {
        sink.writeByte(VERIFIED);
        write(sink, verified.id());
      } else if (part instanceof BoundRows bound) {
        sink.writeByte(BOUND);
        sink.writeLong(bound.generation());
        sink.writeByte(bound.isComplete() ? 1 : 0);
        sink.writeVarint(bound.counts().size());
        for (Count count : bound.counts()) {
          sink.writeLong(count.rows());
          sink.writeByte(count.hasEnded() ? 1 : 0);
        }
      } else if (part instanceof Pinned pinned) {
        sink.writeByte(PINNED);
        sink.writeLong(pinned.position());
        write(sink, pinned.incarnation());
      } else if (part instanceof Unpinned) {
        sink.writeByte(UNPINNED);
      } else if (part instanceof Refused refused) {
        sink.writeByte(REFUSED);
        sink.writeShort(refused.code().code());
        LookRequest.writeText(sink, refused.reason());
      }
    }
    return sink.toByteArray();
  }

  private static void write(ByteSink sink, Optional<Long> number) {
    sink.writeByte(number.isPresent() ? 1 : 0);
    number.ifPresent(sink::writeLong);
  }

  /**
   * Reads {@link #encode}'s bytes.
   *
   * @throws MalformedException when the bytes are no answer
   */
  public static LookAnswer decode(byte[] body) {
    PayloadReader reader = new PayloadReader(WHAT, body);
    try {
      int count = reader.readVarint();
      if (count > LookRequest.QUESTIONS_MAX) {
        throw new MalformedException(wrongCount(count));
      }
      List<Part> parts = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        parts.add(readPart(reader));
      }
      reader.requireEnd();
      return new LookAnswer(parts);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }

  private static Part readPart(PayloadReader reader) {
    int partition = reader.readInt();
    int kind = reader.readByte();
    return switch (kind) {
      case REFUSED -> readRefused(reader, partition);
      case FOUND -> readFound(reader, partition);
      case VERIFIED -> new VerifiedUpTo(partition, readNumber(reader));
      case BOUND -> readBound(reader, partition);
      case LAGS -> readLags(reader, partition);
      case PINNED -> new Pinned(partition, reader.readLong(), readNumber(reader));
      case UNPINNED -> new Unpinned(partition);
      default -> throw new MalformedException("an answer of kind " + kind + ", not 0 to 6");
    };
  }

  private static BoundRows readBound(PayloadReader reader, int partition) {
    long generation = reader.readLong();
    boolean isComplete = LookRequest.readFlag(reader);
    int count = reader.readVarint();
    if (partition != 0 || count > LookRequest.SESSIONS_MAX) {
      throw new MalformedException(
          LookRequest.wrongSessions(count) + "; of partition " + partition);
    }
    List<Count> counts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      counts.add(new Count(reader.readLong(), LookRequest.readFlag(reader)));
    }
    return new BoundRows(generation, isComplete, counts);
  }

  private static Lags readLags(PayloadReader reader, int partition) {
    long first = reader.readLong();
    long last = reader.readLong();
    int count = reader.readVarint();
    if (count > LookRequest.POSITIONS_MAX) {
      throw new MalformedException("an answer with " + count + " lags");
    }
    List<Lag> lags = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lags.add(new Lag(reader.readLong(), reader.readLong()));
    }
    return new Lags(partition, first, last, lags);
  }

  private static Refused readRefused(PayloadReader reader, int partition) {
    ErrorCode code = ErrorCode.of(reader.readShort());
    byte[] reason = reader.readSized().toByteArray();
    if (reason.length > REASON_BYTES_MAX) {
      throw new MalformedException("a reason of " + reason.length + " bytes");
    }
    return new Refused(partition, code, Utf8.decode(reason, 0, reason.length));
  }

  private static Found readFound(PayloadReader reader, int partition) {
    long first = reader.readLong();
    long last = reader.readLong();
    Optional<Long> incarnation = readNumber(reader);
    int count = reader.readVarint();
    if (count > LookRequest.MOMENTS_MAX) {
      throw new MalformedException(count + " positions since times");
    }
    List<Long> firstSince = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      firstSince.add(reader.readLong());
    }
    return new Found(partition, first, last, incarnation, firstSince, readNumber(reader));
  }

  private static Optional<Long> readNumber(PayloadReader reader) {
    return LookRequest.readFlag(reader) ? Optional.of(reader.readLong()) : Optional.empty();
  }
}
