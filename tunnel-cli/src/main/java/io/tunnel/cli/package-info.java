/** The {@code ./tunnel} command: every program of the project behind one launcher. */
package io.tunnel.cli;
