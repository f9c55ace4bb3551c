package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

/**
 * A browser's connection with whatever bytes in whatever pieces: nothing fails inside, and nothing
 * is sent on without the CSRF token of the cookie.
 */
@Tag("proof-fuzz")
class ConsoleBytesFuzzTest {

  @FuzzTest(maxDuration = "")
  @DictionaryEntries({
    "GET / HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0a",
    "POST /api/ask/PAUSE HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0aContent-Type: application/json\\x0d\\x0a",
    "POST /api/rows HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0aContent-Type: application/json\\x0d\\x0a",
    "POST /api/changes HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0aContent-Type: application/json\\x0d\\x0a",
    "POST /api/login HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0aContent-Type: application/json\\x0d\\x0a",
    "GET http://h/api/me HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0a",
    "http://",
    "Host: 127.0.0.1:x\\x0d\\x0a",
    "Content-Length: 99999999\\x0d\\x0a",
    "Expect: 100-continue\\x0d\\x0a",
    "GET /api/me HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0a",
    "GET /api/history HTTP/1.1\\x0d\\x0aHost: h\\x0d\\x0a",
    "Cookie: tunnel_session_0=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\\x0d\\x0a",
    "X-Tunnel-Csrf: ",
    "Origin: http://h\\x0d\\x0a",
    "Transfer-Encoding: chunked\\x0d\\x0a",
    "Content-Length: ",
    "\\x0d\\x0a\\x0d\\x0a",
    "/../",
    "%2e"
  })
  void bytes_are_answered_or_refused_and_nothing_is_sent_on(FuzzedDataProvider data) {
    int cut = data.consumeInt(1, 500);
    byte[] bytes = data.consumeRemainingAsBytes();
    int before = FuzzedConsole.askedCount();
    EmbeddedChannel browser = FuzzedConsole.browser();

    for (int at = 0; at < bytes.length && browser.isOpen(); at += cut) {
      browser.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(cut, bytes.length - at)));
    }
    String answers = FuzzedConsole.answer(browser);
    browser.finishAndReleaseAll();

    assertThat(answers).doesNotContain("CONSOLE_FAILED");
    assertThat(count(answers, "HTTP/1.1 ") - count(answers, "HTTP/1.1 100 "))
        .as("each answer has the headers that keep foreign scripts out: %s", answers)
        .isEqualTo(count(answers, "content-security-policy: "));
    assertThat(FuzzedConsole.askedCount()).as("the CSRF token is not known").isEqualTo(before);
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
