package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.testing.RulesCore.Violation;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RulesCoreTest {

  private static final int CHANNELS = 4;
  private static final int CREDIT_MAX = 1_000;

  private final RulesCore core = new RulesCore(TakeReason.DEADLINE.text());
  private final List<Worker> workers = new ArrayList<>();
  private SplittableRandom chance = new SplittableRandom(1);
  private int handles;
  private long epochs;

  /** A correct worker's view of one channel. */
  private static final class Worker {
    private final Assignment held;
    private final int connection;
    private int attachment;
    private long delivered;
    private long checkpointed;
    private long credit;
    private boolean isRevoked;

    Worker(Assignment held, int connection) {
      this.held = held;
      this.connection = connection;
    }

    Fence fence(TakeReason reason) {
      return new Fence(held.sessionId(), held.handle(), held.epoch(), reason.text());
    }
  }

  private Worker assign(int channel, int connection) {
    Assignment assignment =
        new Assignment(
            "s" + connection, "c" + channel, channel, ++handles, ++epochs, 0, ChannelType.Stream);
    core.assigned(connection, assignment);
    return new Worker(assignment, connection);
  }

  private Attach attach(Worker worker, long epoch) {
    return new Attach(
        "t",
        worker.held.channelId(),
        worker.held.partition(),
        ChannelType.Stream,
        epoch,
        worker.delivered,
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        Bytes.EMPTY,
        Optional.empty());
  }

  private Optional<Violation> attach(Worker worker) {
    Attach request = attach(worker, worker.held.epoch());
    Optional<Violation> violation = core.attaches(request);
    worker.attachment = ++handles;
    worker.credit = 0;
    core.attached(worker.connection, request, worker.attachment);
    return violation;
  }

  private Optional<Violation> credit(Worker worker, int bytes) {
    worker.credit += bytes;
    return core.credited(new Credit(worker.attachment, worker.held.epoch(), bytes));
  }

  private Optional<Violation> named(Worker worker, String what) {
    return core.named(what, worker.held.handle(), worker.held.epoch(), worker.connection);
  }

  /** A correct act of one worker, or of the service; returns what was found. */
  private Optional<Violation> act(Worker worker) {
    if (worker.attachment == 0) {
      return attach(worker);
    }
    switch (chance.nextInt(7)) {
      case 0 -> {
        return attach(worker);
      }
      case 1, 2 -> {
        int room = (int) Math.max(0, CREDIT_MAX - worker.credit);
        return room == 0 ? Optional.empty() : credit(worker, 1 + chance.nextInt(room));
      }
      case 3, 4 -> {
        // The last batch may be larger than the credit.
        if (worker.credit > 0 && !worker.isRevoked) {
          int bytes = 1 + chance.nextInt(CREDIT_MAX / 2);
          worker.credit -= bytes;
          worker.delivered += 1 + chance.nextInt(3);
          core.delivered(worker.attachment, bytes, worker.delivered);
        }
        return Optional.empty();
      }
      case 5 -> {
        long position = chance.nextLong(worker.checkpointed, worker.delivered + 1);
        Optional<Violation> violation = named(worker, "CHECKPOINT");
        assertThat(core.beyond(checkpoint(worker, position))).isEmpty();
        worker.checkpointed = position;
        return violation;
      }
      default -> {
        return end(worker);
      }
    }
  }

  private static Checkpoint checkpoint(Worker worker, long position) {
    return new Checkpoint(worker.held.handle(), worker.held.epoch(), position, Bytes.EMPTY);
  }

  /** The worker loses the channel, or is asked to give it back, or does that. */
  private Optional<Violation> end(Worker worker) {
    if (!worker.isRevoked && chance.nextBoolean()) {
      worker.isRevoked = true;
      core.revoked(worker.held.handle());
      return Optional.empty();
    }
    workers.remove(worker);
    if (worker.isRevoked) {
      Optional<Violation> violation = named(worker, "RELEASE");
      core.givenBack(worker.held.handle());
      return violation;
    }
    switch (chance.nextInt(3)) {
      case 0 -> {
        Optional<Violation> violation = core.fenced(worker.fence(TakeReason.MOVED));
        // What crosses the news is a race.
        return violation.or(() -> credit(worker, CREDIT_MAX)).or(() -> named(worker, "RELEASE"));
      }
      case 1 -> {
        workers.removeIf(other -> other.held.sessionId().equals(worker.held.sessionId()));
        core.ended(worker.held.sessionId());
        return named(worker, "CHECKPOINT");
      }
      default -> {
        workers.removeIf(other -> other.connection == worker.connection);
        core.disconnected(worker.connection);
        return credit(worker, CREDIT_MAX);
      }
    }
  }

  private Worker next() {
    int channel = chance.nextInt(CHANNELS);
    for (Worker worker : workers) {
      if (worker.held.partition() == channel) {
        return worker;
      }
    }
    Worker worker = assign(channel, 1 + chance.nextInt(2));
    workers.add(worker);
    return worker;
  }

  private void run(long seed) {
    chance = new SplittableRandom(seed);
    core.creditBytesMax(CREDIT_MAX);
    for (int i = 0; i < 3_000; i++) {
      assertThat(act(next())).as("act %d", i).isEmpty();
    }
  }

  private static void assertBroken(Rule rule, Optional<Violation> violation) {
    assertThat(violation).map(Violation::rule).contains(rule);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void correct_workers_break_no_rule_and_each_mistake_after_them_is_found(long seed) {
    run(seed);
    Worker worker = assign(CHANNELS, 3);
    assertThat(attach(worker)).isEmpty();
    assertThat(credit(worker, CREDIT_MAX)).isEmpty();
    assertBroken(Rule.CREDIT, credit(worker, 1));
    core.delivered(worker.attachment, 10, 5);
    assertThat(core.beyond(checkpoint(worker, 5))).isEmpty();
    assertThat(core.beyond(checkpoint(worker, 6))).isPresent();
    assertThat(core.delivered("c" + CHANNELS)).contains(5L);
    int handle = worker.held.handle();
    long epoch = worker.held.epoch();
    assertBroken(Rule.EPOCH, core.named("CHECKPOINT", handle, epoch + 1, 3));
    assertBroken(Rule.EPOCH, core.named("CHECKPOINT", handle, epoch, 4));
    assertBroken(Rule.EPOCH, core.attaches(attach(worker, epoch + 1)));
    assertBroken(Rule.EPOCH, core.credited(new Credit(handles + 1, epoch, 1)));
    core.givenBack(handle);
    assertBroken(Rule.EPOCH, named(worker, "RELEASE"));
    assertBroken(Rule.EPOCH, credit(worker, 1));
    assertThat(core.delivered("c" + CHANNELS)).isEmpty();
  }

  @Test
  void a_channel_that_is_taken_at_its_deadline_was_not_given_back() {
    Worker worker = assign(1, 1);
    assertThat(core.fenced(worker.fence(TakeReason.DEADLINE))).as("not asked").isEmpty();
    Worker other = assign(1, 1);
    core.revoked(other.held.handle());
    assertBroken(Rule.REVOCATION, core.fenced(other.fence(TakeReason.DEADLINE)));
  }

  @Test
  void an_epoch_from_before_a_crash_is_a_race_and_one_that_was_never_given_is_not() {
    Worker worker = assign(1, 1);
    core.crashed();
    assertThat(core.attaches(attach(worker, worker.held.epoch()))).isEmpty();
    assertBroken(Rule.EPOCH, core.attaches(attach(worker, worker.held.epoch() + 1)));
  }

  @Test
  void the_worker_of_a_broken_channel_may_stop_it_and_nobody_else() {
    Worker worker = assign(1, 1);
    assertThat(attach(worker)).isEmpty();
    RulesCore.Holder told = core.breaks("c1").orElseThrow();
    assertThat(told.delivered()).contains(new RulesCore.Delivered(1, worker.attachment));
    int handle = worker.held.handle();
    assertThat(core.isBroken(handle, worker.held.epoch(), 1)).isTrue();
    assertThat(core.isBroken(handle, worker.held.epoch(), 2)).isFalse();
    assertThat(core.isBroken(handle, worker.held.epoch() + 1, 1)).isFalse();
    assertThat(core.breaks("c1")).as("nobody holds the channel any more").isEmpty();
  }
}
