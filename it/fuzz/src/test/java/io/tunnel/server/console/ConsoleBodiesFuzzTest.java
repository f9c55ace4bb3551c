package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;

/** Requests of a page with whatever bodies: each is sent on as it is, or refused with a reason. */
@Tag("proof-fuzz")
class ConsoleBodiesFuzzTest {

  @FuzzTest(maxDuration = "")
  void a_body_with_the_csrf_token_is_sent_on_as_it_is_or_refused(FuzzedDataProvider data) {
    String path = data.pickValue(new String[] {"rows", "ask/PAUSE", "changes"});
    byte[] body = data.consumeRemainingAsBytes();
    EmbeddedChannel browser = FuzzedConsole.browser();
    String cookie = "Cookie: tunnel_session_0=" + FuzzedConsole.COOKIE + "\r\n";
    browser.writeInbound(text("GET /api/me HTTP/1.1\r\nHost: h\r\n" + cookie + "\r\n"));
    String me = FuzzedConsole.answer(browser);
    String csrf = me.substring(me.indexOf("\"csrf\":\"") + 8).split("\"", 2)[0];

    browser.writeInbound(
        Unpooled.wrappedBuffer(
            text(
                "POST /api/"
                    + path
                    + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nX-Tunnel-Csrf: "
                    + csrf
                    + "\r\n"
                    + cookie
                    + "Content-Length: "
                    + body.length
                    + "\r\n\r\n"),
            Unpooled.wrappedBuffer(body)));
    String answer = FuzzedConsole.answer(browser);
    browser.finishAndReleaseAll();

    assertThat(answer).startsWith("HTTP/1.1 ").doesNotContain("CONSOLE_FAILED", "\"CSRF\"");
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }
}
