package io.tunnel.kafka.table;

import io.tunnel.kafka.table.TableLine.Word;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The child's program: follows one topic at a time. */
final class TableProgram {

  /**
   * The pause between reports of the number of records: with 10 ms the reports took 2 % of the
   * program's CPU time.
   */
  private static final long LOOK_MS = 25;

  private static final Duration STOP_MAX = Duration.ofSeconds(2);

  private final TableSettings settings;
  private final Consumer<TableLine> out;
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "look");
            thread.setDaemon(true);
            return thread;
          });
  private Optional<FollowedTopic> followed = Optional.empty();

  /** The last reported number of records. */
  private long told;

  /** A program that sends its lines to {@code out}. */
  TableProgram(TableSettings settings, Consumer<TableLine> out) {
    this.settings = settings;
    this.out = out;
    var unused = looks.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void look() {
    long records = followed.map(FollowedTopic::records).orElse(0L);
    if (records != told) {
      told = records;
      out.accept(TableLine.of(Word.RECORDS, records));
    }
  }

  /** Serves a request, and answers. */
  void obey(TableRequest request) {
    try {
      out.accept(
          switch (request.verb()) {
            case FOLLOW -> follow(request.words());
            case COUNT -> TableLine.of(Word.COUNTED, topic().countRows());
            case FORGET -> forget();
          });
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private TableLine follow(List<String> words) {
    String topic = words.get(1);
    try {
      become(
          Optional.of(
              FollowedTopic.start(
                  settings,
                  words.get(0),
                  topic,
                  Integer.parseInt(words.get(2)),
                  failure -> failed(ofTopic(topic, failure)))));
      return TableLine.of(Word.FOLLOWING);
    } catch (IllegalStateException e) {
      throw ofTopic(topic, e);
    }
  }

  private static IllegalStateException ofTopic(String topic, Throwable failure) {
    return new IllegalStateException("topic " + topic + ": " + failure, failure);
  }

  private TableLine forget() {
    FollowedTopic topic = topic();
    become(Optional.empty());
    topic.forget();
    return TableLine.of(Word.FORGOTTEN);
  }

  private synchronized FollowedTopic topic() {
    return followed.orElseThrow(() -> new IllegalStateException("no topic is followed"));
  }

  private synchronized void become(Optional<FollowedTopic> next) {
    followed = next;
    told = 0;
  }

  private void failed(Throwable why) {
    why.printStackTrace();
    out.accept(TableLine.failed(why));
  }

  /** Stops at once, and deletes everything. */
  void end() {
    looks.shutdownNow();
    Optional<FollowedTopic> last;
    synchronized (this) {
      last = followed;
    }
    last.ifPresent(topic -> topic.stop(STOP_MAX));
    try {
      delete(settings.directory());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      Files.deleteIfExists(file);
    }
  }
}
