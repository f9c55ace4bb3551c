package io.tunnel.server.net.access;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.MacSpi;

/** Counts the HMACs that this process computes while it is open. */
final class CountedMacs implements AutoCloseable {

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final String ALGORITHM = "HmacSHA256";

  private final Counting provider = new Counting();

  CountedMacs() {
    COUNT.set(0);
    Security.insertProviderAt(provider, 1);
  }

  /** How many since the last time. */
  int count() {
    return COUNT.getAndSet(0);
  }

  @Override
  public void close() {
    Security.removeProvider(provider.getName());
  }

  private static final class Counting extends Provider {
    private static final long serialVersionUID = 1L;

    Counting() {
      super("Counting", "1", "counts");
      putService(
          new Service(this, "Mac", ALGORITHM, CountingMac.class.getName(), List.of(), Map.of()) {
            @Override
            public Object newInstance(Object parameter) {
              return new CountingMac();
            }
          });
    }
  }

  private static final class CountingMac extends MacSpi {
    private final Mac mac;

    CountingMac() {
      try {
        mac = Mac.getInstance(ALGORITHM, "SunJCE");
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected int engineGetMacLength() {
      return mac.getMacLength();
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      mac.init(key, parameters);
    }

    @Override
    protected void engineUpdate(byte input) {
      mac.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      mac.update(input, offset, length);
    }

    @Override
    protected byte[] engineDoFinal() {
      COUNT.incrementAndGet();
      return mac.doFinal();
    }

    @Override
    protected void engineReset() {
      mac.reset();
    }
  }
}
