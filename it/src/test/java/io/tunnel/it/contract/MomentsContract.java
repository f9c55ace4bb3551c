package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Base data of the moment at which its tunnel was created. */
abstract class MomentsContract extends Contract {

  private static final String NAME = "audit";

  @Test
  void base_data_is_every_row_once_and_then_ends() {
    TableInfo table = table(2);
    write(table, put(1, 1), put(2, 2), put(3, 3), put(3, 4));
    String tunnelId = tunnel(table, NAME, TunnelType.BaseData);
    write(table, put(4, 5));
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    awaitTerminated(table, NAME);
    assertThat(values.all()).containsExactlyInAnyOrder(1L, 2L, 4L);
    assertThat(channels(table, NAME).now())
        .extracting(ChannelInfo::getChannelType)
        .containsOnly(ChannelType.BaseData);
    assertThat(channels(table, NAME).now())
        .extracting(ChannelInfo::getChannelId)
        .allMatch(id -> id.endsWith("_" + tunnelId + "_base"));
  }

  @Test
  void base_comes_before_stream_and_nothing_is_between_them() {
    TableInfo table = table();
    writeEach(table, 1, 3);
    String tunnelId = tunnel(table, NAME, TunnelType.BaseAndStream);
    write(table, put(1, 4));
    List<ChannelInfo> fresh = channels(table, NAME).now();
    assertThat(fresh)
        .extracting(ChannelInfo::getChannelType)
        .containsExactly(ChannelType.BaseData, ChannelType.Stream);
    assertThat(fresh.get(1).waitsFor()).isNotEmpty();
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    values.await(4);
    write(table, put(1, 5));
    values.await(5);
    assertThat(values.all()).isEqualTo(oneTo(5));
    assertThat(statuses(channels(table, NAME).now()))
        .containsExactly(ChannelStatus.TERMINATED, ChannelStatus.OPEN);
  }
}
