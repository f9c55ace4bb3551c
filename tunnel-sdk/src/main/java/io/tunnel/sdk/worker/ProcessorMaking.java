package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.sdk.worker.input.RetryRules;
import io.tunnel.sdk.worker.input.Retrying;
import java.util.Optional;
import java.util.function.Consumer;

/** Makes the processor of a channel, with retries. Runs on the worker's thread. */
final class ProcessorMaking {

  private final WorkerRuntime runtime;
  private final WorkerChannelCore core;
  private final ProcessorCalls calls;
  private final ChannelRunner channel;
  private volatile Optional<Retrying> retrying = Optional.empty();

  ProcessorMaking(
      WorkerRuntime runtime, WorkerChannelCore core, ProcessorCalls calls, ChannelRunner channel) {
    this.runtime = runtime;
    this.core = core;
    this.calls = calls;
    this.channel = channel;
  }

  /** The retry under way, if any; for any thread. */
  Optional<Retrying> retrying() {
    return retrying;
  }

  /** No retry will follow. */
  void over() {
    retrying = Optional.empty();
  }

  void make(ICheckpointer checkpointer, String channelId) {
    if (runtime.processors() instanceof ProcessorSource.Shared shared) {
      channel.made(shared.processor());
    } else if (runtime.processors() instanceof ProcessorSource.PerChannel each) {
      Consumer<IChannelProcessor> made =
          processor -> {
            over();
            channel.made(processor);
          };
      calls.make(
          each.factory(), checkpointer, made, reason -> failed(reason, checkpointer, channelId));
    }
  }

  private void failed(Throwable reason, ICheckpointer checkpointer, String channelId) {
    long now = runtime.nowNanos();
    int attempts = retrying.map(Retrying::attempts).orElse(0) + 1;
    long since = retrying.map(Retrying::sinceNanos).orElse(now);
    RetryRules rules = runtime.settings().processing().rules();
    boolean again = core.openFailed(rules.isTriedAgain(attempts, now - since));
    if (again) {
      long pause = rules.pauses().pauseNanos(attempts, runtime.chance());
      Retrying next =
          new Retrying(Optional.empty(), attempts, since, now + pause, String.valueOf(reason));
      retrying = Optional.of(next);
      runtime
          .notices()
          .tell(
              l -> {
                l.processingFailed(channelId, attempts, reason, true);
                l.retrying(channelId, next.info(now));
              });
      runtime.later(
          pause,
          () -> {
            if (core.openPauseOver()) {
              make(checkpointer, channelId);
            }
          });
    } else {
      runtime.notices().tell(l -> l.processingFailed(channelId, attempts, reason, false));
      over();
    }
    channel.notMade(reason);
  }
}
