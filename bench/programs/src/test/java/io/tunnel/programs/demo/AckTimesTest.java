package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AckTimesTest {

  @Test
  void a_position_has_the_time_of_its_acknowledgement() {
    AckTimes acks = new AckTimes();
    assertThat(acks.ackNanos(1)).isEqualTo(AckTimes.NOT_YET);
    acks.acknowledged(3, 1_000_000);
    acks.acknowledged(9, 2_000_000);
    assertThat(acks.ackNanos(1)).isEqualTo(1_000_000);
    assertThat(acks.ackNanos(3)).isEqualTo(1_000_000);
    assertThat(acks.ackNanos(4)).isEqualTo(2_000_000);
    assertThat(acks.ackNanos(10)).isEqualTo(AckTimes.NOT_YET);
    acks.acknowledged(10, 3_000_000);
    assertThat(acks.ackNanos(10)).isEqualTo(3_000_000);
  }

  @Test
  void acknowledgements_of_one_moment_are_one_entry() {
    AckTimes acks = new AckTimes();
    acks.acknowledged(1, 100);
    assertThat(acks.ackNanos(2)).isEqualTo(AckTimes.NOT_YET);
    acks.acknowledged(2, 20_100);
    acks.acknowledged(3, 20_101);
    assertThat(acks.ackNanos(2)).isEqualTo(100);
    assertThat(acks.ackNanos(3)).isEqualTo(20_101);
  }

  @Test
  void any_number_of_entries_is_kept_until_it_is_read() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      AckTimes acks = new AckTimes();
      long written = 0;
      long read = 0;
      while (written < 20_000) {
        int more = random.nextInt(2_000);
        for (int i = 0; i < more; i++) {
          acks.acknowledged(++written, written * 1_000_000);
        }
        long upTo = written - random.nextInt(Math.max(1, (int) Math.min(written - read, 3_000)));
        while (read < upTo) {
          assertThat(acks.ackNanos(++read)).as("seed %d", seed).isEqualTo(read * 1_000_000);
        }
      }
      assertThat(acks.ackNanos(written + 1)).isEqualTo(AckTimes.NOT_YET);
    }
  }

  @Test
  void a_reader_at_the_writers_heels_sees_a_time_or_none_but_never_a_wrong_one()
      throws InterruptedException {
    AckTimes acks = new AckTimes();
    long last = 300_000;
    AtomicLong wrong = new AtomicLong();
    // Three positions an entry: the time of each is that of the first of its three.
    Thread reader =
        new Thread(
            () -> {
              for (long position = 0; position < last; position++) {
                long nanos = acks.ackNanos(position);
                while (nanos == AckTimes.NOT_YET) {
                  Thread.onSpinWait();
                  nanos = acks.ackNanos(position);
                }
                if (nanos != position / 3 * 100_000) {
                  wrong.incrementAndGet();
                }
              }
            });
    reader.start();
    for (long position = 0; position < last; position++) {
      acks.acknowledged(position, position / 3 * 100_000);
    }
    reader.join(60_000);
    assertThat(reader.isAlive()).isFalse();
    assertThat(wrong.get()).isZero();
  }
}
