package io.tunnel.it;

import io.tunnel.sdk.StreamRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A change that a processor was given. */
record Seen(int partition, long position, Mutation mutation) {

  static Seen of(StreamRecord record) {
    return new Seen(record.partition(), record.position(), Mutation.of(record));
  }

  /** One line, its end included. */
  String toLine() {
    return partition + "\t" + position + "\t" + mutation.toText() + "\n";
  }

  private static Seen parse(String line) {
    String[] parts = line.split("\t", -1);
    return new Seen(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Mutation.parse(parts[2]));
  }

  /** What a worker wrote down, in order; the line that its death cut off is not counted. */
  static List<Seen> read(Path file) {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      List<Seen> all = new ArrayList<>();
      text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(l -> all.add(parse(l)));
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
