package io.tunnel.programs.bench.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProbeTest {

  @Test
  void the_heap_is_what_the_last_collection_left() {
    String log =
        """
        [1.2s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->9M(384M) 4.1ms
        [1.9s][info][gc] GC(1) Concurrent Mark Cycle
        [2.0s][info][gc] GC(1) Pause Remark 61M->60M(384M) 1.1ms
        [2.4s][info][gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 88M->12M(384M) 2.1ms
        """;
    assertThat(ServerProbe.heapBytes(log)).isEqualTo(12 << 20);
    assertThat(ServerProbe.heapBytes("GC(9) Pause Full 2G->1G(4G) 90ms")).isEqualTo(1 << 30);
    assertThat(ServerProbe.heapBytes("GC(0) Pause Young 900K->512K(1024K)")).isEqualTo(512 << 10);
  }

  @Test
  void the_bytes_of_loopback_are_its_first_number(@TempDir Path directory) throws IOException {
    Path interfaces =
        Files.writeString(
            directory.resolve("dev"),
            """
            Inter-|   Receive                                    |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes
              eth0:      11       1    0    0    0     0          0         0       22
                lo: 8123456     999    0    0    0     0          0         0  8123456
            """);
    assertThat(ServerProbe.loopbackBytes(interfaces)).isEqualTo(8123456);
    assertThat(ServerProbe.loopbackBytes(directory.resolve("missing"))).isNaN();
    Files.writeString(interfaces, "lo:7 1\n");
    assertThat(ServerProbe.loopbackBytes(interfaces)).isEqualTo(7);
  }

  @Test
  void before_the_first_collection_there_is_no_heap_to_tell() {
    assertThat(ServerProbe.heapBytes("[0.1s][info][gc] Using G1")).isNaN();
    assertThat(ServerProbe.heapBytes("")).isNaN();
  }
}
