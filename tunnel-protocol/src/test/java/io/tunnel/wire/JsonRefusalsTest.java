package io.tunnel.wire;

import static io.tunnel.wire.JsonPayloads.assertRefused;
import static io.tunnel.wire.JsonPayloads.json;
import static io.tunnel.wire.JsonPayloads.text;
import static io.tunnel.wire.PayloadSamples.META;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is not a payload is refused, and the refusal says why. */
class JsonRefusalsTest {

  /**
   * What may be left out beside options and numbers, which are then 0: lists of requests, which are
   * then empty.
   */
  private static final Map<Class<?>, List<String>> LEFT_OUT =
      Map.ofEntries(
          Map.entry(Control.CreateTable.class, List.of("splitPoints")),
          Map.entry(FailureControl.Heartbeat.class, List.of("retrying")),
          Map.entry(OperatorControl.ChannelSelection.class, List.of("channels")),
          Map.entry(OperatorControl.Seek.class, List.of("channels")),
          Map.entry(SecurityControl.ChangeGroup.class, List.of("add", "remove")),
          Map.entry(SecurityControl.QuotaChange.class, List.of("limits", "removed")));

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

  /** A moment before 1970 has no position: a peer that waits for one would wait for ever. */
  @Test
  void a_moment_before_1970_is_refused_wherever_one_is_asked_for() {
    assertRefused(
        "{\"table\":\"t\",\"timeMs\":-1}",
        PartitionControl.FindPositions.class,
        "timeMs is milliseconds since 1970, not -1");
    assertRefused(
        "{\"partition\":7,\"type\":\"Stream\",\"position\":0,\"key\":\"\",\"endMs\":-1}",
        PartitionControl.ReadPartition.class,
        "endMs is milliseconds since 1970, not -1");
    assertRefused(
        "{\"tunnelId\":\"t\",\"channelId\":\"7_t\",\"partition\":7,\"type\":\"Stream\",\"epoch\":1,"
            + "\"position\":0,\"key\":\"\",\"grant\":\"\",\"endMs\":-1}",
        ClusterControl.Attach.class,
        "endMs is milliseconds since 1970, not -1");
    assertRefused(
        "{\"table\":\"t\",\"tunnel\":\"u\",\"timeMs\":-1,\"isDryRun\":false}",
        OperatorControl.Seek.class,
        "timeMs is milliseconds since 1970, not -1");
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
  @MethodSource("io.tunnel.wire.PayloadSamples#all")
  void any_cut_of_a_payload_is_refused(Control sample) {
    byte[] bytes = Json.encode(sample);
    for (int length = 1; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> Json.decode(cut, sample.getClass()))
          .withMessageStartingWith("not a " + sample.getClass().getSimpleName());
    }
  }

  @Test
  void deep_nesting_is_refused_before_it_takes_the_stack() {
    assertRefused(
        "{\"x\":" + "[".repeat(1_000_000) + "]".repeat(1_000_000) + ",\"table\":\"a\"}",
        Control.TableName.class,
        "nested too deeply");
  }

  @ParameterizedTest
  @MethodSource("io.tunnel.wire.PayloadSamples#all")
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

  private static boolean isNeeded(Control sample, RecordComponent component) {
    return !component.getType().isPrimitive()
        && component.getType() != Optional.class
        && !LEFT_OUT.getOrDefault(sample.getClass(), List.of()).contains(component.getName());
  }

  @ParameterizedTest
  @MethodSource("io.tunnel.wire.PayloadSamples#all")
  void a_member_of_another_type_is_refused(Control sample) {
    JsonObject object = new JsonObject();
    object.addProperty("x", 1);
    JsonArray array = new JsonArray();
    array.add(JsonNull.INSTANCE);
    for (RecordComponent component : sample.getClass().getRecordComponents()) {
      boolean isObject = component.getType() == Map.class;
      for (JsonElement wrong : List.of(isObject ? new JsonPrimitive(1) : object, array)) {
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
        "{'partition':7,'type':'Stream','position':-1,'key':''} | at least 0",
        "{'partition':7,'type':'Stream','position':5,'key':'','end':-1} | at least 0",
        "{'partition':7,'type':'Stream','position':5,'key':'','end':4} | before the position",
        "{'partition':7,'type':'Stream','position':5,'key':'03'} | not after a key",
        "{'partition':7,'type':'Stream','position':5,'key':'','known':{'position':4,'incarnation':1}}"
            + " | 5",
        "{'partition':7,'type':'Stream','position':5,'key':'','known':{'position':5}}"
            + " | incarnations are",
        "{'partition':7,'type':'BaseData','position':5,'key':'','end':9} | where they end",
        "{'partition':7,'type':'BaseData','position':5,'key':'','endMs':9} | where they end"
      })
  void what_cannot_be_read_is_refused_and_says_why(String request, String reason) {
    assertRefused(request.replace('\'', '"'), PartitionControl.ReadPartition.class, reason);
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
}
