package io.tunnel.programs.torture.hostile;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

/** TLS that trusts every certificate: an attacker verifies no server. */
final class Credulous {

  private Credulous() {}

  /** Takes every server's certificate. */
  static SSLContext client() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has TLS", e);
    }
  }
}
