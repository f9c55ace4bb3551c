package io.tunnel.programs.bench.seeds.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.load.TurnedClock;
import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import io.tunnel.programs.bench.seeds.queue.MessageCase.Way;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MessageLoadTest {

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final AtomicLong nanos = new AtomicLong();

  /** Set when the message that a fault is for was sent. */
  private final AtomicBoolean isSent = new AtomicBoolean();

  private final List<LoadLine> lines = Collections.synchronizedList(new ArrayList<>());

  /** A service in memory, with a fault or none. */
  private enum Fault {
    NONE,
    LOSES_ONE,
    REPEATS_ONE,
    REFUSES
  }

  private static class Memory implements Messages {

    private final MessageCase what;
    private final Fault fault;
    private final AtomicBoolean isSent;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();
    private Arrivals arrivals;

    Memory(MessageCase what, Fault fault, AtomicBoolean isSent) {
      this.what = what;
      this.fault = fault;
      this.isSent = isSent;
    }

    @Override
    public void receive(Arrivals all) {
      arrivals = all;
    }

    @Override
    public Sender sender(int number) {
      open.incrementAndGet();
      return new Sender() {
        @Override
        public void send(long first, int count) throws InterruptedException {
          together.set(count);
          for (long each = first; each < first + count; each++) {
            deliver(number, each);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
          open.decrementAndGet();
        }
      };
    }

    void deliver(int sender, long number) throws InterruptedException {
      boolean isFaulty = sender == 1 && number == 3;
      if (sender == 1 && number >= 3) {
        isSent.set(true);
      }
      if (isFaulty && fault == Fault.REFUSES) {
        throw new IllegalStateException("the disk is full");
      }
      for (int receiver : receivers(sender)) {
        int times = !isFaulty ? 1 : fault == Fault.LOSES_ONE ? 0 : 2;
        for (int i = 0; i < (fault == Fault.NONE ? 1 : times); i++) {
          arrivals.stream("receiver" + receiver).arrived(new MessageHeader(sender, number, 0));
        }
      }
    }

    private List<Integer> receivers(int sender) {
      List<Integer> all = what.receiversOf(what.destinationOf(sender));
      return what.way().isTopic() ? all : all.subList(0, 1);
    }

    @Override
    public void close() {
      open.set(-1);
    }
  }

  /** Stands still until the message was sent, then goes on whenever somebody looks. */
  private final LoadClock clock =
      new LoadClock() {
        @Override
        public long nanos() {
          return nanos.get();
        }

        @Override
        public long epochMs() {
          return 0;
        }

        @Override
        public void waitUntil(long until, BooleanSupplier stopped) {
          LockSupport.parkNanos(LOOK_NANOS);
          if (isSent.get() && !stopped.getAsBoolean()) {
            nanos.addAndGet(STEP_NANOS);
          }
        }
      };

  private Memory run(String way, Fault fault) throws Exception {
    MessageCase what = new MessageCase(Way.named(way), 4, 4, 2, 2, 100, 1, 1);
    Memory memory = new Memory(what, fault, isSent);
    new MessageLoad(what, clock, lines::add).run(ignored -> memory);
    return memory;
  }

  private LoadLine last() {
    return lines.get(lines.size() - 1);
  }

  @Test
  void every_message_of_a_queue_is_sent_in_transactions_and_counted_once() throws Exception {
    Memory memory = run("P_T", Fault.NONE);
    assertThat(lines)
        .extracting(LoadLine::word)
        .containsExactly(Word.MEASURING, Word.MEASURED, Word.DONE);
    assertThat(memory.together).hasValue(MessageCase.TRANSACTION_MESSAGES);
    assertThat(last().number(MessageLoad.SENT)).isPositive();
    assertThat(last().number(MessageLoad.RECEIVED)).isEqualTo(last().number(MessageLoad.SENT));
    assertThat(last().number(MessageLoad.WRONG)).isZero();
    assertThat(memory.open).as("closed").hasValue(-1);
  }

  /** Twelve messages of 256 MiB are sent while the clock stands still. */
  @Test
  @Timeout(60)
  void half_of_the_bytes_of_a_case_end_the_warm_up() throws Exception {
    CountDownLatch isMeasuring = new CountDownLatch(1);
    MessageCase what = new MessageCase(Way.named("P_nT"), 4, 4, 2, 2, 256 << 20, 1, 1);
    Memory memory =
        new Memory(what, Fault.NONE, isSent) {
          @Override
          void deliver(int sender, long number) throws InterruptedException {
            if (number == 3) {
              isMeasuring.await();
            }
            super.deliver(sender, number);
          }
        };
    new MessageLoad(
            what,
            clock,
            line -> {
              lines.add(line);
              isMeasuring.countDown();
            })
        .run(ignored -> memory);
    assertThat(last().word()).isEqualTo(Word.DONE);
  }

  @Test
  void every_subscriber_of_a_topic_has_a_copy() throws Exception {
    run("nP_nD_nT", Fault.NONE);
    assertThat(last().number(MessageLoad.EXPECTED)).isEqualTo(2 * last().number(MessageLoad.SENT));
    assertThat(last().number(MessageLoad.RECEIVED)).isEqualTo(last().number(MessageLoad.EXPECTED));
  }

  @Test
  void a_lost_message_is_missing_at_the_end() throws Exception {
    run("P_nT", Fault.LOSES_ONE);
    assertThat(last().number(MessageLoad.RECEIVED)).isEqualTo(last().number(MessageLoad.SENT) - 1);
  }

  @Test
  void a_repeated_message_is_wrong() throws Exception {
    run("P_nT", Fault.REPEATS_ONE);
    assertThat(last().number(MessageLoad.WRONG)).isEqualTo(1);
  }

  @Test
  void a_refused_message_fails_the_case() {
    assertThatThrownBy(() -> run("P_nT", Fault.REFUSES)).hasMessageContaining("the disk is full");
    assertThat(lines).extracting(LoadLine::word).doesNotContain(Word.DONE);
  }

  @Test
  void a_message_that_overtakes_another_is_wrong_in_its_stream_alone() {
    TurnedClock turned = new TurnedClock();
    turned.set(10);
    Arrivals arrivals = new Arrivals(2, turned);
    arrivals.measure();
    Arrivals.Stream stream = arrivals.stream("a");
    stream.arrived(new MessageHeader(0, 5, 4));
    stream.arrived(new MessageHeader(1, 4, 4));
    arrivals.stream("b").arrived(new MessageHeader(0, 4, 4));
    assertThat(arrivals.wrong()).isZero();
    stream.arrived(new MessageHeader(0, 4, 4));
    assertThat(arrivals.wrong()).isEqualTo(1);
    assertThat(arrivals.count()).isEqualTo(4);
    assertThat(arrivals.measured().getMaxValue()).isEqualTo(6);
  }
}
