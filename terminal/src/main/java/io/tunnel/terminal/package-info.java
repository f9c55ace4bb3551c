/**
 * What all command-line tools share. {@link io.tunnel.terminal.CommandRunner} runs a command and
 * turns every expected error into one line and an {@link io.tunnel.terminal.ExitCode}; {@link
 * io.tunnel.terminal.ProgressBar} shows long work on standard error; {@link
 * io.tunnel.terminal.TextTable}, {@link io.tunnel.terminal.Bar} and {@link
 * io.tunnel.terminal.Human} write figures for people.
 *
 * <p>Standard output is for data, standard error for everything that is said about it.
 */
package io.tunnel.terminal;
