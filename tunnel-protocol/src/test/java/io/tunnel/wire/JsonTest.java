package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JsonTest {

  private static final TableMeta META =
      new TableMeta(
          "orders",
          List.of(
              new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
              new PrimaryKeySchema("é\"中😀<&", PrimaryKeyType.INTEGER)),
          new TableOptions(Durability.OS));

  private static final Control.PartitionDescription PARTITION =
      new Control.PartitionDescription(
          7,
          Bytes.fromHex("00ff80"),
          Bytes.EMPTY,
          List.of(3, 4),
          Long.MAX_VALUE,
          true,
          Long.MIN_VALUE,
          9_007_199_254_740_993L,
          1,
          0);

  private static final Control.TunnelInfo TUNNEL =
      new Control.TunnelInfo(
          "t-1", "sync", "orders", TunnelType.Stream, StreamStart.EARLIEST, 1_700_000_000_000L);

  private static final Control.ChannelDescription HELD =
      new Control.ChannelDescription(
          "c-1",
          7,
          ChannelStatus.OPEN,
          Optional.of("s-1"),
          Optional.of("worker"),
          2,
          10,
          20,
          30,
          20,
          4_000,
          5,
          ChannelType.Stream,
          true,
          Optional.of(40L),
          Optional.of("the processor threw"),
          List.of("c-0"),
          Optional.of(-5L),
          Optional.empty(),
          Optional.empty());

  private static final Control.ChannelDescription FREE =
      new Control.ChannelDescription(
          "c-2",
          8,
          ChannelStatus.WAIT,
          Optional.empty(),
          Optional.empty(),
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          ChannelType.BaseData,
          false,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final ClusterControl.NodeDescription MEMBER =
      new ClusterControl.NodeDescription(
          "n1", "x-1", "h:1", false, List.of(7, 8), List.of(9), 16, true);
  private static final ClusterControl.CopyStatus COPY =
      new ClusterControl.CopyStatus(7, "LEADING", 5, 40, 40);

  private static final OperatorControl.CheckpointSet CHECKPOINTS =
      new OperatorControl.CheckpointSet(
          3,
          "orders",
          "sync",
          List.of(
              new OperatorControl.ChannelPosition(
                  7, ChannelType.BaseData, 2, Bytes.fromHex("0380"), true),
              new OperatorControl.ChannelPosition(7, ChannelType.Stream, 5, Bytes.EMPTY, false)));

  private static final PrimaryKey KEY =
      PrimaryKey.builder().add("id", 7).add("name", "é\0").add("b", new byte[] {0, -1}).build();
  private static final FailureControl.FailedChange FAILED =
      new FailureControl.FailedChange(8, KEY, 3);
  private static final FailureControl.Retry RETRY =
      new FailureControl.Retry(Optional.of(FAILED), 4, 60_000, 30_000, "away");

  @Test
  void limitsOfWhatWorkersSayOfFailuresAreKept() {
    FailureControl.Skip skip = new FailureControl.Skip(8, KEY, "x".repeat(600));
    assertThat(skip.error()).hasSize(FailureControl.ERROR_CHARS_MAX);
    List<FailureControl.Skip> most =
        LongStream.rangeClosed(1, 1_000)
            .mapToObj(at -> new FailureControl.Skip(at, KEY, "odd"))
            .toList();
    assertThat(new FailureControl.SkippingCheckpoint(1, 2, 1_000, Bytes.EMPTY, most).skipped())
        .hasSize(FailureControl.SkippingCheckpoint.SKIPPED_MAX);
    List<FailureControl.Skip> tooMany = new ArrayList<>(most);
    tooMany.add(new FailureControl.Skip(1_001, KEY, "odd"));
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 1_001, Bytes.EMPTY, tooMany))
        .hasMessage("skipped has at most 1000 entries, not 1001");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 1_001, Bytes.EMPTY, List.of()))
        .hasMessageContaining("names what it skips");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 7, Bytes.EMPTY, List.of(skip)))
        .hasMessage("position 8 is skipped behind -1 by a checkpoint at 7");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 9, Bytes.EMPTY, List.of(skip, skip)))
        .hasMessage("position 8 is skipped behind 8 by a checkpoint at 9");
    FailureControl.RetryingChannel retrying = new FailureControl.RetryingChannel(1, 2, RETRY);
    assertThatThrownBy(
            () -> new FailureControl.Heartbeat("s-1", Collections.nCopies(257, retrying)))
        .hasMessage("retrying has at most 256 entries, not 257");
  }

  static Stream<Control> samples() {
    return Stream.of(
        new Control.Empty(),
        new Control.CreateTable(
            META,
            List.of(
                PrimaryKeyValue.fromBinary(new byte[] {0, -1}),
                PrimaryKeyValue.fromString("é\0\n"),
                PrimaryKeyValue.fromLong(Long.MIN_VALUE))),
        new Control.TableName("orders"),
        new Control.TableList(List.of("a", "b")),
        PARTITION,
        new Control.TableDescription(1, META, 1_700_000_000_000L, List.of(PARTITION)),
        new Control.CreateTunnel("orders", "sync", TunnelType.BaseAndStream, StreamStart.LATEST),
        new Control.TunnelName("orders", "sync"),
        TUNNEL,
        new Control.TunnelList(List.of(TUNNEL)),
        HELD,
        FREE,
        new Control.TunnelDescription(TUNNEL, List.of(HELD, FREE)),
        new SessionControl.OpenSession("t-1", "worker", 30_000, 0),
        new SessionControl.SessionOpened("s-1", META),
        new SessionControl.SessionOpened("s-1", META, 6_000),
        new SessionControl.SessionId("s-1"),
        new SessionControl.Assignment("s-1", "c-1", 7, 1, 2, 3, ChannelType.BaseData),
        new SessionControl.Revocation("s-1", 1, 2, 30_000),
        new SessionControl.Fence("s-1", 1, 2, "another holds it"),
        new SessionControl.SessionEnd("s-1", ErrorCode.TUNNEL_NOT_FOUND, "the tunnel was deleted"),
        new SessionControl.StopChannel(1, 2, "the processor threw"),
        new SessionControl.StopChannel(1, 2, "the processor threw", Optional.of(FAILED)),
        new FailureControl.Heartbeat("s-1", List.of()),
        new FailureControl.Heartbeat(
            "s-1", List.of(new FailureControl.RetryingChannel(1, 2, RETRY))),
        new FailureControl.SkippingCheckpoint(
            1, 2, 9, Bytes.fromHex("80"), List.of(new FailureControl.Skip(8, KEY, "odd"))),
        new Control.TunnelDescription(
            TUNNEL,
            List.of(),
            false,
            List.of(),
            new FailureControl.Skipped(
                1_000,
                List.of(
                    new FailureControl.SkippedChange(
                        7, ChannelType.Stream, 8, KEY, "odd", 1_700_000_000_000L)))),
        new Control.CreateTunnel(
            "orders",
            "sync",
            TunnelType.Stream,
            StreamStart.LATEST,
            Optional.of(1L),
            Optional.of(2L)),
        new Control.TunnelDescription(
            TUNNEL,
            List.of(),
            true,
            List.of(new Control.SessionDescription("s-1", "worker", 3, 0, 29_000))),
        new OperatorControl.ChannelSelection("orders", "sync", List.of("c-1")),
        CHECKPOINTS,
        new OperatorControl.Seek(
            "orders",
            "sync",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(CHECKPOINTS),
            true),
        new OperatorControl.SeekResult(
            List.of(new OperatorControl.Move("c-1", 7, ChannelType.Stream, 9, 3))),
        new OperatorControl.EndSession("orders", "sync", "s-1"),
        new OperatorControl.AlterTable("orders", new TableOptions(Durability.OS, 1, 2)),
        new SessionControl.Assignment(
            "s-1",
            "c-1",
            7,
            1,
            2,
            3,
            ChannelType.BaseData,
            true,
            Optional.of("node-2:7700"),
            Bytes.fromHex("038000000000000001"),
            Optional.empty(),
            Optional.of(9L),
            Optional.of(Bytes.fromHex("7f")),
            Optional.of(4L)),
        new ClusterControl.Attach(
            "t-1",
            "c-1",
            7,
            ChannelType.Stream,
            2,
            3,
            Bytes.EMPTY,
            Optional.of(40L),
            Optional.of(9L),
            Optional.of(Bytes.fromHex("7f"))),
        new ClusterControl.Attached(5),
        new ClusterControl.Attached(5, Optional.of(1_790_000_000_000L)),
        new ClusterControl.ClusterDescription("orders-1", 4, "n1", List.of(MEMBER)),
        new ClusterControl.NodeStatus("n1", List.of(COPY)),
        new ClusterControl.DrainNode(true),
        new Control.RequestId(Optional.of("id-1")),
        new Control.RequestId(Optional.empty()),
        new PartitionControl.ReadPartition(
            7,
            ChannelType.BaseData,
            3,
            Bytes.fromHex("038000000000000001"),
            Optional.empty(),
            Optional.empty()),
        new PartitionControl.ReadPartition(
            7, ChannelType.Stream, 3, Bytes.EMPTY, Optional.of(40L), Optional.of(9L)),
        new PartitionControl.ReadPartition(
            7,
            ChannelType.Stream,
            3,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.empty(),
            Optional.of(new KnownPosition(5, 1_790_000_000_000L))),
        new PartitionControl.FindPositions("orders", Optional.of(9L)),
        new PartitionControl.FoundPositions(
            3,
            List.of(
                new PartitionControl.Positions(7, 1, 40, Optional.of(5L)),
                new PartitionControl.Positions(8, 0, 0, Optional.empty()))),
        new PartitionControl.FoundPositions(
            3,
            List.of(
                new PartitionControl.Positions(
                    7, 1, 40, Optional.of(5L), Optional.of(1_790_000_000_000L)))));
  }

  @Test
  void every_control_payload_is_tested_here() {
    assertThat(samples().<Class<?>>map(Control::getClass).collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            Stream.concat(
                    Arrays.stream(Control.class.getPermittedSubclasses()),
                    Stream.of(
                            OperatorControl.class,
                            SessionControl.class,
                            ClusterControl.class,
                            PartitionControl.class,
                            FailureControl.class)
                        .flatMap(set -> Arrays.stream(set.getPermittedSubclasses())))
                .filter(Class::isRecord)
                .toArray(Class<?>[]::new));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void a_payload_survives_the_round_trip(Control sample) {
    assertThat((Control) Json.decode(Json.encode(sample), sample.getClass())).isEqualTo(sample);
    assertThat(text(sample)).doesNotContain("\n");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void a_missing_or_null_member_is_refused_by_its_name(Control sample) {
    for (RecordComponent component : sample.getClass().getRecordComponents()) {
      if (isNeeded(sample, component)) {
        JsonObject without = json(sample);
        without.remove(component.getName());
        assertRefused(without, sample.getClass(), component.getName());
        JsonObject withNull = json(sample);
        withNull.add(component.getName(), JsonNull.INSTANCE);
        assertRefused(withNull, sample.getClass(), component.getName());
      }
    }
  }

  /**
   * What may be left out beside options and numbers, which are then 0: lists that are then empty,
   * and what earlier peers do not say.
   */
  private static final Map<Class<?>, List<String>> LEFT_OUT =
      Map.of(
          Control.CreateTable.class, List.of("splitPoints"),
          SessionControl.Assignment.class, List.of("type", "key"),
          ClusterControl.Attach.class, List.of("key"),
          PartitionControl.ReadPartition.class, List.of("key"),
          Control.ChannelDescription.class, List.of("type", "waitsFor"),
          Control.TunnelDescription.class, List.of("sessions", "skipped"),
          FailureControl.Heartbeat.class, List.of("retrying"),
          FailureControl.SkippingCheckpoint.class, List.of("key"),
          OperatorControl.ChannelSelection.class, List.of("channels"),
          OperatorControl.Seek.class, List.of("channels"));

  private static boolean isNeeded(Control sample, RecordComponent component) {
    return !component.getType().isPrimitive()
        && component.getType() != Optional.class
        && !LEFT_OUT.getOrDefault(sample.getClass(), List.of()).contains(component.getName());
  }

  @ParameterizedTest
  @MethodSource("samples")
  void a_member_of_another_type_is_refused(Control sample) {
    JsonObject object = new JsonObject();
    object.addProperty("x", 1);
    JsonArray array = new JsonArray();
    array.add(JsonNull.INSTANCE);
    for (RecordComponent component : sample.getClass().getRecordComponents()) {
      for (JsonElement wrong : List.of(object, array)) {
        JsonObject changed = json(sample);
        changed.add(component.getName(), wrong);
        assertRefused(changed, sample.getClass(), "");
      }
      if (component.getType().isPrimitive()) {
        JsonObject changed = json(sample);
        changed.add(component.getName(), new JsonPrimitive("many"));
        if (component.getType() != boolean.class) {
          assertRefused(changed, sample.getClass(), "many");
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'partition':7,'type':'Stream','position':-1} | at least 0",
        "{'partition':7,'type':'Stream','position':5,'end':-1} | at least 0",
        "{'partition':7,'type':'Stream','position':5,'end':4} | before the position",
        "{'partition':7,'type':'Stream','position':5,'key':'03'} | not behind a key",
        "{'partition':7,'type':'Stream','position':5,'known':{'position':4,'incarnation':1}} | 5",
        "{'partition':7,'type':'Stream','position':5,'known':{'position':5}} | incarnations are",
        "{'partition':7,'type':'BaseData','position':5,'end':9} | where they end",
        "{'partition':7,'type':'BaseData','position':5,'endMs':9} | where they end"
      })
  void what_cannot_be_read_is_refused_and_says_why(String request, String reason) {
    assertRefused(request.replace('\'', '"'), PartitionControl.ReadPartition.class, reason);
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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "null | not a TableName: null",
        "[] | a list where an object belongs at line 1 column 2",
        "5 | a number where an object belongs",
        "\"x\" | a text where an object belongs",
        "{ | not a TableName",
        "{\"table\":\"a\"} {} | not a TableName",
        "{\"table\":\"a\",} | not a TableName",
        "{table:\"a\"} | not a TableName",
        "{\"table\":a} | not a TableName",
        "{\"table\":\"a\" /* why */} | not a TableName",
        "garbage | not a TableName",
        "{\"table\":\"\\ud83x\"} | not a TableName"
      })
  void what_is_not_json_or_no_object_is_refused(String text, String message) {
    assertRefused(text, Control.TableName.class, message);
  }

  @Test
  void bytes_that_are_not_utf8_are_refused_instead_of_replaced() {
    byte[] payload = "{\"table\":\"a?\"}".getBytes(StandardCharsets.ISO_8859_1);
    payload[11] = (byte) 0xff;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Json.decode(payload, Control.TableName.class))
        .withMessageContaining("not UTF-8");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.encode(new Control.TableName("\ud83d")))
        .withMessageContaining("unpaired surrogate");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | where a name belongs",
        "{\"integer\":\"1\",\"string\":\"x\"} | where the end of the object belongs",
        "{\"integer\":\"x\"} | 'x' is not an integer of 64 bits",
        "{\"integer\":\"9223372036854775808\"} | '9223372036854775808' is not an integer",
        "{\"binary\":\"****\"} | Illegal base64 character",
        "{\"double\":\"1\"} | 'double', not integer, string or binary",
        "{\"string\":null} | where a text belongs",
        "\"x\" | a text where an object belongs",
        "null | splitPoints"
      })
  void a_split_point_that_is_no_key_value_is_refused(String value, String message) {
    assertRefused(
        "{\"meta\":"
            + json(new SessionControl.SessionOpened("s", META)).get("table")
            + ",\"splitPoints\":["
            + value
            + "]}",
        Control.CreateTable.class,
        message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "orders | nothing | EARLIEST | sync | type (BaseData, Stream or BaseAndStream)",
        "orders | Stream | NEVER | sync | start (EARLIEST or LATEST)",
        "orders | Stream | LATEST | 1st | 'tunnel name '1st' is not valid"
      })
  void a_value_that_the_model_refuses_is_refused_with_its_words(
      String table, String type, String start, String tunnel, String message) {
    assertRefused(
        String.format(
            "{'table':'%s','type':'%s','start':'%s','tunnel':'%s'}", table, type, start, tunnel),
        Control.CreateTunnel.class,
        message.replaceFirst("^'", ""));
  }

  @ParameterizedTest
  @CsvSource({"999, 0, leaseMs", "3600001, 0, leaseMs", "1000, -1, maxChannels"})
  void a_session_out_of_bounds_is_refused(long leaseMs, int maxChannels, String message) {
    assertRefused(
        "{'tunnelId':'t','clientTag':'c','leaseMs':%d,'maxChannels':%d}"
            .formatted(leaseMs, maxChannels),
        SessionControl.OpenSession.class,
        message);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void any_cut_of_a_payload_is_refused(Control sample) {
    byte[] bytes = Json.encode(sample);
    for (int length = 1; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> Json.decode(cut, sample.getClass()))
          .withMessageStartingWith("not a " + sample.getClass().getSimpleName());
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
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
  void deep_nesting_is_refused_before_it_takes_the_stack() {
    assertRefused(
        "{\"x\":" + "[".repeat(1_000_000) + "]".repeat(1_000_000) + ",\"table\":\"a\"}",
        Control.TableName.class,
        "nested too deeply");
  }

  private static JsonObject json(Control payload) {
    return JsonParser.parseString(text(payload)).getAsJsonObject();
  }

  static String text(Control payload) {
    return Json.toText((Record) payload);
  }

  private static <T extends Control> T decode(String text, Class<T> type) {
    return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type);
  }

  private static void assertRefused(
      JsonObject object, Class<? extends Control> type, String message) {
    assertRefused(object.toString(), type, message);
  }

  private static void assertRefused(String text, Class<? extends Control> type, String message) {
    String json = text.contains("\"") ? text : text.replace('\'', '"');
    assertThatExceptionOfType(MalformedException.class)
        .as("%s as %s", json.substring(0, Math.min(200, json.length())), type.getSimpleName())
        .isThrownBy(() -> Json.decode(json.getBytes(StandardCharsets.UTF_8), type))
        .withMessageContaining(type.getSimpleName())
        .withMessageContaining(message);
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
