package io.tunnel.cli.log;

/**
 * A command that causes the trouble which others are told of: unless {@code --verbose} asks for it,
 * nothing is logged.
 */
public interface ExpectsTrouble {}
