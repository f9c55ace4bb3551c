package io.tunnel.it.ledger;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;

/**
 * A change, or a row of base data, that a processor was given.
 *
 * @param position of a row, its number in the base data of its partition
 * @param commitMicros when the change was committed; 0 for a row
 */
public record Seen(
    ChannelType type, int partition, long position, long commitMicros, Mutation mutation) {

  public static Seen of(ChannelType type, StreamRecord record) {
    return new Seen(
        type,
        record.partition(),
        record.position(),
        type == ChannelType.Stream ? record.commitMicros() : 0,
        Mutation.of(record));
  }

  public static List<Seen> of(ProcessRecordsInput input) {
    return input.getRecords().stream().map(each -> of(input.channelType(), each)).toList();
  }

  public static List<Seen> only(ChannelType type, List<Seen> all) {
    return all.stream().filter(seen -> seen.type == type).toList();
  }

  public boolean isStream() {
    return type == ChannelType.Stream;
  }

  /** A line without its end. */
  String toText() {
    return type
        + "\t"
        + partition
        + "\t"
        + position
        + "\t"
        + commitMicros
        + "\t"
        + mutation.toText();
  }

  static Seen parse(String text) {
    String[] parts = text.split("\t", -1);
    return new Seen(
        ChannelType.valueOf(parts[0]),
        Integer.parseInt(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]),
        Mutation.parse(parts[4]));
  }
}
