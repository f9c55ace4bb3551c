/** What all command-line tools share: progress, tables for people, exit codes. */
package io.tunnel.terminal;
