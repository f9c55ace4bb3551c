package io.tunnel.sdk.transport;

import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * Whether native code may be loaded without a warning. Since Java 24 the JVM warns unless the
 * program runs with {@code --enable-native-access}, which a library cannot set; a later JVM will
 * refuse.
 */
final class NativeAccess {

  private static final int WARNS_SINCE = 24;

  private NativeAccess() {}

  static boolean isQuiet() {
    if (Runtime.version().feature() < WARNS_SINCE) {
      return true;
    }
    Module ofNetty = DefaultThreadFactory.class.getModule();
    try {
      // The method exists since Java 22; this class is compiled for 17.
      return (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(ofNetty);
    } catch (ReflectiveOperationException unknown) {
      return false;
    }
  }
}
