/** {@code tunnel ping}: round trips to a server, with percentiles. */
package io.tunnel.cli.ping;
