package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.AppendTail.Event;
import io.tunnel.server.replica.append.AppendTail.Read;
import io.tunnel.server.replica.append.AppendTail.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a tail of appends reported, for a test to wait for. */
final class TailEvents implements AppendTail.Listener {

  private static final long SECONDS_MAX = 60;

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  /** The beginnings of visits are not kept. */
  @Override
  public void happened(Event event) {
    if (!(event instanceof AppendTail.Begun)) {
      events.add(event);
    }
  }

  Event next() throws InterruptedException {
    Event event = events.poll(SECONDS_MAX, TimeUnit.SECONDS);
    assertThat(event).as("something is reported").isNotNull();
    return event;
  }

  /** The next event of a kind; events of other kinds before it are forgotten. */
  <T extends Event> T next(Class<T> kind) throws InterruptedException {
    Event event = next();
    while (!kind.isInstance(event)) {
      event = next();
    }
    return kind.cast(event);
  }

  /** All records that are reported until {@code next} is reached; of one partition. */
  List<Stored> until(long next) throws InterruptedException {
    List<Stored> all = new ArrayList<>();
    Read read;
    do {
      read = next(Read.class);
      all.addAll(read.records());
    } while (read.next() < next);
    return all;
  }

  boolean isQuietFor(long ms) throws InterruptedException {
    return events.poll(ms, TimeUnit.MILLISECONDS) == null;
  }
}
