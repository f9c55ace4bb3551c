package io.tunnel.programs.bench.seeds;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EtcdDialogueTest {

  private static final String SETTINGS = "000000 04 00 00000000";
  private static final String ANSWER_HEADERS = "000001 01 04 00000001 88";
  private static final String ANSWER = "000007 00 00 00000001 00 00000002 0a00";
  private static final String TRAILERS = "000001 01 05 00000001 88";

  private final EtcdDialogue dialogue = new EtcdDialogue();
  private final Told told = new Told();

  private static final class Told implements Dialogue.Events {
    private final List<String> events = new ArrayList<>();

    @Override
    public void greeted() {
      events.add("greeted");
    }

    @Override
    public void answered(byte[] payload) {
      events.add("answered " + ByteBufUtil.hexDump(payload));
    }

    @Override
    public void failed(String why) {
      events.add("failed: " + why);
    }

    @Override
    public void send(ByteBuf bytes) {
      events.add("sent " + hex(bytes));
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }
  }

  private static String hex(ByteBuf bytes) {
    String hex = ByteBufUtil.hexDump(bytes);
    bytes.release();
    return hex;
  }

  private void receive(String hex) {
    dialogue.read(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))), told);
  }

  private String request(int bytes) {
    return hex(dialogue.request(UnpooledByteBufAllocator.DEFAULT, "/a.B/C", new byte[bytes]));
  }

  @Test
  void it_greets_with_settings_and_a_wide_window_and_acknowledges_the_server_s_settings() {
    ByteBuf greeting = dialogue.greeting(UnpooledByteBufAllocator.DEFAULT);
    assertThat(greeting.toString(ISO_8859_1)).startsWith("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assertThat(hex(greeting)).endsWith("000000040000000000" + "0000040800000000003fff0000");
    receive(SETTINGS);
    receive("000000 04 01 00000000");
    assertThat(told.events).containsExactly("sent 000000040100000000", "greeted");
  }

  @Test
  void a_request_has_the_headers_of_grpc_and_one_message() {
    String request = request(2);
    assertThat(request).startsWith("000035010400000001" + "83" + "86" + "04" + "06");
    assertThat(new String(ByteBufUtil.decodeHexDump(request), ISO_8859_1))
        .contains("/a.B/C", "127.0.0.1", "application/grpc", "te", "trailers");
    assertThat(request).endsWith("000007" + "00" + "01" + "00000001" + "00" + "00000002" + "0000");
    assertThat(request(2)).contains("010400000003");
  }

  @Test
  void an_answer_may_be_cut_anywhere() {
    String all = (ANSWER_HEADERS + ANSWER + TRAILERS).replace(" ", "");
    for (int cut = 0; cut <= all.length(); cut += 2) {
      EtcdDialogue each = new EtcdDialogue();
      Told heard = new Told();
      each.request(UnpooledByteBufAllocator.DEFAULT, "/a.B/C", new byte[2]).release();
      for (String part : List.of(all.substring(0, cut), all.substring(cut))) {
        each.read(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(part)), heard);
      }
      assertThat(heard.events).as("cut at %d", cut / 2).containsExactly("answered 0a00");
    }
  }

  @Test
  void an_answer_without_a_message_is_a_failure() {
    request(2);
    receive("000001 01 05 00000001 88");
    assertThat(told.events)
        .containsExactly("failed: the server refused the call: its answer has no message");
  }

  @Test
  void pings_are_answered_and_resets_and_farewells_are_failures() {
    request(2);
    receive("000008 06 00 00000000 0102030405060708");
    receive("000004 03 00 00000001 00000007");
    receive("00000a 07 00 00000000 00000001 00000000 6f6b");
    assertThat(told.events)
        .containsExactly(
            "sent 0000080601000000000102030405060708",
            "failed: the server reset the call, code 7",
            "failed: the server ends the connection, ok");
  }

  @Test
  void a_message_waits_for_the_window_of_the_server() {
    assertThat(request(60_000)).hasSizeGreaterThan(120_000);
    assertThat(request(60_000)).as("headers alone").hasSizeLessThan(300);
    receive("000004 08 00 00000003 0000ffff");
    assertThat(told.events).as("a window of the stream alone").isEmpty();
    receive("000004 08 00 00000000 0000ffff");
    assertThat(told.events).hasSize(1);
    assertThat(told.events.get(0)).startsWith("sent 00ea65" + "00" + "01" + "00000003");
  }

  @Test
  void requests_of_etcd_are_protocol_buffers_and_rows_are_found_behind_the_header() {
    Names names = new Names(24, 1);
    byte[] put = new EtcdRequests(true, names).payload(1, 0);
    assertThat(ByteBufUtil.hexDump(put)).startsWith("0a18633030303031").contains("1210");
    EtcdRequests range = new EtcdRequests(false, names);
    assertThat(range.wrong(0, ByteBufUtil.decodeHexDump("0a0208011202aabb2001"))).isEmpty();
    assertThat(range.wrong(0, ByteBufUtil.decodeHexDump("0a020801")))
        .contains("a name was not found");
    assertThat(range.wrong(0, new byte[0])).contains("a name was not found");
    assertThat(new EtcdRequests(true, names).wrong(0, new byte[0])).isEmpty();
  }
}
