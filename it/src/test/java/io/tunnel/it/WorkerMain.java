package io.tunnel.it;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.StreamRecord;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * A process that consumes a tunnel and notes every change that it was given before the callback
 * returns. Ends gracefully when its standard input does or says a line.
 *
 * <p>Arguments: endpoint, tunnel id, client tag, checkpoint interval in ms, file.
 */
final class WorkerMain {

  private WorkerMain() {}

  public static void main(String[] args) throws IOException {
    ClientConfig client = ClientConfig.of(args[0]).withRetryDeadline(Duration.ofSeconds(50));
    try (FileChannel notes =
            FileChannel.open(
                Path.of(args[4]), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        TunnelClient tunnels = new TunnelClient(client)) {
      TunnelWorkerConfig config =
          TunnelWorkerConfig.builder()
              .processor(new Notes(notes))
              .clientTag(args[2])
              .checkpointIntervalInMillis(Long.parseLong(args[3]))
              .build();
      TunnelWorker worker = new TunnelWorker(args[1], tunnels, config);
      worker.connectAndWorking();
      System.out.println("working");
      var unused = System.in.read();
      worker.shutdown();
    }
    System.out.println("done");
  }

  private record Notes(FileChannel file) implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      note(input.getRecords());
    }

    private synchronized void note(List<StreamRecord> records) {
      StringBuilder lines = new StringBuilder();
      for (StreamRecord record : records) {
        lines.append(Seen.of(record).toLine());
      }
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(lines));
      try {
        while (bytes.hasRemaining()) {
          var unused = file.write(bytes);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void shutdown() {
      System.out.println("shutdown");
    }
  }
}
