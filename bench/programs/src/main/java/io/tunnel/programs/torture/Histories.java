package io.tunnel.programs.torture;

import io.tunnel.sdk.RowResult;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What clients did and were told, as JSON lines, for checkers of histories: {@code
 * {"atNanos":…,"client":0,"type":"invoke","life":1,"key":17,"value":3}}, then for that key of that
 * client {@code ok} (with {@code partition} and {@code position}), {@code refused} or {@code
 * unknown}.
 */
final class Histories implements AutoCloseable {

  private final Optional<Path> file;
  private final Optional<PrintWriter> out;
  private final LongSupplier nanoClock;
  private volatile int life;

  /** Into {@code file}, or nowhere. */
  Histories(Optional<Path> file, LongSupplier nanoClock) throws IOException {
    this.file = file;
    this.out =
        file.isPresent()
            ? Optional.of(new PrintWriter(Files.newBufferedWriter(file.get())))
            : Optional.empty();
    this.nanoClock = nanoClock;
  }

  /** From now on keys and values are of another table. */
  void begin(int newLife) {
    life = newLife;
  }

  void invoke(int client, int key, int version) {
    line(client, "invoke", key, version, "");
  }

  void outcome(int client, int key, int version, RowResult result) {
    switch (result.outcome()) {
      case APPLIED ->
          line(
              client,
              "ok",
              key,
              version,
              ",\"partition\":" + result.partition() + ",\"position\":" + result.position());
      case IN_DOUBT -> line(client, "unknown", key, version, "");
      case REJECTED, NOT_SENT -> line(client, "refused", key, version, "");
    }
  }

  private void line(int client, String type, int key, int version, String more) {
    out.ifPresent(
        writer ->
            writer.println(
                String.format(
                    Locale.ROOT,
                    "{\"atNanos\":%d,\"client\":%d,\"type\":\"%s\",\"life\":%d,\"key\":%d,\"value\":%d%s}",
                    nanoClock.getAsLong(),
                    client,
                    type,
                    life,
                    key,
                    version,
                    more)));
  }

  /**
   * Closes the file.
   *
   * @throws CommandFailure when lines are missing in the file, as on a full disk
   */
  @Override
  public void close() {
    if (out.isEmpty()) {
      return;
    }
    out.get().close();
    if (out.get().checkError()) {
      throw CommandFailure.io(
          "the history in "
              + file.get()
              + " is incomplete: the file takes no more, as on a full disk");
    }
  }
}
