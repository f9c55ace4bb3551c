package io.tunnel.server.console;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
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

  private final LogIns logIns;
  private final AuditLog audit;
  private final ConsoleServer server;

  Api(LogIns logIns, AuditLog audit, ConsoleServer server) {
    this.logIns = logIns;
    this.audit = audit;
    this.server = server;
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
    switch (asked.path()) {
      case "/api/me":
        requireGet(asked);
        LogIns.Named named = logIns.named(asked, visitor);
        Answer me = Answer.json(me(named.visitor()));
        named.cookie().ifPresent(cookie -> me.with("set-cookie", cookie));
        return CompletableFuture.completedFuture(me);
      case "/api/logout":
        requirePost(asked);
        requireCsrf(asked, visitor);
        return CompletableFuture.completedFuture(
            Answer.json(new JsonObject()).with("set-cookie", logIns.logOut(asked, visitor)));
      default:
        throw new Refusal(
            HttpResponseStatus.NOT_FOUND,
            "NOT_FOUND",
            "there is no such path; see docs/console.md");
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
    add(me, "principal", visitor.caller().principal().map(Principal::name));
    add(me, "csrf", visitor.session().map(logIns::csrf));
    add(me, "node", server.node());
    me.addProperty("cluster", server.node().isPresent());
    me.addProperty("version", server.version());
    me.addProperty("mayReadCluster", visitor.caller().mayOnCluster(Right.READ));
    me.addProperty("administrator", visitor.caller().mayOnCluster(Right.ADMIN));
    return me;
  }

  private static void add(JsonObject to, String name, Optional<String> value) {
    to.add(
        name,
        value
            .map(text -> (com.google.gson.JsonElement) new JsonPrimitive(text))
            .orElse(JsonNull.INSTANCE));
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

  private void requireCsrf(Asked asked, Visitor visitor) {
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
