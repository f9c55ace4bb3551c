package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.FailureTexts;
import io.tunnel.core.StopReason;
import io.tunnel.server.session.TunnelRun.Session;
import io.tunnel.wire.control.FailureControl.Retry;
import io.tunnel.wire.control.FailureControl.RetryingChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of a tunnel whose workers are retrying, as the last heartbeats reported. Kept in
 * memory only, because the next heartbeat repeats the report. At most one entry for each channel.
 */
final class Retries {

  private static final Logger LOGGER = LoggerFactory.getLogger(Retries.class);

  private final FailureTexts texts;
  private final String owner;
  private final Map<ChannelKey, Reported> reportedByChannel = new HashMap<>();

  /**
   * No reports.
   *
   * @param texts what all tunnels keep
   * @param owner whose share of {@code texts} this tunnel takes
   */
  Retries(FailureTexts texts, String owner) {
    this.texts = texts;
    this.owner = owner;
  }

  /** A report about one hold, with its time. */
  private record Reported(Session session, long epoch, Retry retry, long nanos) {

    StopReason failure() {
      return new StopReason(retry.error(), retry.at());
    }
  }

  /** Takes a session's report, which names all of its retrying channels. */
  void report(Session session, List<RetryingChannel> retrying, long nowNanos) {
    Map<Integer, RetryingChannel> byHandle = new HashMap<>();
    retrying.forEach(each -> byHandle.put(each.handle(), each));
    for (ChannelKey key : List.copyOf(reportedByChannel.keySet())) {
      if (reportedByChannel.get(key).session().equals(session)
          && !byHandle.containsKey(handle(session, key))) {
        forget(key);
      }
    }
    session
        .run()
        .holds()
        .forEach(
            (key, hold) -> {
              RetryingChannel said = byHandle.get(hold.handle());
              if (said != null && hold.session().equals(session) && hold.epoch() == said.epoch()) {
                put(hold, said.retry(), nowNanos);
              }
            });
  }

  private static int handle(Session session, ChannelKey key) {
    Hold hold = session.run().holds().get(key);
    return hold == null ? -1 : hold.handle();
  }

  private Optional<Reported> forget(ChannelKey key) {
    Optional<Reported> former = Optional.ofNullable(reportedByChannel.remove(key));
    texts.replace(owner, former.map(Reported::failure), Optional.empty());
    return former;
  }

  /** The tunnel is run here no more. */
  void clear() {
    List.copyOf(reportedByChannel.keySet()).forEach(this::forget);
  }

  private void put(Hold hold, Retry said, long nowNanos) {
    Optional<Reported> former = forget(hold.key());
    StopReason failure = texts.fitting(owner, new StopReason(said.error(), said.at()));
    Retry retry =
        new Retry(failure.at(), said.attempts(), said.forMs(), said.nextInMs(), failure.error());
    reportedByChannel.put(hold.key(), new Reported(hold.session(), hold.epoch(), retry, nowNanos));
    texts.replace(owner, Optional.empty(), Optional.of(failure));
    if (former.isEmpty() || former.get().epoch() != hold.epoch()) {
      LOGGER.warn(
          "channel {} of tunnel {} is RETRYING{}: {}",
          hold.key().channelId(hold.session().run().info().tunnelId()),
          hold.session().run().info().tunnel(),
          failure.place(hold.key().partition()),
          failure.error());
    }
  }

  /** The retry of a hold, now. */
  Optional<Retry> of(Hold hold, long nowNanos) {
    return Optional.ofNullable(reportedByChannel.get(hold.key()))
        .filter(reported -> reported.epoch() == hold.epoch())
        .map(
            reported -> {
              long agoMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - reported.nanos());
              Retry retry = reported.retry();
              return new Retry(
                  retry.at(),
                  retry.attempts(),
                  retry.forMs() + agoMs,
                  Math.max(0, retry.nextInMs() - agoMs),
                  retry.error());
            });
  }
}
