package io.tunnel.server.net.access;

import io.netty.channel.local.LocalAddress;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.net.audit.AuditTrail.Entry;
import io.tunnel.server.net.audit.AuditTrail.Who;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Decides which requests and failed logins are written to the audit log, with client, address,
 * request and outcome. For any thread; never waits.
 */
public final class AuditLog {

  private static final AuditLog NONE = new AuditLog(Optional.empty());

  private final Optional<NamedTrail> kept;

  /**
   * The trail, with the catalog for names.
   *
   * @param catalog finds the names of tables that requests name by id
   */
  private record NamedTrail(AuditTrail trail, Catalog catalog) {}

  private AuditLog(Optional<NamedTrail> kept) {
    this.kept = kept;
  }

  /** Writes to {@code trail}. */
  public AuditLog(AuditTrail trail, Catalog catalog) {
    this(Optional.of(new NamedTrail(trail, catalog)));
  }

  /** Keeps nothing. */
  public static AuditLog none() {
    return NONE;
  }

  /**
   * A request was done.
   *
   * @param answer names what the request has made
   */
  public void done(Frame request, byte[] answer, Caller caller, SocketAddress address) {
    Operation operation = request.operation();
    if (operation == null || !isWritten(AuditedRequest.writtenFrom(operation))) {
      return;
    }
    AuditTrail trail = kept.orElseThrow().trail();
    Entry entry =
        entry(
            request, asked(request).with(AuditedRequest.made(operation, answer)), caller, address);
    if (operation.right() == Operation.Right.ADMIN) {
      trail.writeAdministration(entry);
    } else {
      trail.write(entry);
    }
  }

  /**
   * Writes a refused request: always when a right was missing or the request is administrative,
   * otherwise as the settings say.
   */
  public void refused(Frame request, Caller caller, ErrorCode code, SocketAddress address) {
    Operation operation = request.operation();
    if (operation != null
        && (isWritten(AuditedRequest.writtenFrom(operation))
            || (kept.isPresent() && isForWantOfRight(code, caller)))) {
      kept.orElseThrow()
          .trail()
          .writeRefusal(refusal(request, caller, address, code), subject(caller, address));
    }
  }

  /**
   * Whether a right was missing. A resource that the caller may not see is refused like one that
   * does not exist.
   */
  private static boolean isForWantOfRight(ErrorCode code, Caller caller) {
    return code == ErrorCode.NOT_PERMITTED
        || code == ErrorCode.NOT_AUTHENTICATED
        || (!caller.mayDoEverything()
            && (code == ErrorCode.TABLE_NOT_FOUND || code == ErrorCode.TUNNEL_NOT_FOUND));
  }

  private boolean isWritten(Written from) {
    return kept.isPresent() && kept.get().trail().requests().compareTo(from) >= 0;
  }

  private AuditedRequest asked(Frame request) {
    return AuditedRequest.read(
        request.operation(), request.payload(), kept.orElseThrow().catalog());
  }

  private static Entry entry(
      Frame request, AuditedRequest asked, Caller caller, SocketAddress address) {
    return new Entry(
        who(caller, address),
        request.operation().name(),
        asked.resource(),
        asked.detail(),
        AuditTrail.OK);
  }

  private Entry refusal(Frame request, Caller caller, SocketAddress address, ErrorCode code) {
    AuditedRequest asked =
        AuditedRequest.readRefused(
            request.operation(), request.payload(), kept.orElseThrow().catalog());
    return new Entry(
        who(caller, address),
        request.operation().name(),
        asked.resource(),
        asked.detail(),
        code.name());
  }

  /** Writes a login. */
  public void entered(Caller caller, SocketAddress address) {
    if (isWritten(Written.CHANGES)) {
      kept.orElseThrow().trail().write(entry("CONNECT", who(caller, address), AuditTrail.OK));
    }
  }

  /** Writes a refused login, if authentication was missing or failed. */
  public void notEntered(ErrorCode code, SocketAddress address) {
    if (code == ErrorCode.NOT_AUTHENTICATED) {
      stranger("CONNECT", code, address);
    }
  }

  /** Writes that a connection was closed because a right that it used has ended. */
  public void ended(Caller caller, ErrorCode code, SocketAddress address) {
    kept.ifPresent(
        to ->
            to.trail()
                .writeRefusal(
                    entry("CONNECTION", who(caller, address), code.name()),
                    subject(caller, address)));
  }

  /**
   * Writes that the HTTP port refused a visitor.
   *
   * @param visitor empty for an unknown visitor
   */
  public void refusedVisit(Optional<Caller> visitor, SocketAddress address) {
    if (visitor.isEmpty()) {
      stranger("HTTP", ErrorCode.NOT_AUTHENTICATED, address);
    } else {
      kept.ifPresent(
          to ->
              to.trail()
                  .writeRefusal(
                      entry("HTTP", who(visitor.get(), address), ErrorCode.NOT_PERMITTED.name()),
                      subject(visitor.get(), address)));
    }
  }

  /** Writes that a browser logged in at the console, whatever the settings say: it is rare. */
  public void loggedIn(Caller caller, SocketAddress address) {
    kept.ifPresent(
        to -> to.trail().write(entry("CONSOLE_LOGIN", who(caller, address), AuditTrail.OK)));
  }

  /**
   * Writes that the console refused a request because of how it was made.
   *
   * @param asked method and path
   * @param outcome the code of the refusal
   */
  public void refusedPage(String asked, String outcome, SocketAddress address) {
    kept.ifPresent(
        to ->
            to.trail()
                .writeRefusal(
                    new Entry(
                        who(Caller.nobody(), address),
                        "CONSOLE",
                        Optional.empty(),
                        Optional.of(asked),
                        outcome),
                    network(address)));
  }

  private void stranger(String operation, ErrorCode code, SocketAddress address) {
    kept.ifPresent(
        to ->
            to.trail()
                .writeStranger(
                    entry(operation, who(Caller.nobody(), address), code.name()),
                    network(address)));
  }

  private static Entry entry(String operation, Who who, String outcome) {
    return new Entry(who, operation, Optional.empty(), Optional.empty(), outcome);
  }

  private static Who who(Caller caller, SocketAddress address) {
    return new Who(
        caller.principal().map(Principal::name),
        Optional.of(caller.origin().orElseGet(() -> text(address))));
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
        : ownText(address);
  }

  /** The address of a connection of this server to itself: {@code ORIGIN/NUMBER}. */
  private static String ownText(SocketAddress address) {
    return address instanceof LocalAddress local && local.id().indexOf('/') > 0
        ? local.id().substring(0, local.id().indexOf('/'))
        : String.valueOf(address);
  }

  /**
   * The subject whose refusals are counted together: the principal, or the address without
   * authentication.
   */
  private static String subject(Caller caller, SocketAddress address) {
    return caller.principal().map(Principal::name).orElseGet(() -> network(address));
  }

  private static String network(SocketAddress address) {
    byte[] network = Gate.network(address).toByteArray();
    if (network.length <= AttemptsCore.IPV4_BYTES) {
      return address instanceof InetSocketAddress inet && inet.getAddress() != null
          ? inet.getAddress().getHostAddress()
          : String.valueOf(address);
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < network.length; i += Short.BYTES) {
      int group = Byte.toUnsignedInt(network[i]) << Byte.SIZE | Byte.toUnsignedInt(network[i + 1]);
      shown.append(Integer.toHexString(group)).append(':');
    }
    return shown.append(":/64").toString();
  }
}
