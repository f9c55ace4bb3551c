package io.tunnel.server.replica.append;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.FormatFeature;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import java.io.ByteArrayOutputStream;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** Leaders of a test that append to one partition, and a replica that has read everything. */
final class OldChanges {

  private static final long NONE = AppendHeader.NO_SNAPSHOT;
  private static final int COLUMN_BYTES_MAX = 2 << 20;

  private final Landing landing;
  private final int partition;
  private final FollowCore reader = new FollowCore(FollowState.NONE);
  private Trim trimmed = Trim.NONE;

  /** The lane of the replica. */
  long lane = 1;

  /** The bytes of all batches with rows that count, by the position of the first change. */
  final TreeMap<Long, Bytes> batches = new TreeMap<>();

  /** The commit times of these batches. */
  final TreeMap<Long, Long> times = new TreeMap<>();

  /** The offset of the last record. */
  long lastOffset;

  /** Appends a record, and says where the record is before the method returns. */
  @FunctionalInterface
  interface Landing {
    void land(int partition, byte[] header, byte[] value, LongConsumer landed);
  }

  OldChanges(Landing landing, int partition) {
    this.landing = landing;
    this.partition = partition;
  }

  /** In a log that lands each record at once. */
  OldChanges(FakeAppendLog log, int partition) {
    this(
        (of, header, value, landed) ->
            log.append(of, header, value, placed -> landed.accept(placed.orElseThrow().offset())),
        partition);
  }

  KnownLog known() {
    return new KnownLog(lane, reader.state(), trimmed);
  }

  long position() {
    return reader.position();
  }

  /** A record that says that changes before a position must not be read any more. */
  void trim(long position, long offset) {
    trimmed = trimmed.with(new Trim(position, offset, 0));
  }

  /** The replica knows of nothing before this offset. */
  void forget(long offset) {
    reader.trimmed(offset);
  }

  void mark() {
    land(AppendHeader.marker(1_000 + lastOffset, 1, NONE), new byte[0]);
  }

  void begin(long position) {
    land(of(Kind.BEGIN, reader.number() + 1, position, 0), new byte[0]);
  }

  /** A record: for each number a batch with as many rows, and a batch with answers to writers. */
  void append(long micros, int rowBytes, int... rows) {
    append(0, micros, rowBytes, rows);
  }

  /** A record of an epoch that has ended, at positions of others. */
  void appendFenced(long micros, int... rows) {
    append(1, micros, 1, rows);
  }

  private void append(long marker, long micros, int rowBytes, int... rows) {
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    long first = reader.position();
    long next = first;
    TreeMap<Long, Bytes> written = new TreeMap<>();
    for (int count : rows) {
      BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
      for (int i = 0; i < count; i++) {
        String key = (marker == 0 ? "k" : "fenced") + (next + i);
        builder.add(TestRows.put(key, columns(rowBytes)));
      }
      byte[] batch = builder.build(partition, next, micros);
      written.put(next, Bytes.copyOf(batch, 0, batch.length));
      value.writeBytes(batch);
      next += count;
    }
    value.writeBytes(
        BatchBuilder.withoutRows(partition, FormatFeature.WRITTEN, Bytes.EMPTY, next, micros));
    FollowState.Stretch epoch = reader.newest();
    AppendHeader header =
        new AppendHeader(
            Kind.BATCHES,
            epoch.epoch(),
            epoch.marker() + marker,
            reader.number() + 1,
            first,
            Math.toIntExact(next - first),
            NONE,
            Bytes.EMPTY);
    if (land(header, value.toByteArray()) == Verdict.COUNTS) {
      batches.putAll(written);
      written.keySet().forEach(position -> times.put(position, micros));
    }
  }

  private static Column[] columns(int bytes) {
    int count = Math.max(1, (bytes + COLUMN_BYTES_MAX - 1) / COLUMN_BYTES_MAX);
    Column[] columns = new Column[count];
    for (int i = 0; i < count; i++) {
      columns[i] = new Column("c" + i, ColumnValue.fromBinary(new byte[bytes / count]));
    }
    return columns;
  }

  /** The header of a record of a former leader, at a position that others have. */
  byte[] headerOfNobody() {
    return new AppendHeader(Kind.BATCHES, 0, 3, 1, 1, 7, NONE, Bytes.EMPTY).encode();
  }

  private AppendHeader of(Kind kind, long number, long first, int changes) {
    FollowState.Stretch epoch = reader.newest();
    return new AppendHeader(
        kind, epoch.epoch(), epoch.marker(), number, first, changes, NONE, Bytes.EMPTY);
  }

  private Verdict land(AppendHeader header, byte[] value) {
    landing.land(partition, header.encode(), value, offset -> lastOffset = offset);
    return reader.read(lastOffset, header);
  }
}
