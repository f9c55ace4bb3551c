package io.tunnel.it.sim.story;

import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.truth.Holding;
import io.tunnel.it.sim.truth.Ledger;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.worker.ProcessorSource;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A worker of a story: follows the story's commands, and prints its callbacks. */
final class StoryWorker implements SimWorker.Role, ITunnelWorkerListener {

  private static final int THREADS = 8;
  private static final long SAID_MS = 10;

  private final String name;
  private final StoryCommand command;
  private final Book book;
  private final Map<String, Long> slowMillis = new TreeMap<>();
  private final Map<String, Long> poison = new TreeMap<>();
  private final Map<String, ICheckpointer> checkpointers = new TreeMap<>();
  private final Map<String, Map<Long, ProcessRecordsInput>> undone = new TreeMap<>();
  private boolean isWithoutSession;

  /** Where everything about all workers is written. */
  record Book(Ledger ledger, StoryLines lines, StoryNames names, StoryProgress progress) {}

  StoryWorker(String name, StoryCommand command, Book book) {
    this.name = name;
    this.command = command;
    this.book = book;
  }

  /** What the processor does with a channel from now on; {@code slow} and {@code throws}. */
  void behave(String channel, StoryCommand how) {
    slowMillis.put(channel, how.millis("slow", 0));
    poison.put(channel, (long) how.number("throws", 0));
  }

  /** The program reports one position as finished. */
  void done(String channel, long position) {
    var unused =
        checkpointers
            .get(channel)
            .checkpointAsync(undone.get(channel).remove(position).getNextToken())
            .whenComplete(
                (nothing, failure) ->
                    book.lines.add(
                        name
                            + " learns that "
                            + channel
                            + " "
                            + position
                            + (failure == null
                                ? " is stored"
                                : " is not stored: " + text(failure))));
  }

  @Override
  public int threads(SplittableRandom random) {
    return THREADS;
  }

  @Override
  public TunnelWorkerConfig config(SplittableRandom random) {
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    config.setHeartbeatTimeoutInSec(command.millis("lease", 3_000) / 1_000);
    config.setHeartbeatIntervalInSec(1);
    config.setCheckpointIntervalInMillis(command.millis("checkpoint", 500));
    config.setMaxChannels(command.number("maxChannels", 0));
    config.setChannelCreditBytes(command.number("credit", 2_000));
    config.setProcessRowsMax(command.number("rows", 100));
    config.setProcessAttemptsMax(command.number("attempts", 3));
    config.setMaxRetryIntervalInMillis(500);
    config.setProcessPauseMaxInMillis(500);
    config.setListener(this);
    return config;
  }

  @Override
  public ProcessorSource source(IChannelProcessor processor) {
    if (!command.has("manual")) {
      return new ProcessorSource.Shared(processor);
    }
    return new ProcessorSource.PerChannel(
        (tunnelId, session, channelId, checkpointer) -> {
          checkpointers.put(book.names.channel(channelId), checkpointer);
          return processor;
        });
  }

  @Override
  public SimWorker.Callback begin(SimWorker worker, ProcessRecordsInput input) {
    Holding holding = book.ledger.processors.begin(worker, input);
    String channel = book.names.channel(input.getChannelId());
    List<StreamRecord> records = input.getRecords();
    long first = records.get(0).position();
    long last = records.get(records.size() - 1).position();
    long millis = slowMillis.getOrDefault(channel, slowMillis.getOrDefault("all", 0L));
    if (millis >= SAID_MS) {
      book.lines.add(name + " begins with " + channel, first, last, "");
    }
    long bad = poison.getOrDefault(channel, 0L);
    boolean isFailing = bad >= first && bad <= last;
    return new SimWorker.Callback(
        TimeUnit.MILLISECONDS.toNanos(millis) + 100_000,
        isFailing,
        () -> {
          if (isFailing) {
            book.ledger.processors.failed(holding);
            book.lines.add(name + "'s processor throws at " + channel, first, last, "");
          } else {
            finished(holding, channel, input);
          }
        });
  }

  private void finished(Holding holding, String channel, ProcessRecordsInput input) {
    boolean isStale = holding.hasEnded();
    book.ledger.processors.finished(holding);
    List<StreamRecord> records = input.getRecords();
    long first = records.get(0).position();
    long last = records.get(records.size() - 1).position();
    book.progress.add(channel, first, last);
    undone.computeIfAbsent(channel, any -> new TreeMap<>()).put(last, input);
    book.lines.add(
        name + " processes " + channel, first, last, isStale ? ", which it no longer holds" : "");
  }

  @Override
  public void told(SimWorker worker, String callback, String channelId) {
    book.lines.add(
        name + "'s processor is called: " + callback + " " + book.names.channel(channelId));
  }

  @Override
  public void sessionOpened(String sessionId) {
    isWithoutSession = false;
  }

  @Override
  public void sessionLost(Throwable reason, long retryInMs) {
    if (!isWithoutSession) {
      book.lines.add(name + " has lost its session: " + text(reason));
    }
    isWithoutSession = true;
  }

  @Override
  public void halted(Throwable reason) {
    book.lines.add(name + " halts: " + text(reason));
  }

  private String text(Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.code() + ": " + book.names.plain(refused.getMessage());
    }
    return failure instanceof ConnectionException ? "its connection is lost" : failure.toString();
  }
}
