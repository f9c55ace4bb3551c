package io.tunnel.server.console;

import com.google.gson.JsonObject;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Operation.Right;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The paths below {@code /api/}. Each request is refused unless its browser page came from this
 * server, its sender is known, and, where it changes something, it carries the CSRF token. On the
 * event loop of the connection; does not wait.
 */
final class Api {

  private static final String ASK = "/api/ask/";

  private final LogIns logIns;
  private final AuditLog audit;
  private final ConsoleServer server;
  private final Asks asks;
  private final Snapshots snapshots;
  private final Feed feed;

  Api(
      LogIns logIns,
      AuditLog audit,
      ConsoleServer server,
      Asks asks,
      Snapshots snapshots,
      Feed feed) {
    this.logIns = logIns;
    this.audit = audit;
    this.server = server;
    this.asks = asks;
    this.snapshots = snapshots;
    this.feed = feed;
  }

  /** Answers, or fails with a {@link Refusal} or a refusal of the native protocol. */
  CompletableFuture<Answer> answer(Asked asked) {
    requireOwnPage(asked);
    if (asked.path().equals("/api/login")) {
      requirePost(asked);
      return logIn(asked);
    }
    Visitor visitor;
    try {
      visitor = logIns.visitor(asked);
    } catch (Refusal refusal) {
      if (LogIns.hasBearer(asked)) {
        audit.refusedVisit(Optional.empty(), asked.from());
        return logIns.slowed(asked, refusal.answer());
      }
      throw refusal;
    }
    return answer(asked, visitor);
  }

  private CompletableFuture<Answer> answer(Asked asked, Visitor visitor) {
    if (asked.path().startsWith(ASK)) {
      requireChange(asked, visitor);
      return asks.ask(asked, asked.path().substring(ASK.length()), visitor);
    }
    switch (asked.path()) {
      case "/api/me" -> {
        requireGet(asked);
        LogIns.Named named = logIns.named(asked, visitor);
        Answer me = Answer.json(me(named.visitor()));
        named.cookie().ifPresent(cookie -> me.with("set-cookie", cookie));
        return CompletableFuture.completedFuture(me);
      }
      case "/api/logout" -> {
        requireChange(asked, visitor);
        return CompletableFuture.completedFuture(
            Answer.json(new JsonObject()).with("set-cookie", logIns.logOut(asked, visitor)));
      }
      case "/api/rows" -> {
        requireChange(asked, visitor);
        return asks.rows(asked, visitor);
      }
      case "/api/changes" -> {
        requireChange(asked, visitor);
        return asks.changes(asked, visitor);
      }
      case "/api/events" -> {
        requireFigures(asked, visitor);
        return CompletableFuture.completedFuture(
            Answer.events(connection -> feed.join(connection, visitor)));
      }
      case "/api/history" -> {
        requireFigures(asked, visitor);
        return CompletableFuture.completedFuture(snapshots.history());
      }
      default ->
          throw new Refusal(
              HttpResponseStatus.NOT_FOUND,
              "NOT_FOUND",
              "there is no such path; see docs/operate/console.md");
    }
  }

  private void requireFigures(Asked asked, Visitor visitor) {
    requireGet(asked);
    try {
      visitor.caller().requireOnCluster(Right.READ);
    } catch (RefusedException e) {
      audit.refusedVisit(Optional.of(visitor.caller()), asked.from());
      throw e;
    }
  }

  private CompletableFuture<Answer> logIn(Asked asked) {
    try {
      LogIns.Entered entered = logIns.logIn(asked);
      return CompletableFuture.completedFuture(
          Answer.json(me(entered.visitor())).with("set-cookie", entered.cookie()));
    } catch (Refusal refusal) {
      if (!refusal.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
        throw refusal;
      }
      audit.refusedVisit(Optional.empty(), asked.from());
      return logIns.slowed(asked, refusal.answer());
    }
  }

  private JsonObject me(Visitor visitor) {
    JsonObject me = new JsonObject();
    me.addProperty("open", logIns.isOpen());
    me.addProperty("principal", visitor.caller().principal().map(Principal::name).orElse(null));
    me.addProperty("csrf", visitor.session().map(logIns::csrf).orElse(null));
    me.addProperty("node", server.node().orElse(null));
    me.addProperty("cluster", server.node().isPresent());
    me.addProperty("version", server.version());
    me.addProperty("mayReadCluster", visitor.caller().mayOnCluster(Right.READ));
    me.addProperty("administrator", visitor.caller().mayOnCluster(Right.ADMIN));
    return me;
  }

  /**
   * Refuses what a page of another server made a browser send. Browsers name the page's server in
   * Origin, and say in Sec-Fetch-Site how far it is from this one; scripts send neither.
   */
  private static void requireOwnPage(Asked asked) {
    String own =
        (asked.isEncrypted() ? "https://" : "http://")
            + asked.header(HttpHeaderNames.HOST).orElse("");
    boolean isOwn =
        asked.headers(HttpHeaderNames.ORIGIN).stream().allMatch(own::equalsIgnoreCase)
            && asked.headers("sec-fetch-site").stream()
                .map(site -> site.toLowerCase(Locale.ROOT))
                .allMatch(site -> site.equals("same-origin") || site.equals("none"));
    if (!isOwn) {
      throw new Refusal(
          HttpResponseStatus.FORBIDDEN, "ORIGIN", "a page of another server sent this request");
    }
  }

  private void requireChange(Asked asked, Visitor visitor) {
    requirePost(asked);
    logIns.requireCsrf(asked, visitor);
  }

  private static void requireGet(Asked asked) {
    if (!asked.is(HttpMethod.GET)) {
      throw new Refusal(HttpResponseStatus.METHOD_NOT_ALLOWED, "METHOD", "GET only");
    }
  }

  /** A browser sends JSON for a foreign page only if this server allows it, which it never does. */
  private static void requirePost(Asked asked) {
    if (!asked.is(HttpMethod.POST)) {
      throw new Refusal(HttpResponseStatus.METHOD_NOT_ALLOWED, "METHOD", "POST only");
    }
    String type = asked.header(HttpHeaderNames.CONTENT_TYPE).orElse("").toLowerCase(Locale.ROOT);
    if (!type.equals("application/json") && !type.startsWith("application/json;")) {
      throw new Refusal(
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "TYPE", "Content-Type is application/json");
    }
  }
}
