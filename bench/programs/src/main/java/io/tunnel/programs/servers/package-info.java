/** The servers that a program starts as processes, on a directory that is deleted with them. */
package io.tunnel.programs.servers;
