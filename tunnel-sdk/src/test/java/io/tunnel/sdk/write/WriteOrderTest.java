package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.WriterNumber;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.core.WriterCore.Verdict;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The order of one client's writes to a row over a network that loses, delays and repeats requests,
 * to a partition that forgets the writer at any time, whose clock steps.
 */
class WriteOrderTest {

  private static final int WRITES = 14;

  @Test
  void no_earlier_write_overtakes_a_later_one_and_only_lost_answers_leave_rows_in_doubt() {
    int ended = 0;
    int inDoubt = 0;
    for (long seed = 0; seed < 40; seed++) {
      World world = new World(seed);
      world.run();
      ended += world.ended;
      inDoubt += world.inDoubt;
    }
    assertThat(ended).as("refused numbers").isGreaterThan(30);
    assertThat(inDoubt).as("rows in doubt").isGreaterThan(5);
  }

  private static final class World {
    private final long seed;
    private final Random random;

    // Guarded by this.
    private final WriterCore writers = new WriterCore();
    private long nowMicros = 1_700_000_000_000_000L;
    private final List<Frame> late = new ArrayList<>();
    private final List<Long> applied = new ArrayList<>();

    /** Values of which a request was lost, or whose answer was. */
    private final Set<Long> lost = new HashSet<>();

    private int ended;
    private int inDoubt;

    World(long seed) {
      this.seed = seed;
      // The first numbers of neighbouring small seeds are alike.
      this.random = new Random(seed * 0x9e37_79b9_7f4a_7c15L);
    }

    void run() {
      boolean isPatient = seed % 3 != 0;
      try (FakeServer server = new FakeServer()) {
        new FakeTable(1, 1).serve(server);
        server.on(Operation.OPEN_WRITER, this::openWriter);
        server.on(Operation.WRITE, this::write);
        ClientConfig config =
            server
                .config()
                // Asked once, so that some writes begin without an id.
                .withRetryDeadline(Duration.ZERO)
                .withWriteRetryDeadline(Duration.ofSeconds(isPatient ? 60 : 0));
        try (TableClient client = TableClient.connect(config)) {
          for (long value = 1; value <= WRITES; value++) {
            RowOutcome.check(this, value, client);
          }
        }
        assertThat(server.failures()).as("seed %d", seed).isEmpty();
      }
      synchronized (this) {
        late.forEach(this::arrive);
        assertThat(applied).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
      }
    }

    /** Writes one value and compares its outcome with what the partition did. */
    private static final class RowOutcome {
      private RowOutcome() {}

      static void check(World world, long value, TableClient client) {
        Outcome outcome =
            client.tryWrite("t", List.of(WriterFixture.row(1, value))).results().get(0).outcome();
        synchronized (world) {
          String what = "seed " + world.seed + ", value " + value;
          switch (outcome) {
            case APPLIED -> assertThat(world.applied).as(what).endsWith(value);
            case IN_DOUBT -> {
              world.inDoubt++;
              assertThat(world.lost).as(what).contains(value);
            }
            case NOT_SENT -> {
              assertThat(world.applied).as(what).doesNotContain(value);
              assertThat(world.lost).as(what).doesNotContain(value);
            }
            case REJECTED -> throw new AssertionError(what + " was rejected");
          }
        }
      }
    }

    private synchronized void openWriter(FakeConnection connection, Frame frame) {
      switch (random.nextInt(4)) {
        case 0 -> connection.drop();
        case 1 -> connection.refuse(frame, ErrorCode.BUSY);
        default -> {
          Bytes secret = WriterToken.Request.decode(frame.payload()).secret();
          connection.answer(frame, WriterToken.of(nowMicros, secret).bytes().toByteArray());
        }
      }
    }

    private static long valueOf(Frame frame) {
      var row = WriteRequest.decode(frame.payload()).batch().rows();
      assertThat(row.next()).isTrue();
      var columns = row.columns();
      assertThat(columns.next()).isTrue();
      return columns.value().asLong();
    }

    private synchronized void write(FakeConnection connection, Frame frame) {
      nowMicros += random.nextInt(1_000);
      if (random.nextInt(12) == 0) {
        nowMicros += (random.nextInt(40) - 20) * 60_000_000L;
      }
      if (random.nextInt(4) == 0) {
        writers.writers().forEach(writers::forget);
      }
      if (!late.isEmpty() && random.nextInt(3) == 0) {
        arrive(late.remove(random.nextInt(late.size())));
      }
      switch (random.nextInt(6)) {
        case 0 -> {
          // The request is held up in the network, and its connection is lost.
          lost.add(valueOf(frame));
          late.add(frame);
          connection.drop();
        }
        case 1 -> {
          lost.add(valueOf(frame));
          arrive(frame);
          connection.drop();
        }
        case 2 -> connection.refuse(frame, ErrorCode.BUSY);
        default -> {
          ErrorPayloadOrResult answer = arrive(frame);
          answer.send(connection, frame);
        }
      }
    }

    /** What a partition says. */
    private record ErrorPayloadOrResult(Optional<ErrorPayload> error, WriteResult result) {
      void send(FakeConnection connection, Frame frame) {
        if (error.isEmpty()) {
          connection.answer(frame, result.encode());
          return;
        }
        Frame refusal =
            new Frame(
                frame.operationCode(),
                FrameKind.ERROR,
                frame.correlationId(),
                error.get().encode());
        connection.raw(refusal.header());
        connection.raw(refusal.payload());
      }
    }

    private ErrorPayloadOrResult arrive(Frame frame) {
      long value = valueOf(frame);
      Optional<WriterNumber> by = WriterNumber.of(WriteRequest.decode(frame.payload()).batch());
      assertThat(by).as("seed %d: value %d has no number", seed, value).isPresent();
      Bytes writer = new WriterToken(by.get().token()).writer("");
      Verdict verdict =
          writers.judge(new Numbered(writer, by.get().number(), by.get().after()), nowMicros);
      if (verdict instanceof Verdict.Ended refused) {
        ended++;
        return new ErrorPayloadOrResult(
            Optional.of(
                new ErrorPayload(
                    ErrorCode.WRITER_ENDED, refused.why(), Optional.empty(), refused.dateMicros())),
            new WriteResult(0, 0, List.of()));
      }
      if (verdict instanceof Verdict.Repeated repeated) {
        long position = repeated.answered().position();
        return new ErrorPayloadOrResult(Optional.empty(), new WriteResult(position, 1, List.of()));
      }
      applied.add(value);
      writers.applied(
          writer, new Answered(by.get().number(), applied.size(), 1, Bytes.EMPTY, nowMicros));
      return new ErrorPayloadOrResult(
          Optional.empty(), new WriteResult(applied.size(), 1, List.of()));
    }
  }
}
