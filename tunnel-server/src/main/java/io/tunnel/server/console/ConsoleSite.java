package io.tunnel.server.console;

import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console's part of the HTTP port: static files and the API. */
public final class ConsoleSite implements HttpServer.Site {

  /** Longest body of a request in bytes. */
  private static final int BODY_BYTES_MAX = 64 << 10;

  /** Bytes of answers that browsers have not taken. */
  private static final long UNTAKEN_BYTES_MAX = 32L << 20;

  private static final Pattern PLAIN_PATH = Pattern.compile("/[A-Za-z0-9_.@/-]*");

  /** Codes of refusals that no page of this server causes. */
  private static final Set<String> ATTACKS = Set.of("HOST", "PATH", "ORIGIN", "CSRF");

  private static final Logger LOGGER = LoggerFactory.getLogger(ConsoleSite.class);

  private final ConsoleConfig config;
  private final HttpHosts hosts;
  private final ConsoleFiles files;
  private final AuditLog audit;
  private final Snapshots snapshots;
  private final Feed feed;
  private final Api api;
  private final AtomicLong untakenBytes = new AtomicLong();

  /**
   * What the console needs of the machine.
   *
   * @param chance makes that number of unpredictable bytes
   * @param nanos a clock that never goes back
   * @param epochMs milliseconds since 1970, now
   * @param maker the thread that turns rows into JSON; rejects tasks when too many wait
   */
  public record Machine(
      IntFunction<Bytes> chance, LongSupplier nanos, LongSupplier epochMs, Executor maker) {}

  /**
   * Reads the static files.
   *
   * @param hosts the names of this server
   * @param door who is let in
   * @param server the server that the pages show
   * @param forwarding sends the requests of pages
   * @throws IOException when files are missing in the class path
   */
  public ConsoleSite(
      ConsoleConfig config,
      HttpHosts hosts,
      NetServer.Door door,
      ConsoleServer server,
      Forwarding forwarding,
      Machine machine)
      throws IOException {
    this(
        config,
        hosts,
        door.audit(),
        new LogIns(door.gate(), door.audit(), LogIns.Port.of(machine.chance(), machine.nanos())),
        new Snapshots(server, machine.epochMs(), new Peers(forwarding, machine.nanos())),
        new Backing(server, new Asks(forwarding, machine.maker())));
  }

  /** The server behind the pages, and what it can be asked. */
  record Backing(ConsoleServer server, Asks asks) {}

  ConsoleSite(
      ConsoleConfig config,
      HttpHosts hosts,
      AuditLog audit,
      LogIns logIns,
      Snapshots snapshots,
      Backing backing)
      throws IOException {
    this.config = config;
    this.hosts = hosts;
    this.audit = audit;
    this.snapshots = snapshots;
    this.feed = new Feed(snapshots, logIns::current);
    this.api = new Api(logIns, audit, backing.server(), backing.asks(), snapshots, feed);
    this.files = ConsoleFiles.read();
  }

  /** Samples figures, and sends them to pages that watch. Call it every second, on one thread. */
  public void tick() {
    snapshots.stepIfDue();
    feed.tick();
  }

  /** The newest figures of this server, for other nodes; empty before the first. For any thread. */
  public Optional<NodeFigures> figures() {
    return snapshots.newest();
  }

  /** Browsers that watch, for tests. */
  int viewers() {
    return feed.count();
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

  /**
   * Answers a request. On the event loop of its connection; does not wait.
   *
   * @return never fails
   */
  CompletableFuture<Answer> answer(Asked asked) {
    CompletableFuture<Answer> answer;
    try {
      requireOurs(asked);
      answer =
          asked.path().startsWith("/api/")
              ? api.answer(asked)
              : CompletableFuture.completedFuture(file(asked));
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.exceptionally(failure -> refused(asked, failure));
  }

  /**
   * Refuses a request for a server of another name, which a browser sends when somebody points a
   * name of theirs at this address, and paths that are written in a way that no page uses.
   */
  private void requireOurs(Asked asked) {
    List<String> named = asked.headers(HttpHeaderNames.HOST);
    if (named.size() != 1 || !hosts.areOurs(named)) {
      throw new Refusal(
          HttpResponseStatus.MISDIRECTED_REQUEST,
          "HOST",
          "this server has another name; ask it by its address, or add the name to net.httpHosts"
              + " of its settings");
    }
    if (!PLAIN_PATH.matcher(asked.path()).matches()
        || asked.path().contains("..")
        || asked.path().contains("//")) {
      throw new Refusal(
          HttpResponseStatus.BAD_REQUEST, "PATH", "paths have letters, digits, '/', '.', '_', '-'");
    }
  }

  private Answer refused(Asked asked, Throwable failure) {
    Refusal refusal = Refusal.of(failure);
    if (refusal.isUnexpected()) {
      LOGGER.error("request {} {} of the console failed", asked.method(), asked.path(), failure);
    }
    if (ATTACKS.contains(refusal.code()) && !isForgetful(asked, refusal)) {
      audit.refusedPage(
          asked.method()
              + " "
              + asked.path()
              + asked
                  .header(HttpHeaderNames.ORIGIN)
                  .map(origin -> " of a page of " + origin)
                  .orElse(""),
          refusal.code(),
          asked.from());
    }
    return refusal.answer();
  }

  /**
   * Whether a page of this server has the CSRF token of a process that has ended: an open server
   * that was restarted. A foreign page is refused for its Origin before its token is looked at.
   */
  private static boolean isForgetful(Asked asked, Refusal refusal) {
    return refusal.code().equals("CSRF") && !asked.headers(HttpHeaderNames.ORIGIN).isEmpty();
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
