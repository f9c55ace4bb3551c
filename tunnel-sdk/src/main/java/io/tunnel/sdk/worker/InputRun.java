package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.processor.FailedRecordException;
import io.tunnel.sdk.processor.FailurePolicy.Decision;
import io.tunnel.sdk.processor.FailurePolicy.Retry;
import io.tunnel.sdk.processor.FailurePolicy.Stop;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.worker.channel.ChannelState;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.sdk.worker.input.Inputs;
import io.tunnel.sdk.worker.input.PartsCore;
import io.tunnel.sdk.worker.input.Retrying;
import io.tunnel.sdk.worker.input.RowKeys;
import io.tunnel.sdk.worker.input.SkipsCore;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run of one input of a channel, from its first attempt to its end: retries, division in parts,
 * skipped changes, and giving up. Runs on the worker's thread.
 */
final class InputRun {

  private static final Logger LOG = LoggerFactory.getLogger(InputRun.class);
  private static final long FULL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private final Assignment assignment;
  private final WorkerRuntime runtime;
  private final WorkerChannelCore core;
  private final RowKeys keys;
  private final ChannelRunner channel;
  private final SkipsCore skips = new SkipsCore();
  private ProcessRecordsInput whole;
  private ProcessRecordsInput part;
  private PartsCore parts = new PartsCore(0);

  /** The retry under way, if any; read by any thread. */
  private volatile Optional<Retrying> retrying = Optional.empty();

  private Optional<FailedChange> failedAt = Optional.empty();

  InputRun(
      Assignment assignment,
      WorkerRuntime runtime,
      WorkerChannelCore core,
      RowKeys keys,
      ChannelRunner channel) {
    this.assignment = assignment;
    this.runtime = runtime;
    this.core = core;
    this.keys = keys;
    this.channel = channel;
  }

  SkipsCore skips() {
    return skips;
  }

  /** The retry under way, if any; for any thread. */
  Optional<Retrying> retrying() {
    return retrying;
  }

  /** The change of the current input that failed last. */
  Optional<FailedChange> failedAt() {
    return failedAt;
  }

  /** Runs an input that the core has begun. */
  void begin(ProcessRecordsInput input) {
    whole = input;
    parts =
        new PartsCore(
            Inputs.partEnds(input, runtime.settings().channel()),
            index -> Inputs.unit(input.getRecords(), index));
    call();
  }

  /** The channel ends: no retry will follow. */
  void ending() {
    retrying = Optional.empty();
  }

  private void call() {
    boolean isWhole = parts.from() == 0 && parts.to() == records().size();
    boolean isLast = parts.to() == records().size();
    part = isWhole ? whole : Inputs.part(whole, parts.from(), parts.to(), isLast);
    long last = isLast ? core.given() : position(parts.to() - 1);
    if (!isWhole) {
      core.divided(last);
      keys.reached(records().get(parts.to() - 1));
    }
    channel.call(part, parts.failures() + 1, last);
  }

  private List<StreamRecord> records() {
    return whole.getRecords();
  }

  private long position(int index) {
    return records().get(index).position();
  }

  /** The call was skipped, because the worker has lost the channel. */
  void skipped() {
    giveUp();
  }

  /** The channel is ending: leaves the rest of the input unprocessed. */
  private void giveUp() {
    retrying = Optional.empty();
    var unused = core.failed(false);
    channel.drive();
  }

  /** The processor has returned. */
  void processed() {
    retrying = Optional.empty();
    runtime.counts().processed(part);
    var unused = parts.done();
    goOn();
  }

  private void goOn() {
    if (parts.isDone()) {
      retrying = Optional.empty();
      failedAt = Optional.empty();
      channel.processed(core.processingDone());
      channel.drive();
      return;
    }
    if (parts.from() > 0) {
      keys.reached(records().get(parts.from() - 1));
      core.partDone(position(parts.from() - 1));
    }
    if (core.state() != ChannelState.RUNNING) {
      giveUp();
    } else if (skips.isFull()) {
      pause(FULL_PAUSE_NANOS, this::goOn);
      channel.drive();
    } else {
      call();
      channel.drive();
    }
  }

  private void pause(long nanos, Runnable then) {
    var unused = core.failed(true);
    runtime.later(
        nanos,
        () -> {
          if (core.inputPauseOver()) {
            then.run();
          }
        });
  }

  /**
   * The processor threw.
   *
   * @param decided decision of the user's policy; absent when there is no policy
   */
  void failed(Throwable reason, Optional<Decision> decided) {
    long now = runtime.nowNanos();
    parts.failed(now);
    runtime.counts().failed();
    OptionalInt named = named(reason);
    FailedChange at = at(named);
    failedAt = Optional.of(at);
    channel.threw(reason);
    Decision decision =
        decided.orElseGet(
            () ->
                runtime
                    .settings()
                    .processing()
                    .rules()
                    .decide(
                        reason, parts.failures(), parts.failingForNanos(now), runtime.chance()));
    int attempt = parts.failures();
    boolean isRunning = core.state() == ChannelState.RUNNING;
    if (isRunning && decision instanceof Stop && named.isEmpty() && parts.narrow()) {
      runtime.notices().tell(l -> l.processingFailed(id(), attempt, reason, true));
      narrowed(at);
      return;
    }
    boolean goesOn = isRunning && !(decision instanceof Stop);
    if (goesOn && decision instanceof Retry retry) {
      retry(at, reason, retry.pause().toNanos());
      return;
    }
    runtime.notices().tell(l -> l.processingFailed(id(), attempt, reason, goesOn));
    if (!goesOn) {
      LOG.warn(
          "channel {} of tunnel {}: attempt {} at {} failed; will not retry",
          id(),
          tunnelId(),
          attempt,
          at,
          reason);
      giveUp();
    } else {
      skip(named, at, reason);
    }
  }

  private void retry(FailedChange at, Throwable reason, long pauseNanos) {
    long now = runtime.nowNanos();
    Retrying next =
        new Retrying(
            Optional.of(at),
            parts.failures(),
            now - parts.failingForNanos(now),
            now + pauseNanos,
            String.valueOf(reason));
    long pauseMs = TimeUnit.NANOSECONDS.toMillis(pauseNanos);
    String text = "channel {} of tunnel {}: attempt {} at {} failed; will retry in {} ms";
    // Only the first failure has a stack trace: a long outage would fill the log with traces.
    if (parts.failures() == 1) {
      LOG.warn(text, id(), tunnelId(), parts.failures(), at, pauseMs, reason);
    } else {
      LOG.warn(text + ": {}", id(), tunnelId(), parts.failures(), at, pauseMs, next.error());
    }
    retrying = Optional.of(next);
    runtime
        .notices()
        .tell(
            l -> {
              l.processingFailed(id(), next.attempts(), reason, true);
              l.retrying(id(), next.info(now));
            });
    pause(pauseNanos, this::again);
    channel.drive();
  }

  private void again() {
    runtime.counts().retried();
    call();
    channel.drive();
  }

  private void skip(OptionalInt named, FailedChange at, Throwable reason) {
    Optional<Inputs.Unit> unit = parts.skip(named);
    if (unit.isEmpty()) {
      narrowed(at);
      return;
    }
    leaveOut(unit.get(), reason);
    goOn();
  }

  /** The failing part was halved; its first half is processed next. */
  private void narrowed(FailedChange at) {
    LOG.debug(
        "channel {} of tunnel {}: {} failed; will process the input in halves to find the change",
        id(),
        tunnelId(),
        at);
    core.divided(position(parts.to() - 1));
    goOn();
  }

  /** An atomic batch is skipped, and reported, as one: by its last change. */
  private void leaveOut(Inputs.Unit unit, Throwable reason) {
    int changes = unit.end() - unit.from();
    StreamRecord first = records().get(unit.from());
    StreamRecord last = records().get(unit.end() - 1);
    FailedChange change =
        new FailedChange(assignment.partition(), first.position(), first.getPrimaryKey(), changes);
    String error =
        changes == 1
            ? String.valueOf(reason)
            : "an atomic batch of " + changes + " changes: " + reason;
    LOG.warn(
        "channel {} of tunnel {}: skipping the change at {}: {}", id(), tunnelId(), change, error);
    skips.add(new FailureControl.Skip(last.position(), last.getPrimaryKey(), error));
    if (unit.from() > 0) {
      core.divided(position(unit.from() - 1));
    }
    core.skipped(last.position());
    for (int i = 0; i < changes; i++) {
      runtime.counts().changeSkipped();
    }
    runtime.notices().tell(l -> l.changeSkipped(id(), change, reason));
  }

  /** Index of the record that the processor named, if it lies in the current part. */
  private OptionalInt named(Throwable reason) {
    Optional<FailedRecordException> named = FailedRecordException.in(reason);
    if (named.isPresent()) {
      for (int i = parts.from(); i < parts.to(); i++) {
        if (position(i) == named.get().position()) {
          return OptionalInt.of(i);
        }
      }
    }
    return OptionalInt.empty();
  }

  private FailedChange at(OptionalInt named) {
    StreamRecord first = records().get(named.orElse(parts.from()));
    int changes = named.isPresent() ? 1 : parts.to() - parts.from();
    return new FailedChange(
        assignment.partition(), first.position(), first.getPrimaryKey(), changes);
  }

  private String id() {
    return assignment.channelId();
  }

  private String tunnelId() {
    return runtime.settings().tunnelId();
  }
}
