package io.tunnel.cli;

/**
 * A command of {@code ./tunnel} that another module brings. {@link java.util.ServiceLoader} finds
 * its class, so this module needs neither that module nor the libraries of that module.
 */
public interface Program {

  /** The help lists this command before the returned command of this module. */
  Class<?> listedBefore();
}
