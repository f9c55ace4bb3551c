package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Records its inputs and counts overlapping callbacks of one channel. */
final class RecordingProcessor implements IChannelProcessor {

  private final Map<String, List<Long>> positions = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
  private final Consumer<ProcessRecordsInput> before;
  final AtomicInteger overlaps = new AtomicInteger();
  final AtomicInteger shutdowns = new AtomicInteger();
  final AtomicInteger active = new AtomicInteger();
  final List<ProcessRecordsInput> inputs = new CopyOnWriteArrayList<>();

  /** Callbacks at the end of channels, in order. */
  final List<String> farewells = new CopyOnWriteArrayList<>();

  RecordingProcessor() {
    this(input -> {});
  }

  /** Runs {@code before} at the start of every process call. */
  RecordingProcessor(Consumer<ProcessRecordsInput> before) {
    this.before = before;
  }

  @Override
  public void process(ProcessRecordsInput input) {
    AtomicInteger mine = running.computeIfAbsent(input.getChannelId(), id -> new AtomicInteger());
    if (mine.incrementAndGet() > 1) {
      overlaps.incrementAndGet();
    }
    active.incrementAndGet();
    inputs.add(input);
    try {
      before.accept(input);
      List<Long> list = positions.computeIfAbsent(input.getChannelId(), id -> new ArrayList<>());
      synchronized (list) {
        for (StreamRecord record : input.getRecords()) {
          list.add(record.position());
        }
      }
    } finally {
      active.decrementAndGet();
      mine.decrementAndGet();
    }
  }

  @Override
  public void closing(String channelId) {
    farewells.add("closing " + channelId);
  }

  @Override
  public void ended(String channelId) {
    farewells.add("ended " + channelId);
  }

  @Override
  public void revoked(String channelId) {
    farewells.add("revoked " + channelId);
  }

  @Override
  public void shutdown() {
    farewells.add("shutdown");
    shutdowns.incrementAndGet();
  }

  /** Positions of the channel's records in the order of processing. */
  List<Long> positions(int channel) {
    List<Long> list = positions.getOrDefault("p" + channel + "_1", new ArrayList<>());
    synchronized (list) {
      return List.copyOf(list);
    }
  }
}
