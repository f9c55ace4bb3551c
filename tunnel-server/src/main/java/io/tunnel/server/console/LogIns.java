package io.tunnel.server.console;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.security.Hmac;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.Principal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Tells who asks: by the bearer token of the request, or by the cookie of a session that a token
 * opened. A session keeps the hash of its token and asks the gate at each request, so it ends with
 * the token. A request that a browser's cookie carries must also carry the session's CSRF token: a
 * foreign page makes browsers send the cookie, but cannot read the CSRF token.
 *
 * <p>A server without authentication has no log-in, and keeps no session: its cookie is only an
 * unpredictable name that the CSRF token belongs to. For any thread; the monitor guards the
 * sessions.
 */
final class LogIns {

  private static final int ID_BYTES = 32;
  private static final int ID_CHARS = 43;
  private static final int CSRF_KEY_BYTES = 32;
  private static final String BEARER = "Bearer ";

  private final Gate gate;
  private final AuditLog audit;
  private final Port port;
  private final byte[] csrfKey;
  private final SessionsCore sessions = new SessionsCore();

  /**
   * What log-ins need of the machine.
   *
   * @param chance makes that number of unpredictable bytes
   * @param nanos a clock that never goes back
   * @param later completes a future with an answer after some nanoseconds
   */
  record Port(IntFunction<Bytes> chance, LongSupplier nanos, Later later) {

    /** The machine's timer. */
    static Port of(IntFunction<Bytes> chance, LongSupplier nanos) {
      return new Port(
          chance,
          nanos,
          (answer, delayNanos) ->
              new CompletableFuture<Answer>()
                  .completeOnTimeout(answer, delayNanos, TimeUnit.NANOSECONDS));
    }
  }

  /** Gives an answer later. */
  @FunctionalInterface
  interface Later {
    CompletableFuture<Answer> answer(Answer answer, long delayNanos);
  }

  LogIns(Gate gate, AuditLog audit, Port port) {
    this.gate = gate;
    this.audit = audit;
    this.port = port;
    this.csrfKey = port.chance().apply(CSRF_KEY_BYTES).toByteArray();
  }

  /** Whether the server works without authentication. */
  boolean isOpen() {
    return gate.isOpen();
  }

  /**
   * Who asks.
   *
   * @throws Refusal NOT_AUTHENTICATED when neither a token nor a session is valid
   * @throws io.tunnel.model.RefusedException while this server cannot know which tokens are valid
   */
  Visitor visitor(Asked asked) {
    Optional<String> cookie = cookie(asked);
    if (gate.isOpen()) {
      return new Visitor(Caller.anybody(), cookie, Optional.empty());
    }
    Optional<String> bearer = bearer(asked);
    Optional<Visitor> known =
        bearer.isPresent()
            ? ofToken(HttpToken.hashOf(bearer.get()), Optional.empty())
            : cookie.flatMap(this::ofSession);
    return known.orElseThrow(LogIns::notAuthenticated);
  }

  private static Refusal notAuthenticated() {
    return new Refusal(
        HttpResponseStatus.UNAUTHORIZED,
        "NOT_AUTHENTICATED",
        "log in with a token; 'tunnel security token create' makes one");
  }

  private Optional<Visitor> ofToken(Bytes hash, Optional<String> session) {
    return gate.bearerOf(hash).map(caller -> new Visitor(caller, session, Optional.of(hash)));
  }

  private Optional<Visitor> ofSession(String id) {
    Optional<SessionsCore.Session> session;
    synchronized (this) {
      session = sessions.use(id, port.nanos().getAsLong());
    }
    Optional<Visitor> visitor =
        session.flatMap(known -> ofToken(known.tokenHash(), Optional.of(id)));
    if (visitor.isEmpty()) {
      synchronized (this) {
        sessions.end(id);
      }
    }
    return visitor;
  }

  /** The visitor as it is now; empty when its session or token has ended. */
  Optional<Visitor> current(Visitor visitor) {
    if (gate.isOpen()) {
      return Optional.of(visitor);
    }
    return visitor.session().isPresent()
        ? ofSession(visitor.session().get())
        : visitor.tokenHash().flatMap(hash -> ofToken(hash, Optional.empty()));
  }

  private static Optional<String> bearer(Asked asked) {
    return asked
        .header(HttpHeaderNames.AUTHORIZATION)
        .filter(said -> said.regionMatches(true, 0, BEARER, 0, BEARER.length()))
        .map(said -> said.substring(BEARER.length()).strip());
  }

  /** Whether a request that was not let in had a token, so that the token was wrong. */
  static boolean hasBearer(Asked asked) {
    return bearer(asked).isPresent();
  }

  /**
   * The id of the browser's session. Two cookies of the name are none: somebody has planted one.
   */
  private static Optional<String> cookie(Asked asked) {
    String name = cookieName(asked);
    List<String> ids =
        asked.headers(HttpHeaderNames.COOKIE).stream()
            .flatMap(header -> decoded(header))
            .filter(cookie -> cookie.name().equals(name))
            .map(Cookie::value)
            .toList();
    return ids.size() == 1 && ids.get(0).matches("[A-Za-z0-9_-]{" + ID_CHARS + "}")
        ? Optional.of(ids.get(0))
        : Optional.empty();
  }

  private static Stream<Cookie> decoded(String header) {
    return ServerCookieDecoder.STRICT.decodeAll(header).stream();
  }

  /** Browsers send cookies to all ports of a host, and several servers may share a host. */
  private static String cookieName(Asked asked) {
    return "tunnel_session_" + asked.port();
  }

  /** Refuses a request with a session's cookie but without the session's CSRF token. */
  void requireCsrf(Asked asked, Visitor visitor) {
    if (visitor.session().isEmpty() && !gate.isOpen()) {
      return; // A foreign page cannot make a browser send a token.
    }
    String said = asked.header("x-tunnel-csrf").orElse("");
    boolean isRight =
        visitor.session().isPresent()
            && MessageDigest.isEqual(
                said.getBytes(StandardCharsets.UTF_8),
                csrf(visitor.session().get()).getBytes(StandardCharsets.UTF_8));
    if (!isRight) {
      throw new Refusal(
          HttpResponseStatus.FORBIDDEN,
          "CSRF",
          "send the member 'csrf' of /api/me as header X-Tunnel-Csrf, with the cookie of /api/me");
    }
  }

  /** The CSRF token of a session. */
  String csrf(String session) {
    return text(Hmac.of(csrfKey, session));
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * A new session's id. Ids that a request brings are never taken: they could be known to others.
   */
  private String newId() {
    return text(port.chance().apply(ID_BYTES).toByteArray());
  }

  /** An answer to a browser that an open server sees for the first time, with its cookie. */
  record Named(Visitor visitor, Optional<String> cookie) {}

  /** On an open server, gives a visitor without a cookie one. */
  Named named(Asked asked, Visitor visitor) {
    if (!gate.isOpen() || visitor.session().isPresent()) {
      return new Named(visitor, Optional.empty());
    }
    String id = newId();
    return new Named(
        new Visitor(visitor.caller(), Optional.of(id), Optional.empty()),
        Optional.of(setCookie(asked, id)));
  }

  private static String setCookie(Asked asked, String id) {
    return cookieName(asked)
        + "="
        + id
        + "; Path=/; HttpOnly; SameSite=Strict"
        + (asked.isEncrypted() ? "; Secure" : "");
  }

  /** A log-in that succeeded, and the cookie of its session. */
  record Entered(Visitor visitor, String cookie) {}

  /**
   * Opens a session with a new id, and ends the session of the request's cookie.
   *
   * @throws Refusal when the body has no token, or the token is not valid
   */
  Entered logIn(Asked asked) {
    if (gate.isOpen()) {
      throw new Refusal(
          HttpResponseStatus.CONFLICT, "OPEN", "this server works without log-ins; ask /api/me");
    }
    String token = token(asked);
    String id = newId();
    Visitor visitor =
        ofToken(HttpToken.hashOf(token), Optional.of(id)).orElseThrow(LogIns::notAuthenticated);
    synchronized (this) {
      cookie(asked).ifPresent(sessions::end);
      sessions.open(
          id,
          new SessionsCore.Session(
              visitor.caller().principal().map(Principal::name).orElseThrow(),
              HttpToken.hashOf(token)),
          port.nanos().getAsLong());
    }
    audit.loggedIn(visitor.caller(), asked.from());
    return new Entered(visitor, setCookie(asked, id));
  }

  private static String token(Asked asked) {
    try {
      JsonElement body = JsonParser.parseString(new String(asked.body(), StandardCharsets.UTF_8));
      if (body instanceof JsonObject object
          && object.get("token") != null
          && object.get("token").isJsonPrimitive()) {
        return object.get("token").getAsString();
      }
    } catch (JsonParseException | StackOverflowError e) {
      // Refused below, like JSON without a token.
    }
    throw new Refusal(
        HttpResponseStatus.BAD_REQUEST, "INVALID_REQUEST", "the body is {\"token\":\"...\"}");
  }

  /** Ends a session; returns the header that takes the cookie from the browser. */
  synchronized String logOut(Asked asked, Visitor visitor) {
    visitor.session().ifPresent(sessions::end);
    return setCookie(asked, "") + "; Max-Age=0";
  }

  /** Answers a failed attempt after a delay, which grows with the failures of its network. */
  CompletableFuture<Answer> slowed(Asked asked, Answer answer) {
    return port.later().answer(answer, gate.failed(asked.from()));
  }

  /** Sessions that are kept. */
  synchronized int count() {
    return sessions.count();
  }
}
