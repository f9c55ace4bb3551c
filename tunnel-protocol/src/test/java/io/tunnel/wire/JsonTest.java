package io.tunnel.wire;

import static io.tunnel.wire.JsonPayloads.assertRefused;
import static io.tunnel.wire.JsonPayloads.decode;
import static io.tunnel.wire.JsonPayloads.json;
import static io.tunnel.wire.JsonPayloads.text;
import static io.tunnel.wire.PayloadSamples.FREE;
import static io.tunnel.wire.PayloadSamples.META;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonTest {

  @Test
  void every_control_payload_is_tested_here() {
    assertThat(PayloadSamples.all().<Class<?>>map(Control::getClass).collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            Stream.concat(
                    Arrays.stream(Control.class.getPermittedSubclasses()),
                    Stream.of(
                            OperatorControl.class,
                            SessionControl.class,
                            ClusterControl.class,
                            PartitionControl.class,
                            RowSessionControl.class,
                            FailureControl.class,
                            SecurityControl.class)
                        .flatMap(set -> Arrays.stream(set.getPermittedSubclasses())))
                .filter(Class::isRecord)
                .toArray(Class<?>[]::new));
  }

  @ParameterizedTest
  @MethodSource("io.tunnel.wire.PayloadSamples#all")
  void a_payload_survives_the_round_trip(Control sample) {
    assertThat((Control) Json.decode(Json.encode(sample), sample.getClass())).isEqualTo(sample);
    assertThat(text(sample)).doesNotContain("\n");
  }

  @Test
  void numbers_and_lists_that_are_not_said_are_zero_and_empty() {
    SessionControl.OpenSession session =
        decode("{'tunnelId':'t','clientTag':'c','leaseMs':1000}", SessionControl.OpenSession.class);
    assertThat(session.maxChannels()).isZero();
    JsonObject table = json(new Control.CreateTable(META, List.of()));
    table.remove("splitPoints");
    assertThat(decode(table.toString(), Control.CreateTable.class).splitPoints()).isEmpty();
    JsonObject channel = json(FREE);
    assertThat(channel.keySet()).doesNotContain("owner", "clientTag", "failedAt", "retry");
    channel.add("owner", JsonNull.INSTANCE);
    assertThat(decode(channel.toString(), Control.ChannelDescription.class)).isEqualTo(FREE);
  }

  @Test
  void the_tag_of_a_client_is_cut_between_two_characters_and_mended() {
    String open = "{'tunnelId':'t','clientTag':'%s','leaseMs':1000}";
    int max = SessionControl.OpenSession.CLIENT_TAG_CHARS_MAX;
    List<String> tags =
        Stream.of("x".repeat(max), "x".repeat(1 << 20), "x".repeat(max - 1) + "\ud83d\ude00")
            .map(tag -> decode(open.formatted(tag), SessionControl.OpenSession.class).clientTag())
            .toList();
    assertThat(tags).containsExactly("x".repeat(max), "x".repeat(max), "x".repeat(max - 1));
    assertThat(new SessionControl.OpenSession("t", "half \ud83d", 1_000, 0).clientTag())
        .isEqualTo("half ?");
  }

  @Test
  void members_of_a_later_version_are_skipped() {
    assertThat(
            decode("{'later':{'x':[1,{}]},'table':'orders','more':null}", Control.TableName.class))
        .isEqualTo(new Control.TableName("orders"));
  }

  @Test
  void no_bytes_are_an_empty_object() {
    assertThat(Json.encode(new Control.Empty())).isEmpty();
    assertThat(Json.decode(new byte[0], Control.Empty.class)).isEqualTo(new Control.Empty());
    assertRefused("", Control.TableName.class, "lacks a valid table");
  }

  @ParameterizedTest
  @MethodSource("io.tunnel.wire.PayloadSamples#all")
  void changed_bytes_are_read_or_refused(Control sample) {
    Random random = new Random(3);
    byte[] bytes = Json.encode(sample);
    for (int round = 0; round < 2_000 && bytes.length > 0; round++) {
      byte[] changed = bytes.clone();
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        assertThat((Control) Json.decode(changed, sample.getClass())).isNotNull();
      } catch (MalformedException e) {
        assertThat(e).hasMessageMatching("(?s)not a \\w+: .{5,}").hasMessageNotContaining(": null");
      }
    }
  }

  @Test
  void a_payload_has_an_id_beside_what_it_says() {
    byte[] payload = Json.encode(new Control.TableName("orders"), "id_1-B");
    assertThat(Json.decode(payload, Control.TableName.class).table()).isEqualTo("orders");
    assertThat(Control.RequestId.in(payload).requestId()).contains("id_1-B");
    assertThat(Control.RequestId.in(new byte[0]).requestId()).isEmpty();
    String longest = "x".repeat(Control.RequestId.CHARS_MAX);
    assertThat(new Control.RequestId(Optional.of(longest)).requestId()).contains(longest);
    for (String bad : List.of("", longest + "x", "a b", "a/b")) {
      assertThatThrownBy(() -> new Control.RequestId(Optional.of(bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a request id has 1 to 64");
    }
  }
}
