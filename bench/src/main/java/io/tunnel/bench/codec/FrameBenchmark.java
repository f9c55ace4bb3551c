package io.tunnel.bench.codec;

import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a server pays to make the frames of a writer whole. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FrameBenchmark {

  private static final int READ_BYTES = 64 * 1024;

  private final FrameAssembler assembler = new FrameAssembler();
  private final ByteBuffer read = ByteBuffer.allocateDirect(READ_BYTES);
  private byte[] frame;
  private long payloadBytes;

  /** Makes a frame that holds a full batch of the writer, which is one row over 256 KiB. */
  @Setup
  public void makeFrame() {
    byte[] payload = WhitepaperRows.fullBatch();
    frame = new byte[Frame.HEADER_BYTES + payload.length];
    Frame.writeHeader(frame, 0, Operation.WRITE.code(), FrameKind.REQUEST, 1, payload.length);
    System.arraycopy(payload, 0, frame, Frame.HEADER_BYTES, payload.length);
  }

  /**
   * How many nanoseconds does a row cost from the network's buffers to the array that its frame
   * owns? One copy of 220 bytes, and the zeroing of that array.
   */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.FULL_COUNT)
  public long assembleRow() {
    for (int at = 0; at < frame.length; at += READ_BYTES) {
      read.clear().put(frame, at, Math.min(READ_BYTES, frame.length - at)).flip();
      assembler.feed(read, whole -> payloadBytes += whole.payload().length);
    }
    return payloadBytes;
  }
}
