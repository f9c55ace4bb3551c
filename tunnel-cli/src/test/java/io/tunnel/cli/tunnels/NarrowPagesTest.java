package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.tunnel.ChannelInfo;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --watch} shows on terminals of every width. */
class NarrowPagesTest {

  private static final ChannelInfo CHANNEL =
      ChannelInfo.builder("c-1a2b3c4d5e6f7a8b", 3, ChannelType.Stream)
          .status(ChannelStatus.OPEN)
          .clientId("0d6a1f3e-7e0b-4a52-9d4e-3f1c2b5a6978")
          .clientTag("Linux")
          .epoch(3)
          .checkpointed(4_000_000)
          .delivered(4_500_000)
          .committed(5_000_000)
          .lagRows(1_000_000)
          .lagBytes(220_000_000)
          .rpoInMillis(61_000)
          .historyLeftMs(60_000)
          .build();

  @ParameterizedTest
  @ValueSource(ints = {66, 80, 100, 132, 200, Integer.MAX_VALUE})
  void lag_is_shown_at_every_width(int columns) {
    List<String> lines = new ChannelTable(List.of(CHANNEL)).lines(columns);
    assertThat(lines.get(0)).contains("PARTITION", "STATE", "LAG ROWS", "LAG TIME", "HISTORY LEFT");
    assertThat(lines.get(1)).contains("1,000,000");
    if (columns >= 80) {
      assertThat(lines.get(0)).contains("OWNER", "COMMITTED");
      assertThat(lines.get(1)).contains("Linux 0d6a1f3e", "5,000,000");
    }
    if (columns >= 132) {
      assertThat(lines.get(1)).contains("210 MiB");
    }
    assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
  }

  @Test
  void what_helps_less_gives_way_first() {
    List<String> wide = new ChannelTable(List.of(CHANNEL)).lines(200);
    assertThat(wide.get(0)).contains("CHANNEL", "EPOCH", "OWNER", "COMMITTED");
    List<String> narrow = new ChannelTable(List.of(CHANNEL)).lines(wide.get(0).length() - 1);
    assertThat(narrow.get(0)).contains("CHANNEL", "OWNER", "COMMITTED").doesNotContain("EPOCH");
  }
}
