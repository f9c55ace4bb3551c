/** {@code tunnel tail}: prints the changes of a table, without a tunnel. */
package io.tunnel.cli.tail;
