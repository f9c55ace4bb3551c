package io.tunnel.cli;

/**
 * A command of {@code ./tunnel} that another module brings. {@link java.util.ServiceLoader} finds
 * its class, so this module needs neither that module nor the libraries of that module.
 */
public interface Program {

  /** The command of this module before which the help lists this one. */
  Class<?> listedBefore();
}
