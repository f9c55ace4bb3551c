package io.tunnel.it.process;

import io.tunnel.it.ledger.Noted;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A process that consumes a tunnel and notes every change that it was given before the callback
 * returns, and says on standard output what else its processor is told. The line {@code go} on
 * standard input lets callbacks go on that wait; any other line, or the end of standard input, ends
 * the process gracefully.
 *
 * <p>Arguments: endpoint, tunnel id, file, and those of {@link WorkerSetup}.
 */
public final class WorkerMain {

  private WorkerMain() {}

  public static void main(String[] args) throws IOException {
    ClientConfig client = ClientConfig.of(args[0]).withRetryDeadline(Duration.ofSeconds(50));
    WorkerSetup setup = WorkerSetup.parse(List.of(args).subList(3, args.length));
    try (FileChannel file =
            FileChannel.open(
                Path.of(args[2]), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        TunnelClient tunnels = new TunnelClient(client)) {
      Notes notes = new Notes(file, setup.rowsFree());
      TunnelWorkerConfig config =
          TunnelWorkerConfig.builder()
              .processor(notes)
              .clientTag(setup.tag())
              .checkpointIntervalInMillis(setup.checkpointInterval().toMillis())
              .heartbeatTimeoutInSec(setup.leaseS())
              .channelCreditBytes(setup.creditBytes())
              .build();
      TunnelWorker worker = new TunnelWorker(args[1], tunnels, config);
      worker.connectAndWorking();
      System.out.println("working");
      listen(notes);
      worker.shutdown();
    }
    System.out.println("done");
  }

  private static void listen(Notes notes) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while ("go".equals(lines.readLine())) {
      notes.mayGoOn.countDown();
    }
  }

  private static final class Notes implements IChannelProcessor {

    private final FileChannel file;
    private final long rowsFree;
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    private long rows;

    Notes(FileChannel file, long rowsFree) {
      this.file = file;
      this.rowsFree = rowsFree;
    }

    @Override
    public void process(ProcessRecordsInput input) {
      if (!takeRows(input.getRecords().size())) {
        awaitGo();
      }
      StringBuilder lines = new StringBuilder();
      Noted.of(input).forEach(noted -> lines.append(noted.toLine()));
      note(StandardCharsets.UTF_8.encode(CharBuffer.wrap(lines)));
    }

    private synchronized boolean takeRows(int count) {
      boolean isFree = rows < rowsFree;
      rows += count;
      return isFree;
    }

    private void awaitGo() {
      System.out.println("held");
      try {
        mayGoOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while held", e);
      }
    }

    private synchronized void note(ByteBuffer bytes) {
      try {
        while (bytes.hasRemaining()) {
          var unused = file.write(bytes);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void told(String callback, String channelId) {
      System.out.println(callback + " " + channelId);
    }

    @Override
    public void closing(String channelId) {
      told("closing", channelId);
    }

    @Override
    public void ended(String channelId) {
      told("ended", channelId);
    }

    @Override
    public void revoked(String channelId) {
      told("revoked", channelId);
    }

    @Override
    public void shutdown() {
      System.out.println("shutdown");
    }
  }
}
