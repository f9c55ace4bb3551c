package io.tunnel.server.console;

import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console's part of the HTTP port: static files and the API. */
public final class ConsoleSite implements HttpServer.Site {

  /** Headers of all answers: a page runs its own scripts only, and no other page may frame it. */
  static final Map<String, String> HEADERS =
      Map.of(
          "content-security-policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
              + " frame-ancestors 'none'",
          "x-content-type-options",
          "nosniff",
          "referrer-policy",
          "no-referrer",
          "cross-origin-opener-policy",
          "same-origin");

  /** Longest body of a request in bytes. */
  private static final int BODY_BYTES_MAX = 64 << 10;

  /** Bytes of answers that browsers have not taken. */
  private static final long UNTAKEN_BYTES_MAX = 32L << 20;

  private static final Logger LOGGER = LoggerFactory.getLogger(ConsoleSite.class);

  private final ConsoleConfig config;
  private final HttpHosts hosts;
  private final ConsoleFiles files;
  private final AtomicLong untakenBytes = new AtomicLong();

  /**
   * Reads the static files.
   *
   * @param hosts the names of this server
   * @throws IOException when files are missing in the class path
   */
  public ConsoleSite(ConsoleConfig config, HttpHosts hosts) throws IOException {
    this.config = config;
    this.hosts = hosts;
    this.files = ConsoleFiles.read();
  }

  @Override
  public boolean has(String target) {
    return target.equals("/")
        || target.startsWith("/?")
        || target.equals("/console")
        || target.startsWith("/console/")
        || target.startsWith("/api/")
        || target.equals("/favicon.ico");
  }

  @Override
  public int connectionsMax() {
    return config.connectionsMax();
  }

  @Override
  public int bodyBytesMax() {
    return BODY_BYTES_MAX;
  }

  @Override
  public ChannelHandler handler(boolean hasPlace) {
    return new ConsoleConnection(this, hasPlace);
  }

  /** Answers a request. On the event loop of its connection; does not wait. */
  CompletableFuture<Answer> answer(Asked asked) {
    if (!hosts.areOurs(asked.headers(HttpHeaderNames.HOST))) {
      return CompletableFuture.completedFuture(
          Answer.refusal(
              HttpResponseStatus.MISDIRECTED_REQUEST,
              "HOST",
              "this server has another name; ask it by its address, or add the name to"
                  + " net.httpHosts of its settings"));
    }
    return CompletableFuture.completedFuture(file(asked));
  }

  private Answer file(Asked asked) {
    if (!asked.is(HttpMethod.GET) && !asked.is(HttpMethod.HEAD)) {
      return Answer.refusal(HttpResponseStatus.METHOD_NOT_ALLOWED, "METHOD", "GET and HEAD only")
          .with("allow", "GET, HEAD");
    }
    return files
        .file(asked.path(), asked.header(HttpHeaderNames.IF_NONE_MATCH).orElse(""))
        .orElseGet(
            () ->
                Answer.refusal(HttpResponseStatus.NOT_FOUND, "NOT_FOUND", "there is no such page"));
  }

  /** The answer to a request that cannot be read. */
  Answer refused(String why) {
    return Answer.refusal(HttpResponseStatus.BAD_REQUEST, "INVALID_REQUEST", why);
  }

  /** The answer to a connection without a place. */
  Answer full() {
    return Answer.refusal(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        "BUSY",
        "the console has "
            + config.connectionsMax()
            + " connections already, or half of them from this network; close other pages");
  }

  /** The answer when browsers do not take their answers. */
  Answer overloaded() {
    return Answer.refusal(
        HttpResponseStatus.SERVICE_UNAVAILABLE,
        "BUSY",
        "browsers have not taken " + UNTAKEN_BYTES_MAX + " bytes of answers; try again later");
  }

  /** The answer to a request that failed for a reason that only the log may tell. */
  Answer failed(Throwable failure) {
    LOGGER.error("a request of the console failed", failure);
    return Answer.refusal(
        HttpResponseStatus.INTERNAL_SERVER_ERROR, "INTERNAL", "see the server's log");
  }

  /** Counts an answer that is not taken yet; false without room for a larger one. */
  boolean hold(int bytes) {
    if (untakenBytes.addAndGet(bytes) > UNTAKEN_BYTES_MAX && bytes > BODY_BYTES_MAX) {
      untakenBytes.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** A browser has taken an answer, or is gone. */
  void letGo(int bytes) {
    untakenBytes.addAndGet(-bytes);
  }
}
