/** The console in a real browser: pages, clicks and their effect at the server. */
package io.tunnel.it.console;
