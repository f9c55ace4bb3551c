/** The servers of the demo as processes, on a directory that is deleted with them. */
package io.tunnel.cli.demo.servers;
