package io.tunnel.sdk.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import java.util.List;
import org.junit.jupiter.api.Test;

class TunnelStageTest {

  @Test
  void the_stage_follows_from_type_and_channels() {
    ChannelInfo done =
        ChannelInfo.builder("b", 1, ChannelType.BaseData).status(ChannelStatus.TERMINATED).build();
    ChannelInfo stream = ChannelInfo.builder("s", 1, ChannelType.Stream).build();
    assertThat(TunnelStage.of(TunnelType.Stream, List.of()))
        .isEqualTo(TunnelStage.InitBaseDataAndStreamShard);
    assertThat(TunnelStage.of(TunnelType.Stream, List.of(stream)))
        .isEqualTo(TunnelStage.ProcessStream);
    assertThat(TunnelStage.of(TunnelType.BaseAndStream, List.of(done, stream)))
        .isEqualTo(TunnelStage.ProcessStream);
    assertThat(TunnelStage.of(TunnelType.BaseData, List.of(done)))
        .isEqualTo(TunnelStage.ProcessBaseData);
  }
}
