package io.tunnel.artemis.queue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.io.aio.AIOSequentialFileFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/**
 * The child with the broker: all defaults, but without security and JMX, and with the journal's
 * buffer timeout fitted to the disk, as {@code artemis create} does. Ends at once when standard
 * input ends, so it never outlives its parent.
 */
final class ArtemisMain {

  private static final String ACCEPTOR = "netty";
  private static final int BLOCK_BYTES = 4_096;
  private static final int BLOCKS = 64;

  /** Of a disk without syncs. */
  private static final long TIMEOUT_NANOS_MIN = 1_000;

  private static final long TIMEOUT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);

  private ArtemisMain() {}

  /** The argument is the directory of the data. */
  public static void main(String[] arguments) throws Exception {
    Thread watch = new Thread(ArtemisMain::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    JournalType journal =
        AIOSequentialFileFactory.isSupported() ? JournalType.ASYNCIO : JournalType.NIO;
    int timeoutNanos = syncNanos(directory.resolve("sync-test"));
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(configuration(directory, journal, timeoutNanos));
    try {
      broker.start();
    } catch (Throwable e) {
      // Whatever it is: the broker's threads would keep half a broker alive.
      e.printStackTrace();
      System.exit(1);
    }
    NettyAcceptor acceptor =
        (NettyAcceptor) broker.getActiveMQServer().getRemotingService().getAcceptor(ACCEPTOR);
    System.out.println(
        new ReadyLine(acceptor.getActualPort(), journal.name(), timeoutNanos).text());
  }

  private static Configuration configuration(Path directory, JournalType journal, int timeoutNanos)
      throws Exception {
    return new ConfigurationImpl()
        .setName("peer")
        .setSecurityEnabled(false)
        .setJMXManagementEnabled(false)
        .setPersistenceEnabled(true)
        .setJournalType(journal)
        .setJournalBufferTimeout_AIO(timeoutNanos)
        .setJournalBufferTimeout_NIO(timeoutNanos)
        .setJournalDirectory(directory.resolve("journal").toString())
        .setBindingsDirectory(directory.resolve("bindings").toString())
        .setPagingDirectory(directory.resolve("paging").toString())
        .setLargeMessagesDirectory(directory.resolve("large-messages").toString())
        // A full disk is the business of whoever measures.
        .setMaxDiskUsage(-1)
        .addAcceptorConfiguration(ACCEPTOR, "tcp://127.0.0.1:0");
  }

  /** The mean time of a block that is written and synced. */
  private static int syncNanos(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
      for (int i = 0; i < BLOCKS; i++) {
        channel.write(block.rewind(), (long) i * BLOCK_BYTES);
      }
      channel.force(true);
      long startNanos = System.nanoTime();
      for (int i = 0; i < BLOCKS; i++) {
        channel.write(block.rewind(), (long) i * BLOCK_BYTES);
        channel.force(false);
      }
      long each = (System.nanoTime() - startNanos) / BLOCKS;
      return (int) Math.max(TIMEOUT_NANOS_MIN, Math.min(TIMEOUT_NANOS_MAX, each));
    }
  }

  /** Also while it starts: nobody is left who waits for it. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever written here.
      }
    } catch (IOException broken) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(1);
  }
}
