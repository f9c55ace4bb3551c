/** Options that several tools have, and what their values may look like. */
package io.tunnel.terminal.options;
